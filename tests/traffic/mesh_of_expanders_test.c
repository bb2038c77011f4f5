/* Message sets of Theorem 4 (bay1991): what is refused, the smallest by hand, the graph they are, and
 * the reference load factor of Lemma 13; the bounds that go with them. */
#include "method/method.h"
#include "support/fabrics.h"
#include "support/graph_oracle.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(const char *network, const char *spec, const char *reason) {
    bough_net *net = net_make(network);
    bough_traffic *t;
    bough_error error = {0};
    assert_int_equal(bough_traffic_create(net, spec, &t, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("%s: '%s' does not say '%s'", spec, error.reason, reason);
    assert_null(t);
    bough_net_destroy(net);
}

static void what_is_refused(void **state) {
    (void)state;
    refused("pruned:n=64", "motexp:eta=3", "eta=3 is not a power of two");
    refused("pruned:n=64", "motexp:eta=16", "the square root of 64 endpoints; the maximum is 8");
    refused("fattree:n=32", "motexp:eta=8", "the maximum is 4");
    refused("pruned:n=64", "motexp:eta=0", "eta");
    refused("pruned:n=64", "poisson:rate=0.1,pattern=motexp", "cannot be the pattern of a stream");
}

static bough_batch read_batch(const bough_traffic *t) {
    bough_batch b;
    bough_error error = {0};
    if (bough_batch_read(t, bough_key_make(1, 0), &b, &error)) fail_msg("%s", error.reason);
    return b;
}

/* n = 8 of 16 names: the largest 3 4^k - 2^(k+1) is 8 (k = 1). Leaves at even rows and columns: 0, 4, 8, 12
 * of the interleaved 4 x 4 grid; roots of rows at (0, 1) and (2, 1): 1 and 9; of columns at (1, 0) and (1,
 * 2): 2 and 6. */
static void smallest_by_hand(void **state) {
    (void)state;
    const uint32_t want[][2] = {{0, 1}, {4, 1}, {8, 9}, {12, 9}, {0, 2}, {8, 2}, {4, 6}, {12, 6}};
    bough_point p = point_make("pruned:n=16", NULL, "motexp:eta=1");
    bough_batch b = read_batch(p.traffic);
    assert_int_equal(b.count, 8);
    assert_int_equal(p.traffic->messages, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(b.source[i], want[i][0]);
        assert_int_equal(b.address[i], want[i][1]);
    }
    bough_batch_fini(&b);
    point_free(&p);
}

/* Whatever the names: the degrees of all vertices are those of the product, and no pair is there twice. */
static void it_is_the_product(void **state) {
    (void)state;
    static const struct {
        unsigned n, eta, lg_side;
    } some[] = {{256, 1, 3},  {256, 2, 2}, {256, 4, 1}, {256, 8, 0},
                {256, 16, 0}, {128, 4, 1}, {512, 8, 1}, {2048, 2, 3}};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
        bough_graph *expander;
        bough_error error = {0};
        char network[32], spec[32];
        snprintf(network, sizeof network, "fattree:n=%u", some[i].n);
        snprintf(spec, sizeof spec, "motexp:eta=%u", some[i].eta);
        bough_point p = point_make(network, NULL, spec);
        bough_batch b = read_batch(p.traffic);
        assert_int_equal(bough_graph_expander(some[i].eta, &expander, &error), 0);
        bough_graph *mesh = graph_mesh_of_trees(some[i].lg_side), *all = graph_product(mesh, expander);
        uint32_t(*edge)[2] = malloc((b.count + 1) * sizeof *edge);
        for (uint64_t e = 0; e < b.count; e++) edge[e][0] = b.source[e], edge[e][1] = b.address[e];
        bough_graph *have;
        assert_int_equal(bough_graph_make(some[i].n, (const uint32_t(*)[2])edge, b.count, &have, &error), 0);
        assert_int_equal(b.count, all->edges);
        assert_int_equal(have->edges, all->edges);
        unsigned long long degree[32] = {0};
        for (uint64_t v = 0; v < all->vertices; v++) degree[all->first[v + 1] - all->first[v]]++;
        for (uint64_t v = 0; v < have->vertices; v++) degree[have->first[v + 1] - have->first[v]]--;
        for (unsigned d = 1; d < 32; d++) assert_true(degree[d] == 0);
        bough_graph_destroy(mesh);
        bough_graph_destroy(expander);
        bough_graph_destroy(all);
        bough_graph_destroy(have);
        free(edge);
        bough_batch_fini(&b);
        point_free(&p);
    }
}

static double ask(const char *network, const char *spec, const char *method, bough_metric_id metric) {
    bough_point p = point_make(network, "free", spec);
    bough_rows rows = rows_of(&p, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return value;
}

/* Lemma 13: eta of the set is eta, within constants that do not grow with N. */
static void lemma_13(void **state) {
    (void)state;
    for (unsigned k = 2; k <= 8; k++)
        for (unsigned eta = 1; eta <= 1u << k; eta *= 2) {
            char network[32], spec[32];
            snprintf(network, sizeof network, "pruned:n=4^%u", k);
            snprintf(spec, sizeof spec, "motexp:eta=%u", eta);
            double have = ask(network, spec, "atbound", BOUGH_METRIC_ETA);
            bool single = eta == 1u << k; /* one expander: its halves are all there is */
            if (have < (single ? 0.5 : 1) * eta || have > 8 * eta) fail_msg("%s %s: %g", network, spec, have);
        }
}

static void bounds(void **state) {
    (void)state;
    double eta = ask("pruned:n=256", "motexp:eta=4", "atbound:b=3", BOUGH_METRIC_ETA);
    assert_true(eta == ask("pruned:n=256", "motexp:eta=4", "linkload", BOUGH_METRIC_ETA));
    double cuts = ask("pruned:n=256", "motexp:eta=4", "atbound:b=3", BOUGH_METRIC_AT2_CUTS);
    double content = ask("pruned:n=256", "motexp:eta=4", "atbound:b=3", BOUGH_METRIC_AT2_CONTENT);
    double lg = log2(256 / (eta * eta));
    assert_true(fabs(cuts - 9 * eta * eta * 256) < 1e-6);
    assert_true(fabs(content - cuts * lg * lg) < 1e-6 * content + 1e-6);
    /* b is lg n unless it is said. */
    assert_true(ask("pruned:n=256", "bitcomp", "atbound", BOUGH_METRIC_AT2_CUTS) ==
                ask("pruned:n=256", "bitcomp", "atbound:b=8", BOUGH_METRIC_AT2_CUTS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(smallest_by_hand),
        cmocka_unit_test(it_is_the_product),
        cmocka_unit_test(lemma_13),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
