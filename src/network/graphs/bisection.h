/* Halves of a graph with few edges between them, by moves of single vertices (Kernighan and Lin, 1970;
 * Fiduccia and Mattheyses, 1982) from several starts. A heuristic: the cut is an upper bound of the smallest
 * one. */
#ifndef BOUGH_NETWORK_GRAPHS_BISECTION_H
#define BOUGH_NETWORK_GRAPHS_BISECTION_H

#include "base/random/random.h"
#include "network/graphs/graph.h"

#include <stdbool.h>

/* Memory for the bisections of one graph. */
typedef struct bisector {
    const bough_graph *graph;
    uint32_t *next, *previous; /* lists of vertices of equal gain */
    uint32_t *head;            /* [2][2 degree + 1] */
    uint32_t *order, *best;    /* [vertices] */
    int32_t *gain;
    uint8_t *side; /* 0, 1; 2: not in the part */
    bool *moved;
    uint32_t degree; /* the largest */
    int32_t top[2];  /* the highest gain of a list that may be occupied */
} bisector;

/* Errors: NO_MEMORY. O(vertices). */
bough_status bisector_make(const bough_graph *graph, bisector *b, bough_error *error);
void bisector_fini(bisector *b);

/* Reorders vertex[0 .. count - 1] so that the first `left` of them, with left = ceil(count / 2), are one
 * half. Returns the number of edges between the halves. The same for every run. About 40 (count + edges)
 * steps. */
uint64_t bisect(bisector *b, uint32_t *vertex, uint32_t count);

#endif
