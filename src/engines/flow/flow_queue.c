#include "engines/flow/flow_queue.h"

#include "base/memory/memory.h"
#include "base/memory/sort_entries.h"
#include "base/status/try.h"

#include <stdlib.h>
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
    q->heap.count = q->due = 0;
    q->collects = false;
    q->tried = UINT64_MAX;
    for (unsigned i = 0; i < FLOW_LISTS; i++) q->list[i].first = q->list[i].count = 0;
}

/* ---- many ends at once ---- */

void flow_queue_collect(flow_queue *q) {
    flow_ring *r = &q->list[FLOW_ENDS];
    while (r->count && r->entry[r->first].item == HEAP_OUT) flow_ring_drop(r, q->size);
    if (r->count || q->due) return;
    r->first = 0;
    q->collects = true;
}

/* Items of the list are not in the heap, so its memory has room for them. */
void flow_queue_order(flow_queue *q) {
    flow_ring *r = &q->list[FLOW_ENDS];
    const bool collected = q->collects && r->count;
    bool ordered = true;
    q->collects = false;
    if (!collected) return;
    for (uint32_t i = 1; i < r->count && ordered; i++) ordered = heap_before(&r->entry[i - 1], &r->entry[i]);
    if (!ordered) {
        heap_entry *spare = q->heap.entry + q->heap.count;
        if (sort_entries(r->entry, spare, r->count) == spare)
            memcpy(r->entry, spare, r->count * sizeof *r->entry);
        for (uint32_t i = 0; i < r->count; i++) q->heap.at[r->entry[i].item] = FLOW_IN_LIST + i;
    }
    r->last = r->entry[r->count - 1];
}

/* ---- many events at one time ---- */

enum {
    MANY = 64,       /* events, at least, */
    MANY_SHARE = 16, /* and this part of the heap: then to sort them is faster than to pop them */
    CHILDREN = 4
};

/* Entries at `now`, the first time of the heap, up to `most`: each but the first is a child of another. */
static uint32_t count_due(const heap *h, uint64_t now, uint32_t most) {
    uint32_t count = 0, place = 0;
    while (count < most) {
        if (place < h->count && h->entry[place].key == now) {
            count++;
            place = CHILDREN * place + 1;
            continue;
        }
        while (place && place % CHILDREN == 0) place = (place - 1) / CHILDREN; /* the last child */
        if (!place) return count;
        place++;
    }
    return count;
}

static int by_tie(const void *a, const void *b) {
    const heap_entry *x = a, *y = b;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

/* Moves the entries at `now` behind the others; returns the number of these. */
static uint32_t divide(heap_entry *entry, uint32_t count, uint64_t now) {
    uint32_t first = 0, end = count;
    while (first < end) {
        if (entry[first].key != now) {
            first++;
        } else if (entry[end - 1].key == now) {
            end--;
        } else {
            heap_entry e = entry[first];
            entry[first++] = entry[--end];
            entry[end] = e;
        }
    }
    return first;
}

static void take_many(flow_queue *q, uint64_t now) {
    heap *h = &q->heap;
    const uint32_t many = h->count / MANY_SHARE > MANY ? h->count / MANY_SHARE : MANY;
    if (count_due(h, now, many) < many) return;
    const uint32_t left = divide(h->entry, h->count, now);
    q->due = h->count - left;
    h->count = left;
    heap_entry *due = h->entry + q->size - q->due;
    memmove(due, h->entry + left, q->due * sizeof *due);
    qsort(due, q->due, sizeof *due, by_tie);
    for (uint32_t i = 0; i < q->due; i++) h->at[due[i].item] = HEAP_OUT;
    for (uint32_t i = 0; i < h->count; i++) h->at[h->entry[i].item] = i;
    for (uint32_t i = h->count / CHILDREN + 1; i-- > 0;)
        if (i < h->count) heap_sink(h, i, h->entry[i]);
}

uint32_t flow_queue_take(flow_queue *q, uint64_t now, uint32_t *item, uint32_t most) {
    const heap_entry *first;
    uint32_t count = 0;
    if (q->tried != now && q->heap.count) {
        q->tried = now;
        take_many(q, now);
    }
    while (count < most && (first = flow_queue_first(q)) && first->key == now)
        item[count++] = flow_queue_pop(q, first);
    return count;
}
