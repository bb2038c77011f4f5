/* Ascending orders of integers for qsort. */
#ifndef BOUGH_BASE_COMPARE_H
#define BOUGH_BASE_COMPARE_H

#include <stdint.h>

static inline int bough_compare_u32(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline int bough_compare_u64(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Pairs: the second word decides among equal first ones. */
static inline int bough_compare_u64_pair(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? bough_compare_u64(x, y) : bough_compare_u64(x + 1, y + 1);
}

#endif
