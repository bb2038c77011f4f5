/* The estimate of a study's time, and the limit of the time it takes itself. */
#include "base/clock.h"
#include "network/net.h"
#include "study/forecast/trial_limit.h"
#include "study/forecast/work_estimate.h"
#include "study/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void spend(double seconds) {
    double end = clock_thread_seconds() + seconds;
    while (clock_thread_seconds() < end) {
    }
}

static void wait_for(const atomic_bool *flag) {
    double end = clock_seconds() + 60;
    while (!atomic_load(flag) && clock_seconds() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* CPU time counts, not time: a thread that sleeps does not reach it. */
static void test_limit(void **state) {
    (void)state;
    trial_limit limit;
    trial_limit_start(&limit, 0.05, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    assert_false(atomic_load(&limit.over));
    spend(0.06);
    wait_for(&limit.over);
    trial_limit_end(&limit);
    assert_true(atomic_load(&limit.over));
    assert_true(atomic_load(&limit.reached));
}

static void test_other_flag(void **state) {
    (void)state;
    trial_limit limit;
    atomic_bool stop = true;
    trial_limit_start(&limit, 1000, &stop);
    wait_for(&limit.over);
    trial_limit_end(&limit);
    assert_true(atomic_load(&limit.over));
    assert_false(atomic_load(&limit.reached));
}

static bough_status forecast(const char *text, double seconds, atomic_bool *stop, bough_forecast *f) {
    bough_study study;
    bough_error error = {0};
    bough_study_text whole = {.name = "s.yaml", .text = text, .size = strlen(text), .limit = 1000};
    assert_int_equal(bough_study_parse(&study, &whole, &error), BOUGH_OK);
    assert_int_equal(bough_study_resolve(&study, &error), BOUGH_OK);
    bough_status status = bough_study_forecast(
        &study, &(bough_forecast_options){.threads = 1, .seconds = seconds, .stop = stop}, f, &error);
    bough_study_fini(&study);
    return status;
}

/* Each trial takes more than a second; the method that would come second is not reached. */
#define LONG                                                                                                 \
    "network: fattree:n={n}\ntraffic: uniform\nmethods: [\"circuit:mode=rounds,engine=generic\", bins]\n"    \
    "trials: 3\ngrid:\n  - n: [2^19, 2^20]\n"

static void test_long_trials(void **state) {
    (void)state;
    bough_forecast f;
    assert_int_equal(forecast(LONG, 0.2, NULL, &f), BOUGH_OK);
    assert_true(f.least);
    /* three trials of the point that was begun */
    assert_true(f.seconds >= 0.2);
    assert_int_equal(f.threads, 1);
    assert_true(f.memory > 1u << 20);
}

static void test_short_trials(void **state) {
    (void)state;
    static const char *const text =
        "network: fattree:n={n}\ntraffic: uniform\nmethods: [bins]\ntrials: 5\ngrid:\n  - n: [16, 64]\n";
    bough_forecast f;
    assert_int_equal(forecast(text, 0, NULL, &f), BOUGH_OK);
    assert_false(f.least);
    assert_int_equal(f.trials, 10);
    assert_true(f.seconds > 0);
}

static void test_interrupted(void **state) {
    (void)state;
    bough_forecast f;
    atomic_bool stop = true;
    assert_int_equal(forecast(LONG, 1000, &stop, &f), BOUGH_INTERRUPTED);
}

static double seconds_of(const bough_net *net, const char *traffic, const bough_effort *effort) {
    bough_traffic *t;
    assert_int_equal(bough_traffic_create(net, traffic, &t, NULL), BOUGH_OK);
    double seconds = job_seconds(t, effort);
    bough_traffic_destroy(t);
    return seconds;
}

/* A job takes as long as its messages; a random one takes as many trials as are expected. */
static void test_jobs(void **state) {
    (void)state;
    bough_net *net;
    const bough_effort precise = JOB_EFFORT, ten = {.trials = 10, .watch = BOUGH_METRIC_COUNT};
    assert_int_equal(bough_net_open("fattree:n=64", NULL, &net, NULL), BOUGH_OK);
    const double one = seconds_of(net, "shift:k=1", &precise);
    assert_true(one > 0);
    assert_float_equal(seconds_of(net, "alltoall", &precise), 63 * one, 1e-9);
    assert_float_equal(seconds_of(net, "shift:k=1", &ten), one, 1e-9);
    assert_float_equal(seconds_of(net, "randperm", &ten),
                       10 * seconds_of(net, "randperm", &(bough_effort){1, 0, 0}), 1e-9);
    assert_true(seconds_of(net, "randperm", &precise) > 10 * one);
    assert_int_equal(bough_effort_trials(&precise), 100);
    assert_int_equal(bough_effort_trials(&(bough_effort){.precision = 0.01}), BOUGH_PRECISION_TRIALS);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_other_flag),
        cmocka_unit_test(test_long_trials), cmocka_unit_test(test_short_trials),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
