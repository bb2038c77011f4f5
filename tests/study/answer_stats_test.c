/* Folding trials, the stopping rule, and comparisons, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/run/answer_stats.h"

#include <stdlib.h>
#include <string.h>

#define NONE BOUGH_NO_ROW_INDEX

static const bough_answer random_answer = {.headline = BOUGH_METRIC_ROUNDS};
static const bough_answer exact_answer = {.headline = BOUGH_METRIC_ROUNDS, .exact = true};

static void add(answer_stats *t, const bough_row *row, size_t count) {
    bough_row copy[8];
    memcpy(copy, row, count * sizeof *row);
    bough_rows rows = {.row = copy, .count = count, .capacity = count};
    assert_int_equal(answer_stats_add(t, &rows, NULL), BOUGH_OK);
}

static void add_value(answer_stats *t, double value) {
    bough_row row = {BOUGH_METRIC_ROUNDS, NONE, value};
    add(t, &row, 1);
}

static void precision_is(const char *text, double precision, bough_metric_id watch) {
    bough_effort e = {.trials = 5};
    bough_error error = {0};
    if (bough_effort_precision(&e, text, &error)) fail_msg("%s: %s", text, error.reason);
    assert_true(e.precision == precision);
    assert_int_equal(e.watch, watch);
    assert_int_equal(e.trials, 5);
}

static void test_precision(void **state) {
    (void)state;
    const char *bad[] = {"",    "%",   "x",   "0",      "0%",      "-1%", "1",        "100%",        "200%",
                         "nan", "inf", "1%%", "rounds", "rounds:", ":1%", "rounds:0", "no_metric:1%"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_effort e = {0};
        bough_error error = {0};
        if (bough_effort_precision(&e, bad[i], &error) != BOUGH_INVALID)
            fail_msg("'%s' was accepted", bad[i]);
        assert_true(strlen(error.reason) > 0);
    }
    precision_is("1%", 0.01, BOUGH_METRIC_COUNT);
    precision_is("0.5", 0.5, BOUGH_METRIC_COUNT);
    precision_is("rounds:2.5%", 0.025, BOUGH_METRIC_ROUNDS);
}

/* Rounds have other indices in other trials; a metric that appears late goes where it appeared. */
static void test_cells(void **state) {
    (void)state;
    answer_stats t;
    bough_answer a = {0};
    answer_stats_init(&t, &random_answer, &(bough_effort){.trials = 3, .watch = BOUGH_METRIC_COUNT}, false);
    add(&t, (bough_row[]){{BOUGH_METRIC_DELIVERED_ROUND, 1, 10}, {BOUGH_METRIC_ROUNDS, NONE, 1}}, 2);
    add(&t,
        (bough_row[]){{BOUGH_METRIC_DELIVERED_ROUND, 1, 20},
                      {BOUGH_METRIC_DELIVERED_ROUND, 3, 5},
                      {BOUGH_METRIC_ROUNDS, NONE, 3}},
        3);
    assert_false(t.done);
    add(&t,
        (bough_row[]){{BOUGH_METRIC_DELIVERED_ROUND, 2, 7},
                      {BOUGH_METRIC_ROUNDS, NONE, 2},
                      {BOUGH_METRIC_ATTEMPTS, NONE, 9}},
        3);
    assert_true(t.done);
    assert_int_equal(answer_stats_finish(&t, &a, NULL), BOUGH_OK);
    assert_int_equal(a.cells, 5);
    const struct {
        bough_metric_id metric;
        int64_t index;
        uint64_t count;
        double mean, min, max;
    } expected[] = {{BOUGH_METRIC_DELIVERED_ROUND, 1, 2, 15, 10, 20},
                    {BOUGH_METRIC_DELIVERED_ROUND, 2, 1, 7, 7, 7},
                    {BOUGH_METRIC_DELIVERED_ROUND, 3, 1, 5, 5, 5},
                    {BOUGH_METRIC_ROUNDS, NONE, 3, 2, 1, 3},
                    {BOUGH_METRIC_ATTEMPTS, NONE, 1, 9, 9, 9}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(a.cell[i].metric, expected[i].metric);
        assert_true(a.cell[i].index == expected[i].index);
        assert_int_equal(a.cell[i].stats.count, expected[i].count);
        assert_true(fabs(a.cell[i].stats.mean - expected[i].mean) < 1e-12);
        assert_true(a.cell[i].stats.min == expected[i].min && a.cell[i].stats.max == expected[i].max);
    }
    assert_int_equal(a.trials, 3);
    assert_true(a.complete);
    assert_int_equal(a.outcome, BOUGH_RUN_OK);
    free(a.cell);
    answer_stats_fini(&t);
}

