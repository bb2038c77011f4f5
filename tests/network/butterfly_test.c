/* The butterfly: its vertices and edges by their definition, its routes, and the pruned butterfly in it. */
#include "method/method.h"
#include "network/families/butterflies/butterfly.h"
#include "network/families/xgft_tree.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_net *butterfly(unsigned k, const char *more) {
    char spec[48];
    snprintf(spec, sizeof spec, "butterfly:n=2^%u%s", k, more);
    return net_make(spec);
}

/* ---- bad input ---- */

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    net_refused("butterfly:n=12", BOUGH_INVALID, "n=12 is not a power of two; the nearest are 8 and 16");
    net_refused("butterfly:n=1", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("butterfly:n=2^47", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("butterfly:k=3", BOUGH_INVALID, "no parameter 'k'");
    net_refused("butterfly:n=8,names=pairs", BOUGH_INVALID, "triples");
    net_refused("pruned:n=16,names=1", BOUGH_INVALID, "triples");
}

static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    bough_net *net = butterfly(46, "");
    assert_true(net->nodes == UINT64_C(47) << 46 && net->bytes == 0);
    assert_true(bough_butterfly_node(46, 5) == 5);
    bough_net_destroy(net);
}

/* ---- the definition ---- */

/* <i, w>: the high i bits are the node, the others, the lowest first, the number. */
static uint64_t vertex(unsigned k, unsigned i, uint64_t w) {
    uint64_t low = w & ((UINT64_C(1) << (k - i)) - 1);
    return ((uint64_t)(k - i) << k) + (w >> (k - i) << (k - i)) + low;
}

static bool joined(const bough_net *net, uint64_t a, uint64_t b) {
    unsigned found = 0;
    for (uint32_t i = 0; i < net->ops->node_group_count(net, a); i++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, a, i));
        for (uint64_t l = r.first; l < r.first + r.count; l++) found += net->ops->link_end(net, l).node == b;
    }
    return found == 1;
}

static void vertices_differ_in_one_bit(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 7; k++) {
        bough_net *net = butterfly(k, "");
        uint64_t n = UINT64_C(1) << k, edges = 0;
        assert_true(net->endpoints == n && net->nodes == (k + 1) * n && net->levels == k);
        for (unsigned i = 0; i < k; i++)
            for (uint64_t w = 0; w < n; w++)
                for (unsigned cross = 0; cross < 2; cross++, edges++) {
                    uint64_t below = vertex(k, i + 1, w ^ (uint64_t)cross << (k - 1 - i));
                    assert_true(joined(net, vertex(k, i, w), below) && joined(net, below, vertex(k, i, w)));
                }
        assert_true(net->links == 2 * edges); /* and no others */
        bough_error error;
        if (bough_net_check(net, 20000, &error)) fail_msg("%s: %s", net->spec, error.reason);
        bough_net_destroy(net);
    }
}

static void names_are_triples_on_request(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t node;
        const char *name;
    } known[] = {
        {"butterfly:n=8", 5, "h5"},
        {"butterfly:n=8,names=triples", 5, "<3,5,0>"},
        {"butterfly:n=8,names=triples", 31, "<0,0,7>"},
        {"pruned:n=16", 10, "h10"},
        {"pruned:n=16,names=triples", 10, "<4,10,0>"}, /* figure 1 of bay1991: from leaf 10 to root 2 */
        {"pruned:n=16,names=triples", 26, "<3,5,0>"},
        {"pruned:n=16,names=triples", 36, "<2,2,0>"},
        {"pruned:n=16,names=triples", 46, "<1,1,2>"},
        {"pruned:n=16,names=triples", 50, "<0,0,2>"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char name[32];
        bough_net *net = net_make(known[i].spec);
        assert_string_equal(bough_node_name(net, known[i].node, name, sizeof name), known[i].name);
        bough_net_destroy(net);
    }
}

/* ---- figure 2 ---- */

static void the_pruned_butterfly_is_a_subgraph(void **state) {
    (void)state;
    for (unsigned k = 2; k <= 10; k += 2) {
        char spec[32];
        snprintf(spec, sizeof spec, "pruned:n=2^%u", k);
        bough_net *net = butterfly(k, ""), *pruned = net_make(spec);
        unsigned char *taken = calloc(net->nodes, 1);
        assert_non_null(taken);
        for (uint64_t v = 0; v < pruned->nodes; v++) {
            uint64_t here = bough_butterfly_node(k, v);
            assert_true(here < net->nodes && !taken[here]);
            taken[here] = 1;
            assert_int_equal(net->ops->node_level(net, here), pruned->ops->node_level(pruned, v));
            assert_true(v >= pruned->endpoints || here == v);
        }
        for (uint64_t l = 0; l < pruned->links; l++)
            if (!joined(net, bough_butterfly_node(k, bough_link_start(pruned, l)),
                        bough_butterfly_node(k, pruned->ops->link_end(pruned, l).node)))
                fail_msg("%s: link %" PRIu64 " is not in the butterfly", spec, l);
        assert_true(bough_butterfly_node(k, pruned->nodes) == BOUGH_NONE);
        free(taken);
        bough_net_destroy(net);
        bough_net_destroy(pruned);
    }
}

/* ---- what runs on it ---- */

/* The complement: every message over a root, two links up from each leaf, so no link has more than half a
 * message on average; every channel of height h has 2^h messages up and 2^h down on 2^(h+1) links. */
static void general_methods_run(void **state) {
    (void)state;
    static const struct {
        const char *traffic, *method;
        bough_metric_id metric;
        double least, most;
    } run[] = {
        {"bitcomp", "linkload", BOUGH_METRIC_LOAD_FACTOR, 1, 1},
        {"bitcomp", "linkload", BOUGH_METRIC_LAMBDA_A, 0.5, 0.5},
        {"bitcomp", "linkload:engine=generic", BOUGH_METRIC_LINK_LOAD_MAX, 0.5, 0.5},
        {"randperm", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS, 1, 4},
        {"poisson:load=0.1", "worm", BOUGH_METRIC_DISTANCE, 10.1, 10.3}, /* 642/63, as in pruned:n=64 */
        {"bitrev", "offline", BOUGH_METRIC_PASSES, 1, 8},
    };
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        bough_point point = point_make("butterfly:n=64", "random", run[i].traffic);
        bough_rows rows = rows_of(&point, run[i].method);
        double value = row_value(&rows, run[i].metric, BOUGH_NO_ROW_INDEX);
        if (value < run[i].least || value > run[i].most)
            fail_msg("%s %s: %g", run[i].traffic, run[i].method, value);
        bough_rows_fini(&rows);
        point_free(&point);
    }
    bough_point point = point_make("butterfly:n=64", NULL, "bitrev");
    run_refused(&point, "sidetrack", BOUGH_UNSUPPORTED, "needs the pruned butterfly");
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(absurd_sizes_cost_nothing),
        cmocka_unit_test(vertices_differ_in_one_bit),
        cmocka_unit_test(names_are_triples_on_request),
        cmocka_unit_test(the_pruned_butterfly_is_a_subgraph),
        cmocka_unit_test(general_methods_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
