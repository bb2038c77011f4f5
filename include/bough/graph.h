/* Undirected simple graphs, from which bay1991 derives hard message sets. */
#ifndef BOUGH_GRAPH_H
#define BOUGH_GRAPH_H

#include "bough/net.h"
#include "bough/status.h"

#include <stdint.h>

/* Compressed adjacency. Vertices count from 0. Immutable. */
typedef struct bough_graph {
    uint64_t vertices, edges;
    uint64_t *first; /* [vertices + 1]: the neighbours of v are neighbour[first[v]] .. [first[v + 1] - 1] */
    uint32_t *neighbour; /* ascending; [2 edges] */
} bough_graph;

#define BOUGH_GRAPH_VERTICES_MAX (UINT64_C(1) << 31)
#define BOUGH_GRAPH_EXACT_MAX    26 /* largest graph for bough_graph_expansion */

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
/* The alpha for which that expander is an (alpha, beta)-expander for every side, by Tanner's bound. beta:
 * above 0, at most 1/2. */
double bough_expander_alpha(double beta);

/* The mesh of trees of 2^lg_side x 2^lg_side leaves; vertices as in mesh_of_trees.h. */
bough_status bough_graph_mesh_of_trees(unsigned lg_side, bough_graph **graph, bough_error *error);

/* The graph of a network: a vertex for every node, an edge for every pair of adjacent nodes; cables without
 * fault. Endpoint e is vertex e, and a switch whose only endpoint has no other switch is the same vertex. The
 * other switches follow in the order of nodes. */
bough_status bough_graph_of_network(const bough_net *net, bough_graph **graph, bough_error *error);

/* The cross product (Harary): vertex u |b| + v for u of a and v of b. (u, v) and (u', v') are adjacent if u =
 * u' and v, v' are adjacent in b, or v = v' and u, u' are adjacent in a. */
bough_status bough_graph_product(const bough_graph *a, const bough_graph *b, bough_graph **graph,
                                 bough_error *error);

/* The largest alpha for which the graph is an (alpha, beta)-expander: the minimum of |neighbours of S outside
 * S| / |S| over all sets S of 1 .. beta |V| vertices (infinite if there is no such set). Errors: TOO_LARGE
 * above BOUGH_GRAPH_EXACT_MAX vertices. O(2^vertices). */
bough_status bough_graph_expansion(const bough_graph *graph, double beta, double *alpha, bough_error *error);

/* ---- decomposition trees ---- */

/* A graph cut into halves of equally many vertices (up to one), these into halves, and so on (Bhatt,
 * Leighton: A framework for solving VLSI graph layout problems, 1984). The leaves of the tree are the places
 * 0 .. 2^height - 1 of the vertices; 2^height is at least their number. Cuts are found by a heuristic
 * (src/network/graphs/ bisection.h), so the smallest bifurcator may be smaller. */
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
