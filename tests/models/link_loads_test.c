/* Loads of links: bad input, a tree of four hosts by hand, then agreement with linkload and all-to-all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/alltoall_load.h"
#include "models/link_load/link_loads.h"
#include "support/points.h"

#include <stdlib.h>
#include <string.h>

/* Two leaves of two hosts under two roots. */
#define TREE "xgft:down=2x2,up=1x2"

static void refused(const char *routing, const char *traffic, bool bytes, const char *reason) {
    bough_point p = point_make(TREE, routing, traffic);
    double load[64];
    bough_error error;
    assert_int_equal(link_loads_of(p.routing, p.traffic, 1,
                                   &(link_loads){bytes ? NULL : load, bytes ? load : NULL}, &error),
                     BOUGH_UNSUPPORTED);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    point_free(&p);
}

static void test_refused(void **state) {
    (void)state;
    refused("least", "shift:k=2", false, "least");
    refused("least", NULL, false, "least");
    refused("random", "poisson:load=0.1", true, "have no sizes in bytes");
    refused("random", "shift:k=2", true, "have no sizes in bytes");
    refused("random", NULL, true, "all-to-all have no sizes in bytes");
}

static void expect(const char *traffic, double host, double uplink, double bytes) {
    bough_point p = point_make(TREE, "random", traffic);
    double flows[64], data[64];
    bough_error error;
    assert_true(p.net->links <= 64);
    bough_status status =
        link_loads_of(p.routing, p.traffic, 1, &(link_loads){flows, bytes ? data : NULL}, &error);
    if (status) fail_msg("%s", error.reason);
    for (uint64_t l = 0; l < p.net->links; l++) {
        assert_same(flows[l], bough_link_level(p.net, l) == 0 ? host : uplink);
        if (bytes) assert_same(data[l], flows[l] * bytes);
    }
    point_free(&p);
}

/* Shift by 2: both hosts of a leaf send to the other leaf, by two uplinks. Ring: each of 4 ranks sends 6
 * messages of a quarter to the next; of two hosts of a leaf one sends to the other leaf. All-to-all: 3 flows
 * of a host, 4 of a leaf. Streams: a message of every host, two thirds of which leave the leaf. */
static void test_by_hand(void **state) {
    (void)state;
    expect("shift:k=2", 1, 1, 0);
    expect("poisson:load=0.1", 1, 2.0 / 3, 0);
    expect("bernoulli:load=0.5,pattern=shift:k=2", 1, 1, 0);
    expect("allreduce:algo=ring,size=4000", 6, 3, 1000);
    expect(NULL, 3, 2, 0);
}

static void test_only_bytes(void **state) {
    (void)state;
    bough_point p = point_make(TREE, "random", "allreduce:algo=ring,size=4000");
    double bytes[64];
    bough_error error;
    assert_int_equal(link_loads_of(p.routing, p.traffic, 1, &(link_loads){NULL, bytes}, &error), BOUGH_OK);
    for (uint64_t l = 0; l < p.net->links; l++)
        assert_same(bytes[l], bough_link_level(p.net, l) == 0 ? 6000 : 3000);
    point_free(&p);
}

/* Sizes are rounded up to units: 6 messages of 1000 bytes in units of 300 are 1200 bytes each. */
static void test_units(void **state) {
    (void)state;
    bough_point p = point_make(TREE, "random", "allreduce:algo=ring,size=4000");
    link_loads_question q = {p.routing, p.traffic, bough_key_make(1, 0), 300};
    double bytes[64];
    bough_error error;
    assert_int_equal(link_loads_find(&q, &(link_loads){NULL, bytes}, &error), BOUGH_OK);
    assert_same(bytes[bough_injection_link(p.net, 0)], 7200);
    point_free(&p);
    p = point_make(TREE, "random", "shift:k=2"); /* a message of one unit */
    q = (link_loads_question){p.routing, p.traffic, bough_key_make(1, 0), 300};
    assert_int_equal(link_loads_find(&q, &(link_loads){NULL, bytes}, &error), BOUGH_OK);
    assert_same(bytes[bough_injection_link(p.net, 0)], 300);
    point_free(&p);
}

/* A message over a switch in between loads no link of an endpoint but its own two. */
static void test_valiant_spares_endpoints(void **state) {
    (void)state;
    bough_point p = point_make("kary:k=4,levels=2", "valiant", "shift:k=4,m=1");
    double flows[256];
    bough_error error;
    assert_true(p.net->links <= 256);
    unsigned longer = 0;
    for (uint64_t trial = 0; trial < 64; trial++) {
        link_loads_question q = {p.routing, p.traffic, bough_key_make(1, trial), 1};
        assert_int_equal(link_loads_find(&q, &(link_loads){flows, NULL}, &error), BOUGH_OK);
        double ends = 0, inner = 0;
        for (uint64_t l = 0; l < p.net->links; l++)
            *(bough_link_level(p.net, l) == 0 ? &ends : &inner) += flows[l];
        assert_same(ends, 2);
        assert_true(inner == 2 || inner == 4);
        longer += inner == 4;
    }
    assert_true(longer > 16 && longer < 64); /* 8 of 16 endpoints are at other leaves */
    point_free(&p);
}

/* The metrics of linkload on the same messages. */
static void test_agrees_with_linkload(void **state) {
    (void)state;
    static const struct {
        const char *network, *routing, *traffic;
        bool bytes;
    } point[] = {
        {"fattree:n=64", "random", "uniform", false},
        {"fattree:n=64", "hash", "randperm", false},
        {"cube:n=16", "valiant", "randperm", false},
        {"xgft:down=4x4,up=1x2", "dmodk", "randperm", false},
        {"xgft:down=4x4,up=1x2", "dmodk", "alltoall:algo=pairwise", true},
        {"cube:n=16", "valiant", "alltoall:algo=pairwise", true},
    };
    for (size_t i = 0; i < sizeof point / sizeof *point; i++) {
        bough_point p = point_make(point[i].network, point[i].routing, point[i].traffic);
        double *load = calloc(p.net->links, sizeof *load), most = 0;
        bough_error error;
        if (link_loads_of(p.routing, p.traffic, 1,
                          &(link_loads){point[i].bytes ? NULL : load, point[i].bytes ? load : NULL}, &error))
            fail_msg("%s: %s", point[i].traffic, error.reason);
        for (uint64_t l = 0; l < p.net->links; l++)
            if (load[l] > most) most = load[l];
        bough_rows rows = rows_of(&p, point[i].bytes ? "linkload" : "linkload:engine=generic");
        bough_metric_id metric = point[i].bytes ? BOUGH_METRIC_LINK_BYTES_MAX : BOUGH_METRIC_LINK_LOAD_MAX;
        assert_same(most, row_value(&rows, metric, BOUGH_NO_ROW_INDEX));
        bough_rows_fini(&rows);
        free(load);
        point_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_only_bytes),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_valiant_spares_endpoints),
        cmocka_unit_test(test_agrees_with_linkload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
