/* Graphs of bay1991, made edge by edge, and their expansion, found by trying all sets of vertices. */
#ifndef TESTS_SUPPORT_GRAPH_ORACLE_H
#define TESTS_SUPPORT_GRAPH_ORACLE_H

#include "network/graphs/graph.h"

#define GRAPH_VERTICES_MAX 26 /* of graph_expansion */

/* The mesh of trees of 2^lg_side x 2^lg_side leaves; vertices as in mesh_of_trees.h. */
bough_graph *graph_mesh_of_trees(unsigned lg_side);

/* The cross product (Harary): vertex u |b| + v for u of a and v of b. (u, v) and (u', v') are adjacent if u =
 * u' and v, v' are adjacent in b, or v = v' and u, u' are adjacent in a. */
bough_graph *graph_product(const bough_graph *a, const bough_graph *b);

/* The largest alpha for which the graph is an (alpha, beta)-expander: the minimum of |neighbours of S outside
 * S| / |S| over all sets S of 1 .. beta |V| vertices (infinite if there is no such set). O(2^vertices). */
double graph_expansion(const bough_graph *graph, double beta);

/* The alpha for which bough_graph_expander is an (alpha, beta)-expander for every side, by Tanner's bound.
 * beta: above 0, at most 1/2. */
double expander_alpha(double beta);

#endif