static void test_many_indices(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    bough_rows rows = {0};
    answer_stats t;
    bough_answer a = {0};
    answer_stats_init(&t, &exact_answer, &(bough_effort){.trials = 7}, false);
    for (int64_t i = COUNT; i-- > 0;) bough_rows_add(&rows, BOUGH_METRIC_PR_KIJ, i * i, (double)i, NULL);
    assert_int_equal(answer_stats_add(&t, &rows, NULL), BOUGH_OK);
    assert_true(t.done); /* an exact answer takes one trial */
    assert_int_equal(answer_stats_finish(&t, &a, NULL), BOUGH_OK);
    assert_int_equal(a.cells, COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        assert_true(a.cell[i].index == i * i);
        assert_true(a.cell[i].stats.mean == (double)i);
    }
    free(a.cell);
    bough_rows_fini(&rows);
    answer_stats_fini(&t);
}

/* The trial count at which a rule stops, for values that a function gives. */
static uint64_t stops_at(double (*value)(uint64_t trial), bough_effort effort) {
    answer_stats t;
    answer_stats_init(&t, &random_answer, &effort, false);
    while (!t.done) add_value(&t, value(t.trials));
    uint64_t trials = t.trials;
    answer_stats_fini(&t);
    return trials;
}

static double constant(uint64_t trial) {
    return trial < 1000 ? 3 : 3;
}
static double zero(uint64_t trial) {
    return 0 * (double)trial;
}
/* mean 10, standard deviation about 1: the interval is about 2 / sqrt(n) */
static double alternating(uint64_t trial) {
    return trial % 2 ? 9 : 11;
}
static double growing(uint64_t trial) {
    return ldexp(1, (int)(trial % 512));
}

static void test_rule(void **state) {
    (void)state;
    const bough_metric_id any = BOUGH_METRIC_COUNT;
    assert_int_equal(stops_at(alternating, (bough_effort){5, 0, any}), 5);
    assert_int_equal(stops_at(alternating, (bough_effort){1, 0, any}), 1);
    /* Student: 2.1314 * 1.0328 / 4 = 0.5503 at 16; 0.4314 at 24; 0.3432 at 36; 0.2755 at 54; 0.2225 at 81 */
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.056, any}), 16);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.055, any}), 24);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.035, any}), 36);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.034, any}), 54);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.027, any}), 81);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.0222, any}), 121);
    assert_int_equal(stops_at(alternating, (bough_effort){0, 0.027, BOUGH_METRIC_CYCLES}),
                     81); /* not answered: headline */
    assert_int_equal(stops_at(alternating, (bough_effort){60, 0.027, any}), 60);
    assert_int_equal(stops_at(alternating, (bough_effort){10, 0.056, any}), 10);
    assert_int_equal(stops_at(constant, (bough_effort){0, 0.01, any}),
                     54); /* a width of 0 is not believed at 16 */
    assert_int_equal(stops_at(zero, (bough_effort){0, 0.01, any}), 54);
    assert_int_equal(stops_at(growing, (bough_effort){300, 0.01, any}), 300);
    assert_int_equal(stops_at(growing, (bough_effort){0, 0.0001, any}), BOUGH_PRECISION_TRIALS);
}

static void test_outcome(void **state) {
    (void)state;
    answer_stats t;
    bough_answer a = {0};
    bough_row row = {BOUGH_METRIC_ROUNDS, NONE, 1};
    bough_rows rows = {.row = &row, .count = 1, .outcome = BOUGH_RUN_SATURATED};
    answer_stats_init(&t, &random_answer, &(bough_effort){.trials = 2}, false);
    assert_int_equal(answer_stats_add(&t, &rows, NULL), BOUGH_OK);
    assert_int_equal(answer_stats_finish(&t, &a, NULL), BOUGH_OK);
    assert_int_equal(a.outcome, BOUGH_RUN_PARTIAL);
    assert_false(a.complete);
    rows.outcome = BOUGH_RUN_OK;
    assert_int_equal(answer_stats_add(&t, &rows, NULL), BOUGH_OK);
    assert_int_equal(answer_stats_finish(&t, &a, NULL), BOUGH_OK);
    assert_int_equal(a.outcome, BOUGH_RUN_SATURATED); /* the worst */
    free(a.cell);
    answer_stats_fini(&t);
}

/* ---- comparisons ---- */

