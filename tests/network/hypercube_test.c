/* The family `cube` and the routing `bitfix`: in the default order they are the tests' own hypercube
 * (tests/support/cube.c); in others the bits are fixed as it was said. */
#include "loads/pair_survey.h"
#include "routing/routing.h"
#include "support/cube.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- bad input ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    net_refused("cube:n=12", BOUGH_INVALID, "n=12 is not a power of two; the nearest are 8 and 16");
    net_refused("cube:n=2^40-1", BOUGH_INVALID, "not a whole number");
    net_refused("cube:n=3", BOUGH_INVALID, "the nearest are 2 and 4");
    net_refused("cube:n=1", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("cube:n=0", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("cube:n=-8", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("cube:n=2^57", BOUGH_INVALID, "n must lie between 2 and");
    net_refused("cube:d=3", BOUGH_INVALID, "no parameter 'd'");
    net_refused("cube:n=8,order=lft", BOUGH_INVALID,
                "order=lft is not such a list; expected left, right, or the dimensions "
                "0 to 2, each once");
    net_refused("cube:n=8,order=2x0", BOUGH_INVALID, "lacks dimensions");
    net_refused("cube:n=8,order=2x0x1x", BOUGH_INVALID, "not such a list");
    net_refused("cube:n=8,order=x2x0x1", BOUGH_INVALID, "not such a list");
    net_refused("cube:n=8,order=2x0x3", BOUGH_INVALID, "a dimension out of range");
    net_refused("cube:n=8,order=2x0x99999999999999999999", BOUGH_INVALID, "a dimension out of range");
    net_refused("cube:n=8,order=2x0x0", BOUGH_INVALID, "a dimension twice");
    net_refused("cube:n=8,order=2x0x1x1", BOUGH_INVALID, "a dimension twice");
    net_refused("cube:n=8,order=2x-0x1", BOUGH_INVALID, "not such a list");
    net_refused("cube:n=8,order=2x 0x1", BOUGH_INVALID, "not such a list");
}

static void bit_fixing_needs_bits(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *routing;
    bough_error error;
    assert_int_equal(bough_routing_create(net, "bitfix", &routing, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "routing bitfix needs bit fixing (a hypercube, cube:n=...)"));
    assert_null(routing);
    bough_net_destroy(net);
}

/* ---- what it is ---- */

static void same_link(const bough_net *a, const bough_net *b, uint64_t l) {
    const bough_net_ops *x = a->ops, *y = b->ops;
    assert_int_equal(x->link_end(a, l).node, y->link_end(b, l).node);
    assert_int_equal(x->link_end(a, l).port, y->link_end(b, l).port);
    assert_int_equal(x->link_twin(a, l), y->link_twin(b, l));
    assert_int_equal(x->link_port(a, l), y->link_port(b, l));
    assert_int_equal(x->link_group(a, l), y->link_group(b, l));
    assert_int_equal(x->group_order(a, l), y->group_order(b, l));
    assert_int_equal(bough_link_start(a, l), bough_link_start(b, l));
}

static void is_the_tests_own_cube(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 7; d++) {
        char spec[32];
        bough_net *own, *net;
        snprintf(spec, sizeof spec, "cube:n=2^%u", d);
        net = net_make(spec);
        assert_int_equal(cube_create(d, &own, NULL), BOUGH_OK);
        const uint64_t have[] = {net->nodes, net->endpoints, net->switches,  net->addresses, net->groups,
                                 net->links, net->cables,    net->group_max, net->levels,    net->hops_max},
                       want[] = {own->nodes, own->endpoints, own->switches,  own->addresses, own->groups,
                                 own->links, own->cables,    own->group_max, own->levels,    own->hops_max};
        assert_memory_equal(have, want, sizeof have);
        for (uint64_t l = 0; l < net->links; l++) same_link(net, own, l);
        for (uint64_t s = 0; s < net->nodes; s++)
            for (uint64_t t = 0; t < net->nodes; t++) {
                bough_route a, b;
                if (s == t) continue;
                net->ops->route(net, s, t, &a);
                own->ops->route(own, s, t, &b);
                assert_true(a.group == b.group && a.first == b.first && a.count == 1 && !a.list);
            }
        bough_net_destroy(own);
        bough_net_destroy(net);
    }
}

static void passes_the_check(void **state) {
    (void)state;
    static const char *const specs[] = {"cube:n=2",
                                        "cube:n=8",
                                        "cube:n=8,order=left",
                                        "cube:n=16,order=right",
                                        "cube:8,order=2x0x1",
                                        "cube:n=256,order=0x7x1x6x2x5x3x4"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]), *again = net_make(net->spec);
        bough_error error = {0};
        if (bough_net_check(net, 1 << 16, &error)) fail_msg("%s: %s", specs[i], error.reason);
        assert_string_equal(net->spec, again->spec);
        bough_net_destroy(net);
        bough_net_destroy(again);
    }
}

