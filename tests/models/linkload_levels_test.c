/* linkload: what it finds only if it is requested. */
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const bough_net_ops *full;
static unsigned asked;

static unsigned counted_level(const bough_net *net, uint64_t node) {
    asked++;
    return full->node_level(net, node);
}

static void same_but_for_levels(const bough_rows *plain, const bough_rows *all, unsigned levels) {
    assert_int_equal(all->count, plain->count + levels);
    for (size_t i = 0; i < plain->count; i++)
        assert_near(row_value(all, plain->row[i].metric, plain->row[i].index), plain->row[i].value, 0);
}

/* Rows of levels are extra: without them the others are the same, and no node is asked for its level. */
static void levels_are_found_only_if_requested(void **state) {
    (void)state;
    static const char *const points[][3] = {
        {"bft:n=64", "dmodk", "randperm"},          {"bft:n=64", "updn", "alltoall"},
        {"bft:n=64", "random", "uniform"},          {"kary:k=3,levels=3", "dmodk", "randperm"},
        {"kary:k=3,levels=3", "dmodk", "alltoall"}, {"cube:n=16", "minhop", "hotspot"}};
    static const char *const methods[][2] = {{"linkload", "linkload:levels=1"},
                                             {"linkload:histogram=1", "linkload:histogram=1,levels=1"}};
    for (size_t i = 0; i < 2 * (sizeof points / sizeof *points); i++) {
        bough_point point = point_make(points[i / 2][0], points[i / 2][1], points[i / 2][2]);
        bough_net *net = (bough_net *)point.net;
        full = net->ops;
        bough_net_ops ops = *full;
        ops.node_level = counted_level;
        net->ops = &ops;
        asked = 0;
        bough_rows plain = rows_of(&point, methods[i % 2][0]);
        assert_int_equal(asked, 0);
        bough_rows all = rows_of(&point, methods[i % 2][1]);
        net->ops = full;
        same_but_for_levels(&plain, &all, net->levels);
        bough_rows_fini(&plain);
        bough_rows_fini(&all);
        point_free(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_found_only_if_requested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
