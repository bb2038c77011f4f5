/* A priority queue of items 0, 1, 2, ... by (key, tie). Each item is in it at most once, and its key can be
 * changed.
 *
 * A 4-ary heap is half as deep as a binary heap, and siblings share a cache line. at[item] stores the
 * position of an item, so a change costs O(log count). */
#ifndef BOUGH_BASE_MEMORY_INDEXED_HEAP_H
#define BOUGH_BASE_MEMORY_INDEXED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_OUT UINT32_MAX

typedef struct heap_entry {
    uint64_t key;
    uint32_t tie, item;
} heap_entry;

/* The caller owns the arrays. entry has a place for every item; at[item] is HEAP_OUT for items that are not
 * in the heap. */
typedef struct heap {
    heap_entry *entry;
    uint32_t *at;
    uint32_t count;
} heap;

static inline bool heap_before(const heap_entry *a, const heap_entry *b) {
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static inline void heap_set(heap *h, uint32_t place, heap_entry e) {
    h->entry[place] = e;
    h->at[e.item] = place;
}

static inline void heap_rise(heap *h, uint32_t place, heap_entry e) {
    while (place > 0) {
        uint32_t parent = (place - 1) / 4;
        if (!heap_before(&e, &h->entry[parent])) break;
        heap_set(h, place, h->entry[parent]);
        place = parent;
    }
    heap_set(h, place, e);
}

static inline void heap_sink(heap *h, uint32_t place, heap_entry e) {
    for (;;) {
        uint32_t child = 4 * place + 1, last = child + 4 < h->count ? child + 4 : h->count, least = child;
        if (child >= h->count) break;
        for (uint32_t c = child + 1; c < last; c++)
            if (heap_before(&h->entry[c], &h->entry[least])) least = c;
        if (!heap_before(&h->entry[least], &e)) break;
        heap_set(h, place, h->entry[least]);
        place = least;
    }
    heap_set(h, place, e);
}

/* Inserts an item, or changes its key. */
static inline void heap_put(heap *h, uint32_t item, uint64_t key, uint32_t tie) {
    heap_entry e = {key, tie, item};
    uint32_t place = h->at[item];
    if (place == HEAP_OUT)
        heap_rise(h, h->count++, e);
    else if (heap_before(&e, &h->entry[place]))
        heap_rise(h, place, e);
    else
        heap_sink(h, place, e);
}

/* Removes the first item; the heap must not be empty. */
static inline heap_entry heap_pop(heap *h) {
    heap_entry first = h->entry[0], last = h->entry[--h->count];
    h->at[first.item] = HEAP_OUT;
    if (h->count) heap_sink(h, 0, last);
    return first;
}

#endif
