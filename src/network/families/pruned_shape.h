/* The pruned butterfly of bay1991 (Bay, Bilardi, 1991, section 3.1) in numbers, for N = 4^k leaves.
 * Heights count from the leaves (0) to the root node (lg N); the paper's level is i = lg N - height.
 *
 * Node j of a height is a set of vertices, all of which have the same two children and the same parent; a
 * vertex is (height, j, k), the paper's <lg N - height, j, k>. */
#ifndef BOUGH_NETWORK_FAMILIES_PRUNED_SHAPE_H
#define BOUGH_NETWORK_FAMILIES_PRUNED_SHAPE_H

#include <stdint.h>

/* Lg of the vertices of a node: sqrt(N) 2^-floor(i/2), the floor outside the exponent, which the print has
 * inside. */
static inline unsigned pruned_lg_vertices(unsigned height) {
    return (height + 1) / 2;
}

/* Lg of the edges between a node and its parent: sqrt(N) 2^-floor((i-1)/2), which is as many as the parent
 * has vertices. */
static inline unsigned pruned_lg_capacity(unsigned height) {
    return pruned_lg_vertices(height + 1);
}

/* Parents of a vertex: 1 and 2 in turn. */
static inline uint64_t pruned_growth(unsigned height) {
    return UINT64_C(1) << (pruned_lg_vertices(height + 1) - pruned_lg_vertices(height));
}

#endif
