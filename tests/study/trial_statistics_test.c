/* Quantiles over trials and fractions of trials above limits. Statistical tests have fixed seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "study/run/answer_stats.h"
#include "study/trial_statistics.h"
#include "support/own_directory.h"

#include <stdlib.h>
#include <string.h>

#define NONE BOUGH_NO_ROW_INDEX
typedef bough_status (*reader)(bough_study *study, const char *text, bough_error *error);

static void refused(reader read, const char *text, const char *reason) {
    bough_study study = {0};
    bough_error error = {0};
    assert_int_equal(read(&study, text, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s': %s", text, error.reason);
    assert_int_equal(study.statistics, 0);
    bough_study_fini(&study);
}

static void what_is_wrong_is_refused(void **state) {
    (void)state;
    refused(bough_study_add_quantiles, "", "no metric ''");
    refused(bough_study_add_quantiles, "round", "did you mean 'rounds'");
    refused(bough_study_add_quantiles, "delivered_round", "delivered_round has a value for each round");
    static const char *const wrong[] = {"rounds:",    "rounds:0",   "rounds:100", "rounds:-1", "rounds:x",
                                        "rounds:nan", "rounds:inf", "rounds:,50", "rounds: "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(bough_study_add_quantiles, wrong[i], "is not between 0 and 100");
    refused(bough_study_add_above, "lost:3", "no metric 'lost'");
    refused(bough_study_add_above, "rounds", "has no limit");
    refused(bough_study_add_above, "rounds:", "has no limit");
    refused(bough_study_add_above, "collisions:3", "has a value for each scenario");
}

static void keys_are_read(void **state) {
    (void)state;
    bough_study study = {0};
    assert_int_equal(bough_study_add_quantiles(&study, "rounds", NULL), BOUGH_OK);
    assert_int_equal(bough_study_add_quantiles(&study, "latency:7,99.9,7", NULL), BOUGH_OK);
    assert_int_equal(bough_study_add_quantiles(&study, "rounds:99", NULL), BOUGH_OK); /* is there */
    assert_int_equal(bough_study_add_above(&study, "rounds:-2.5", NULL), BOUGH_OK);
    assert_int_equal(bough_study_add_above(&study, "rounds:bound", NULL), BOUGH_OK);
    assert_int_equal(bough_study_add_above(&study, "rounds:bound", NULL), BOUGH_OK);
    static const double share[] = {0.5, 0.9, 0.99, 0.999, 0.07, 0.999};
    assert_int_equal(study.statistics, 8);
    for (size_t i = 0; i < 6; i++) {
        assert_true(study.statistic[i].quantile == share[i]);
        assert_int_equal(study.statistic[i].metric, i < 4 ? BOUGH_METRIC_ROUNDS : BOUGH_METRIC_LATENCY);
    }
    assert_true(study.statistic[6].limit == -2.5 && !study.statistic[6].method);
    assert_string_equal(study.statistic[7].method, "bound");
    bough_study_fini(&study);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against sorted arrays. */
static void values_are_counted(void **state) {
    (void)state;
    enum { VALUES = 5000 };
    static double all[VALUES];
    for (unsigned different = 1; different <= VALUES; different = different * 7 + 3) {
        value_counts c = {0};
        uint64_t drawn = different;
        for (size_t i = 0; i < VALUES; i++) {
            drawn = drawn * UINT64_C(6364136223846793005) + 1442695040888963407;
            all[i] = (double)((drawn >> 33) % different) - 3.5;
            assert_int_equal(value_counts_add(&c, all[i], NULL), BOUGH_OK);
            assert_int_equal(value_counts_add(&c, NAN, NULL), BOUGH_OK);
            if (i % 1000 == 17) value_counts_at(&c, 1);
        }
        qsort(all, VALUES, sizeof *all, by_size);
        assert_int_equal(c.trials, VALUES);
        for (size_t i = 0; i < VALUES; i++) assert_true(value_counts_at(&c, i + 1) == all[i]);
        assert_true(c.count <= different);
        assert_int_equal(value_counts_above(&c, all[VALUES - 1]), 0);
        assert_int_equal(value_counts_above(&c, -4), VALUES);
        uint64_t above = 0;
        for (size_t i = 0; i < VALUES; i++) above += all[i] > all[VALUES / 2];
        assert_int_equal(value_counts_above(&c, all[VALUES / 2]), above);
        free(c.item);
    }
}

/* ---- answers ---- */

static bough_study make_study(const char *text, const bough_override *setting, size_t settings) {
    bough_study study;
    bough_error error = {0};
    bough_study_text from = {"test.yaml", text, strlen(text), setting, settings, 0};
    if (bough_study_parse(&study, &from, &error)) fail_msg("%s: %s", error.place, error.reason);
    if (bough_study_resolve(&study, &error)) fail_msg("%s: %s", error.place, error.reason);
    return study;
}

static void run(bough_study *study, const bough_study_options *options) {
    bough_error error = {0};
    if (bough_study_run(study, options, &error)) fail_msg("%s", error.reason);
}

