/* Searches of all routes to an address: their order, and what nodes divide among links, against each flow
 * followed on its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/flow_spread.h"
#include "loads/link_sums.h"
#include "loads/route_search.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <stdlib.h>

/* Each node comes after those that it sends to. */
static void expect_order(const route_search *s) {
    const bough_net *net = s->routing->net;
    bool *seen = calloc(net->nodes, 1);
    for (uint64_t i = 0; i < s->count; i++) {
        const bough_route *route = &s->route[s->order[i]];
        assert_true(s->order[i] != s->target);
        assert_false(seen[s->order[i]]);
        for (uint32_t k = 0; k < route->count; k++) {
            const uint64_t link = bough_route_link(route, k), end = net->ops->link_end(net, link).node;
            if (route_search_takes(s, link) && route_search_passes(s, link, end)) assert_true(seen[end]);
        }
        seen[s->order[i]] = true;
    }
    free(seen);
}

/* One flow of every endpoint to the target. */
static double divide(route_search *s, uint64_t target, double *load) {
    const bough_net *net = s->routing->net;
    route_amounts amounts = {calloc(net->nodes, sizeof(double)), load, 1, 0};
    route_search_start(s, bough_endpoint_address(net, target));
    for (uint64_t e = 0; e < net->endpoints; e++) {
        if (e == target) continue;
        route_search_from(s, e);
        amounts.amount[e] += 1;
    }
    expect_order(s);
    assert_true(s->loop == BOUGH_NONE);
    route_search_divide(s, &amounts);
    for (uint64_t v = 0; v < net->nodes; v++) assert_true(amounts.amount[v] == 0);
    free(amounts.amount);
    return amounts.missing;
}

static void loads_are_those_of_flows(void **state) {
    static const char *const nets[] = {"xgft:down=4x3x2,up=1x2x2", "clos:radix=8,hosts=24", "cube:n=16",
                                       "bft:n=16", "xgft:down=4x4,up=1x2,links=1x2"};
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        bough_net *net = net_make(nets[i]);
        bough_routing *r = routing_make(net, "random");
        route_search s = {.routing = NULL};
        link_sums flows = {.count = 0};
        assert_int_equal(route_search_make(&s, r, NULL), BOUGH_OK);
        assert_int_equal(link_sums_make(&flows, net->links, NULL), BOUGH_OK);
        for (uint64_t target = 0; target < net->endpoints; target += 3) {
            double *load = calloc(net->links, sizeof *load);
            assert_true(divide(&s, target, load) == 0);
            assert_true(s.trouble == BOUGH_NONE);
            for (uint64_t e = 0; e < net->endpoints; e++) {
                const bough_flow flow = {e, bough_endpoint_address(net, target), 0};
                spread_result result;
                if (e != target) spread_flow(r, &flow, link_sums_visit, &flows, &result);
            }
            for (uint64_t l = 0; l < net->links; l++) assert_near(load[l], flows.load[l], 1e-12);
            link_sums_clear(&flows);
            for (uint64_t l = 0; l < net->links; l++) assert_true(flows.load[l] == 0);
            free(load);
        }
        link_sums_fini(&flows);
        route_search_fini(&s);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

/* Two leaves of two hosts under two roots. Without one of its two links up, a leaf sends all over the other
 * one; without both, what its hosts send to the other leaf is missing. */
static void dead_links_are_not_taken(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x2");
    bough_routing *r = routing_make(net, "random");
    route_search s = {.routing = NULL};
    uint64_t dead[2] = {0}, leaf, up[2], ups = 0;
    double load[2][64] = {{0}};
    assert_true(net->links <= 64);
    assert_int_equal(route_search_make(&s, r, NULL), BOUGH_OK);
    leaf = net->ops->link_end(net, bough_injection_link(net, 0)).node;
    for (uint64_t l = 0; l < net->links; l++)
        if (bough_link_start(net, l) == leaf && net->ops->link_end(net, l).node >= net->endpoints)
            up[ups++] = l;
    assert_int_equal(ups, 2);
    s.dead = dead;
    set_bit(dead, up[0]);
    assert_true(divide(&s, 3, load[0]) == 0);
    assert_true(load[0][up[0]] == 0 && load[0][up[1]] == 2);
    set_bit(dead, up[1]);
    assert_true(divide(&s, 3, load[1]) == 2);
    assert_true(load[1][up[0]] == 0 && load[1][up[1]] == 0);
    route_search_fini(&s);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_flows),
        cmocka_unit_test(dead_links_are_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