static const double student_2 = 4.302652729749464; /* 0.975 quantile, 2 degrees of freedom */

static void near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g, not %.17g", value, expected);
}

static void compare(const double *a, bool a_exact, const double *b, bool b_exact, bough_comparison *c) {
    bough_answer answer[2] = {{.asked = 0, .exact = b_exact}, {.asked = 1, .exact = a_exact}};
    bough_study_point p = {.answer = answer, .answers = 2};
    answer_stats t[2];
    answer_stats_init(&t[0], &answer[0], &(bough_effort){.trials = 3}, true);
    answer_stats_init(&t[1], &answer[1], &(bough_effort){.trials = 3}, true);
    for (int i = 0; i < (b_exact ? 1 : 3); i++) add_value(&t[0], b[i]);
    for (int i = 0; i < (a_exact ? 1 : 3); i++) add_value(&t[1], a[i]);
    assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
    assert_int_equal(p.comparisons, 1);
    *c = p.comparison[0];
    assert_int_equal(c->answer, 1);
    assert_int_equal(c->against, 0);
    free(p.comparison);
    answer_stats_fini(&t[0]);
    answer_stats_fini(&t[1]);
}

static void test_compare(void **state) {
    (void)state;
    bough_comparison c;
    const double a[] = {2, 4, 6}, b[] = {1, 2, 3}, z[] = {0, 0, 0};
    compare(a, false, b, false, &c); /* always twice as much: the ratio is certain */
    near(c.difference, 2);
    near(c.difference_ci95, student_2 * 1 / sqrt(3));
    near(c.ratio, 2);
    near(c.ratio_ci95, 0);
    assert_int_equal(c.trials, 3);
    compare(a, false, (double[]){2}, true, &c);
    near(c.difference, 2);
    near(c.ratio, 2);
    near(c.ratio_ci95, student_2 * 2 / sqrt(3) / 2);
    assert_int_equal(c.trials, 0);
    assert_false(c.exact);
    compare((double[]){6}, true, b, false, &c);
    near(c.ratio, 3);
    near(c.ratio_ci95, student_2 * 3 / sqrt(3) / 2);
    compare((double[]){6}, true, (double[]){4}, true, &c);
    near(c.difference, 2);
    near(c.ratio, 1.5);
    assert_true(isnan(c.ratio_ci95) && isnan(c.difference_ci95));
    assert_true(c.exact);
    compare(a, false, z, false, &c);
    near(c.difference, 4);
    assert_true(isnan(c.ratio) && isnan(c.ratio_ci95));
}

/* first_success is of `messages`: 1 of 1, 0 of 3 are a quarter. Levels have their own. */
static void test_weights(void **state) {
    (void)state;
    answer_stats t;
    bough_answer a = {0};
    answer_stats_init(&t, &random_answer, &(bough_effort){.trials = 2}, false);
    const bough_row first[] = {{BOUGH_METRIC_FIRST_SUCCESS, NONE, 1},
                               {BOUGH_METRIC_MESSAGES, NONE, 1},
                               {BOUGH_METRIC_FIRST_SUCCESS_LEVEL, 2, 0.5},
                               {BOUGH_METRIC_MESSAGES_LEVEL, 1, 100},
                               {BOUGH_METRIC_MESSAGES_LEVEL, 2, 30}},
                    second[] = {{BOUGH_METRIC_FIRST_SUCCESS, NONE, 0},
                                {BOUGH_METRIC_MESSAGES, NONE, 3},
                                {BOUGH_METRIC_FIRST_SUCCESS_LEVEL, 2, 1},
                                {BOUGH_METRIC_MESSAGES_LEVEL, 1, 1},
                                {BOUGH_METRIC_MESSAGES_LEVEL, 2, 10}};
    add(&t, first, 5);
    add(&t, second, 5);
    assert_int_equal(answer_stats_finish(&t, &a, NULL), BOUGH_OK);
    near(a.cell[0].stats.mean, 0.25);
    near(a.cell[1].stats.mean, 2);
    near(a.cell[2].stats.mean, 0.625);
    near(a.cell[3].stats.mean, 50.5);
    free(a.cell);
    answer_stats_fini(&t);
}

/* Two methods on the same messages, one always with half the success of the other: the ratio is certain, also
 * where the number of messages varies. */
