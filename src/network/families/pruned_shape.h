/* Parameters of the pruned butterfly (bay1991, section 3.1) with N = 4^k leaves. Heights count from the
 * leaves (0) to the root node (lg N); the level in the paper is i = lg N - height.
 *
 * Node j of a height is a set of vertices with the same two children and the same parent. Vertex (height, j,
 * k) is <lg N - height, j, k> in the paper. */
#ifndef BOUGH_NETWORK_FAMILIES_PRUNED_SHAPE_H
#define BOUGH_NETWORK_FAMILIES_PRUNED_SHAPE_H

#include <stdint.h>

/* lg of the vertices of a node: sqrt(N) 2^-floor(i/2), with the floor in the exponent around i/2 only (the
 * printed formula places it differently). */
static inline unsigned pruned_lg_vertices(unsigned height) {
    return (height + 1) / 2;
}

/* lg of the edges between a node and its parent: sqrt(N) 2^-floor((i-1)/2), the number of vertices of the
 * parent. */
static inline unsigned pruned_lg_capacity(unsigned height) {
    return pruned_lg_vertices(height + 1);
}

/* Parents of a vertex: 1 and 2 in turn. */
static inline uint64_t pruned_growth(unsigned height) {
    return UINT64_C(1) << (pruned_lg_vertices(height + 1) - pruned_lg_vertices(height));
}

#endif