static const bough_statistic_value *value_of(const bough_study *study, size_t answer, size_t statistic) {
    const bough_study_point *p = &study->point[0];
    for (size_t i = 0; i < p->statistics; i++)
        if (p->statistic[i].answer == answer && p->statistic[i].statistic == statistic)
            return &p->statistic[i];
    return NULL;
}

static void study_refused(const char *text, const char *place, const char *reason) {
    bough_study study;
    bough_error error = {0};
    bough_study_text from = {"test.yaml", text, strlen(text), NULL, 0, 0};
    bough_status status = bough_study_parse(&study, &from, &error);
    if (!status) status = bough_study_resolve(&study, &error);
    assert_int_equal(status, BOUGH_INVALID);
    if (!strstr(error.reason, reason) || strcmp(error.place, place) != 0)
        fail_msg("%s: %s", error.place, error.reason);
    bough_study_fini(&study);
}

#define BINS                                                                                                 \
    "network: fattree:n=64\ntraffic: uniform\nmethods: [\"bins:engine=exact\", \"bins:model=1\", bound]\n"

static void studies_are_checked(void **state) {
    (void)state;
    study_refused(BINS "quantiles: rounds:50,101\n", "test.yaml:4", "quantiles: '101' is not between");
    study_refused(BINS "above:\n  - rounds:3\n  - bounds:3\n", "test.yaml:6", "no metric 'bounds'");
    study_refused(BINS "above: rounds:circuit\n", "test.yaml", "no exact method of that name is asked");
    study_refused("network: fattree:n=64\ntraffic: uniform\nmethods: circuit\nabove: rounds:circuit\n",
                  "test.yaml", "no exact method of that name");
    study_refused(BINS "grid:\n  - above: [1]\n", "test.yaml:5", "'above' is reserved");
}

/* The game without tossing gives the quantiles that the tossed one estimates, and bound gives R. */
static void agrees_with_the_exact_distribution(void **state) {
    (void)state;
    static const bough_metric_id exact[] = {BOUGH_METRIC_ROUNDS_P50, BOUGH_METRIC_ROUNDS_P90,
                                            BOUGH_METRIC_ROUNDS_P99, BOUGH_METRIC_ROUNDS_P999};
    bough_study study = make_study(
        BINS "trials: 4000\nquantiles: rounds\nabove: [rounds:bound, rounds:bins, \"rounds:4\"]\n", NULL, 0);
    run(&study, &(bough_study_options){0});
    const bough_study_point *p = &study.point[0];
    for (size_t q = 0; q < 4; q++) {
        const bough_statistic_value *v = value_of(&study, 1, q);
        assert_non_null(v);
        assert_null(value_of(&study, 0, q)); /* exact answers have no trials */
        double wanted = NAN;
        for (size_t c = 0; c < p->answer[0].cells; c++)
            if (p->answer[0].cell[c].metric == exact[q]) wanted = p->answer[0].cell[c].stats.mean;
        assert_int_equal(v->trials, 4000);
        assert_true(v->low <= wanted && wanted <= v->high && v->low <= v->value && v->value <= v->high);
        assert_true(isnan(v->limit) && v->against == SIZE_MAX);
    }
    const bough_statistic_value *v = value_of(&study, 1, 4);
    assert_true(v->above == 0 && v->value == 0 && v->low == 0 && v->against == 2);
    assert_true(v->limit > 170 && v->limit < 171);
    assert_true(fabs(v->high - (1 - pow(0.025, 1 / 4000.0))) < 1e-12);
    v = value_of(&study, 1, 5);
    assert_true(v->against == 0 && v->limit > 5 && v->limit < 5.01); /* 5.003 rounds on average */
    v = value_of(&study, 1, 6);
    assert_true(v->against == SIZE_MAX && v->limit == 4 && v->above > 3000);
    assert_true(v->value == (double)v->above / 4000 && v->low < v->value && v->value < v->high);
    bough_study_fini(&study);
}

/* Intervals of 100 seeds, 200 trials each, contain what the exact distribution says at least 93 times (all
 * but 2.5 % of each side are expected to, and rounds are few different numbers). */
static void covers_the_exact_quantile(void **state) {
    (void)state;
    unsigned good = 0;
    for (unsigned seed = 1; seed <= 100; seed++) {
        char text[16];
        snprintf(text, sizeof text, "%u", seed);
        bough_study study = make_study(BINS "trials: 200\nquantiles: rounds:16.5,90\nabove: rounds:4\n",
                                       &(bough_override){"seed", text}, 1);
        run(&study, &(bough_study_options){0});
        const bough_statistic_value *v = value_of(&study, 1, 1);
        good += v->low <= 5 && 5 <= v->high;
        bough_study_fini(&study);
    }
    assert_in_range(good, 93, 100);
}

