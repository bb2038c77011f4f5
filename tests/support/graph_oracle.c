#include "support/graph_oracle.h"

#include "network/graphs/mesh_of_trees.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Tanner: a set of a fraction beta of the vertices has at least its size over mu^2 + (1 - mu^2) beta
 * neighbours, where mu = 5 sqrt 2 / 8 bounds the eigenvalues; of these, at most its size are inside the
 * set. */
double expander_alpha(double beta) {
    const double mu2 = 50.0 / 64;
    return 1 / (mu2 + (1 - mu2) * beta) - 1;
}

bough_graph *graph_mesh_of_trees(unsigned lg_side) {
    const uint64_t edges = bough_mesh_edges(lg_side);
    uint32_t(*edge)[2] = malloc((edges + 1) * sizeof *edge);
    bough_graph *g;
    bough_error error;
    assert_non_null(edge);
    for (uint64_t e = 0; e < edges; e++) {
        uint64_t child, parent;
        bough_mesh_edge(lg_side, e, &child, &parent);
        edge[e][0] = (uint32_t)child;
        edge[e][1] = (uint32_t)parent;
    }
    if (bough_graph_make(bough_mesh_vertices(lg_side), (const uint32_t(*)[2])edge, edges, &g, &error))
        fail_msg("%s", error.reason);
    free(edge);
    return g;
}

/* Fills the row of vertex (u, v) in ascending order: neighbours with smaller u, with the same u, with larger
 * u. Returns the start of the next row. */
static uint64_t fill_product_row(const bough_graph *a, const bough_graph *b, uint64_t u, uint64_t v,
                                 bough_graph *g) {
    uint64_t i = a->first[u], end = a->first[u + 1], at = g->first[u * b->vertices + v];
    for (; i < end && a->neighbour[i] < u; i++)
        g->neighbour[at++] = (uint32_t)(a->neighbour[i] * b->vertices + v);
    for (uint64_t j = b->first[v]; j < b->first[v + 1]; j++)
        g->neighbour[at++] = (uint32_t)(u * b->vertices + b->neighbour[j]);
    for (; i < end; i++) g->neighbour[at++] = (uint32_t)(a->neighbour[i] * b->vertices + v);
    return at;
}

bough_graph *graph_product(const bough_graph *a, const bough_graph *b) {
    bough_graph *g = malloc(sizeof *g);
    assert_non_null(g);
    g->vertices = a->vertices * b->vertices;
    g->edges = a->vertices * b->edges + b->vertices * a->edges;
    g->first = calloc(g->vertices + 1, sizeof *g->first);
    g->neighbour = malloc((2 * g->edges + 1) * sizeof *g->neighbour);
    assert_non_null(g->first);
    assert_non_null(g->neighbour);
    for (uint64_t u = 0; u < a->vertices; u++)
        for (uint64_t v = 0; v < b->vertices; v++)
            g->first[u * b->vertices + v + 1] = fill_product_row(a, b, u, v, g);
    return g;
}

/* ---- expansion ---- */

typedef struct search {
    uint32_t around[GRAPH_VERTICES_MAX]; /* neighbours, as bits */
    unsigned vertices, largest;
    double least;
} search;

/* Enumerates all supersets of `set` whose other vertices are at least `next`. */
static void grow_set(search *s, unsigned next, unsigned size, uint32_t set, uint32_t seen) {
    if (size > 0) {
        double ratio = (double)__builtin_popcount(seen & ~set) / size;
        if (ratio < s->least) s->least = ratio;
    }
    if (size == s->largest) return;
    for (unsigned v = next; v < s->vertices; v++)
        grow_set(s, v + 1, size + 1, set | UINT32_C(1) << v, seen | s->around[v]);
}

double graph_expansion(const bough_graph *g, double beta) {
    search s = {.vertices = (unsigned)g->vertices, .least = INFINITY};
    assert_true(g->vertices <= GRAPH_VERTICES_MAX);
    for (uint64_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
            s.around[v] |= UINT32_C(1) << g->neighbour[i];
    s.largest = (unsigned)(beta * (double)g->vertices + 1e-9);
    if (s.largest > s.vertices) s.largest = s.vertices;
    grow_set(&s, 0, 0, 0, 0);
    return s.least;
}
