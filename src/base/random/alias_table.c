#include "base/random/alias_table.h"

#include "base/memory/memory.h"

#include <stdlib.h>

/* Items with less than the mean weight, from the front, and with more, from the back. */
typedef struct stacks {
    double *rest; /* of each item: its weight that has no column yet, in columns */
    uint32_t *item;
    uint32_t small, large; /* item[0 .. small), item[large .. count) */
} stacks;

static void push(stacks *s, uint32_t item) {
    if (s->rest[item] < 1)
        s->item[s->small++] = item;
    else
        s->item[--s->large] = item;
}

static void fill(stacks *s, uint32_t count, alias_column *column) {
    for (uint32_t i = 0; i < count; i++) push(s, i);
    while (s->small > 0 && s->large < count) {
        const uint32_t less = s->item[--s->small], more = s->item[s->large++];
        column[less] = (alias_column){(uint64_t)(s->rest[less] * 0x1p64), more};
        s->rest[more] -= 1 - s->rest[less];
        push(s, more);
    }
    /* What is left has weight 1, but for rounding. */
    while (s->small > 0) s->large--, s->item[s->large] = s->item[--s->small];
    for (uint32_t k = s->large; k < count; k++) column[s->item[k]] = (alias_column){UINT64_MAX, s->item[k]};
}

bough_status alias_fill(const double *weight, uint32_t count, alias_column *column, bough_error *error) {
    stacks s = {.large = count};
    double most = 0, sum = 0;
    const bough_array want[] = {{&s.rest, count, sizeof *s.rest}, {&s.item, count, sizeof *s.item}};
    bough_status status = bough_alloc_all(want, 2, error);
    if (!status) {
        for (uint32_t i = 0; i < count; i++) most = weight[i] > most ? weight[i] : most;
        for (uint32_t i = 0; i < count; i++) sum += weight[i] / most; /* the sum of weights may overflow */
        for (uint32_t i = 0; i < count; i++) s.rest[i] = weight[i] / most / sum * count;
        fill(&s, count, column);
    }
    FREE_ALL(s.rest, s.item);
    return status;
}
