#include "study/run/value_counts.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    const value_count *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Sorts all items and joins equal ones. */
static void sort(value_counts *c) {
    size_t kept = 0;
    if (c->sorted == c->count) return;
    qsort(c->item, c->count, sizeof *c->item, by_value);
    for (size_t i = 1; i < c->count; i++)
        if (c->item[i].value == c->item[kept].value)
            c->item[kept].trials += c->item[i].trials;
        else
            c->item[++kept] = c->item[i];
    c->count = c->sorted = kept + 1;
}

static value_count *find(const value_counts *c, double value) {
    size_t low = 0, high = c->sorted;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->item[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->sorted && c->item[low].value == value ? &c->item[low] : NULL;
}

bough_status value_counts_add(value_counts *c, double value, bough_error *error) {
    if (isnan(value)) return BOUGH_OK;
    value_count *known = find(c, value);
    if (known) {
        known->trials++;
        c->trials++;
        return BOUGH_OK;
    }
    if (c->count - c->sorted > c->sorted / 2 + 16) sort(c);
    bough_status status = bough_grow(&c->item, &c->capacity, c->count + 1, sizeof *c->item, error);
    if (status) return status;
    c->item[c->count++] = (value_count){value, 1};
    c->trials++;
    return BOUGH_OK;
}

double value_counts_at(value_counts *c, uint64_t rank) {
    sort(c);
    size_t i = 0;
    for (uint64_t below = 0; i + 1 < c->count && (below += c->item[i].trials) < rank;) i++;
    return c->item[i].value;
}

uint64_t value_counts_above(const value_counts *c, double limit) {
    uint64_t trials = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->item[i].value > limit) trials += c->item[i].trials;
    return trials;
}
