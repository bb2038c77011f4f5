/* Graphs: what is refused, those small enough for hand, the expander's eigenvalues and expansion, and Lemma
 * 11 of bay1991 on graphs whose expansion can be counted out. */
#include "support/graph_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef const uint32_t (*ends)[2];

static bough_graph *make(uint64_t vertices, ends edge, uint64_t edges) {
    bough_graph *g;
    bough_error error = {0};
    if (bough_graph_make(vertices, edge, edges, &g, &error)) fail_msg("%s", error.reason);
    return g;
}

static bough_graph *cycle(uint32_t n) {
    uint32_t edge[64][2];
    for (uint32_t v = 0; v < n; v++) edge[v][0] = v, edge[v][1] = (v + 1) % n;
    return make(n, (ends)edge, n);
}

static bough_graph *complete(uint32_t n) {
    uint32_t edge[256][2], count = 0;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t w = 0; w < v; w++, count++) edge[count][0] = v, edge[count][1] = w;
    return make(n, (ends)edge, count);
}

static bough_graph *star(uint32_t n) {
    uint32_t edge[64][2];
    for (uint32_t v = 1; v < n; v++) edge[v - 1][0] = 0, edge[v - 1][1] = v;
    return make(n, (ends)edge, n - 1);
}

static bough_graph *expander(uint64_t side) {
    bough_graph *g;
    bough_error error = {0};
    if (bough_graph_expander(side, &g, &error)) fail_msg("%s", error.reason);
    return g;
}

static bool adjacent(const bough_graph *g, uint64_t v, uint64_t w) {
    for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
        if (g->neighbour[i] == w) return true;
    return false;
}

/* Rows ascend, both directions are there, no loops. */
static void check(const bough_graph *g) {
    assert_true(g->first[0] == 0 && g->first[g->vertices] == 2 * g->edges);
    for (uint64_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
            assert_true(g->neighbour[i] < g->vertices && g->neighbour[i] != v);
            assert_true(i == g->first[v] || g->neighbour[i - 1] < g->neighbour[i]);
            assert_true(adjacent(g, g->neighbour[i], v));
        }
}

static void what_is_refused(void **state) {
    (void)state;
    bough_graph *g;
    bough_error error = {0};
    const uint32_t edge[][2] = {{0, 1}, {1, 3}};
    assert_int_equal(bough_graph_make(3, edge, 2, &g, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "edge 1 ends at 3"));
    assert_null(g);
    assert_int_equal(bough_graph_make(UINT64_C(1) << 40, NULL, 0, &g, &error), BOUGH_TOO_LARGE);
    assert_int_equal(bough_graph_expander(0, &g, &error), BOUGH_INVALID);
    assert_int_equal(bough_graph_expander(UINT64_C(1) << 33, &g, &error), BOUGH_TOO_LARGE);
}

static void by_hand(void **state) {
    (void)state;
    const uint32_t edge[][2] = {{2, 0}, {0, 2}, {1, 1}, {2, 1}, {3, 3}};
    bough_graph *g = make(4, edge, 5);
    const uint64_t first[] = {0, 1, 2, 4, 4};
    const uint32_t neighbour[] = {2, 2, 0, 1};
    assert_int_equal(g->edges, 2);
    assert_memory_equal(g->first, first, sizeof first);
    assert_memory_equal(g->neighbour, neighbour, sizeof neighbour);
    check(g);
    bough_graph_destroy(g);
    g = make(0, NULL, 0);
    assert_true(g->edges == 0 && isinf(graph_expansion(g, 0.5)));
    bough_graph_destroy(g);
    /* Half of a ring has two neighbours; k of a complete graph have all the others. */
    g = cycle(10);
    assert_true(graph_expansion(g, 0.5) == 0.4);
    assert_true(graph_expansion(g, 0.2) == 1);
    bough_graph_destroy(g);
    g = complete(6);
    assert_true(graph_expansion(g, 0.5) == 1);
    assert_true(graph_expansion(g, 0.9) == 0.2);
    bough_graph_destroy(g);
    g = expander(1);
    assert_true(g->vertices == 1 && g->edges == 0);
    bough_graph_destroy(g);
}

