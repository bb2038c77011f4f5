/* bough_check: bad questions first, then reports that can be worked out by hand. */
#include "fabric/check/check.h"
#include "report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXAMPLE "ibnet:file=" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES  "lft:file=" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

static bough_check_report *ask(const bough_check_question *question) {
    bough_check_report *report;
    bough_error error = {0};
    if (bough_check(question, &report, &error)) fail_msg("%s: %s", error.place, error.reason);
    return report;
}

static void refuse(const bough_check_question *question, bough_status status, const char *reason) {
    bough_check_report *report = (bough_check_report *)question;
    bough_error error = {0};
    assert_int_equal(bough_check(question, &report, &error), status);
    assert_null(report);
    if (!strstr(error.reason, reason)) fail_msg("'%s' is not in '%s'", reason, error.reason);
}

static void test_refused(void **state) {
    (void)state;
    const char *nosuch[] = {"nosuch"}, *endless[] = {"poisson:load=0.1"}, *adaptive[] = {"least"};
    refuse(&(bough_check_question){.network = "nosuch"}, BOUGH_INVALID, "no network family");
    refuse(&(bough_check_question){.network = "fattree:n=8", .routing = nosuch, .routings = 1}, BOUGH_INVALID,
           "no routing 'nosuch'");
    refuse(&(bough_check_question){.network = "fattree:n=8", .faults = nosuch, .faults_count = 1},
           BOUGH_INVALID, "unknown kind of fault");
    refuse(&(bough_check_question){.network = "fattree:n=8", .job = nosuch, .jobs = 1}, BOUGH_INVALID,
           "no traffic 'nosuch'");
    refuse(&(bough_check_question){.network = "fattree:n=8", .job = endless, .jobs = 1}, BOUGH_INVALID,
           "never ends");
    refuse(&(bough_check_question){.network = "fattree:n=8", .against = EXAMPLE}, BOUGH_INVALID,
           "compares fabric files");
    refuse(&(bough_check_question){.network = EXAMPLE, .against_lft = TABLES}, BOUGH_INVALID,
           "needs --against");
    refuse(
        &(bough_check_question){
            .network = "fattree:n=8", .routing = adaptive, .routings = 1, .worst = BOUGH_CHECK_WORST_ALWAYS},
        BOUGH_UNSUPPORTED, "the worst permutation");
    bough_check_report_destroy(NULL);
}

static void test_stopped(void **state) {
    (void)state;
    atomic_bool stop = true;
    refuse(&(bough_check_question){.network = EXAMPLE, .stop = &stop}, BOUGH_INTERRUPTED, "");
}

