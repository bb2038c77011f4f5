#include "base/statistics.h"

#include "base/random/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double have, double want, double tolerance) {
    if (!(fabs(have - want) <= tolerance)) fail_msg("%.12g is not %.12g +- %g", have, want, tolerance);
}

static bough_stats of(const double *value, size_t count) {
    bough_stats s = {0};
    for (size_t i = 0; i < count; i++) bough_stats_add(&s, value[i]);
    return s;
}

static void too_few_values_have_no_interval(void **state) {
    (void)state;
    bough_stats s = {0};
    assert_true(isnan(bough_stats_variance(&s)));
    assert_true(isnan(bough_stats_ci95(&s)));
    bough_stats_add(&s, 4);
    assert_true(isnan(bough_stats_variance(&s)));
    assert_true(isnan(bough_stats_ci95(&s)));
    assert_near(s.mean, 4, 0);
    assert_near(s.min, 4, 0);
    assert_near(s.max, 4, 0);
    assert_true(isnan(bough_student_975(0)));
}

static void four_values_by_hand(void **state) {
    (void)state;
    /* mean 2.5, squared distances 5 in all; t(3) = 3.18245, so 3.18245 sqrt(5/3/4) */
    bough_stats s = of((const double[]){3, 1, 4, 2}, 4);
    assert_int_equal(s.count, 4);
    assert_near(s.mean, 2.5, 1e-15);
    assert_near(s.min, 1, 0);
    assert_near(s.max, 4, 0);
    assert_near(bough_stats_variance(&s), 5.0 / 3, 1e-14);
    assert_near(bough_stats_ci95(&s), 2.054260, 1e-5);
}

static void equal_values_have_width_zero(void **state) {
    (void)state;
    bough_stats s = of((const double[]){0.1, 0.1, 0.1}, 3);
    assert_near(s.mean, 0.1, 0);
    assert_near(bough_stats_variance(&s), 0, 0);
    assert_near(bough_stats_ci95(&s), 0, 0);
}

static void negative_values_have_a_maximum_too(void **state) {
    (void)state;
    bough_stats s = of((const double[]){-3, -1, -2}, 3);
    assert_near(s.min, -3, 0);
    assert_near(s.max, -1, 0);
}

/* 1 of 1 and 0 of 3: the mean of all four is 1/4; of the ratio n/(n-1) sum w^2 (x - R)^2 / (sum w)^2 = 9/64.
 */
static void weights_by_hand(void **state) {
    (void)state;
    bough_stats s = {0};
    bough_stats_add_weighted(&s, 1, 10);
    assert_near(s.mean, 1, 0);
    assert_true(isnan(bough_stats_ci95(&s)));
    bough_stats_add_weighted(&s, 0, 30);
    assert_near(s.mean, 0.25, 1e-15);
    assert_near(s.min, 0, 0);
    assert_near(s.max, 1, 0);
    assert_near(bough_stats_variance(&s) / 2, 9.0 / 64, 1e-15);
    assert_near(bough_stats_ci95(&s), bough_student_975(1) * 3 / 8, 1e-12);
}

/* To the last bit. */
static void equal_weights_are_none(void **state) {
    (void)state;
    bough_stats plain = {0}, weighted = {0};
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 1);
    for (int i = 0; i < 1000; i++) {
        double value = bough_unit(bough_stream_next(&stream));
        bough_stats_add(&plain, value);
        bough_stats_add_weighted(&weighted, value, 4093);
        assert_true(plain.mean == weighted.mean && plain.m2 == weighted.m2);
    }
    assert_true(bough_stats_ci95(&plain) == bough_stats_ci95(&weighted));
}

/* Trials of n things, each a success with probability 1 - n / 20: more things, less success. The mean over
 * things is not the mean over trials, and the interval holds it in 19 of 20 cases. */
static void weighted_means_are_over_things(void **state) {
    (void)state;
    enum { RUNS = 400, TRIALS = 100 };
    bough_stream stream = bough_stream_make(bough_key_make(2, 0), BOUGH_DRAW_TEST, 0, 1);
    int inside = 0;
    double things = 0, successes = 0;
    for (int n = 1; n <= 9; n++) things += n, successes += n * (1 - n / 20.0);
    for (int run = 0; run < RUNS; run++) {
        bough_stats s = {0};
        for (int t = 0; t < TRIALS; t++) {
            int n = 1 + (int)bough_stream_below(&stream, 9), k = 0;
            for (int i = 0; i < n; i++) k += bough_unit(bough_stream_next(&stream)) < 1 - n / 20.0;
            bough_stats_add_weighted(&s, (double)k / n, n);
        }
        inside += fabs(s.mean - successes / things) <= bough_stats_ci95(&s);
    }
    if (inside < 0.92 * RUNS || inside > 0.98 * RUNS) fail_msg("%d of %d intervals", inside, RUNS);
}

