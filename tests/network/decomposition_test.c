/* Decomposition trees of graphs: what is refused, cuts known by hand, all bisections of small graphs counted
 * out, and graphs of networks. */
#include "network/graphs/graph.h"
#include "support/fabrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_graph *make(uint64_t vertices, const uint32_t (*edge)[2], uint64_t edges) {
    bough_graph *g;
    bough_error error = {0};
    if (bough_graph_make(vertices, edge, edges, &g, &error)) fail_msg("%s", error.reason);
    return g;
}

static bough_decomposition *decompose(const bough_graph *g) {
    bough_decomposition *d;
    bough_error error = {0};
    if (bough_graph_decompose(g, &d, &error)) fail_msg("%s", error.reason);
    return d;
}

static bough_graph *graph_of(const char *spec) {
    bough_graph *g;
    bough_net *net;
    bough_error error = {0};
    if (bough_net_create(spec, &net, &error)) fail_msg("%s", error.reason);
    if (bough_graph_of_network(net, &g, &error)) fail_msg("%s", error.reason);
    bough_net_destroy(net);
    return g;
}

static void what_is_refused(void **state) {
    (void)state;
    bough_decomposition *d;
    bough_error error = {0};
    bough_graph *g = make(0, NULL, 0);
    assert_int_equal(bough_graph_decompose(g, &d, &error), BOUGH_INVALID);
    assert_null(d);
    bough_graph_destroy(g);
    bough_decomposition_destroy(NULL);
}

/* Places are different and below 2^height, and the cuts are those of the places: counted again from the
 * edges. */
static void check_places(const bough_graph *g, const bough_decomposition *d) {
    uint64_t places = UINT64_C(1) << d->height;
    bool *taken = calloc(places, sizeof *taken);
    assert_true(places >= g->vertices && (g->vertices == 1 || places < 2 * g->vertices));
    for (uint64_t v = 0; v < g->vertices; v++) {
        assert_true(d->place[v] < places && !taken[d->place[v]]);
        taken[d->place[v]] = true;
    }
    for (unsigned depth = 0; depth < d->height; depth++) {
        unsigned height = d->height - depth;
        uint64_t *cut = calloc(places >> height, sizeof *cut), most = 0;
        for (uint64_t v = 0; v < g->vertices; v++)
            for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
                uint32_t a = d->place[v], b = d->place[g->neighbour[i]];
                cut[a >> height] += a < b && (a ^ b) >> (height - 1) == 1;
            }
        for (uint64_t p = 0; p < places >> height; p++) most = cut[p] > most ? cut[p] : most;
        assert_int_equal(most, d->cut[depth]);
        assert_true((double)most <= d->bifurcator / exp2(0.5 * depth) * (1 + 1e-12));
        free(cut);
    }
    free(taken);
}

/* A row of n squares times m rows. */
static bough_graph *grid(uint32_t rows, uint32_t columns) {
    uint32_t(*edge)[2] = calloc(2 * (size_t)rows * columns, sizeof *edge), count = 0;
    for (uint32_t v = 0; v < rows * columns; v++) {
        if (v % columns + 1 < columns) edge[count][0] = v, edge[count++][1] = v + 1;
        if (v + columns < rows * columns) edge[count][0] = v, edge[count++][1] = v + columns;
    }
    bough_graph *g = make((uint64_t)rows * columns, (const uint32_t(*)[2])edge, count);
    free(edge);
    return g;
}

static void by_hand(void **state) {
    (void)state;
    bough_graph *g = grid(1, 1);
    bough_decomposition *d = decompose(g);
    assert_int_equal(d->height, 0);
    assert_true(d->bifurcator == 0);
    assert_true(bough_decomposition_area(d).least == 1);
    bough_decomposition_destroy(d);
    bough_graph_destroy(g);

    g = grid(1, 6); /* a path: one edge in every cut; parts of 3 and of 2 and 1 */
    d = decompose(g);
    check_places(g, d);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(d->cut[i], 1);
    assert_true(fabs(d->bifurcator - 2) < 1e-12);
    bough_decomposition_destroy(d);
    bough_graph_destroy(g);

    g = grid(16, 16); /* squares and half squares */
    d = decompose(g);
    check_places(g, d);
    static const uint64_t cut[] = {16, 8, 8, 4, 4, 2, 2, 1};
    for (unsigned i = 0; i < 8; i++) assert_int_equal(d->cut[i], cut[i]);
    bough_area_bounds area = bough_decomposition_area(d);
    assert_true(area.least == 256 && fabs(area.most - 256 * 16) < 1e-9);
    bough_decomposition_destroy(d);
    bough_graph_destroy(g);
}

/* The smallest number of edges between halves, over all halves. */
static uint64_t least_cut(const bough_graph *g) {
    uint64_t least = UINT64_MAX, half = g->vertices - g->vertices / 2;
    for (uint32_t set = 0; set < UINT32_C(1) << g->vertices; set++) {
        uint64_t cut = 0;
        if ((uint64_t)__builtin_popcount(set) != half) continue;
        for (uint64_t v = 0; v < g->vertices; v++)
            for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
                cut += (set >> v & 1) && !(set >> g->neighbour[i] & 1);
        if (cut < least) least = cut;
    }
    return least;
}

/* Random graphs of 2 to 12 vertices: never below the smallest cut, and rarely above it. */
static void small_graphs(void **state) {
    (void)state;
    bough_stream draw = bough_stream_make(bough_key_make(7, 0), BOUGH_DRAW_TEST, 0, 0);
    unsigned missed = 0;
    for (unsigned t = 0; t < 300; t++) {
        uint32_t n = 2 + (uint32_t)bough_stream_below(&draw, 11), edges = 0, edge[66][2];
        uint64_t dense = 1 + bough_stream_below(&draw, 9);
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t w = 0; w < v; w++)
                if (bough_stream_below(&draw, 10) < dense) edge[edges][0] = v, edge[edges++][1] = w;
        bough_graph *g = make(n, (const uint32_t(*)[2])edge, edges);
        bough_decomposition *d = decompose(g);
        check_places(g, d);
        uint64_t least = least_cut(g);
        assert_true(d->cut[0] >= least);
        missed += d->cut[0] > least;
        bough_decomposition_destroy(d);
        bough_graph_destroy(g);
    }
    if (missed > 3) fail_msg("%u of 300 bisections are not the smallest", missed);
}

static void graphs_of_networks(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t vertices, edges, cut;
    } known[] = {
        {"cube:n=64", 64, 192, 32},
        {"meshoftrees:n=16", 40, 48, 4},
        {"kary:k=2,levels=1", 3, 2, 1}, /* two endpoints at one switch */
        {"fattree:n=4", 8, 8, 2},       /* two leaf switches with two endpoints each, two above them */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bough_graph *g = graph_of(known[i].spec);
        bough_decomposition *d = decompose(g);
        assert_int_equal(g->vertices, known[i].vertices);
        assert_int_equal(g->edges, known[i].edges);
        check_places(g, d);
        assert_int_equal(d->cut[0], known[i].cut);
        bough_decomposition_destroy(d);
        bough_graph_destroy(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused), cmocka_unit_test(by_hand),
                                       cmocka_unit_test(small_graphs), cmocka_unit_test(graphs_of_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
