/* Messages by the time of their next event, ties by id.
 *
 * Flows that start together often end together, and last bits arrive a constant delay after they left. So
 * many events come in order: there is a list for ends and one for arrivals. An event that follows the last
 * one of its list is appended to it, any other goes to a heap, and the first of the three is next. Where many
 * ends are put at once, they are sorted, and make the list, if it is empty. Where many events of the heap are
 * at one time, they are sorted instead of popped. The order is that of a single heap.
 */
#ifndef BOUGH_ENGINES_FLOW_FLOW_QUEUE_H
#define BOUGH_ENGINES_FLOW_FLOW_QUEUE_H

#include "base/memory/indexed_heap.h"
#include "bough/status.h"

#include <stddef.h>

typedef enum flow_list { FLOW_ENDS, FLOW_ARRIVALS, FLOW_LISTS } flow_list;

/* A ring of `size` places; of a list of ends, item HEAP_OUT: it was changed. */
typedef struct flow_ring {
    heap_entry *entry, last; /* last: appended */
    uint32_t first, count;
} flow_ring;

/* heap.at[item] of an item in the list of ends: FLOW_IN_LIST + its place; of one in the list of arrivals:
 * HEAP_OUT. Zero-initialise. */
typedef struct flow_queue {
    heap heap;
    flow_ring list[FLOW_LISTS];
    uint32_t size;
    size_t entries, places; /* of heap.entry and heap.at */
    uint64_t tried;         /* the time for which flow_queue_take looked for many events */
    /* heap.entry[size - due .. size - 1]: in order, and out of the heap, which does not reach them, as there
     * are `size` items at most. */
    uint32_t due;
    bool collects; /* between flow_queue_collect and flow_queue_order */
} flow_queue;

#define FLOW_IN_LIST   (UINT32_C(1) << 31)
#define FLOW_ITEMS_MAX FLOW_IN_LIST
#define FLOW_MANY      1024 /* ends from which flow_queue_collect pays */

/* Room for items below this number, at most FLOW_ITEMS_MAX. New items are out. Errors: NO_MEMORY. */
bough_status flow_queue_reserve(flow_queue *q, uint64_t items, bough_error *error);
void flow_queue_fini(flow_queue *q);
/* All items are out. */
void flow_queue_clear(flow_queue *q);

/* The place that is `ahead` < size places after the first. */
static inline uint32_t flow_ring_place(const flow_ring *r, uint32_t size, uint32_t ahead) {
    uint32_t room = size - r->first;
    return ahead < room ? r->first + ahead : ahead - room;
}

static inline void flow_ring_drop(flow_ring *r, uint32_t size) {
    r->first = r->first + 1 == size ? 0 : r->first + 1;
    r->count--;
}

/* Inserts an item. That of an end may be in already: its key changes. After flow_queue_take and until it
 * returns 0: only items that it returned, and not at that time. */
static inline void flow_queue_put(flow_queue *q, flow_list list, heap_entry e) {
    flow_ring *r = &q->list[list];
    uint32_t at = q->heap.at[e.item];
    if (at >= FLOW_IN_LIST && at != HEAP_OUT) {
        r->entry[at - FLOW_IN_LIST].item = HEAP_OUT;
        q->heap.at[e.item] = at = HEAP_OUT;
    }
    if (q->collects && list == FLOW_ENDS && at == HEAP_OUT) {
        q->heap.at[e.item] = FLOW_IN_LIST + r->count;
        r->entry[r->count++] = e;
        return;
    }
    if (at != HEAP_OUT || r->count == q->size || (r->count && heap_before(&e, &r->last))) {
        heap_put(&q->heap, e.item, e.key, e.tie);
        return;
    }
    uint32_t place = flow_ring_place(r, q->size, r->count++);
    r->entry[place] = r->last = e;
    if (list == FLOW_ENDS) q->heap.at[e.item] = FLOW_IN_LIST + place;
}

/* Many ends follow, each of another item, in any order. After them flow_queue_order comes first. */
void flow_queue_collect(flow_queue *q);
void flow_queue_order(flow_queue *q);

/* The first entry; NULL if there is none. */
static inline const heap_entry *flow_queue_first(flow_queue *q) {
    const heap_entry *best = q->heap.count ? q->heap.entry : NULL;
    for (unsigned i = 0; i < FLOW_LISTS; i++) {
        flow_ring *r = &q->list[i];
        while (r->count && r->entry[r->first].item == HEAP_OUT) flow_ring_drop(r, q->size);
        if (r->count && (!best || heap_before(&r->entry[r->first], best))) best = &r->entry[r->first];
    }
    const heap_entry *due = q->due ? &q->heap.entry[q->size - q->due] : NULL;
    return due && (!best || heap_before(due, best)) ? due : best;
}

/* Takes out what flow_queue_first returned. */
static inline uint32_t flow_queue_pop(flow_queue *q, const heap_entry *first) {
    if (q->due && first == &q->heap.entry[q->size - q->due]) return q->heap.entry[q->size - q->due--].item;
    if (first == q->heap.entry) return heap_pop(&q->heap).item;
    uint32_t item = first->item;
    bool end = first == &q->list[FLOW_ENDS].entry[q->list[FLOW_ENDS].first];
    if (end) q->heap.at[item] = HEAP_OUT;
    flow_ring_drop(&q->list[end ? FLOW_ENDS : FLOW_ARRIVALS], q->size);
    return item;
}

/* Takes out the first items of those whose event is at `now`, the time of the first entry: at most `most`;
 * returns their number. */
uint32_t flow_queue_take(flow_queue *q, uint64_t now, uint32_t *item, uint32_t most);

#endif
