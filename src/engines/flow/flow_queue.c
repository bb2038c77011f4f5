#include "engines/flow/flow_queue.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

/* Moves a list to a ring of more places. */
static bough_status grow(flow_queue *q, flow_list list, uint64_t items, bough_error *error) {
    flow_ring *r = &q->list[list];
    heap_entry *entry;
    bough_status status = bough_alloc(&entry, items, sizeof *entry, error);
    if (status) return status;
    for (uint32_t i = 0; i < r->count; i++) {
        entry[i] = r->entry[flow_ring_place(r, q->size, i)];
        if (list == FLOW_ENDS && entry[i].item != HEAP_OUT) q->heap.at[entry[i].item] = FLOW_IN_LIST + i;
    }
    FREE_ALL(r->entry);
    r->entry = entry;
    r->first = 0;
    return BOUGH_OK;
}

bough_status flow_queue_reserve(flow_queue *q, uint64_t items, bough_error *error) {
    if (items <= q->size) return BOUGH_OK;
    bough_status status = bough_grow(&q->heap.entry, &q->entries, items, sizeof *q->heap.entry, error);
    TRY(bough_grow(&q->heap.at, &q->places, items, sizeof *q->heap.at, error));
    for (unsigned i = 0; i < FLOW_LISTS; i++) TRY(grow(q, (flow_list)i, items, error));
    if (status) return status;
    memset(q->heap.at + q->size, 0xff, (items - q->size) * sizeof *q->heap.at);
    q->size = (uint32_t)items;
    return BOUGH_OK;
}

void flow_queue_fini(flow_queue *q) {
    FREE_ALL(q->heap.entry, q->heap.at, q->list[FLOW_ENDS].entry, q->list[FLOW_ARRIVALS].entry);
    *q = (flow_queue){0};
}

void flow_queue_clear(flow_queue *q) {
    if (q->size) memset(q->heap.at, 0xff, q->size * sizeof *q->heap.at);
    q->heap.count = 0;
    for (unsigned i = 0; i < FLOW_LISTS; i++) q->list[i].first = q->list[i].count = 0;
}
