#include "base/compare.h"
#include "base/status/try.h"
#include "network/graphs/graph.h"

#include "base/memory/memory.h"
#include "network/graphs/mesh_of_trees.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bough_status too_many(uint64_t vertices, bough_error *error) {
    return bough_fail(error, BOUGH_TOO_LARGE, NULL, "the graph has %" PRIu64 " vertices; the limit is 2^31",
                      vertices);
}

void bough_graph_destroy(bough_graph *g) {
    if (!g) return;
    FREE_ALL(g->first, g->neighbour, g);
}

/* ---- from edges ---- */

/* Counting sort of both directions of every edge by start. */
static void sort_edges(bough_graph *g, const uint32_t (*edge)[2], uint64_t edges) {
    for (uint64_t e = 0; e < edges; e++)
        for (unsigned i = 0; i < 2 && edge[e][0] != edge[e][1]; i++) g->first[edge[e][i] + 1]++;
    for (uint64_t v = 0; v < g->vertices; v++) g->first[v + 1] += g->first[v];
    for (uint64_t e = edges; e-- > 0;)
        for (unsigned i = 0; i < 2 && edge[e][0] != edge[e][1]; i++)
            g->neighbour[--g->first[edge[e][i] + 1]] = edge[e][1 - i];
}

/* sort_edges left each `first` at the position of its predecessor. */
static void drop_doubles(bough_graph *g, uint64_t ends) {
    uint64_t kept = 0;
    for (uint64_t v = 0; v < g->vertices; v++) {
        uint64_t from = g->first[v + 1], to = v + 1 < g->vertices ? g->first[v + 2] : ends;
        qsort(g->neighbour + from, to - from, sizeof *g->neighbour, bough_compare_u32);
        g->first[v] = kept;
        for (uint64_t i = from; i < to; i++)
            if (i == from || g->neighbour[i] != g->neighbour[i - 1]) g->neighbour[kept++] = g->neighbour[i];
    }
    g->first[g->vertices] = kept;
    g->edges = kept / 2;
}

bough_status bough_graph_make(uint64_t vertices, const uint32_t (*edge)[2], uint64_t edges, bough_graph **out,
                              bough_error *error) {
    *out = NULL;
    if (vertices > BOUGH_GRAPH_VERTICES_MAX) return too_many(vertices, error);
    uint64_t ends = 0;
    for (uint64_t e = 0; e < edges; e++) {
        for (unsigned i = 0; i < 2; i++)
            if (edge[e][i] >= vertices)
                return bough_fail(error, BOUGH_INVALID, NULL,
                                  "edge %" PRIu64 " ends at %" PRIu32
                                  ", which is not a vertex in 0 .. %" PRIu64,
                                  e, edge[e][i], vertices - 1);
        ends += edge[e][0] != edge[e][1] ? 2 : 0;
    }
    bough_graph *g;
    bough_status status = bough_alloc(&g, 1, sizeof *g, error);
    if (status) return status;
    g->vertices = vertices;
    status = bough_alloc(&g->first, vertices + 1, sizeof *g->first, error);
    TRY(bough_alloc(&g->neighbour, ends, sizeof *g->neighbour, error));
    if (!status) {
        sort_edges(g, edge, edges);
        drop_doubles(g, ends);
        *out = g;
        return BOUGH_OK;
    }
    bough_graph_destroy(g);
    return status;
}

/* ---- the graphs of the paper ---- */

void bough_expander_neighbours(uint64_t side, uint64_t vertex, uint64_t neighbour[8]) {
    uint64_t x = vertex / side, y = vertex % side;
    uint64_t by_y[2] = {2 * y % side, (2 * y + 1) % side}, by_x[2] = {2 * x % side, (2 * x + 1) % side};
    for (unsigned i = 0; i < 2; i++) {
        neighbour[4 * i] = (x + by_y[i]) % side * side + y;
        neighbour[4 * i + 1] = (x + side - by_y[i]) % side * side + y;
        neighbour[4 * i + 2] = x * side + (y + by_x[i]) % side;
        neighbour[4 * i + 3] = x * side + (y + side - by_x[i]) % side;
    }
}

bough_status bough_graph_expander(uint64_t side, bough_graph **out, bough_error *error) {
    *out = NULL;
    uint64_t vertices = bough_mul(side, side), count = 0;
    if (vertices > BOUGH_GRAPH_VERTICES_MAX) return too_many(vertices, error);
    if (side == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "the side of an expander must be at least 1");
    uint32_t(*edge)[2];
    bough_status status = bough_alloc(&edge, bough_mul(vertices, 4), sizeof *edge, error);
    if (status) return status;
    for (uint64_t v = 0; v < vertices; v++) {
        uint64_t neighbour[8];
        bough_expander_neighbours(side, v, neighbour);
        for (unsigned i = 0; i < 8;
             i += 2, count++) { /* the odd ones are the same edges from the other end */
            edge[count][0] = (uint32_t)v;
            edge[count][1] = (uint32_t)neighbour[i];
        }
    }
    status = bough_graph_make(vertices, (const uint32_t(*)[2])edge, count, out, error);
    free(edge);
    return status;
}
