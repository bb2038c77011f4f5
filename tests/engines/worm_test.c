/* The method `worm`: what it refuses, what can be said by hand, greenberg1997's figures, saturation,
 * deadlock.
 */
#include "method/steady_state.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double row(const bough_rows *rows, bough_metric_id metric) {
    return row_value(rows, metric, BOUGH_NO_ROW_INDEX);
}

/* ---- bad input ---- */

static void test_refused(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=16", "free", "poisson:load=0.1");
    run_refused(&p, "worm:flits=0", BOUGH_INVALID, "flits");
    run_refused(&p, "worm:buffer=0", BOUGH_INVALID, "buffer");
    run_refused(&p, "worm:vcs=0", BOUGH_INVALID, "vcs");
    run_refused(&p, "worm:messages=3", BOUGH_INVALID, "messages");
    run_refused(&p, "worm:find=latancy", BOUGH_INVALID, "latency");
    point_free(&p);
    p = point_make("bft:n=16", "free", "uniform");
    run_refused(&p, "worm:find=saturation", BOUGH_UNSUPPORTED, "rate");
    run_refused(&p, "worm:warmup=100", BOUGH_INVALID, "uniform");
    point_free(&p);
    p = point_make("fattree:n=16", "valiant", "uniform");
    run_refused(&p, "worm", BOUGH_UNSUPPORTED, "intermediate");
    point_free(&p);
}

static const char *const ring[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                   "H2 lid 12", "H3 lid 13", "H4 lid 14", "S1:1 H1:1", "S2:1 H2:1",
                                   "S3:1 H3:1", "S4:1 H4:1", "S1:2 S2:3", "S2:2 S3:3", "S3:2 S4:3",
                                   "S4:2 S1:3", NULL};
static const char *const clockwise[] = {"S1 11>1 12>2 13>2 14>2", "S2 11>2 12>1 13>2 14>2",
                                        "S3 11>2 12>2 13>1 14>2", "S4 11>2 12>2 13>2 14>1", NULL};
static const char *const one_missing[] = {"S1 11>1 12>2 13>2 14>2", "S2 11>2 12>1 14>2",
                                          "S3 11>2 12>2 13>1 14>2", "S4 11>2 12>2 13>2 14>1", NULL};
static const char *const loop[] = {"S1 11>1 12>2 13>2 14>2", "S2 11>2 12>1 13>3 14>2",
                                   "S3 11>2 12>2 13>1 14>2", "S4 11>2 12>2 13>2 14>1", NULL};

static bough_point ring_point(const char *const *tables, const char *traffic) {
    bough_routing *routing = fabric_routing(ring, tables);
    bough_traffic *t;
    bough_error error = {0};
    if (bough_traffic_create(routing->net, traffic, &t, &error)) fail_msg("%s", error.reason);
    return (bough_point){routing->net, routing, t};
}

static void test_tables_that_do_not_lead(void **state) {
    (void)state;
    bough_point p = ring_point(one_missing, "uniform");
    run_refused(&p, "worm:deadlock=detect", BOUGH_INVALID, "no route from H1 to H3 (at S2)");
    point_free(&p);
    p = ring_point(loop, "uniform");
    run_refused(&p, "worm:deadlock=detect", BOUGH_INVALID, "a loop from H1 to H3");
    point_free(&p);
}

