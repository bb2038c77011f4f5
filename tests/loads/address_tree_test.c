/* Trees of addresses against flows that are followed one by one: how each ends and over how many links, and
 * how many flows of an endpoint arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/address_tree.h"
#include "network/faults/faults.h"
#include "support/points.h"
#include "support/specs.h"

#include <stdlib.h>

static void compare(const bough_routing *routing) {
    const bough_net *net = routing->net;
    uint64_t *arrived = calloc(net->endpoints, sizeof *arrived), lost = 0;
    origin_list origins;
    origin_arrivals arrivals = {0}, others = {0};
    address_tree tree;
    assert_true(address_tree_fits(routing));
    assert_int_equal(origin_list_make(net, &origins, NULL), BOUGH_OK);
    assert_int_equal(origin_arrivals_make(&arrivals, &origins, NULL), BOUGH_OK);
    assert_int_equal(origin_arrivals_make(&others, &origins, NULL), BOUGH_OK);
    assert_int_equal(address_tree_make(&tree, routing, NULL), BOUGH_OK);
    for (uint32_t target = 0; target < net->endpoints; target++) {
        address_tree_start(&tree, bough_endpoint_address(net, target));
        for (uint32_t i = 0; i < origins.count; i++) {
            if (address_tree_from(&tree, &origins, i) == SPREAD_ARRIVES)
                origin_arrivals_add(target % 2 ? &arrivals : &others, &origins, i, target);
        }
        for (uint32_t e = 0; e < net->endpoints; e++) {
            const uint32_t origin = origins.of[e], node = origins.node[origin];
            const unsigned lead = origin_lead(&origins, origin);
            const bough_flow flow = {e, tree.address, 0};
            spread_result r;
            if (e == target) continue;
            const spread_end end = spread_end_of(routing, &flow, &r);
            assert_int_equal(address_tree_end(&tree, node, lead), end);
            if (end == SPREAD_ARRIVES) assert_int_equal(tree.links[node] + lead, r.hops);
            arrived[e] += end == SPREAD_ARRIVES;
            lost += end != SPREAD_ARRIVES;
        }
    }
    origin_arrivals_join(&arrivals, &others, &origins);
    for (uint32_t e = 0; e < net->endpoints; e++)
        assert_int_equal(origin_arrivals_of(&arrivals, &origins, e), arrived[e]);
    assert_int_equal(lost > 0, net->faults != NULL);
    address_tree_fini(&tree);
    origin_arrivals_fini(&arrivals);
    origin_arrivals_fini(&others);
    origin_list_fini(&origins);
    free(arrived);
}

static void trees_are_flows(void **state) {
    static const char *const nets[] = {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "clos:radix=8,hosts=30",
                                       "cube:n=16"};
    static const char *const routings[] = {"dmodk", "updn", "minhop"};
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (size_t k = i == 2; k < sizeof routings / sizeof *routings; k++) {
            bough_net *net = net_make(nets[i]);
            bough_routing *r = routing_make(net, routings[k]);
            compare(r);
            bough_routing_destroy(r);
            bough_net_destroy(net);
        }
}

static void some_flows_are_lost(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=2"), *broken;
    assert_int_equal(bough_net_with_faults(net, "cables:count=3,key=2", &broken, NULL), BOUGH_OK);
    bough_routing *r = routing_make(broken, "dmodk"); /* has no way around */
    compare(r);
    bough_routing_destroy(r);
    bough_net_destroy(broken);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_flows),
        cmocka_unit_test(some_flows_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