static void assert_kinds(const bough_routing_report *part, const bough_verdict_kind *kind, size_t count) {
    assert_int_equal(part->verdicts, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(part->verdict[i].kind, kind[i]);
}

/* One endpoint. */
static void test_alone(void **state) {
    (void)state;
    bough_check_report *r = ask(&(bough_check_question){.network = "kary:k=1,levels=1"});
    assert_kinds(r->part, (bough_verdict_kind[]){BOUGH_VERDICT_NO_PAIRS}, 1);
    assert_int_equal(r->parts, 1);
    assert_null(r->faulty);
    assert_ptr_equal(r->net, r->whole);
    bough_check_report_destroy(r);
}

/* 4 leaves of 4 endpoints, 2 roots: D-mod-K puts two flows of every shift by 4 on a cable up. Of all-to-all 4
 * x 12 flows leave a leaf, over 2 links: 24, where an endpoint's own has 15. */
static void test_tapered(void **state) {
    (void)state;
    const char *routing[] = {"dmodk", "random"};
    bough_check_report *r = ask(&(bough_check_question){.network = "xgft:down=4x4,up=1x2",
                                                        .routing = routing,
                                                        .routings = 2,
                                                        .permutations = 3,
                                                        .seed = 5,
                                                        .worst = BOUGH_CHECK_WORST_CHEAP});
    assert_int_equal(r->parts, 2);
    assert_int_equal(r->seed, 5);
    assert_int_equal(r->level_switches[1], 4);
    assert_int_equal(r->level_switches[2], 2);
    assert_int_equal(r->lone_switches, 0);
    const bough_routing_report *part = &r->part[0];
    assert_string_equal(part->routing->spec, "dmodk");
    assert_true(part->worst_known);
    assert_false(r->part[1].worst_known); /* it chooses: not cheap */
    assert_int_equal(part->result.random.count, 3);
    assert_kinds(part,
                 (bough_verdict_kind[]){BOUGH_VERDICT_ALL_ROUTED, BOUGH_VERDICT_ALLTOALL_LOAD,
                                        BOUGH_VERDICT_SHIFTS_SHARED, BOUGH_VERDICT_WORST_PERMUTATION,
                                        BOUGH_VERDICT_DEADLOCK_FREE},
                 5);
    assert_int_equal(part->verdict[0].pairs, 16 * 15);
    assert_int_equal(part->verdict[0].severity, BOUGH_INFO);
    assert_true(part->verdict[1].load == 24 && fabs(part->verdict[1].ratio - 24.0 / 15) < 1e-12);
    assert_int_equal(part->verdict[1].severity, BOUGH_WARN);
    assert_true(part->verdict[2].load == 2 && part->verdict[2].mean == part->result.shift_mean);
    assert_true(part->verdict[3].load == part->worst.load && part->worst.load == 4);
    assert_true(r->part[1].verdict[2].expected);
    /* 15 of 24 is all that the wiring allows: 4 x 12 flows leave a leaf over 2 cables. */
    assert_true(fabs(r->wiring_score - 15.0 / 24) < 1e-12);
    assert_true(fabs(part->result.alltoall_score - 15.0 / 24) < 1e-12);
    assert_true(fabs(part->rating.of_tables - fmin(1, part->result.alltoall_score / r->tables_score)) <
                1e-12);
    assert_int_equal(part->rating.word, BOUGH_RATING_GOOD);
    assert_int_equal(r->single.count, 0);
    assert_int_equal(r->better[BOUGH_MEASURE_ALLTOALL].decided, false); /* both put 24 on a link */
    assert_true(r->better[BOUGH_MEASURE_SHIFTS].expected);
    assert_true(isnan(r->better[BOUGH_MEASURE_WORST].ratio)); /* of one routing only */
    assert_string_equal(bough_verdict_name(BOUGH_VERDICT_ALLTOALL_LOAD), "alltoall_load");
    bough_check_report_destroy(r);
}

/* Two roots of three are left, so the same flows leave a leaf over two cables. */
static void test_narrowed(void **state) {
    (void)state;
    const char *faults[] = {"name:s2.0"};
    bough_check_report *r =
        ask(&(bough_check_question){.network = "xgft:down=4x4,up=1x3", .faults = faults, .faults_count = 1});
    assert_true(fabs(r->wiring_score - 15.0 / 24) < 1e-12);
    bough_check_report_destroy(r);
}

/* A part that is missing, single failures, a curve and a job, in one question. */
static void test_faults_and_job(void **state) {
    (void)state;
    const char *faults[] = {"each:cable", "links:share=0..10% step 5%,level=1", "each:switch"};
    const char *routing[] = {TABLES}, *job[] = {"shift:1"};
    bough_check_report *r = ask(&(bough_check_question){.network = EXAMPLE,
                                                        .routing = routing,
                                                        .routings = 1,
                                                        .faults = faults,
                                                        .faults_count = 3,
                                                        .draws = 2,
                                                        .job = job,
                                                        .jobs = 1});
    const bough_check_failures *f = &r->part[0].failures;
    assert_int_equal(f->lists, 2);
    assert_string_equal(f->list[0].what, "cable");
    assert_string_equal(f->list[1].what, "switch");
    assert_int_equal(f->curves, 1);
    assert_int_equal(f->curve[0].count, 3);
    assert_int_equal(f->curve[0].trials, 2);
    assert_null(f->missing);
    assert_int_equal(r->jobs, 1);
    assert_string_equal(r->job[0].traffic, "shift:k=1,m=95");
    assert_true(r->job[0].row[0].load == 1 && r->job[0].row[0].seconds > 0);
    bough_check_report_destroy(r);

    const char *gone[] = {"name:core#1-spine"};
    r = ask(&(bough_check_question){
        .network = EXAMPLE, .routing = routing, .routings = 1, .faults = gone, .faults_count = 1});
    assert_ptr_equal(r->net, r->faulty);
    assert_non_null(r->part[0].failures.missing);
    assert_int_equal(r->severity, BOUGH_ERROR); /* tables that lead into what is gone */
    assert_int_equal(r->part[0].verdict[0].kind, BOUGH_VERDICT_SOME_ROUTED);
    assert_int_equal(r->part[0].verdict[0].count, r->part[0].result.pairs - r->part[0].result.routed);
    bough_check_report_destroy(r);
}

static void test_against(void **state) {
    (void)state;
    const char *routing[] = {TABLES};
    bough_check_report *r = ask(&(bough_check_question){
        .network = EXAMPLE, .routing = routing, .routings = 1, .against = EXAMPLE, .against_lft = TABLES});
    assert_true(r->against.asked && r->against.routed);
    assert_int_equal(r->against.findings.count, 0);
    assert_int_equal(r->against.changes.same, r->part[0].result.pairs);
    bough_check_report_destroy(r);
}

static void note_phase(void *context, double share, const char *phase) {
    assert_true(share >= 0 && share <= 1);
    if (strcmp(phase, "following all pairs") == 0) *(int *)context += 1;
}

/* Writers only read: twice the same. */
static void test_written(void **state) {
    (void)state;
    int phases = 0;
    char *text[2], *json[2];
    bough_error error;
    bough_check_report *r = ask(&(bough_check_question){
        .network = EXAMPLE, .permutations = 2, .progress = note_phase, .progress_context = &phases});
    assert_true(phases > 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bough_report_check_text(r, NULL, &text[i], &error), BOUGH_OK);
        assert_int_equal(bough_report_check_json(r, &json[i], &error), BOUGH_OK);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_equal(json[0], json[1]);
    assert_non_null(strstr(text[0], "no deadlock on one virtual lane"));
    for (int i = 0; i < 2; i++) {
        free(text[i]);
        free(json[i]);
    }
    bough_check_report_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_alone),          cmocka_unit_test(test_tapered),
        cmocka_unit_test(test_narrowed),       cmocka_unit_test(test_against),
        cmocka_unit_test(test_faults_and_job), cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
