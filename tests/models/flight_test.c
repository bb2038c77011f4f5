/* dehon1991: Table 3, and the lengths of section 4. */
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static void what_has_no_stacks_is_refused(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=64", NULL, NULL);
    run_refused(&p, "flight", BOUGH_UNSUPPORTED, "made of stacks");
    run_refused(&p, "layout:kind=hollowcube", BOUGH_UNSUPPORTED, "stacks");
    point_free(&p);
    p = point_make("transit:n=64", NULL, NULL);
    run_refused(&p, "flight:clock=0ns", BOUGH_INVALID, "clock");
    run_refused(&p, "flight:wires=short", BOUGH_INVALID, "longest");
    run_refused(&p, "flight:pairs=9", BOUGH_INVALID, "wires=layout");
    run_refused(&p, "flight:wires=layout,pairs=0", BOUGH_INVALID, "pairs");
    run_refused(&p, "layout:kind=sphere", BOUGH_INVALID, "hollowcube");
    point_free(&p);
}

static void check(const char *net, const char *method, double worst, double best) {
    bough_point p = point_make(net, NULL, NULL);
    bough_rows rows = rows_of(&p, method);
    assert_near(row_value(&rows, BOUGH_METRIC_FLIGHT_WORST, NONE), worst, 1e-9);
    assert_near(row_value(&rows, BOUGH_METRIC_FLIGHT_BEST, NONE), best, 1e-9);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* The paper's figures hold for 1.1 to 1.25 ns a foot. */
static void table_3(void **state) {
    (void)state;
    const char *const method[] = {"flight", "flight:foot=1.1ns", "flight:foot=1.2ns"};
    for (size_t i = 0; i < 3; i++) {
        check("transit:n=262144", method[i], 230, 30);
        check("transit:leaf=192,stages=2", method[i], 320, 40);
    }
    check("transit:n=262144", "flight:foot=1ps,lateral=0", 120 + 4 * 10, 20); /* a clock a wire at least */
    check("transit:n=64", "flight", 50, 30); /* no wires: 4 switches and a turn, 2 and a turn */
}

/* Switches on the way to a level, by section 3.1: 4/3 lg4 N through the root. */
static void stages_of_routing(void **state) {
    (void)state;
    bough_point p = point_make("transit:n=4096", NULL, NULL);
    bough_rows rows = rows_of(&p, "flight");
    const double stages[] = {2, 3, 4, 6, 7, 8};
    for (int level = 1; level <= 6; level++)
        assert_near(row_value(&rows, BOUGH_METRIC_ROUTING_STAGES, level), stages[level - 1], 0);
    assert_near(stages[5], 4.0 / 3 * log2(4096) / 2, 1e-9);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Without crossovers a route through level n passes 2 n routers: 2 lg4 N through the root. */
static void stages_without_crossovers(void **state) {
    (void)state;
    bough_point p = point_make("transit:n=4096", NULL, NULL);
    bough_rows rows = rows_of(&p, "flight:crossovers=0");
    for (int level = 1; level <= 6; level++)
        assert_near(row_value(&rows, BOUGH_METRIC_ROUTING_STAGES, level), 2 * level, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_FLIGHT_WORST, NONE), 110 + 4 * 10, 1e-9);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* lg4 N layers in a plane of N / 256 stacks of two feet (with thirds, N / 192): all wires but the last are as
 * long as its diagonal, which 1.25 ns a foot and 10 ns turn into clocks. A stack alone has no wires. */
static void flat_networks(void **state) {
    (void)state;
    const struct {
        const char *net;
        double layers, diagonal;
    } cases[] = {
        {"transit:flat=64", 3, 0},
        {"transit:flat=256", 4, 0},
        {"transit:flat=4096", 6, 11.313708},
        {"transit:flat=12288", 7, 22.627417},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double wire = ceil(cases[i].diagonal * 1.25 / 10);
        check(cases[i].net, "flight", 10 * cases[i].layers * (1 + wire), 10 * cases[i].layers * (1 + wire));
        bough_point p = point_make(cases[i].net, NULL, NULL);
        bough_rows rows = rows_of(&p, "layout");
        if (cases[i].diagonal > 0)
            assert_near(row_value(&rows, BOUGH_METRIC_CUBE_WIRE, 0), cases[i].diagonal, 1e-5);
        else
            assert_false(row_given(&rows, BOUGH_METRIC_CUBE_WIRE, 0));
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

/* The mean over messages is that of the levels, weighted by the messages of each. */
static void mean_over_messages(void **state) {
    (void)state;
    bough_point p = point_make("transit:n=4096", NULL, "local:p=0.5,columns=given,weights=0x0x1x0x0x3");
    bough_rows rows = rows_of(&p, "flight");
    assert_near(row_value(&rows, BOUGH_METRIC_FLIGHT_MEAN, NONE), (50 + 3 * 110) / 4.0, 2);
    bough_rows_fini(&rows);
    point_free(&p);
    p = point_make("transit:n=4096", NULL, "local:p=0.5,columns=given,weights=0x0x0x0x1x0");
    rows = rows_of(&p, "flight");
    assert_near(row_value(&rows, BOUGH_METRIC_FLIGHT_MEAN, NONE), 100, 1e-9);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Per foot in thousandths of a nanosecond: where the two values of Table 3 change above 1.25 ns a foot. 7
 * clocks for 55.43 ft end at 1.263 ns, and the next wires become longer together, at 1.443 ns (1, 4 and 2, 8
 * clocks). */
static void above_the_delay_of_the_paper(void **state) {
    (void)state;
    bough_point full = point_make("transit:n=262144", NULL, NULL);
    bough_point hybrid = point_make("transit:leaf=192,stages=2", NULL, NULL);
    for (int ps = 1050; ps <= 1450; ps += 10) {
        char method[64];
        snprintf(method, sizeof method, "flight:foot=%dps", ps);
        bough_rows a = rows_of(&full, method), b = rows_of(&hybrid, method);
        double one = row_value(&a, BOUGH_METRIC_FLIGHT_WORST, NONE);
        double other = row_value(&b, BOUGH_METRIC_FLIGHT_WORST, NONE);
        assert_near(one, ps <= 1080 ? 210 : ps <= 1440 ? 230 : 270, 1e-9);
        assert_near(other, ps <= 1080 ? 300 : ps <= 1260 ? 320 : ps <= 1440 ? 340 : 380, 1e-9);
        bough_rows_fini(&a);
        bough_rows_fini(&b);
    }
    point_free(&full);
    point_free(&hybrid);
}

static void longest_wires(void **state) {
    (void)state;
    const struct {
        const char *net;
        int stage;
        double wire, stacks;
    } cases[] = {
        {"transit:n=4096", 1, 6.93, 4},
        {"transit:n=262144", 2, 27.71, 64},
        {"transit:leaf=192,stages=1", 1, 13.86, 16},
        {"transit:leaf=192,stages=2", 2, 55.43, 256},
    };
    for (size_t i = 0; i < 4; i++) {
        bough_point p = point_make(cases[i].net, NULL, NULL);
        bough_rows rows = rows_of(&p, "layout");
        assert_near(row_value(&rows, BOUGH_METRIC_CUBE_WIRE, cases[i].stage), cases[i].wire, 0.005);
        assert_near(row_value(&rows, BOUGH_METRIC_STACKS, cases[i].stage), cases[i].stacks, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_CUBE_GROWTH, cases[i].stage), 4, 1e-9);
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

/* Every router is in one stack, and the stacks are as many as the packaging says. */
static void routers_and_their_stacks(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=4096", "transit:leaf=12,stages=1",
                                       "transit:leaf=48,stages=1"};
    for (size_t i = 0; i < 3; i++) {
        bough_point p = point_make(spec[i], NULL, NULL);
        bough_rows rows = rows_of(&p, "layout");
        const bough_net *net = p.net;
        bough_place place;
        assert_false(net->ops->node_place(net, 0, &place));
        uint64_t last[BOUGH_STAGES_MAX] = {0};
        for (uint64_t v = net->endpoints; v < net->nodes; v++) {
            assert_true(net->ops->node_place(net, v, &place));
            assert_true(place.stage < net->packaging->stages);
            if (place.stack > last[place.stage]) last[place.stage] = place.stack;
        }
        for (unsigned s = 0; s < net->packaging->stages; s++)
            assert_near((double)last[s] + 1, row_value(&rows, BOUGH_METRIC_STACKS, s), 0);
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_stacks_is_refused),
        cmocka_unit_test(table_3),
        cmocka_unit_test(stages_of_routing),
        cmocka_unit_test(stages_without_crossovers),
        cmocka_unit_test(flat_networks),
        cmocka_unit_test(mean_over_messages),
        cmocka_unit_test(above_the_delay_of_the_paper),
        cmocka_unit_test(longest_wires),
        cmocka_unit_test(routers_and_their_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