static void test_compare_weights(void **state) {
    (void)state;
    bough_answer answer[2] = {{.asked = 0}, {.asked = 1}};
    bough_study_point p = {.answer = answer, .answers = 2};
    const double share[] = {0.9, 0.5, 0.8}, messages[] = {10, 30, 20};
    answer_stats t[2];
    for (int i = 0; i < 2; i++) {
        answer_stats_init(&t[i], &answer[i], &(bough_effort){.trials = 3}, true);
        for (int k = 0; k < 3; k++) {
            bough_row row[] = {{BOUGH_METRIC_FIRST_SUCCESS, NONE, share[k] / (i + 1)},
                               {BOUGH_METRIC_MESSAGES, NONE, messages[k]}};
            add(&t[i], row, 2);
        }
    }
    assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
    const bough_comparison *c = &p.comparison[0];
    assert_int_equal(c->metric, BOUGH_METRIC_FIRST_SUCCESS);
    near(c->difference, -0.5 * 40 / 60);
    near(c->ratio, 0.5);
    if (!(c->ratio_ci95 < 1e-6)) fail_msg("%g", c->ratio_ci95);
    free(p.comparison);
    for (int i = 0; i < 2; i++) answer_stats_fini(&t[i]);
}

/* {2 4 6} against {1 3}: variances 4 and 2; of the two common trials the covariance is 2; one degree of
 * freedom. */
static void test_compare_unequal(void **state) {
    (void)state;
    bough_answer answer[2] = {{.asked = 0}, {.asked = 1}};
    bough_study_point p = {.answer = answer, .answers = 2};
    answer_stats t[2];
    for (int i = 0; i < 2; i++) answer_stats_init(&t[i], &answer[i], &(bough_effort){.trials = 3}, true);
    for (int i = 0; i < 3; i++) add_value(&t[1], 2 + 2 * i);
    for (int i = 0; i < 2; i++) add_value(&t[0], 1 + 2 * i);
    assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
    const bough_comparison *c = &p.comparison[0];
    assert_int_equal(c->trials, 2);
    near(c->difference, 2);
    near(c->difference_ci95, bough_student_975(1) * sqrt(4.0 / 3 + 2.0 / 2 - 2 * 2 * 2.0 / 6));
    near(c->ratio, 2);
    near(c->ratio_ci95, bough_student_975(1) * sqrt(4.0 / 3 + 4 * 2.0 / 2 - 2 * 2 * 2 * 2.0 / 6) / 2);
    free(p.comparison);
    answer_stats_fini(&t[0]);
    answer_stats_fini(&t[1]);
}

/* {2 4 6 8} against {1 3 - 4}: of the three common trials the covariance is 13/3; the variances 20/3 and 7/3
 * are those of all trials. Either may be the one with the gap. */
static void test_compare_gaps(void **state) {
    (void)state;
    const double whole[] = {2, 4, 6, 8}, gap[] = {1, 3, NAN, 4};
    for (int turned = 0; turned < 2; turned++) {
        bough_answer answer[2] = {{.asked = 0}, {.asked = 1}};
        bough_study_point p = {.answer = answer, .answers = 2};
        answer_stats t[2];
        for (int i = 0; i < 2; i++) {
            const double *value = i == turned ? whole : gap;
            answer_stats_init(&t[i], &answer[i], &(bough_effort){.trials = 4}, true);
            for (int k = 0; k < 4; k++) {
                bough_row none = {BOUGH_METRIC_DELIVERED_ROUND, 1, 1};
                if (isnan(value[k]))
                    add(&t[i], &none, 1);
                else
                    add_value(&t[i], value[k]);
            }
        }
        assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
        assert_int_equal(p.comparisons, 1);
        assert_int_equal(p.comparison[0].trials, 3);
        near(p.comparison[0].difference, turned ? 7.0 / 3 : -7.0 / 3);
        near(p.comparison[0].difference_ci95, student_2 * sqrt(5.0 / 18));
        free(p.comparison);
        for (int i = 0; i < 2; i++) answer_stats_fini(&t[i]);
    }
}

/* Intervals are positive, and exactly 0 where only rounding differs. */
static void test_compare_signs(void **state) {
    (void)state;
    bough_comparison c, mirrored;
    const double b[] = {0.1, 0.7, 0.3}, a[] = {b[0] * 3, b[1] * 3, b[2] * 3};
    compare(a, false, b, false, &c);
    near(c.ratio, 3);
    assert_true(c.ratio_ci95 == 0);
    compare((double[]){2, 4, 7}, false, (double[]){1, 2, 3}, false, &c);
    compare((double[]){-2, -4, -7}, false, (double[]){-1, -2, -3}, false, &mirrored);
    assert_true(c.ratio_ci95 > 0 && c.ratio == mirrored.ratio);
    near(mirrored.ratio_ci95, c.ratio_ci95);
    near(mirrored.difference, -c.difference);
}

