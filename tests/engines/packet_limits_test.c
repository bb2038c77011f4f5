/* Half duplex and finite buffers as the method `packet` reports them. The engine is compared with its oracle
 * in packet_test.c and packet_timed_test.c. */
#include "support/points.h"
#include "support/rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE     BOUGH_NO_ROW_INDEX
#define M(name)  BOUGH_METRIC_##name

static void misfits_are_refused(void **state) {
    (void)state;
    static const refused_run wrong[] = {
        {"cube:n=16", "random", "randperm", "packet:buffer=0", BOUGH_INVALID, "buffer"},
        {"cube:n=16", "random", "randperm", "packet:duplex=both", BOUGH_INVALID, "both"},
        {"cube:n=16", "random", "allreduce", "packet:buffer=4", BOUGH_INVALID,
         "applies to batches and streams"},
        {"transit:n=64", "random", "randperm", "packet:duplex=half", BOUGH_UNSUPPORTED,
         "cables with two directions"},
        {"transit:n=64", "random", "allreduce", "packet:duplex=half", BOUGH_UNSUPPORTED,
         "cables with two directions"},
    };
    runs_refused(wrong, COUNT(wrong));
}

static double steps_of(const bough_point *p, const char *method) {
    bough_rows rows = rows_of(p, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    double steps = row_value(&rows, M(STEPS), NONE);
    bough_rows_fini(&rows);
    return steps;
}

/* The complement on a cube of 2^d nodes fixes each bit in lockstep: d steps; with half the cables' capacity
 * each dimension takes two, so some packet takes at least d + 1 and none more than 2 d. */
static void half_of_the_capacity(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 8; d++) {
        char spec[32];
        snprintf(spec, sizeof spec, "cube:n=2^%u", d);
        bough_point p = point_make(spec, "bitfix", "bitcomp");
        assert_true(steps_of(&p, "packet") == d);
        assert_true(steps_of(&p, "packet:duplex=half") >= d + 1 &&
                    steps_of(&p, "packet:duplex=half") <= 2 * d);
        bough_run *half = run_make(&p, "packet:duplex=half"), *full = run_make(&p, "packet");
        assert_true(bough_run_exact(full) && !bough_run_exact(half)); /* coins */
        bough_run_destroy(half);
        bough_run_destroy(full);
        point_free(&p);
    }
}

/* A permutation where each cable has packets one way: half duplex changes nothing. */
static void one_direction_loses_nothing(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=16", "dmodk", "incast");
    assert_true(steps_of(&p, "packet") == steps_of(&p, "packet:duplex=half"));
    point_free(&p);
}

/* Claims of valiant1982 that need links without idle time are left out; the others are checked. */
static void claims_that_do_not_apply(void **state) {
    (void)state;
    static const char *const methods[] = {"packet:verify=1,duplex=half", "packet:verify=1,buffer=2"};
    bough_point p = point_make("cube:n=256", "valiant", "randperm");
    for (size_t i = 0; i < COUNT(methods); i++) {
        bough_rows rows = rows_of(&p, methods[i]);
        assert_true(row_given(&rows, M(CHECKED), 3) && row_given(&rows, M(CHECKED), 5));
        assert_false(row_given(&rows, M(CHECKED), 4) || row_given(&rows, M(CHECKED), 2));
        bough_rows_fini(&rows);
    }
    point_free(&p);
}

/* Six switches in a ring, four hosts each, tables that go around: a hundred packets from every host to random
 * others fill the queues of the ring. Nothing moves in the end; with larger queues all arrive. */
static void a_ring_deadlocks(void **state) {
    (void)state;
    bough_routing *r = ring_routing(6, 4);
    bough_traffic *t;
    assert_int_equal(bough_traffic_create(r->net, "hrelation:h=100", &t, NULL), BOUGH_OK);
    bough_point p = {r->net, r, t};
    bough_rows rows = rows_of(&p, "packet:buffer=1");
    assert_int_equal(rows.outcome, BOUGH_RUN_DEADLOCK);
    assert_false(row_given(&rows, M(STEPS), NONE));
    double arrived = row_value(&rows, M(MESSAGES), NONE), stuck = row_value(&rows, M(STUCK), NONE);
    assert_true(stuck > 0);
    assert_non_null(strstr(rows.note, "messages are deadlocked; the first waits for"));
    bough_rows_fini(&rows);
    rows = rows_of(&p, "packet:buffer=4000");
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    assert_true(row_value(&rows, M(MESSAGES), NONE) == arrived + stuck);
    bough_rows_fini(&rows);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(half_of_the_capacity),
        cmocka_unit_test(one_direction_loses_nothing),
        cmocka_unit_test(claims_that_do_not_apply),
        cmocka_unit_test(a_ring_deadlocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
