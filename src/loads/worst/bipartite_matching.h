/* Maximum matchings of bipartite graphs: by number of edges (Hopcroft, Karp: "An n^(5/2) algorithm for
 * maximum matchings in bipartite graphs", 1973), and by weight (the assignment problem, by shortest
 * augmenting paths; Jonker, Volgenant: "A shortest augmenting path algorithm for dense and sparse linear
 * assignment problems", 1987). */
#ifndef BOUGH_LOADS_WORST_BIPARTITE_MATCHING_H
#define BOUGH_LOADS_WORST_BIPARTITE_MATCHING_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

#define MATCHING_NONE UINT32_MAX

/* Edges of left vertex l: to[start[l]] .. to[start[l+1] - 1], right vertices, each at most once. */
typedef struct matching_graph {
    uint32_t lefts, rights; /* below 2^32 - 1 */
    const uint64_t *start;  /* lefts + 1 */
    const uint32_t *to;
    const double *weight; /* per edge, positive; matching_heaviest only */
} matching_graph;

/* The result, and the workspace. Zero-initialise; can be reused for another graph. */
typedef struct matching {
    uint32_t *left;  /* per left vertex: matched right vertex, or MATCHING_NONE */
    uint32_t *right; /* per right vertex: matched left vertex, or MATCHING_NONE */
    uint32_t size;
    double weight; /* matching_heaviest only */

    size_t left_capacity, right_capacity;
    uint32_t *order, *stack; /* per left vertex */
    uint64_t *next;
    uint32_t *level, *from; /* per left, per right vertex */
    double *left_price, *left_way, *price, *way;
    uint32_t *seen;
} matching;

/* A matching with the most edges; deterministic. O(edges sqrt(vertices)). */
bough_status matching_largest(const matching_graph *g, matching *m, bough_error *error);

/* A matching with the largest sum of weights, which may leave vertices unmatched. Exact except for rounding
 * in sums and differences of weights. O(lefts (edges + rights^2)) at worst, O(edges) if no two left vertices
 * have the same heaviest edge. */
bough_status matching_heaviest(const matching_graph *g, matching *m, bough_error *error);

void matching_fini(matching *m);

#endif