/* One trial has no variance, and one common trial no covariance. */
static void test_compare_single(void **state) {
    (void)state;
    for (int more = 0; more < 2; more++) {
        bough_answer answer[2] = {{.asked = 0}, {.asked = 1}};
        bough_study_point p = {.answer = answer, .answers = 2};
        answer_stats t[2];
        for (int i = 0; i < 2; i++) {
            answer_stats_init(&t[i], &answer[i], &(bough_effort){.trials = 3}, true);
            for (int k = 0; k < 1 + 2 * more * i; k++) add_value(&t[i], 3 + i + k);
        }
        assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
        assert_int_equal(p.comparison[0].trials, 1);
        near(p.comparison[0].difference, more ? 2 : 1);
        assert_true(isnan(p.comparison[0].difference_ci95) && isnan(p.comparison[0].ratio_ci95));
        free(p.comparison);
        for (int i = 0; i < 2; i++) answer_stats_fini(&t[i]);
    }
}

/* Two routings, three methods of which the second looks at no routing. */
static void test_pairs(void **state) {
    (void)state;
    bough_answer answer[] = {{.asked = 0, .routing = 0, .routed = true},
                             {.asked = 1, .routing = 0},
                             {.asked = 2, .routing = 0, .routed = true},
                             {.asked = 0, .routing = 1, .routed = true},
                             {.asked = 2, .routing = 1, .routed = true}};
    const size_t expected[][2] = {{1, 0}, {2, 0}, {3, 0}, {4, 2}, {4, 3}};
    bough_study_point p = {.answer = answer, .answers = 5};
    answer_stats t[5];
    for (int i = 0; i < 5; i++) {
        answer_stats_init(&t[i], &answer[i], &(bough_effort){.trials = 2}, true);
        add_value(&t[i], i);
        add_value(&t[i], i + 1);
    }
    assert_int_equal(answers_compare(t, &p, NULL), BOUGH_OK);
    assert_int_equal(p.comparisons, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(p.comparison[i].answer, expected[i][0]);
        assert_int_equal(p.comparison[i].against, expected[i][1]);
        answer_stats_fini(&t[i]);
    }
    free(p.comparison);
}

/* Rows that no method gives, but a made-up store may: a metric twice in a trial, weights in some trials only,
 * which count as 1 where there are none. */
static void test_odd_rows(void **state) {
    (void)state;
    const bough_row twice[] = {{BOUGH_METRIC_ROUNDS, NONE, 3}, {BOUGH_METRIC_ROUNDS, NONE, 4}};
    answer_stats t;
    answer_stats_init(&t, &random_answer, &(bough_effort){.trials = 100, .watch = BOUGH_METRIC_COUNT}, true);
    for (size_t trial = 0; trial < 100; trial++) {
        add(&t, twice, 2);
        assert_int_equal(t.cell[0].count, trial + 1);
    }
    answer_stats_fini(&t);
    assert_int_equal(bough_metric_weight(BOUGH_METRIC_FIRST_SUCCESS), BOUGH_METRIC_MESSAGES);
    answer_stats_init(&t, &random_answer, &(bough_effort){.trials = 100, .watch = BOUGH_METRIC_COUNT}, true);
    for (size_t trial = 0; trial < 100; trial++) {
        const bough_row row[] = {{BOUGH_METRIC_FIRST_SUCCESS, NONE, 0.5}, {BOUGH_METRIC_MESSAGES, NONE, 7}};
        add(&t, row, trial == 50 || trial == 52 ? 2 : 1);
    }
    for (size_t trial = 0; trial < 100; trial++)
        assert_true(t.cell[0].weight[trial] == (trial == 50 || trial == 52 ? 7 : 1));
    answer_stats_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precision),       cmocka_unit_test(test_cells),
        cmocka_unit_test(test_many_indices),    cmocka_unit_test(test_rule),
        cmocka_unit_test(test_outcome),         cmocka_unit_test(test_compare),
        cmocka_unit_test(test_weights),         cmocka_unit_test(test_compare_weights),
        cmocka_unit_test(test_compare_unequal), cmocka_unit_test(test_compare_gaps),
        cmocka_unit_test(test_compare_signs),   cmocka_unit_test(test_compare_single),
        cmocka_unit_test(test_pairs),           cmocka_unit_test(test_odd_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
