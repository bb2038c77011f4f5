/* The test family of tests/support: the library's own check passes on it, and notices when it is broken. */
#include "support/cube.h"

#include "routing/routing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refuses_bad_sizes(void **state) {
    (void)state;
    bough_net *net;
    bough_error error;
    assert_int_equal(cube_create(0, &net, &error), BOUGH_INVALID);
    assert_null(net);
    assert_int_equal(cube_create(31, &net, &error), BOUGH_INVALID);
}

/* The square: 0 and 1 differ in bit 0, 0 and 2 in bit 1. */
static void square_by_hand(void **state) {
    (void)state;
    bough_net *net;
    bough_route route;
    assert_int_equal(cube_create(2, &net, NULL), BOUGH_OK);
    assert_int_equal(net->nodes, 4);
    assert_int_equal(net->links, 8);
    assert_int_equal(net->cables, 4);
    net->ops->route(net, 0, 3, &route); /* the high bit first */
    assert_int_equal(net->ops->link_end(net, bough_route_link(&route, 0)).node, 2);
    net->ops->route(net, 2, 3, &route);
    assert_int_equal(net->ops->link_end(net, bough_route_link(&route, 0)).node, 3);
    assert_int_equal(bough_link_direction(net, 0), 0);
    bough_net_destroy(net);
}

static void passes_the_check(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 8; d++) {
        bough_net *net;
        bough_error error = {0};
        assert_int_equal(cube_create(d, &net, NULL), BOUGH_OK);
        if (bough_net_check(net, UINT64_C(1) << 16, &error)) fail_msg("d = %u: %s", d, error.reason);
        bough_net_destroy(net);
    }
}

static void paths_fix_one_bit_a_hop(void **state) {
    (void)state;
    bough_net *net;
    bough_routing *routing;
    assert_int_equal(cube_create(5, &net, NULL), BOUGH_OK);
    assert_int_equal(bough_routing_create(net, NULL, &routing, NULL), BOUGH_OK);
    assert_true(bough_routing_deterministic(routing));
    for (uint64_t s = 0; s < 32; s++)
        for (uint64_t t = 0; t < 32; t++) {
            uint64_t path[5], at = s, before = 32;
            int length = bough_path(routing, &(bough_flow){.source = s, .address = t}, path, 5);
            assert_int_equal(length, __builtin_popcountll(s ^ t));
            for (int i = 0; i < length; i++) {
                uint64_t next = net->ops->link_end(net, path[i]).node, bit = at ^ next;
                assert_true(bough_link_start(net, path[i]) == at && bit < before && (bit & (s ^ t)));
                before = bit;
                at = next;
            }
            assert_int_equal(at, t);
        }
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* ---- the check itself: one wrong answer at a time ---- */

static bough_net_ops right;
static uint64_t wrong_twin(const bough_net *net, uint64_t link) {
    return right.link_twin(net, link ^ (link == 7));
}
static bough_link_end wrong_end(const bough_net *net, uint64_t link) {
    bough_link_end end = right.link_end(net, link);
    if (link == 7) end.port ^= 1;
    return end;
}
static void wrong_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    right.route(net, node, address, route);
    if (node == 5 && address == 1)
        route->first = route->group = node * net->hops_max; /* turns a bit that is right */
}
static void endless_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    right.route(net, node, address, route);
    if (node == 3 && address == 1) route->first = route->group = 3 * net->hops_max + 2; /* to 7, and back */
}
static uint32_t wrong_rank(const bough_net *net, uint64_t group) {
    return net->hops_max - right.group_order(net, group);
}
static uint64_t wrong_group(const bough_net *net, uint64_t link) {
    return right.link_group(net, link) ^ (link == 7);
}
static unsigned wrong_level(const bough_net *net, uint64_t node) {
    return right.node_level(net, node) + (node == 3);
}

static void check_notices(void **state) {
    (void)state;
    bough_net *net;
    bough_error error = {0};
    assert_int_equal(cube_create(3, &net, NULL), BOUGH_OK);
    right = *net->ops;
    for (int i = 0; i < 8; i++) {
        bough_net_ops ops = right;
        net->capabilities |= BOUGH_HAS_ORDER;
        switch (i) {
        case 0:
            ops.link_twin = wrong_twin;
            break;
        case 1:
            ops.link_end = wrong_end;
            break;
        case 2:
            ops.route = wrong_route;
            break;
        case 3:
            ops.group_order = wrong_rank;
            break;
        case 4:
            ops.link_group = wrong_group;
            break;
        case 5:
            ops.node_level = wrong_level;
            break;
        case 6: /* two links into one port, and no output port to give it away */
            ops.link_end = wrong_end;
            ops.link_port = NULL;
            break;
        default: /* and no rank */
            ops.route = endless_route;
            net->capabilities &= ~(unsigned)BOUGH_HAS_ORDER;
        }
        net->ops = &ops;
        if (bough_net_check(net, 4096, &error) != BOUGH_FAILED) fail_msg("case %d passes", i);
        net->ops = &right;
    }
    net->capabilities |= BOUGH_HAS_ORDER;
    assert_int_equal(bough_net_check(net, 4096, &error), BOUGH_OK);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_sizes), cmocka_unit_test(square_by_hand),
        cmocka_unit_test(passes_the_check),  cmocka_unit_test(paths_fix_one_bit_a_hop),
        cmocka_unit_test(check_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
