/* The loads of a plan are those of the method `linkload`, which follows every message. */
#include "base/statistics.h"
#include "fabric/plan/plan.h"
#include "method/method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEED = 7, TRIALS = 16 };

static void linkload(const char *spec, const char *pattern, unsigned trials, bough_stats *most) {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_run *run;
    bough_rows rows = {0};
    void *space = NULL;
    assert_int_equal(bough_net_create(spec, &net, NULL), BOUGH_OK);
    assert_int_equal(bough_routing_create(net, "dmodk", &routing, NULL), BOUGH_OK);
    assert_int_equal(bough_traffic_create(net, pattern, &traffic, NULL), BOUGH_OK);
    const bough_point point = {net, routing, traffic};
    assert_int_equal(bough_run_create("linkload:engine=generic", &point, &run, NULL), BOUGH_OK);
    for (unsigned t = 0; t < trials; t++) {
        assert_int_equal(bough_run_trial(run, bough_key_make(SEED, t), &space, &rows, NULL), BOUGH_OK);
        for (size_t i = 0; i < rows.count; i++)
            if (rows.row[i].metric == BOUGH_METRIC_LINK_LOAD_MAX) bough_stats_add(most, rows.row[i].value);
    }
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    bough_rows_fini(&rows);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void compare(const bough_plan_tree *const *tree, size_t count) {
    const bough_plan_loads_options options = {.seed = SEED};
    bough_plan_loads *loads = calloc(count, sizeof *loads);
    assert_int_equal(bough_plan_loads_find(tree, count, &options, loads, NULL), BOUGH_OK);
    for (size_t i = 0; i < count; i++) {
        bough_stats tornado = {0}, random = {0};
        linkload(tree[i]->spec, "tornado", 1, &tornado);
        linkload(tree[i]->spec, "randperm", TRIALS, &random);
        assert_true(loads[i].tornado == tornado.mean);
        assert_true(loads[i].random == random.mean);
        assert_true(loads[i].random_ci95 == bough_stats_ci95(&random));
    }
    free(loads);
}

/* Trees of one to four levels, with parallel cables, free ports and tapers. */
static void loads_are_those_of_linkload(void **state) {
    (void)state;
    static const bough_plan_ask ask[] = {
        {.hosts = 2, .radix = 4, .taper = 1},     {.hosts = 8, .radix = 8, .taper = 1},
        {.hosts = 100, .radix = 12, .taper = 2},  {.hosts = 250, .radix = 16, .taper = 4},
        {.hosts = 333, .radix = 12, .taper = 3},  {.hosts = 512, .radix = 64, .taper = 2},
        {.hosts = 700, .radix = 10, .taper = 2.5}};
    unsigned levels = 0;
    for (size_t a = 0; a < sizeof ask / sizeof *ask; a++) {
        const bough_plan_tree *some[6];
        bough_plan_tree *tree;
        size_t count, shown;
        assert_int_equal(bough_plan(&ask[a], &tree, &count, NULL), BOUGH_OK);
        shown = count < 6 ? count : 6;
        for (size_t i = 0; i < shown; i++) {
            some[i] = &tree[shown > 1 ? i * (count - 1) / (shown - 1) : 0];
            levels |= 1u << some[i]->levels;
        }
        compare(some, shown);
        free(tree);
    }
    assert_int_equal(levels, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4);
}

static void nothing_where_there_are_no_loads(void **state) {
    (void)state;
    const bough_plan_loads_options options = {.seed = SEED};
    bough_plan_ask ask = {.hosts = 1, .radix = 4, .taper = 1};
    for (int i = 0; i < 2; i++) {
        bough_plan_tree *tree;
        bough_plan_loads loads;
        size_t count;
        assert_int_equal(bough_plan(&ask, &tree, &count, NULL), BOUGH_OK);
        assert_int_equal(
            bough_plan_loads_find((const bough_plan_tree *const[]){tree}, 1, &options, &loads, NULL),
            BOUGH_OK);
        assert_true(isnan(loads.tornado) && isnan(loads.random) && isnan(loads.random_ci95));
        free(tree);
        ask = (bough_plan_ask){.hosts = BOUGH_PLAN_LOADS_ENDPOINTS + 1, .radix = 128, .taper = 1};
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_linkload),
        cmocka_unit_test(nothing_where_there_are_no_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
