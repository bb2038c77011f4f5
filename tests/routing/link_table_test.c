/* Entries of tables: sizes that cannot be, both kinds of entries by hand, then tables of networks with unique
 * paths whose switches have just as many links as slots can number, and one more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/address_tree.h"
#include "routing/tables/link_table.h"

#include <inttypes.h>
#include <string.h>

static void test_shapes(void **state) {
    (void)state;
    link_table t = {.rows = UINT64_MAX / 2};
    assert_true(link_table_shape(&t, 1000, 10) == UINT64_MAX);
    assert_true(link_table_shape(&t, 1000, 1000) == UINT64_MAX);
    t.rows = 3;
    assert_int_equal(link_table_shape(&t, 100, 255), 3 * 192 + 3 * 256 * 4); /* 3 lines, the odd number */
    assert_int_equal(t.slots, 256);
    assert_int_equal(link_table_row_bytes(&(link_table){.slot = (uint8_t[]){0}, .stride = 192}), 192);
    assert_int_equal(link_table_shape(&t, 100, 256), 3 * 7 * 64);
    assert_int_equal(t.slots, 0);
    assert_int_equal(link_table_shape(&t, 0, 0), 3 * 64 + 3 * 4);
}

static void test_entries(void **state) {
    (void)state;
    static const uint64_t links[] = {2, 1000}; /* by slot, and not */
    for (size_t i = 0; i < 2; i++) {
        link_table t = {.first_row = 5, .rows = 3};
        assert_true(link_table_shape(&t, 70, links[i]) < 10000);
        assert_int_equal(link_table_make(&t, NULL), BOUGH_OK);
        link_table_clear(&t, 0, 3);
        if (t.slot) link_table_slots(&t, 6)[2] = 77;
        link_table_set(&t, 6, 69, t.slot ? 2 : 77);
        for (uint64_t v = 5; v < 8; v++)
            for (uint64_t a = 0; a < 70; a++)
                assert_int_equal(link_table_next(&t, v, a), v == 6 && a == 69 ? 77 : BOUGH_NO_INDEX);
        link_table_clear(&t, 0, 1);
        link_table_clear(&t, 2, 3);
        assert_int_equal(link_table_next(&t, 6, 69), 77);
        link_table_clear(&t, 1, 2);
        assert_int_equal(link_table_next(&t, 6, 69), BOUGH_NO_INDEX);
        link_table_fini(&t);
    }
}

/* ---- networks ---- */

static void check_row(const bough_routing *r, uint64_t node, address_tree *tree) {
    const bough_net *net = r->net;
    const bough_table_row row = r->kind->row(r, node);
    for (uint64_t a = 0; a < net->addresses; a++) {
        bough_route route = {0};
        if (node == bough_address_node(net, a)) continue;
        net->ops->route(net, node, a, &route);
        assert_int_equal(route.count, 1);
        const uint64_t link = bough_route_link(&route, 0);
        if (node >= net->endpoints && bough_table_link(&row, a) != link)
            fail_msg("%s on %s: node %" PRIu64 ", address %" PRIu64, r->spec, net->spec, node, a);
        address_tree_start(tree, a);
        address_tree_reach(tree, (uint32_t)node);
        assert_int_equal(tree->link[node], link);
        assert_int_equal(tree->to[node], net->ops->link_end(net, link).node);
    }
}

static void test_degrees(void **state) {
    (void)state;
    static const struct {
        const char *net;
        uint32_t slots;
    } want[] = {{"xgft:down=2x2,up=1x1", 4}, {"xgft:down=254x2,up=1x1", 256}, {"xgft:down=255x2,up=1x1", 0}};
    static const char *const routings[] = {"updn", "minhop"};
    for (size_t i = 0; i < 6; i++) {
        bough_net *net;
        bough_routing *r;
        address_tree tree;
        assert_int_equal(bough_net_create(want[i / 2].net, &net, NULL), BOUGH_OK);
        assert_int_equal(bough_routing_create(net, routings[i % 2], &r, NULL), BOUGH_OK);
        assert_int_equal(r->kind->row(r, net->endpoints).slots, want[i / 2].slots);
        assert_null(r->kind->row(r, 0).link);
        assert_int_equal(address_tree_make(&tree, r, NULL), BOUGH_OK);
        for (uint64_t v = 0; v < net->nodes; v += v < net->endpoints ? 17 : 1) check_row(r, v, &tree);
        address_tree_fini(&tree);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_degrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
