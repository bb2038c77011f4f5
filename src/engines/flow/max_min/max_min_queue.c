#include "engines/flow/max_min/max_min_queue.h"

#include "base/memory/memory.h"
#include "base/memory/sort_entries.h"
#include "base/status/try.h"

#include <string.h>

/* Below this number of entries a heap is faster than the passes over the digits. */
#define SORT_FROM 4096

bough_status max_min_queue_make(max_min_queue *q, uint64_t links, bough_error *error) {
    bough_status status = bough_alloc(&q->heap.entry, links, sizeof *q->heap.entry, error);
    TRY(bough_alloc(&q->heap.at, links, sizeof *q->heap.at, error));
    TRY(bough_alloc(&q->sorted, links, sizeof *q->sorted, error));
    if (!status) memset(q->heap.at, 0xff, links * sizeof *q->heap.at);
    return status;
}

void max_min_queue_fini(max_min_queue *q) {
    FREE_ALL(q->heap.entry, q->heap.at, q->sorted);
    *q = (max_min_queue){0};
}

void max_min_queue_sort(max_min_queue *q, uint32_t count) {
    q->next = 0;
    q->count = count;
    if (count < SORT_FROM || count >= MAX_MIN_IN_SORTED) {
        for (uint32_t i = 0; i < count; i++)
            heap_put(&q->heap, q->sorted[i].item, q->sorted[i].key, q->sorted[i].tie);
        q->count = 0;
        return;
    }
    if (sort_entries(q->sorted, q->heap.entry, count) == q->heap.entry) {
        heap_entry *sorted = q->heap.entry;
        q->heap.entry = q->sorted;
        q->sorted = sorted;
    }
    for (uint32_t i = 0; i < count; i++) q->heap.at[q->sorted[i].item] = MAX_MIN_IN_SORTED + i;
}
