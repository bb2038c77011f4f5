/* Imported fabrics whose minimal paths are found on several threads: the same network for any number. */
#include "network/net.h"
#include "support/own_directory.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compare_routes(const bough_net *one, const bough_net *many, uint64_t v, uint64_t a) {
    bough_route x = {0}, y = {0};
    one->ops->route(one, v, a, &x);
    many->ops->route(many, v, a, &y);
    assert_int_equal(x.count, y.count);
    if (x.count) assert_int_equal(x.group, y.group);
    for (uint32_t i = 0; i < x.count; i++) assert_int_equal(bough_route_link(&x, i), bough_route_link(&y, i));
}

static void compare(const bough_net *one, const bough_net *many) {
    assert_int_equal(one->nodes, many->nodes);
    assert_int_equal(one->links, many->links);
    assert_int_equal(one->groups, many->groups);
    assert_int_equal(one->levels, many->levels);
    assert_int_equal(one->hops_max, many->hops_max);
    assert_int_equal(one->capabilities, many->capabilities);
    assert_int_equal(one->bytes, many->bytes);
    assert_int_equal(many->threads, 0);
    for (uint64_t l = 0; l < one->links; l++) {
        assert_int_equal(one->ops->link_end(one, l).node, many->ops->link_end(many, l).node);
        assert_int_equal(one->ops->link_group(one, l), many->ops->link_group(many, l));
    }
    for (uint64_t g = 0; g < one->groups; g++)
        assert_int_equal(one->ops->group_order(one, g), many->ops->group_order(many, g));
    for (uint64_t v = one->endpoints; v < one->nodes; v++)
        for (uint64_t a = 0; a < one->addresses; a++) compare_routes(one, many, v, a);
}

/* Puts groups that follow those of a node on a route to an address behind them; returns whether any moved. */
static bool move_next(const bough_net *net, uint64_t v, uint64_t a, uint32_t *order) {
    bough_route here = {0}, next = {0};
    const uint64_t target = bough_address_node(net, a);
    bool moved = false;
    if (v != target) net->ops->route(net, v, a, &here);
    for (uint32_t i = 0; i < here.count; i++) {
        const uint64_t u = net->ops->link_end(net, bough_route_link(&here, i)).node;
        net->ops->route(net, u, a, &next);
        if (u == target || !next.count || order[next.group] > order[here.group]) continue;
        order[next.group] = order[here.group] + 1;
        moved = true;
    }
    return moved;
}

/* The order of a group is the longest way to it, by Bellman and Ford; groups of links to endpoints are last.
 */
static void check_orders(const bough_net *net) {
    uint32_t *order = calloc(net->groups, sizeof *order), top = 0;
    assert_non_null(order);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t v = 0; v < net->nodes; v++)
            for (uint64_t a = 0; a < net->addresses; a++) moved |= move_next(net, v, a, order);
    }
    for (uint64_t g = 0; g < net->groups; g++) top = order[g] > top ? order[g] : top;
    for (uint64_t l = 0; l < net->links; l++)
        if (net->ops->link_end(net, l).node < net->endpoints) order[net->ops->link_group(net, l)] = top + 1;
    for (uint64_t g = 0; g < net->groups; g++) assert_int_equal(net->ops->group_order(net, g), order[g]);
    free(order);
}

static void try_file(const char *spec, bool ordered) {
    bough_net *one, *many;
    bough_error error;
    if (bough_net_create(spec, &one, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_true(one->links >= 4096); /* else there is one thread */
    assert_true(ordered == !!(one->capabilities & BOUGH_HAS_ORDER));
    if (ordered) check_orders(one);
    for (unsigned threads = 2; threads <= 5; threads++) {
        if (bough_net_open_threads(spec, NULL, threads, &many, &error)) fail_msg("%s", error.reason);
        compare(one, many);
        bough_net_destroy(many);
    }
    bough_net_destroy(one);
}

/* Leaves with hosts below spines; some cables are double. */
typedef struct tree {
    unsigned leaves, spines;
    unsigned first, others; /* hosts of the first leaf; leaf l has 1 + l % others */
    bool missing;           /* some cables: routes to a leaf lead down and up again */
    bool between;           /* cables between leaves */
} tree;

static void write_leaf(FILE *f, const tree *t, unsigned l) {
    const unsigned hosts = l ? 1 + l % t->others : t->first;
    unsigned port = 1;
    for (unsigned h = 0; h < hosts; h++) fprintf(f, "h%u-%u,1,leaf%u,%u,100Gb/s\n", l, h, l, port++);
    for (unsigned s = 0; s < t->spines; s++) {
        if (t->missing && (l * 31 + s * 17) % 29 == 0) continue;
        fprintf(f, "leaf%u,%u,spine%u,%u,100Gb/s\n", l, port++, s, 2 * l + 1);
        if ((l + s) % 13 == 0) fprintf(f, "leaf%u,%u,spine%u,%u,100Gb/s\n", l, port++, s, 2 * l + 2);
    }
    if (t->between && l % 7 == 0 && l) fprintf(f, "leaf%u,200,leaf%u,201,100Gb/s\n", l, l - 1);
}

static void try_tree(const tree *t, bool ordered) {
    FILE *f = fopen("tree.csv", "w");
    assert_non_null(f);
    fputs("node,port,node,port,rate\n", f);
    for (unsigned l = 0; l < t->leaves; l++) write_leaf(f, t, l);
    assert_int_equal(fclose(f), 0);
    try_file("ibnet:file=tree.csv", ordered);
}

static void any_number_of_threads(void **state) {
    (void)state;
    try_tree(&(tree){.leaves = 80, .spines = 34, .first = 1, .others = 1}, true);
    try_tree(&(tree){.leaves = 80, .spines = 34, .first = 70, .others = 3}, true); /* more than 64 groups */
    try_tree(&(tree){.leaves = 80, .spines = 34, .first = 1, .others = 3, .missing = true}, false);
    try_tree(&(tree){100, 33, .first = 1, .others = 3, .missing = true, .between = true}, false);
}

/* More switches than distances are kept for: they are computed for some destinations at a time, twice. */
static void many_switches(void **state) {
    (void)state;
    FILE *f = fopen("ring.csv", "w");
    assert_non_null(f);
    const unsigned n = 1500;
    fputs("node,port,node,port,rate\n", f);
    for (unsigned s = 0; s < n; s++) fprintf(f, "s%u,1,s%u,2,100Gb/s\n", s, (s + 1) % n);
    for (unsigned s = 0; s < n; s++) fprintf(f, "h%u,1,s%u,3,100Gb/s\n", s, s);
    assert_int_equal(fclose(f), 0);
    try_file("ibnet:file=ring.csv", false);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, own_directory_enter, own_directory_leave)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(any_number_of_threads), TEST(many_switches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
