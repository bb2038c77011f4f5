/* The share that bough_check reports is that of all its work: it never falls, and grows in all phases. */
#include "fabric/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EXAMPLE "ibnet:file=" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"

#define LONG "kary:k=4,levels=6"

enum { PHASES = 32 };

/* Where each phase ends. */
typedef struct reports {
    char phase[PHASES][64];
    double end[PHASES];
    size_t phases, count;
} reports;

static void note(void *context, double share, const char *phase) {
    reports *r = context;
    assert_true(share >= 0 && share <= 1);
    if (!r->phases || strcmp(r->phase[r->phases - 1], phase) != 0) {
        assert_true(r->phases < PHASES);
        snprintf(r->phase[r->phases++], sizeof *r->phase, "%s", phase);
    } else {
        assert_true(share >= r->end[r->phases - 1]);
    }
    if (r->phases > 1) assert_true(share >= r->end[r->phases - 2]);
    r->end[r->phases - 1] = share;
    r->count++;
}

static reports ask(bough_check_question question) {
    reports r = {0};
    bough_check_report *report;
    bough_error error = {0};
    question.progress = note;
    question.progress_context = &r;
    if (bough_check(&question, &report, &error)) fail_msg("%s: %s", error.place, error.reason);
    bough_check_report_destroy(report);
    return r;
}

static void assert_phases(const reports *r, const char *const *phase, size_t phases) {
    assert_int_equal(r->phases, phases);
    for (size_t i = 0; i < phases; i++) assert_string_equal(r->phase[i], phase[i]);
}

/* Two routings of one kind have equal shares, and failures take longer than all pairs do once. */
static void test_routings_and_failures(void **state) {
    (void)state;
    const char *routing[] = {"updn", "minhop"}, *faults[] = {"each:cable", "each:switch"};
    const reports r = ask((bough_check_question){.network = EXAMPLE,
                                                 .routing = routing,
                                                 .routings = 2,
                                                 .faults = faults,
                                                 .faults_count = 2,
                                                 .permutations = 10,
                                                 .worst = BOUGH_CHECK_WORST_CHEAP});
    static const char *const phase[] = {
        "following all pairs", "looking for the worst permutation", "looking at failures",
        "following all pairs", "looking for the worst permutation", "looking at failures"};
    assert_phases(&r, phase, 6);
    assert_true(r.end[0] > 0.01 && r.end[0] < 0.25);
    assert_true(r.end[2] - r.end[1] > r.end[0]);
    assert_true(r.end[2] > 0.45 && r.end[2] < 0.55);
    assert_true(r.end[5] > 0.999);
}

/* A routing with many paths for a pair takes longer than one with a single path. */
static void test_many_paths(void **state) {
    (void)state;
    const char *routing[] = {"dmodk", "random"};
    const reports r =
        ask((bough_check_question){.network = "xgft:down=4x4x4,up=1x4x4", .routing = routing, .routings = 2});
    assert_true(r.phases == 1 && r.end[0] > 0.999 && r.count > 2);
}

static void test_curves_and_jobs(void **state) {
    (void)state;
    const char *routing[] = {"updn"}, *faults[] = {"cables:share=0..10% step 5%"}, *job[] = {"shift:1"};
    const reports r = ask((bough_check_question){.network = EXAMPLE,
                                                 .routing = routing,
                                                 .routings = 1,
                                                 .faults = faults,
                                                 .faults_count = 1,
                                                 .draws = 4,
                                                 .job = job,
                                                 .jobs = 1});
    static const char *const phase[] = {"following all pairs", "looking at failures", "simulating jobs"};
    assert_phases(&r, phase, 3);
    assert_true(r.end[0] < 0.5 && r.end[1] > 0.8); /* twelve draws, and one simulation of 95 messages */
}

/* What is not planned has no share, and what is planned but not needed leaves none behind. */
static void test_nothing_to_follow(void **state) {
    (void)state;
    const reports r = ask((bough_check_question){.network = "kary:k=1,levels=1"});
    assert_true(r.phases <= 1);
}

/* ---- work that takes long ---- */

typedef struct announced {
    double seconds;
    unsigned count;
    atomic_bool stop;
} announced;

/* Nobody waits for the work itself. */
static void stop_work(void *context, double seconds) {
    announced *a = context;
    a->seconds = seconds;
    a->count++;
    atomic_store(&a->stop, true);
}

static bough_status ask_long(const char *network, const char *routing, announced *a, bough_error *error) {
    static const char *faults[] = {"cables:count=1"};
    bough_check_report *report = NULL;
    bough_check_question question = {.network = network,
                                     .routing = &routing,
                                     .routings = routing ? 1 : 0,
                                     .faults = faults,
                                     .faults_count = strcmp(network, LONG) == 0,
                                     .threads = 1,
                                     .stop = &a->stop,
                                     .forecast = stop_work,
                                     .progress_context = a};
    bough_status status = bough_check(&question, &report, error);
    bough_check_report_destroy(report);
    return status;
}

/* A tree without a cable has no closed form, and up to 1024 paths for each of 16 million pairs: as a default
 * that is refused; where it was asked for it is announced. */
static void test_long_work(void **state) {
    (void)state;
    announced a = {0};
    bough_error error = {0};
    assert_int_equal(ask_long(LONG, NULL, &a, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "--routing updn"));
    assert_int_equal(a.count, 0);
    assert_int_equal(ask_long(LONG, "random", &a, &error), BOUGH_INTERRUPTED);
    assert_int_equal(a.count, 1);
    assert_true(a.seconds > 600);
}

/* Closed forms, and small networks, are neither. */
static void test_short_work(void **state) {
    (void)state;
    static const char *const networks[] = {"kary:k=4,levels=5", "cube:n=64", EXAMPLE};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        announced a = {0};
        bough_error error = {0};
        if (ask_long(networks[i], NULL, &a, &error)) fail_msg("%s: %s", networks[i], error.reason);
        assert_int_equal(a.count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routings_and_failures),
        cmocka_unit_test(test_many_paths),
        cmocka_unit_test(test_curves_and_jobs),
        cmocka_unit_test(test_nothing_to_follow),
        cmocka_unit_test(test_long_work),
        cmocka_unit_test(test_short_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
