/* The queue of max_min_solve: links by the level of their next event, ties by link.
 *
 * A round often begins with the links of a million flows. These entries are sorted once; later ones go into
 * a heap, which is then small, and the first of both is next. The order is that of a single heap. */
#ifndef BOUGH_ENGINES_FLOW_MAX_MIN_QUEUE_H
#define BOUGH_ENGINES_FLOW_MAX_MIN_QUEUE_H

#include "base/memory/indexed_heap.h"
#include "bough/status.h"

/* sorted and heap.entry have a place for every link, and exchange their memory. heap.at[link] of a link in
 * `sorted`: MAX_MIN_IN_SORTED + its place. Zero-initialise. */
typedef struct max_min_queue {
    heap heap;
    heap_entry *sorted;
    uint32_t next, count; /* sorted[next .. count-1] remain; item HEAP_OUT: moved to the heap */
} max_min_queue;

#define MAX_MIN_IN_SORTED (UINT32_C(1) << 31)

bough_status max_min_queue_make(max_min_queue *q, uint64_t links, bough_error *error);
void max_min_queue_fini(max_min_queue *q);

/* The queue is empty, and its entries are now sorted[0 .. count-1] in any order. */
void max_min_queue_sort(max_min_queue *q, uint32_t count);

/* Inserts a link, or changes its key. */
static inline void max_min_queue_put(max_min_queue *q, uint32_t link, uint64_t key) {
    uint32_t at = q->heap.at[link];
    if (at >= MAX_MIN_IN_SORTED && at != HEAP_OUT) {
        q->sorted[at - MAX_MIN_IN_SORTED].item = HEAP_OUT;
        q->heap.at[link] = HEAP_OUT;
    }
    heap_put(&q->heap, link, key, link);
}

/* Removes the first entry; false if there is none. */
static inline bool max_min_queue_pop(max_min_queue *q, heap_entry *first) {
    while (q->next < q->count && q->sorted[q->next].item == HEAP_OUT) q->next++;
    bool sorted = q->next < q->count;
    if (q->heap.count && !(sorted && heap_before(&q->sorted[q->next], &q->heap.entry[0]))) {
        *first = heap_pop(&q->heap);
        return true;
    }
    if (!sorted) return false;
    *first = q->sorted[q->next++];
    q->heap.at[first->item] = HEAP_OUT;
    return true;
}

#endif
