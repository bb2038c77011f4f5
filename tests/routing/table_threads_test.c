/* Computed forwarding tables, and the search for deadlocks in them: the same entries, findings and cycles for
 * any number of threads. */
#include "network/faults/faults.h"
#include "routing/deadlock.h"
#include "routing/routing.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_routing *make(bough_net *net, const char *spec, unsigned threads) {
    bough_routing *r;
    bough_error error;
    net->threads = threads;
    if (bough_routing_create(net, spec, &r, &error)) fail_msg("%s on %s: %s", spec, net->spec, error.reason);
    return r;
}

static uint64_t next_link(const bough_routing *r, uint64_t node, uint64_t address) {
    bough_route route;
    bough_route_at(r, node, &(bough_flow){0, address, 0}, &route);
    return route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
}

static void compare(const bough_routing *one, const bough_routing *many) {
    const bough_net *net = one->net;
    for (uint64_t v = 0; v < net->nodes; v++)
        for (uint64_t a = 0; a < net->addresses; a++)
            if (v != bough_address_node(net, a) && next_link(one, v, a) != next_link(many, v, a))
                fail_msg("%s on %s, %u threads: node %" PRIu64 ", address %" PRIu64, one->spec, net->spec,
                         net->threads, v, a);
    assert_int_equal(one->findings.count, many->findings.count);
    for (size_t i = 0; i < one->findings.count; i++) {
        assert_string_equal(one->findings.item[i].where, many->findings.item[i].where);
        assert_string_equal(one->findings.item[i].text, many->findings.item[i].text);
    }
}

static void compare_cycles(const bough_routing *one, const bough_routing *many) {
    bough_link_cycle want, have;
    if (bough_deadlock_find(one, &want, NULL) || bough_deadlock_find(many, &have, NULL))
        fail_msg("%s on %s", one->spec, one->net->spec);
    assert_int_equal(want.dependencies, have.dependencies);
    assert_int_equal(want.count, have.count);
    for (uint64_t i = 0; i < want.count; i++) assert_int_equal(want.link[i], have.link[i]);
    bough_link_cycle_fini(&want);
    bough_link_cycle_fini(&have);
}

static void try_all(bough_net *net, const char *spec) {
    static const unsigned threads[] = {2, 3, 4, 7};
    bough_routing *one = make(net, spec, 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        bough_routing *many = make(net, spec, threads[i]);
        compare(one, many);
        compare_cycles(one, many);
        bough_routing_destroy(many);
    }
    bough_routing_destroy(one);
}

/* faults: NULL: none. */
static void try_network(const char *spec, const char *faults) {
    bough_net *net, *whole = NULL;
    bough_error error;
    if (bough_net_create(spec, &net, &error)) fail_msg("%s: %s", spec, error.reason);
    if (faults) {
        whole = net;
        if (bough_net_with_faults(whole, faults, &net, &error)) fail_msg("%s: %s", faults, error.reason);
    }
    try_all(net, "updn");
    try_all(net, "minhop");
    bough_net_destroy(net);
    bough_net_destroy(whole);
}

static void trees(void **state) {
    (void)state;
    try_network("kary:k=6,levels=3", NULL);
    /* 15 links of the switch of h17 carry one or two addresses each */
    try_network("xgft:down=1x20,up=1x15", NULL);
    try_network("kary:k=6,levels=3", "links:share=5%");
    try_network("xgft:down=8x8x4,up=1x4x4", "links:share=20%,key=3");
}

/* More than 2048 destinations: rows are filled in two batches. */
static void batches(void **state) {
    (void)state;
    bough_net *net;
    bough_error error;
    if (bough_net_create("xgft:down=1x2060,up=1x1", &net, &error)) fail_msg("%s", error.reason);
    bough_routing *one = make(net, "updn", 0), *two = make(net, "updn", 2);
    compare(one, two);
    bough_routing_destroy(two);
    bough_routing_destroy(one);
    bough_net_destroy(net);
}

/* Endpoints with several links have rows of their own. */
static void endpoints_with_rows(void **state) {
    (void)state;
    try_network("cube:n=64", NULL);
}

/* Adapters that are not endpoints count for the load of ports; their destinations are searched by minhop. */
static void fabrics(void **state) {
    (void)state;
    try_network("ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover", NULL);
    try_network("ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover", "links:share=30%");
}

/* Roots below which pairs have no up/down path: their number and the first of them are a finding. */
static void gaps(void **state) {
    (void)state;
    bough_net *whole, *net;
    bough_error error;
    if (bough_net_create("kary:k=6,levels=3", &whole, &error)) fail_msg("%s", error.reason);
    if (bough_net_with_faults(whole, "links:share=40%", &net, &error)) fail_msg("%s", error.reason);
    try_all(net, "updn");
    try_all(net, "updn:roots=\"s3.0,s3.35\"");
    bough_routing *r = make(net, "updn:roots=\"s3.0,s3.35\"", 3);
    assert_int_equal(r->findings.count, 1); /* by destinations in their order, then by nodes */
    assert_string_equal(r->findings.item[0].text,
                        "22176 pairs are connected, but have no up/down path under these roots, for example "
                        "from h90 to h0");
    bough_routing_destroy(r);
    bough_net_destroy(net);
    bough_net_destroy(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),   cmocka_unit_test(endpoints_with_rows),
        cmocka_unit_test(fabrics), cmocka_unit_test(gaps),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