/* Nothing depends on threads; few trials have no value for quantiles that they cannot tell. */
static void few_trials_and_threads(void **state) {
    (void)state;
    static const char text[] =
        "network: fattree:n=32\ntraffic: uniform\nmethods: [circuit, \"circuit:mode=cycles\"]\ntrials: 100\n"
        "quantiles: [rounds, norm_cycles:50, latency]\n";
    bough_study study[2];
    for (unsigned i = 0; i < 2; i++) {
        study[i] = make_study(text, NULL, 0);
        run(&study[i], &(bough_study_options){.threads = 1 + 3 * i});
    }
    const bough_study_point *a = &study[0].point[0], *b = &study[1].point[0];
    assert_int_equal(a->statistics, 5); /* rounds of rounds, norm_cycles of cycles, latency of none */
    assert_int_equal(b->statistics, 5);
    assert_memory_equal(a->statistic, b->statistic, 5 * sizeof *a->statistic);
    const bough_statistic_value *v = value_of(&study[0], 0, 1); /* 90 % needs 36 */
    assert_false(isnan(v->value));
    v = value_of(&study[0], 0, 2); /* 99 % needs 367 */
    assert_true(isnan(v->value) && isnan(v->high) && v->low >= 4 && v->needed == 368);
    assert_non_null(value_of(&study[0], 1, 4));
    assert_null(value_of(&study[0], 1, 0));
    for (unsigned i = 0; i < 2; i++) bough_study_fini(&study[i]);
}

/* Six trials tell a median: with probability 2 / 64 all of them are on one side. */
static void as_few_trials_as_possible(void **state) {
    (void)state;
    for (unsigned trials = 5; trials <= 6; trials++) {
        char text[8];
        snprintf(text, sizeof text, "%u", trials);
        bough_study study =
            make_study("network: fattree:n=32\ntraffic: uniform\nmethods: circuit\nquantiles: attempts:50\n",
                       &(bough_override){"trials", text}, 1);
        run(&study, &(bough_study_options){0});
        const bough_statistic_value *v = value_of(&study, 0, 0);
        const bough_stats *s = NULL;
        for (size_t c = 0; c < study.point[0].answer[0].cells; c++)
            if (study.point[0].answer[0].cell[c].metric == BOUGH_METRIC_ATTEMPTS)
                s = &study.point[0].answer[0].cell[c].stats;
        assert_non_null(s);
        if (trials == 5) {
            assert_true(isnan(v->value) && isnan(v->low) && isnan(v->high));
        } else {
            assert_true(v->low == s->min && v->high == s->max);
            assert_true(v->low < v->value && v->value < v->high);
        }
        bough_study_fini(&study);
    }
}

/* An exact method that follows a routing gives the limit of answers under that routing. */
static void limits_under_routings(void **state) {
    (void)state;
    bough_study study =
        make_study("network: xgft:down=4x4,up=1x2\ntraffic: shift:k=4\nrouting: [dmodk, smodk]\n"
                   "methods: [flow, circuit]\ntrials: 20\nabove: messages:flow\n",
                   NULL, 0);
    run(&study, &(bough_study_options){0});
    const bough_study_point *p = &study.point[0];
    assert_int_equal(p->statistics, 2);
    for (size_t i = 0; i < p->statistics; i++) {
        assert_int_equal(p->answer[p->statistic[i].answer].routing, i);
        assert_int_equal(p->answer[p->statistic[i].against].routing, i);
        assert_true(p->statistic[i].limit == 16 && p->statistic[i].above == 0);
    }
    bough_study_fini(&study);
}

/* A store has every trial, so that statistics can be asked afterwards; those of the study are kept. */
static void stores_answer_later(void **state) {
    (void)state;
    const char *directory = "store";
    bough_study study = make_study(
                    BINS "trials: 500\nquantiles: rounds:90\nabove: [rounds:bound, rounds:4.5]\n", NULL, 0),
                held, asked = {0};
    bough_error error = {0};
    bough_store *store;
    assert_int_equal(bough_store_open(directory, &study, &store, &error), BOUGH_OK);
    run(&study, &(bough_study_options){.store = store});
    bough_store_close(store);
    assert_int_equal(bough_study_add_quantiles(&asked, "rounds:50,90", NULL), BOUGH_OK);
    assert_int_equal(bough_study_add_above(&asked, "rounds:6", NULL), BOUGH_OK);
    if (bough_store_load_asked(directory, &asked, &held, &error)) fail_msg("%s", error.reason);
    assert_int_equal(held.statistics, 5); /* 90 %, bound, 4.5, 50 %, 6 */
    assert_int_equal(held.point[0].statistics, 5);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(value_of(&held, 1, i), value_of(&study, 1, i), sizeof(bough_statistic_value));
    assert_true(value_of(&held, 1, 3)->value == 5);
    bough_study_fini(&held);
    bough_study_fini(&asked);
    assert_int_equal(bough_study_add_above(&asked, "rounds:layout", NULL), BOUGH_OK);
    assert_int_equal(bough_store_load_asked(directory, &asked, &held, &error), BOUGH_INVALID);
    bough_study_fini(&asked);
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(studies_are_checked),
        cmocka_unit_test(agrees_with_the_exact_distribution),
        cmocka_unit_test(covers_the_exact_quantile),
        cmocka_unit_test(few_trials_and_threads),
        cmocka_unit_test(as_few_trials_as_possible),
        cmocka_unit_test(limits_under_routings),
        cmocka_unit_test_setup_teardown(stores_answer_later, own_directory_enter, own_directory_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
