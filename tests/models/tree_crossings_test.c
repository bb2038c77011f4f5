/* What crosses the edges of the binary tree over the endpoints: eta by hand and from its definition, the load
 * factor of the pruned butterfly from the same counts, the degree. */
#include "models/link_load/tree_crossings.h"
#include "network/families/pruned_shape.h"
#include "network/families/xgft_tree.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void linkload_says(const char *network, const char *traffic, double factor, double eta,
                          double degree) {
    bough_point point = point_make(network, "random", traffic);
    bough_rows rows = rows_of(&point, "linkload");
    double have[] = {row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, BOUGH_NO_ROW_INDEX),
                     row_value(&rows, BOUGH_METRIC_ETA, BOUGH_NO_ROW_INDEX),
                     row_value(&rows, BOUGH_METRIC_DEGREE, BOUGH_NO_ROW_INDEX)};
    if (have[0] != factor || have[1] != eta || have[2] != degree)
        fail_msg("%s %s: lambda %g, eta %g, degree %g", network, traffic, have[0], have[1], have[2]);
    bough_rows_fini(&rows);
    point_free(&point);
}

static char *file(const char *lines) {
    return spec_of("messages", temporary_file("set.csv", lines, 0));
}

static void by_hand(void **state) {
    (void)state;
    /* every message crosses the root: 64 over capacity 8; the edge below it has height 5 and weight 8 */
    linkload_says("pruned:n=64", "bitcomp", 8, 8, 1);
    /* an endpoint sends one and receives one: channel of 2, edge of weight 1 */
    linkload_says("pruned:n=64", "shift:k=1", 1, 2, 1);
    /* 15 to endpoint 0: its channel of capacity 2, its edge of weight 1 */
    linkload_says("pruned:n=16", "incast:m=15", 7.5, 15, 15);
    linkload_says("fattree:n=16", "incast:m=15", 15, 15, 15);
    /* the top channel, 8 with 8 both ways, capacity 4; an edge of height 2, 4 with 12, weight 2 */
    linkload_says("pruned:n=16", "alltoall", 32, 48, 15);
    /* 12 endpoints in a tree of 16: 4 against 8, both ways, over weight 2 */
    linkload_says("clos:radix=8,hosts=12", "alltoall", 22, 32, 11);
    char *set = file("source,destination\n0,1\n0,1\n0,2\n3,2\n1,3\n");
    /* endpoint 0: 3; 2: 2; edges of height 1, weight 2: (0,2), (1,3) */
    linkload_says("pruned:n=4", set, 1.5, 3, 3);
    free(set);
    set = file("source,destination\n3,3\n");
    linkload_says("pruned:n=4", set, 0, 0, 0);
    free(set);
    linkload_says("kary:k=3,levels=2", "shift:k=1", 2, 2, 1);
}

/* Congestion of an edge: messages with one end in the subtree of 2^h leaves below it. */
static double eta_by_definition(uint64_t n, const bough_batch *b) {
    double eta = 0;
    for (unsigned h = 0; UINT64_C(1) << h < n; h++)
        for (uint64_t first = 0; first < n; first += UINT64_C(1) << h) {
            uint64_t crossing = 0, weight = UINT64_C(1) << (h + 1) / 2, last = first + (UINT64_C(1) << h) - 1;
            for (uint64_t i = 0; i < b->count; i++)
                crossing += (b->source[i] >= first && b->source[i] <= last) !=
                            (b->address[i] >= first && b->address[i] <= last);
            if ((double)crossing / (double)weight > eta) eta = (double)crossing / (double)weight;
        }
    return eta;
}

static bough_batch draw(uint64_t n, uint64_t count, uint64_t trial) {
    bough_stream stream = bough_stream_make(bough_key_make(1, trial), BOUGH_DRAW_TEST, 0, 0);
    bough_batch b = {.count = count};
    b.source = calloc(count, sizeof *b.source);
    b.address = calloc(count, sizeof *b.address);
    assert_non_null(b.source);
    assert_non_null(b.address);
    for (uint64_t i = 0; i < count; i++) {
        b.source[i] = (uint32_t)bough_stream_below(&stream, n);
        b.address[i] = (uint32_t)bough_stream_below(&stream, trial % 3 ? n : 1 + n / 3);
    }
    return b;
}

static void eta_is_what_its_definition_says(void **state) {
    (void)state;
    static const char *const network[] = {"fattree:n=2", "pruned:n=64", "kary:k=3,levels=3", "fattree:n=128"};
    for (uint64_t trial = 0; trial < 200; trial++) {
        bough_net *net = net_make(network[trial % 4]);
        bough_batch b = draw(net->endpoints, 1 + trial * 3, trial);
        unsigned height = tree_height(net->endpoints);
        assert_true(UINT64_C(1) << height >= net->endpoints && UINT64_C(1) << height < 2 * net->endpoints);
        uint64_t *crossing = calloc(UINT64_C(2) << height, sizeof *crossing);
        assert_non_null(crossing);
        count_crossings(net, &b, height, crossing);
        double eta = crossing_factor(crossing, height, reference_lg_weight);
        assert_near(eta, eta_by_definition(net->endpoints, &b), 0);
        assert_true(crossing[1] == 0); /* nothing leaves the tree */
        if (xgft_shape_of(net) && xgft_is_pruned(xgft_shape_of(net))) {
            double lambda = crossing_factor(crossing, height, pruned_lg_capacity);
            assert_true(lambda <= eta && eta <= 2 * lambda);
        }
        free(crossing);
        bough_batch_fini(&b);
        bough_net_destroy(net);
    }
}

/* Leiserson's load factor of the pruned butterfly, counted level by level by linkload, and from the
 * crossings. */
static void lambda_comes_from_the_same_counts(void **state) {
    (void)state;
    static const char *const traffic[] = {"randperm", "uniform:m=40", "alltoall", "hotspot:hot=30",
                                          "tornado"};
    uint64_t *crossing = calloc(512, sizeof *crossing);
    assert_non_null(crossing);
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        bough_point point = point_make("pruned:n=256", "random", traffic[i]);
        bough_rows rows = rows_of(&point, "linkload");
        bough_batch b;
        bough_error error;
        assert_int_equal(bough_batch_read(point.traffic, bough_key_make(1, 0), &b, &error), BOUGH_OK);
        count_crossings(point.net, &b, 8, crossing);
        assert_near(crossing_factor(crossing, 8, pruned_lg_capacity),
                    row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, BOUGH_NO_ROW_INDEX), 0);
        bough_batch_fini(&b);
        bough_rows_fini(&rows);
        point_free(&point);
    }
    free(crossing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(eta_is_what_its_definition_says),
        cmocka_unit_test(lambda_comes_from_the_same_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
