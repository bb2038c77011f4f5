/* Imported fabrics whose minimal paths are found on several threads: the same network for any number. */
#include "bough/net.h"
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

/* Groups that follow each other on a route are in order. */
static void check_order(const bough_net *net, uint64_t v, uint64_t a) {
    bough_route here = {0}, next = {0};
    net->ops->route(net, v, a, &here);
    for (uint32_t i = 0; i < here.count; i++) {
        const uint64_t link = bough_route_link(&here, i);
        net->ops->route(net, net->ops->link_end(net, link).node, a, &next);
        if (!next.count) continue;
        assert_true(net->ops->group_order(net, next.group) > net->ops->group_order(net, here.group));
    }
}

static void try_file(const char *spec) {
    bough_net *one, *many;
    bough_error error;
    if (bough_net_create(spec, &one, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_true(one->links >= 4096); /* else there is one thread */
    for (uint64_t v = 0; v < one->nodes && (one->capabilities & BOUGH_HAS_ORDER); v++)
        for (uint64_t a = 0; a < one->addresses; a += 3) check_order(one, v, a);
    for (unsigned threads = 2; threads <= 5; threads++) {
        if (bough_net_open_threads(spec, NULL, threads, &many, &error)) fail_msg("%s", error.reason);
        compare(one, many);
        bough_net_destroy(many);
    }
    bough_net_destroy(one);
}

/* Leaves with hosts below spines; some cables are missing, some double. Cables between leaves: not a tree. */
static void write_cables(const char *path, unsigned leaves, unsigned spines, bool between) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("node,port,node,port,rate\n", f);
    for (unsigned l = 0; l < leaves; l++) {
        unsigned port = 1;
        for (unsigned h = 0; h < 1 + l % 3; h++) fprintf(f, "h%u-%u,1,leaf%u,%u,100Gb/s\n", l, h, l, port++);
        for (unsigned s = 0; s < spines; s++) {
            if ((l * 31 + s * 17) % 29 == 0) continue;
            fprintf(f, "leaf%u,%u,spine%u,%u,100Gb/s\n", l, port++, s, 2 * l + 1);
            if ((l + s) % 13 == 0) fprintf(f, "leaf%u,%u,spine%u,%u,100Gb/s\n", l, port++, s, 2 * l + 2);
        }
        if (between && l % 7 == 0 && l) fprintf(f, "leaf%u,200,leaf%u,201,100Gb/s\n", l, l - 1);
    }
    assert_int_equal(fclose(f), 0);
}

static void any_number_of_threads(void **state) {
    (void)state;
    write_cables("tree.csv", 80, 34, false);
    try_file("ibnet:file=tree.csv");
    write_cables("more.csv", 100, 33, true);
    try_file("ibnet:file=more.csv");
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
    try_file("ibnet:file=ring.csv");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, own_directory_enter, own_directory_leave)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(any_number_of_threads), TEST(many_switches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
