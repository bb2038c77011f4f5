/* Disjoint sets in an array: parent[i] == i of the item that stands for its set. */
#ifndef BOUGH_BASE_MEMORY_UNION_FIND_H
#define BOUGH_BASE_MEMORY_UNION_FIND_H

#include <stdint.h>

static inline uint32_t union_find(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The smaller of the two stands for both sets. */
static inline void union_join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = union_find(parent, a);
    b = union_find(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
