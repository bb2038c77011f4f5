/* Loads of all-to-all: bad input, networks small enough for hand, then agreement with `check`, which follows
 * every path of every pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/check/check_routing.h"
#include "loads/alltoall_load.h"
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <stdlib.h>
#include <string.h>

static arena memory; /* of results */

typedef struct loads {
    double *load;
    alltoall_result result;
} loads;

static loads loads_of(const bough_routing *r) {
    loads l = {.load = calloc(r->net->links + 1, sizeof *l.load)};
    bough_error error;
    if (alltoall_loads(r, NULL, l.load, &l.result, &error)) fail_msg("%s: %s", r->spec, error.reason);
    return l;
}

static void refused(const char *network, const char *routing, bough_status status, const char *reason) {
    bough_net *net = net_make(network);
    bough_routing *r = routing_make(net, routing);
    double none[1] = {0};
    alltoall_result result;
    bough_error error;
    double *load = net->links < 1 << 24 ? calloc(net->links, sizeof *load) : none;
    assert_int_equal(alltoall_loads(r, NULL, load, &result, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    if (load != none) free(load);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void test_refused(void **state) {
    (void)state;
    refused("fattree:n=16", "least", BOUGH_UNSUPPORTED, "least");
    refused("fattree:n=65536", "random", BOUGH_TOO_LARGE, "too large");
    refused("fattree:n=65536", "hash", BOUGH_TOO_LARGE, "65536 endpoints");
}

/* Two leaves of two hosts under two roots: a host has 3 flows in and out; 4 flows leave a leaf, 2 an uplink.
 */
static void test_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x2");
    bough_routing *r = routing_make(net, "random");
    loads l = loads_of(r);
    assert_true(l.result.expected);
    assert_same(l.result.lost, 0);
    for (uint64_t k = 0; k < net->links; k++) assert_same(l.load[k], bough_link_level(net, k) == 0 ? 3 : 2);
    free(l.load);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Every link of a cube carries n/2 flows; by way of random nodes twice (n - 1)/n of that. */
static void test_cube(void **state) {
    (void)state;
    bough_net *net = net_make("cube:n=16");
    static const struct {
        const char *routing;
        double load;
        bool expected;
    } want[] = {{"bitfix", 8, false}, {"valiant", 15, true}};
    for (int i = 0; i < 2; i++) {
        bough_routing *r = routing_make(net, want[i].routing);
        loads l = loads_of(r);
        assert_int_equal(l.result.expected, want[i].expected);
        for (uint64_t k = 0; k < net->links; k++) assert_same(l.load[k], want[i].load);
        free(l.load);
        bough_routing_destroy(r);
    }
    bough_net_destroy(net);
}

static void agree(const bough_net *net, const char *routing) {
    bough_routing *r = routing_make(net, routing);
    loads l = loads_of(r);
    bough_check_result c;
    bough_findings findings = {0};
    bough_error error;
    if (bough_check_routing(r, &(bough_check_options){.memory = &memory, .threads = 1}, &c, &findings,
                            &error))
        fail_msg("%s", error.reason);
    for (uint64_t k = 0; k < net->links; k++) assert_same(l.load[k], c.load[k]);
    if (!l.result.expected) assert_same(l.result.lost, (double)(c.pairs - c.routed));
    free(l.load);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    bough_routing_destroy(r);
}

static void test_agrees_with_check(void **state) {
    (void)state;
    static const char *const network[] = {
        "fattree:n=32", "bft:n=64",   "xgft:down=3x4x2,up=2x3x2", "xgft:down=4x4,up=1x2,links=1x2",
        "transit:n=64", "pruned:n=64"};
    static const char *const routing[] = {"random", "dmodk", "smodk", "hash"};
    for (size_t i = 0; i < sizeof network / sizeof *network; i++) {
        bough_net *net = net_make(network[i]);
        for (size_t k = 0; k < sizeof routing / sizeof *routing; k++)
            if (!(k == 1 || k == 2) || (net->capabilities & BOUGH_HAS_MODK)) agree(net, routing[k]);
        bough_net_destroy(net);
    }
}

/* The example fabric, whose tables lack entries; and what is left of a tree, by routes found anew. */
static void test_agrees_on_odd_ones(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"),
         *table = data_path("example:cluster.updn.lfts.gz");
    char *spec = spec_of("ibnet", path), *lft = spec_of("lft", table);
    bough_net *net = net_make(spec);
    agree(net, lft);
    bough_net_destroy(net);
    free(path), free(table), free(spec), free(lft);
    bough_net *whole = net_make("xgft:down=4x4x2,up=1x3x3"), *left;
    bough_error error;
    if (bough_net_with_faults(whole, "chips:share=20%,mode=rerouted", &left, &error))
        fail_msg("%s", error.reason);
    agree(left, "random");
    agree(left, "hash");
    bough_net_destroy(left);
    bough_net_destroy(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_cube),
        cmocka_unit_test(test_agrees_with_check),
        cmocka_unit_test(test_agrees_on_odd_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
