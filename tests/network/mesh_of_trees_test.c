/* The mesh of trees as a network: its edges are those of network/graphs/mesh_of_trees.h, its routes turn
 * once. */
#include "network/graphs/mesh_of_trees.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static bough_net *mesh(unsigned lg_side) {
    char spec[40];
    snprintf(spec, sizeof spec, "meshoftrees:n=4^%u", lg_side);
    return net_make(spec);
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    net_refused("meshoftrees:n=8", BOUGH_INVALID, "n=8 is not a power of four; the nearest are 4 and 16");
    net_refused("meshoftrees:n=1", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("meshoftrees:n=4^21", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("meshoftrees:side=4", BOUGH_INVALID, "no parameter 'side'");
}

/* Four leaves: two trees of rows, two of columns, each of one node above two leaves. */
static void four_leaves_by_hand(void **state) {
    (void)state;
    bough_net *net = mesh(1);
    char name[32];
    assert_int_equal(net->nodes, 8);
    assert_int_equal(net->links, 16);
    assert_int_equal(net->cables, 8);
    assert_int_equal(net->levels, 1);
    assert_string_equal(bough_node_name(net, 1, name, sizeof name), "m0.1");
    assert_string_equal(bough_node_name(net, 5, name, sizeof name), "r1.1.0");
    assert_string_equal(bough_node_name(net, 7, name, sizeof name), "c1.1.0");
    /* from row 0, column 0 to row 1, column 1: row tree 0, leaf (0, 1), column tree 1 */
    const uint64_t way[] = {0, 4, 1, 7, 3};
    for (unsigned i = 0; i + 1 < sizeof way / sizeof *way; i++) {
        bough_route route;
        net->ops->route(net, way[i], 3, &route);
        assert_int_equal(route.count, 1);
        assert_int_equal(net->ops->link_end(net, route.first).node, way[i + 1]);
    }
    bough_net_destroy(net);
}

static void every_edge_is_a_cable(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 5; k++) {
        bough_net *net = mesh(k);
        bough_error error;
        if (bough_net_check(net, 100000, &error)) fail_msg("%s: %s", net->spec, error.reason);
        assert_int_equal(net->links, 2 * bough_mesh_edges(k));
        for (uint64_t e = 0; e < bough_mesh_edges(k); e++) {
            uint64_t child, parent;
            bough_mesh_edge(k, e, &child, &parent);
            assert_int_equal(bough_link_start(net, e), child);
            assert_int_equal(net->ops->link_end(net, e).node, parent);
            assert_int_equal(net->ops->link_end(net, net->ops->link_twin(net, e)).node, child);
        }
        bough_net_destroy(net);
    }
}

/* A message is in its column before it leaves its row, and passes one leaf at most on its way. */
static void routes_turn_once(void **state) {
    (void)state;
    bough_net *net = mesh(3);
    for (uint64_t s = 0; s < 64; s++)
        for (uint64_t t = 0; t < 64; t++) {
            uint64_t node = s, leaves = 0, turn = BOUGH_NONE;
            while (node != t) {
                bough_route route;
                net->ops->route(net, node, t, &route);
                node = net->ops->link_end(net, route.first).node;
                if (node < 64 && node != t) leaves++, turn = node;
            }
            if (s / 8 != t / 8 && s % 8 != t % 8) {
                assert_int_equal(leaves, 1);
                assert_int_equal(turn, s / 8 * 8 + t % 8);
            } else {
                assert_int_equal(leaves, 0);
            }
        }
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(four_leaves_by_hand),
        cmocka_unit_test(every_edge_is_a_cable),
        cmocka_unit_test(routes_turn_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