static void products_are_as_defined(void **state) {
    (void)state;
    bough_graph *a = cycle(5), *b = complete(4), *g = graph_product(a, b);
    check(g);
    for (uint64_t x = 0; x < 20; x++)
        for (uint64_t y = 0; y < 20; y++) {
            bool want = (x / 4 == y / 4 && adjacent(b, x % 4, y % 4)) ||
                        (x % 4 == y % 4 && adjacent(a, x / 4, y / 4));
            assert_int_equal(adjacent(g, x, y), want);
        }
    bough_graph_destroy(a);
    bough_graph_destroy(b);
    bough_graph_destroy(g);
}

static void meshes_of_trees(void **state) {
    (void)state;
    for (unsigned k = 0; k < 7; k++) {
        bough_graph *g = graph_mesh_of_trees(k);
        check(g);
        assert_true(g->vertices == 3 * (UINT64_C(1) << 2 * k) - (UINT64_C(2) << k));
        for (uint64_t v = 0; v < g->vertices; v++) assert_true(g->first[v + 1] - g->first[v] <= 3 || k < 1);
        bough_graph_destroy(g);
    }
}

/* The second largest eigenvalue of the eight neighbours, by powers of the matrix plus 8 (so that none is
 * negative) on what is orthogonal to the constant. */
static double second_eigenvalue(uint64_t side) {
    uint64_t n = side * side;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), value = 0;
    for (uint64_t v = 0; v < n; v++) x[v] = sin(1 + 3.7 * (double)v) + (double)(v % 7);
    for (unsigned round = 0; round < 400; round++) {
        double mean = 0, norm = 0;
        for (uint64_t v = 0; v < n; v++) mean += x[v] / (double)n;
        for (uint64_t v = 0; v < n; v++) norm += (x[v] - mean) * (x[v] - mean);
        norm = sqrt(norm);
        for (uint64_t v = 0; v < n; v++) x[v] = (x[v] - mean) / norm;
        value = 0;
        for (uint64_t v = 0; v < n; v++) {
            uint64_t w[8];
            bough_expander_neighbours(side, v, w);
            y[v] = 8 * x[v];
            for (unsigned i = 0; i < 8; i++) y[v] += x[w[i]];
            value += y[v] * x[v];
        }
        memcpy(x, y, n * sizeof *x);
    }
    free(x);
    free(y);
    return value - 8;
}

static void expanders_expand(void **state) {
    (void)state;
    for (uint64_t side = 2; side <= 64; side *= 2) {
        double value = second_eigenvalue(side);
        if (value > 5 * sqrt(2)) fail_msg("side %d: %g", (int)side, value);
    }
    for (uint64_t side = 2; side <= 4; side++) {
        bough_graph *g = expander(side);
        check(g);
        for (double beta = 0.1; beta <= 0.5; beta += 0.1)
            assert_true(graph_expansion(g, beta) >= expander_alpha(beta));
        bough_graph_destroy(g);
    }
    assert_true(fabs(expander_alpha(0.5) - 0.12281) < 1e-5);
}

/* The product of two (alpha, beta)-expanders is an (alpha / 4, beta^2 / 2)-expander. */
static void lemma_11(void **state) {
    (void)state;
    unsigned products = 0, cases = 0;
    bough_graph *factor[] = {cycle(3), cycle(5), complete(4), complete(5), expander(2), star(4)};
    for (unsigned a = 0; a < 6; a++)
        for (unsigned b = a; b < 6; b++) {
            bough_graph *g = graph_product(factor[a], factor[b]);
            for (double beta = 0.25; beta <= 1; beta += 0.25) {
                double alpha = fmin(graph_expansion(factor[a], beta), graph_expansion(factor[b], beta));
                if (isinf(alpha)) continue; /* no set of one vertex is that small */
                assert_true(graph_expansion(g, beta * beta / 2) >= alpha / 4);
                cases++;
            }
            products++;
            bough_graph_destroy(g);
        }
    assert_int_equal(products, 21);
    print_message("%u products, %u cases\n", products, cases);
    for (unsigned a = 0; a < 6; a++) bough_graph_destroy(factor[a]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused),         cmocka_unit_test(by_hand),
        cmocka_unit_test(products_are_as_defined), cmocka_unit_test(meshes_of_trees),
        cmocka_unit_test(expanders_expand),        cmocka_unit_test(lemma_11),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