/* From 000 to 111 by hand: the order says where the walk comes by. */
static void bits_are_fixed_in_the_order_said(void **state) {
    (void)state;
    static const struct {
        const char *order;
        uint64_t by[2]; /* after one bit, and after two */
    } want[] = {{"left", {4, 6}},  {"right", {1, 3}}, {"2x1x0", {4, 6}},
                {"0x1x2", {1, 3}}, {"1x2x0", {2, 6}}, {"0x2x1", {1, 5}}};
    for (size_t i = 0; i < COUNT(want); i++) {
        char spec[48];
        snprintf(spec, sizeof spec, "cube:n=8,order=%s", want[i].order);
        bough_net *net = net_make(spec);
        bough_routing *routing = routing_make(net, NULL);
        uint64_t path[4];
        assert_string_equal(routing->spec, "bitfix");
        assert_true(bough_routing_deterministic(routing) && bough_routing_ordered(routing));
        assert_int_equal(bough_path(routing, &(bough_flow){.source = 0, .address = 7}, path, 4), 3);
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(net->ops->link_end(net, path[k]).node, want[i].by[k]);
        for (unsigned k = 0; k < 3; k++) assert_int_equal(net->ops->group_order(net, path[k]), k);
        assert_int_equal(bough_path(routing, &(bough_flow){.source = 5, .address = 4}, path, 4), 1);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

static void nodes_are_named_by_their_bits(void **state) {
    (void)state;
    char name[96];
    bough_net *net = net_make("cube:n=16");
    assert_string_equal(bough_node_name(net, 6, name, sizeof name), "v0110");
    assert_string_equal(bough_link_name(net, 6 * 4 + 3, name, sizeof name), "v0110/4 -> v1110/4");
    assert_string_equal(bough_node_name(net, 6, name, 4), "v01");
    bough_net_destroy(net);
}

static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    bough_net *net = net_make("cube:n=2^56,order=right");
    bough_routing *routing = routing_make(net, NULL);
    unsigned longest;
    uint64_t node = 0, hops = 0;
    assert_true(net->links == 56 * net->nodes && net->links < UINT64_C(1) << 62);
    for (; node != net->nodes - 1 && hops < 100; hops++) {
        bough_route route;
        net->ops->route(net, node, net->nodes - 1, &route);
        node = net->ops->link_end(net, route.first).node;
    }
    assert_int_equal(hops, 56);
    assert_int_equal(bough_routing_survey(routing, &longest, NULL), BOUGH_OK);
    assert_int_equal(longest, 56);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(bit_fixing_needs_bits),
        cmocka_unit_test(is_the_tests_own_cube),
        cmocka_unit_test(passes_the_check),
        cmocka_unit_test(bits_are_fixed_in_the_order_said),
        cmocka_unit_test(nodes_are_named_by_their_bits),
        cmocka_unit_test(absurd_sizes_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
