#include "engines/flow/max_min/max_min_queue.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

/* Below this number of entries a heap is faster than the passes over the digits. */
#define SORT_FROM 4096

#define DIGIT_BITS 11
#define DIGITS     (1U << DIGIT_BITS)

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

/* The part of an entry that a pass sorts by. */
typedef struct digit {
    bool tie; /* of the tie, else of the key */
    unsigned shift;
} digit;

static uint32_t value_of(const heap_entry *e, digit d) {
    return (uint32_t)((d.tie ? e->tie : e->key) >> d.shift) & (DIGITS - 1);
}

/* A stable pass from `sorted` to the memory of the heap, which is empty; then they change places. */
static void sort_by_digit(max_min_queue *q, digit d) {
    uint32_t place[DIGITS] = {0}, sum = 0;
    const heap_entry *from = q->sorted;
    heap_entry *to = q->heap.entry;
    for (uint32_t i = 0; i < q->count; i++) place[value_of(&from[i], d)]++;
    for (uint32_t v = 0; v < DIGITS; v++) {
        uint32_t count = place[v];
        place[v] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < q->count; i++) to[place[value_of(&from[i], d)]++] = from[i];
    q->heap.entry = q->sorted;
    q->sorted = to;
}

/* Radix sort; digits that are the same in all entries are skipped. Levels often have one value. */
static void sort(max_min_queue *q) {
    const heap_entry *one = &q->sorted[0];
    uint64_t keys = 0;
    uint32_t ties = 0;
    for (uint32_t i = 1; i < q->count; i++) {
        keys |= q->sorted[i].key ^ one->key;
        ties |= q->sorted[i].tie ^ one->tie;
    }
    for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS)
        if (ties >> shift & (DIGITS - 1)) sort_by_digit(q, (digit){true, shift});
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
        if (keys >> shift & (DIGITS - 1)) sort_by_digit(q, (digit){false, shift});
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
    sort(q);
    for (uint32_t i = 0; i < count; i++) q->heap.at[q->sorted[i].item] = MAX_MIN_IN_SORTED + i;
}