static void test_deadlock(void **state) {
    (void)state;
    bough_point p = ring_point(clockwise, "shift:k=2");
    run_refused(&p, "worm", BOUGH_UNSUPPORTED, "S1/2 -> S2/3 waits for");
    /* all four heads take their first link of the ring in one cycle, and then each waits for the next */
    bough_run *run = run_make(&p, "worm:flits=8,deadlock=detect");
    bough_rows rows = run_once(run, 0);
    assert_int_equal(rows.outcome, BOUGH_RUN_DEADLOCK);
    assert_true(row(&rows, BOUGH_METRIC_STUCK) == 4);
    assert_non_null(strstr(rows.note, "deadlocked"));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    /* worms of one flit let go of the link before: but they would have to move at once */
    run = run_make(&p, "worm:flits=1,deadlock=detect");
    rows = run_once(run, 0);
    assert_true(row(&rows, BOUGH_METRIC_STUCK) == 4);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
    /* under load it happens sooner or later, and is found while others still send */
    p = ring_point(clockwise, "poisson:load=0.4,flits=16");
    run = run_make(&p, "worm:deadlock=detect");
    rows = run_once(run, 0);
    assert_int_equal(rows.outcome, BOUGH_RUN_DEADLOCK);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* ---- by hand ---- */

/* Four endpoints under one switch, all to their neighbour: nobody is in the way. */
static void test_alone(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=4", "free", "neighbor");
    bough_run *run = run_make(&p, "worm:flits=10,levels=1");
    bough_rows rows = run_once(run, 0);
    assert_true(row(&rows, BOUGH_METRIC_LATENCY) == 11); /* F + D - 1 */
    assert_true(row(&rows, BOUGH_METRIC_LATENCY_P99) == 11);
    assert_true(row(&rows, BOUGH_METRIC_CYCLES) == 11);
    assert_true(row(&rows, BOUGH_METRIC_DISTANCE) == 2);
    assert_true(row(&rows, BOUGH_METRIC_SOURCE_WAIT) == 0);
    assert_true(row_value(&rows, BOUGH_METRIC_SERVICE_UP, 0) == 10);
    assert_true(row_value(&rows, BOUGH_METRIC_WAIT_DOWN, 0) == 0);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* Three senders to one: one after the other over the last link, F cycles each. The head waits at the switch.
 */
static void test_incast(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=4", "free", "incast");
    bough_run *run = run_make(&p, "worm:flits=10,levels=1,hot=1");
    bough_rows rows = run_once(run, 0);
    assert_true(row(&rows, BOUGH_METRIC_LATENCY) == (11 + 21 + 31) / 3.);
    assert_true(row(&rows, BOUGH_METRIC_LATENCY_P50) == 21);
    assert_true(row(&rows, BOUGH_METRIC_LATENCY_MAX) == 31);
    assert_true(row_value(&rows, BOUGH_METRIC_WAIT_DOWN, 0) == (0 + 10 + 20) / 3.);
    assert_true(row_value(&rows, BOUGH_METRIC_SERVICE_UP, 0) == (10 + 20 + 30) / 3.);
    assert_true(row_value(&rows, BOUGH_METRIC_SERVICE_DOWN, 0) == 10);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* Alone on a link of four channels or one, with credits that come late: B >= 1 + credit keeps it busy. */
static void test_switches(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double latency;
    } of[] = {{"worm:flits=10,vcs=4,buffer=2", 11},
              {"worm:flits=10,vcs=2,buffer=4,credit=3", 11},
              {"worm:flits=10,buffer=3,credit=2", 11},
              {"worm:flits=10,buffer=1,credit=1", 20}}; /* every other cycle, twice one after the other */
    bough_point p = point_make("bft:n=4", "free", "neighbor");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bough_run *run = run_make(&p, of[i].method);
        bough_rows rows = run_once(run, 0);
        if (row(&rows, BOUGH_METRIC_LATENCY) != of[i].latency)
            fail_msg("%s: %g", of[i].method, row(&rows, BOUGH_METRIC_LATENCY));
        bough_rows_fini(&rows);
        bough_run_destroy(run);
    }
    point_free(&p);
}

static void test_limit(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=4", "free", "incast");
    bough_run *run = run_make(&p, "worm:flits=10,limit=12");
    bough_rows rows = run_once(run, 0);
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    assert_true(row(&rows, BOUGH_METRIC_UNDELIVERED) == 1);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* ---- the pieces of the measurement ---- */

static int by_value(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void test_nth(void **state) {
    (void)state;
    uint32_t value[500], sorted[500];
    bough_stream s = bough_stream_make(bough_key_make(1, 2), BOUGH_DRAW_TEST, 0, 0);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 500; i++)
            sorted[i] = value[i] = (uint32_t)(bough_stream_next(&s) >> (32 + round));
        qsort(sorted, 500, sizeof *sorted, by_value);
        for (uint64_t k = 0; k < 500; k += 7) assert_int_equal(nth_smallest(value, 500, k), sorted[k]);
    }
}

static void test_mser(void **state) {
    (void)state;
    double value[64];
    bough_stream s = bough_stream_make(bough_key_make(1, 3), BOUGH_DRAW_TEST, 0, 0);
    for (int rise = 0; rise <= 40; rise += 10) { /* noise about 100, after a rise of so many values */
        for (int i = 0; i < 64; i++)
            value[i] = (i < rise ? 100. * i / rise : 100) + bough_unit(bough_stream_next(&s));
        uint64_t cut = mser_truncation(value, 64);
        assert_in_range(cut, rise > 2 ? rise - 2 : 0, rise + 4);
    }
    for (int i = 0; i < 64; i++) value[i] = i; /* it never settles */
    assert_true(mser_truncation(value, 64) > 32);
}

/* ---- greenberg1997, by the figures of an independent program ---- */

static void check_latency(const char *net, const char *traffic, double latency, double ci95) {
    bough_point p = point_make(net, "free", traffic);
    bough_run *run = run_make(&p, "worm");
    bough_stats s = run_trials(run, 1, 8, BOUGH_METRIC_LATENCY);
    double width = hypot(bough_stats_ci95(&s), ci95);
    if (fabs(s.mean - latency) > 1.5 * width)
        fail_msg("%s %s: latency %.3f +- %.3f, not %.3f +- %.3f", net, traffic, s.mean, bough_stats_ci95(&s),
                 latency, ci95);
    bough_run_destroy(run);
    point_free(&p);
}

/* Loads are shares of the model's saturation: 0.159858 and 0.0390923 flits a cycle and processor. */
static void test_figures(void **state) {
    (void)state;
    check_latency("bft:n=64", "poisson:load=0.0799290,flits=16", 24.944, 0.022);
    check_latency("bft:n=64", "poisson:load=0.1278864,flits=32", 60.490, 0.098);
    check_latency("bft:n=1024", "poisson:load=0.01954615,flits=32", 47.970, 0.034);
    check_latency("bft:n=1024", "poisson:load=0.03518307,flits=32", 67.307, 0.094);
}

static void test_overload(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=64", "free", "poisson:load=0.25,flits=16");
    bough_run *run = run_make(&p, "worm");
    bough_rows rows = run_once(run, 0);
    assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
    assert_false(row_given(&rows, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX));
    double accepted = row(&rows, BOUGH_METRIC_ACCEPTED), offered = row(&rows, BOUGH_METRIC_OFFERED);
    assert_true(offered == 0.25 && accepted > 0.16 && accepted < 0.2);
    /* what is not accepted stays behind */
    double growth = row(&rows, BOUGH_METRIC_BACKLOG_GROWTH);
    assert_true(fabs(growth - (offered - accepted) * 64 / 16) < 0.1 * growth);
    assert_non_null(strstr(rows.note, "queues grow"));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

static void test_saturation(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=64", "free", "poisson:load=0.02,flits=16");
    bough_run *run = run_make(&p, "worm:find=saturation,messages=65536");
    bough_rows rows = run_once(run, 0);
    double found = row(&rows, BOUGH_METRIC_SATURATION);
    assert_true(found > 0.175 && found < 0.187);
    assert_true(fabs(row(&rows, BOUGH_METRIC_SATURATION_MESSAGES) * 16 - found) < 1e-12);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* Bernoulli arrivals, permutations, silent endpoints: what is accepted is what is offered. */
static void test_patterns(void **state) {
    (void)state;
    static const char *const traffic[] = {
        "bernoulli:load=0.1,flits=16", "poisson:load=0.1,flits=4,pattern=bitcomp",
        "poisson:rate=0.001,flits=8,pattern=incast", "poisson:load=0.1,flits=16,pattern=transpose"};
    static const double offered[] = {0.1, 0.1, 0.008, 0.1};
    for (size_t i = 0; i < 4; i++) {
        bough_point p = point_make("kary:k=4,levels=2", "free", traffic[i]);
        bough_run *run = run_make(&p, "worm:messages=20000");
        bough_rows rows = run_once(run, 0);
        assert_int_equal(rows.outcome, BOUGH_RUN_OK);
        assert_near(row(&rows, BOUGH_METRIC_OFFERED), offered[i], 1e-9);
        assert_near(row(&rows, BOUGH_METRIC_ACCEPTED), offered[i], 0.03 * offered[i]);
        bough_rows_fini(&rows);
        bough_run_destroy(run);
        point_free(&p);
    }
}

/* A run does not depend on what the workspace held before. */
static void test_again(void **state) {
    (void)state;
    bough_point p = point_make("bft:n=16", "free", "poisson:load=0.2,flits=3");
    bough_run *run = run_make(&p, "worm:messages=5000,levels=1,hot=4");
    void *space = NULL;
    bough_rows a = {0}, b = {0};
    bough_error error;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &a, &error), BOUGH_OK);
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 1), &space, &b, &error), BOUGH_OK);
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &b, &error), BOUGH_OK);
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) assert_true(a.row[i].value == b.row[i].value);
    bough_rows_fini(&a);
    bough_rows_fini(&b);
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_tables_that_do_not_lead),
        cmocka_unit_test(test_deadlock), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_incast),   cmocka_unit_test(test_limit),
        cmocka_unit_test(test_switches), cmocka_unit_test(test_nth),
        cmocka_unit_test(test_mser),     cmocka_unit_test(test_figures),
        cmocka_unit_test(test_overload), cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
