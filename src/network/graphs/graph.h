/* Undirected simple graphs, from which bay1991 derives hard message sets. */
#ifndef BOUGH_NETWORK_GRAPHS_GRAPH_H
#define BOUGH_NETWORK_GRAPHS_GRAPH_H

#include "bough/status.h"
#include "network/net.h"

#include <stdint.h>

/* Compressed adjacency. Vertices count from 0. Immutable. */
typedef struct bough_graph {
    uint64_t vertices, edges;
    uint64_t *first; /* [vertices + 1]: the neighbours of v are neighbour[first[v]] .. [first[v + 1] - 1] */
    uint32_t *neighbour; /* ascending; [2 edges] */
} bough_graph;

#define BOUGH_GRAPH_VERTICES_MAX (UINT64_C(1) << 31)

/* Builds a graph from edges. Loops and duplicate edges are dropped. Errors: INVALID for an end that is not a
 * vertex, TOO_LARGE, NO_MEMORY. O(vertices + edges log degree). */
bough_status bough_graph_make(uint64_t vertices, const uint32_t (*edge)[2], uint64_t edges,
                              bough_graph **graph, bough_error *error);
void bough_graph_destroy(bough_graph *graph); /* NULL is allowed */

/* The expander of Gabber and Galil on side x side vertices, numbered x side + y. The neighbours of (x, y) are
 * (x +- 2y, y), (x +- (2y + 1), y), (x, y +- 2x), (x, y +- (2x + 1)), modulo side. With loops and parallel
 * edges counted, the second largest eigenvalue is at most 5 sqrt 2 for every side (Hoory, Linial, Wigderson:
 * Expander graphs and their applications, 2006, Theorem 8.2). */
void bough_expander_neighbours(uint64_t side, uint64_t vertex, uint64_t neighbour[8]);
bough_status bough_graph_expander(uint64_t side, bough_graph **graph, bough_error *error);

/* The graph of a network: a vertex for every node, an edge for every pair of adjacent nodes; cables without
 * fault. Endpoint e is vertex e, and a switch whose only endpoint has no other switch is the same vertex. The
 * other switches follow in the order of nodes. */
bough_status bough_graph_of_network(const bough_net *net, bough_graph **graph, bough_error *error);

/* ---- decomposition trees ---- */

/* A graph cut into halves of equally many vertices (up to one), these into halves, and so on (Bhatt,
 * Leighton: A framework for solving VLSI graph layout problems, 1984). The leaves of the tree are the places
 * 0 .. 2^height - 1 of the vertices; 2^height is at least their number. Cuts are found by a heuristic, so the
 * smallest bifurcator may be smaller. */
#define BOUGH_DECOMPOSITION_DEPTHS 32

typedef struct bough_decomposition {
    uint64_t vertices;
    unsigned height;
    uint32_t *place; /* [vertices]: different places */
    /* the largest number of edges between the halves of a part at this depth; depth 0 is the graph */
    uint64_t cut[BOUGH_DECOMPOSITION_DEPTHS];
    double bifurcator; /* F: the maximum of cut[i] 2^(i/2), the smallest F with cut[i] <= F / 2^(i/2) */
} bough_decomposition;

/* The caller owns *out. Errors: INVALID for a graph without vertices, NO_MEMORY. O((vertices + edges) log
 * vertices), about 0.1 ms a vertex of degree 8. */
bough_status bough_graph_decompose(const bough_graph *graph, bough_decomposition **out, bough_error *error);
void bough_decomposition_destroy(bough_decomposition *decomposition); /* NULL is allowed */

/* Bounds of the layout area of a graph with this bifurcator, without the constants of the paper: at least F^2
 * (and no less than one square a vertex), at most F^2 lg^2 (N / F). */
typedef struct bough_area_bounds {
    double least, most;
} bough_area_bounds;
bough_area_bounds bough_decomposition_area(const bough_decomposition *decomposition);

#endif
