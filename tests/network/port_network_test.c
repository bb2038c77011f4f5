/* Networks whose endpoints got ports: the library's own check, the numbers, and what a port lets through. */
#include "network/faults/faults.h"
#include "support/points.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bough_net *ports_of(const bough_net *base) {
    bough_net *net;
    bough_error error = {0};
    if (bough_ports_create(base, &net, &error)) fail_msg("%s", error.reason);
    return net;
}

static void check(const bough_net *base) {
    bough_error error = {0};
    bough_net *net = ports_of(base);
    if (bough_net_check(net, 1 << 16, &error)) fail_msg("%s: %s", base->spec, error.reason);
    assert_int_equal(net->endpoints, base->endpoints);
    assert_int_equal(net->links, base->links + 2 * base->endpoints);
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t out = bough_injection_link(net, e), in = net->ops->link_twin(net, out);
        assert_int_equal(net->ops->link_end(net, out).node, net->endpoints + e);
        assert_int_equal(net->ops->link_end(net, in).node, e);
        assert_false(bough_is_switch(net, e));
        assert_true(bough_is_switch(net, net->endpoints + e));
    }
    bough_net_destroy(net);
}

static void test_networks(void **state) {
    (void)state;
    static const char *const spec[] = {
        "mesh:dims=4x3",   "torus:dims=5x3",       "torus:dims=4x4,oneway=1,classes=2",
        "cube:n=16",       "cube:n=8,order=2x0x1", "mesh:dims=2",
        "torus:dims=3x3x3"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *base = net_make(spec[i]);
        assert_true(base->one_port);
        check(base);
        bough_net_destroy(base);
    }
}

static void test_faults(void **state) {
    (void)state;
    static const char *const faults[] = {"links:share=10%", "links:share=10%,mode=rerouted",
                                         "cables:count=3,mode=masked", "slow:links,count=3,rate=25%"};
    bough_net *whole = net_make("mesh:dims=4x4");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bough_net *base;
        bough_error error = {0};
        if (bough_net_with_faults(whole, faults[i], &base, &error)) fail_msg("%s", error.reason);
        check(base);
        bough_net *net = ports_of(base);
        for (uint64_t l = 0; l < base->links; l++)
            assert_int_equal(bough_net_link_rate(net, l), bough_net_link_rate(base, l));
        bough_net_destroy(net);
        bough_net_destroy(base);
    }
    bough_net_destroy(whole);
}

/* One packet a step arrives at the target of all others, and one a step leaves a source. */
static void test_one_packet_a_step(void **state) {
    (void)state;
    bough_net *base = net_make("mesh:dims=4x4");
    bough_point p = {.net = ports_of(base)};
    p.routing = routing_make(p.net, NULL);
    bough_error error = {0};
    bough_traffic *traffic;
    if (bough_traffic_create(p.net, "incast:m=15", &traffic, &error)) fail_msg("%s", error.reason);
    p.traffic = traffic;
    bough_rows rows = rows_of(&p, "packet");
    assert_true(row_value(&rows, BOUGH_METRIC_STEPS, BOUGH_NO_ROW_INDEX) >=
                15 + 2); /* the first takes 3 steps at least */
    bough_rows_fini(&rows);
    bough_traffic_destroy(traffic);
    bough_routing_destroy((bough_routing *)p.routing);
    bough_net_destroy((bough_net *)p.net);
    bough_net_destroy(base);
}

static void test_all_ports(void **state) {
    (void)state;
    bough_net *net = net_make("torus:dims=4x4,ports=all");
    assert_true(net->all_ports && !net->one_port);
    bough_net_destroy(net);
    net = net_make("fattree:n=8");
    assert_false(net->all_ports || net->one_port);
    bough_net_destroy(net);
    net_refused("mesh:dims=4x4,ports=2", BOUGH_INVALID, "ports");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_one_packet_a_step),
        cmocka_unit_test(test_all_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