/* Welford against two passes, also where the sum of squares would lose every digit. */
static void running_sums_agree_with_two_passes(void **state) {
    (void)state;
    static const double offset[] = {0, 1, 1e9, -1e9};
    enum { COUNT = 1000 };
    for (size_t o = 0; o < sizeof offset / sizeof *offset; o++) {
        double value[COUNT];
        bough_stream stream = bough_stream_make(bough_key_make(1, o), BOUGH_DRAW_TEST, 0, 0);
        for (int i = 0; i < COUNT; i++) value[i] = offset[o] + bough_unit(bough_stream_next(&stream));
        bough_stats s = of(value, COUNT);
        double mean = 0, squares = 0;
        for (int i = 0; i < COUNT; i++) mean += (value[i] - offset[o]) / COUNT;
        for (int i = 0; i < COUNT; i++) squares += pow(value[i] - offset[o] - mean, 2);
        assert_near(s.mean - offset[o], mean, fmax(1e-13, fabs(offset[o]) * 1e-14));
        assert_near(bough_stats_variance(&s), squares / (COUNT - 1), 1e-8);
    }
}

/* The 0.975 quantile as tables print it. */
static void student_quantiles_are_those_of_the_tables(void **state) {
    (void)state;
    static const struct {
        uint64_t df;
        double quantile;
    } table[] = {
        {1, 12.70620},  {2, 4.30265},   {3, 3.18245},    {4, 2.77645},       {5, 2.57058},   {6, 2.44691},
        {7, 2.36462},   {8, 2.30600},   {9, 2.26216},    {10, 2.22814},      {15, 2.13145},  {20, 2.08596},
        {25, 2.05954},  {30, 2.04227},  {40, 2.02108},   {60, 2.00030},      {100, 1.98397}, {120, 1.97993},
        {200, 1.97190}, {500, 1.96472}, {1000, 1.96234}, {1000000, 1.95997},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_near(bough_student_975(table[i].df), table[i].quantile, 1e-5);
    assert_near(bough_student_975(UINT64_MAX), 1.959964, 1e-6);
}

/* More values never widen the factor, and the exact series meets the expansion without a step. */
static void student_quantiles_fall_without_a_step(void **state) {
    (void)state;
    for (uint64_t df = 1; df < 1000; df++) {
        double step = bough_student_975(df) - bough_student_975(df + 1);
        assert_true(step > 0);
        if (df >= 150) assert_near(step, 2.38 / (double)(df * df), 0.1 / (double)(df * df));
    }
}

/* 2000 intervals from 5 uniform values each: about 95 % hold the mean (uniform values are kind to
 * Student: 93.5 %). The binomial's own 99.9 % interval around 0.935 is +- 0.018. */
static void intervals_hold_the_mean_as_often_as_they_say(void **state) {
    (void)state;
    bough_stream stream = bough_stream_make(bough_key_make(7, 0), BOUGH_DRAW_TEST, 1, 0);
    int held = 0;
    for (int i = 0; i < 2000; i++) {
        bough_stats s = {0};
        for (int k = 0; k < 5; k++) bough_stats_add(&s, bough_unit(bough_stream_next(&stream)));
        held += fabs(s.mean - 0.5) <= bough_stats_ci95(&s);
    }
    assert_near(held / 2000.0, 0.935, 0.018);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_values_have_no_interval),
        cmocka_unit_test(four_values_by_hand),
        cmocka_unit_test(equal_values_have_width_zero),
        cmocka_unit_test(negative_values_have_a_maximum_too),
        cmocka_unit_test(weights_by_hand),
        cmocka_unit_test(equal_weights_are_none),
        cmocka_unit_test(weighted_means_are_over_things),
        cmocka_unit_test(running_sums_agree_with_two_passes),
        cmocka_unit_test(student_quantiles_are_those_of_the_tables),
        cmocka_unit_test(student_quantiles_fall_without_a_step),
        cmocka_unit_test(intervals_hold_the_mean_as_often_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
