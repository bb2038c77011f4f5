/* Charts of small studies: what becomes x, a facet, a series, and that every value is at its place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/charts/chart.h"
#include "report/charts/chart_axes.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(bough_status status, const bough_error *error) {
    if (status) fail_msg("%s: %s", error->place, error->reason);
}

static void parse(bough_study *study, const char *text) {
    bough_error error = {0};
    *study = (bough_study){0};
    ok(bough_study_parse(
           study,
           &(bough_study_text){.name = "study.yaml", .text = text, .size = strlen(text), .limit = 1000},
           &error),
       &error);
    ok(bough_study_resolve(study, &error), &error);
}

static void run(bough_study *study, charts *all, const char *text) {
    bough_error error = {0};
    parse(study, text);
    ok(bough_study_run(study, &(bough_study_options){.threads = 1}, &error), &error);
    ok(charts_make(study, all, &error), &error);
}

static void done(bough_study *study, charts *all) {
    charts_fini(all);
    bough_study_fini(study);
}

static const bough_cell *cell_of(const chart_point *p, bough_metric_id metric) {
    for (size_t i = 0; i < p->answer->cells; i++)
        if (p->answer->cell[i].metric == metric && p->answer->cell[i].index == p->index)
            return &p->answer->cell[i];
    return NULL;
}

/* Every point shows what its answer or comparison holds; returns the number of points. */
static size_t check_values_of(const chart *c, bool pooled) {
    size_t points = 0;
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++, points++) {
            const chart_point *p = &c->series[s].point[i];
            if (i) assert_true(p[-1].x <= p->x);
            if (!c->ratio) {
                const bough_cell *cell = cell_of(p, c->metric);
                assert_non_null(cell);
                assert_true(p->mean == cell->stats.mean && p->min == cell->stats.min &&
                            p->max == cell->stats.max &&
                            p->trials == (pooled ? p->answer->trials : cell->stats.count));
                assert_null(p->against);
                continue;
            }
            bool found = false;
            for (size_t k = 0; k < p->of->comparisons; k++) {
                const bough_comparison *r = &p->of->comparison[k];
                if (&p->of->answer[r->answer] == p->answer && &p->of->answer[r->against] == p->against &&
                    r->metric == c->metric)
                    found = r->ratio == p->mean && (r->ratio_ci95 == p->ci95 || isnan(p->ci95));
            }
            assert_true(found);
        }
    return points;
}

static size_t check_values(const chart *c) {
    return check_values_of(c, false);
}

/* A study that was not run, or whose plot metric nobody answers, has no charts. */
static void test_nothing(void **state) {
    (void)state;
    bough_study study;
    charts all;
    bough_error error = {0};
    parse(&study, "network: fattree:n=16\nmethods: [collision]\n");
    ok(charts_make(&study, &all, &error), &error);
    assert_int_equal(all.count, 0);
    done(&study, &all);
    run(&study, &all, "network: fattree:n=16\nmethods: [collision]\nplot: {y: latency}\n");
    assert_int_equal(all.count, 0);
    done(&study, &all);
}

#define SMALL                                                                                                \
    "network: fattree:n={n}\ntraffic: uniform:m={m}\n"                                                       \
    "methods: [circuit:mode=rounds, bins:model=1]\ngrid:\n  - n: 2^4..2^6 times 2\n  - m: [n/8, n]\n"        \
    "trials: 5\n"

/* m depends on n: its two entries are the facets, not its six values. */
static void test_facets_of_a_dependent_axis(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: n, xscale: log2, y: [rounds], series: method, facet: m}\n");
    assert_int_equal(all.count, 4);
    static const char *const facet[] = {"m = n/8", "m = n"};
    for (int i = 0; i < 4; i++) {
        const chart *c = &all.chart[i];
        assert_string_equal(c->facet, facet[i % 2]);
        assert_int_equal(c->ratio, i >= 2);
        assert_int_equal(c->xscale, CHART_LOG2);
        assert_int_equal(c->yscale, CHART_LINEAR);
        assert_string_equal(c->x_title, "n");
        assert_int_equal(c->count, i < 2 ? 2 : 1);
        assert_int_equal(check_values(c), i < 2 ? 6 : 3);
        assert_string_equal(c->series[c->count - 1].name, "bins:model=1");
        assert_int_equal(c->series[c->count - 1].style, 1); /* in its ratio, too */
        for (int k = 0; k < 3; k++) {
            const chart_point *p = &c->series[0].point[k];
            assert_true(p->x == 16 << k);
            assert_string_equal(p->label, p->of->value[0]);
            assert_int_equal(strtol(p->of->value[1], NULL, 10), (16 << k) / (i % 2 ? 1 : 8));
        }
    }
    assert_string_equal(all.chart[0].y_title, "rounds");
    assert_non_null(strstr(all.chart[0].title, "m = n/8"));
    assert_string_equal(all.chart[2].y_title, "rounds / rounds of circuit:mode=rounds");
    done(&study, &all);
}

/* Texts of the author stand in all charts; ratios keep what they are compared to. */
static void test_texts_of_the_author(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        SMALL
        "plot: {x: n, y: rounds, series: [m, method], title: T, xlabel: X, ylabel: Y,\n"
        "  labels: {\"circuit:mode=rounds\": C, m = n: full}, order: [full, m = n/8], size: 9x6, font: 8}\n");
    assert_int_equal(all.count, 2);
    const chart *c = &all.chart[0], *ratio = &all.chart[1];
    static const char *const name[] = {"full, C", "full, bins:model=1", "m = n/8, C",
                                       "m = n/8, bins:model=1"};
    assert_int_equal(c->count, 4);
    for (size_t i = 0; i < 4; i++) assert_string_equal(c->series[i].name, name[i]);
    assert_string_equal(c->title, "T");
    assert_string_equal(c->x_title, "X");
    assert_string_equal(c->y_title, "Y");
    assert_true(c->width_cm == 9 && c->height_cm == 6 && c->font_pt == 8);
    assert_int_equal(check_values(c), 12);
    assert_string_equal(ratio->title, "T, ratio to C");
    assert_string_equal(ratio->y_title, "rounds / rounds of C");
    assert_string_equal(ratio->series[0].name, "full, bins:model=1");
    done(&study, &all);
}

/* A title and a label that would stand at two metrics name them. */
static void test_texts_of_several_metrics(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        SMALL "plot: {x: n, y: [rounds, attempts], facet: m, title: T, ylabel: [R, A], ratio: mean}\n");
    assert_string_equal(all.chart[0].title, "T: rounds (m = n/8)");
    assert_string_equal(all.chart[0].y_title, "R");
    assert_string_equal(all.chart[2].title, "T: rounds: ratio to circuit:mode=rounds (m = n/8)");
    assert_string_equal(all.chart[4].y_title, "A");
    done(&study, &all);
    run(&study, &all, SMALL "plot: {x: n, y: rounds, facet: m, title: \"\"}\n");
    assert_string_equal(all.chart[0].title, "m = n/8");
    assert_string_equal(all.chart[2].title, "ratio to circuit:mode=rounds (m = n/8)");
    done(&study, &all);
}

/* Where x is a metric, several dimensions may distinguish the series. */
static void test_series_of_a_metric(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: attempts, y: rounds, series: [method, m]}\n");
    assert_string_equal(all.chart[0].series[0].name, "circuit:mode=rounds, m = n/8");
    assert_string_equal(all.chart[0].series[1].name, "bins:model=1, m = n/8");
    assert_int_equal(all.chart[0].count, 4);
    assert_int_equal(all.chart[0].series[0].points, 3);
    done(&study, &all);
}

/* Names that no chart has are found before anything runs. */
static void test_unknown_names(void **state) {
    (void)state;
    static const struct {
        const char *plot, *reason;
    } of[] = {
        {"plot: {labels: {bins: B}}\n", "labels: no series has 'bins'"},
        {"plot: {order: [m]}\n", "order: no series has 'm'"},
        {"plot: {labels: {m = n/8: m = n}}\n", "two values of m would be called 'm = n'"},
        {"plot: {labels: {m = n: full, rounds: R}, y: [rounds, attempts], order: [full, m = n, attempts]}\n",
         NULL}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[600];
        bough_study study;
        bough_error error = {0};
        snprintf(text, sizeof text, "%s%s", SMALL, of[i].plot);
        parse(&study, text);
        assert_int_equal(charts_check_names(&study, &error), of[i].reason ? BOUGH_INVALID : BOUGH_OK);
        if (of[i].reason) assert_non_null(strstr(error.reason, of[i].reason));
        bough_study_fini(&study);
    }
}

/* Without a plot: the first axis of numbers is x, headlines are y, the rest tells series apart. */
static void test_default(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.chart[0].metric, BOUGH_METRIC_ROUNDS);
    assert_int_equal(all.chart[0].xscale, CHART_LINEAR); /* from 16 to 64 only */
    assert_null(all.chart[0].facet);
    assert_int_equal(all.chart[0].count, 4);
    assert_string_equal(all.chart[0].series[0].name, "circuit:mode=rounds, m = n/8");
    assert_string_equal(all.chart[0].series[1].name, "bins:model=1, m = n/8");
    assert_int_equal(check_values(&all.chart[0]), 12);
    assert_int_equal(check_values(&all.chart[1]), 6);
    done(&study, &all);
}

/* No axis of numbers: what varies is a category. */
static void test_categories(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n=16\ntraffic: \"{pattern}\"\nmethods: [circuit:mode=rounds]\n"
        "routing: [random, first]\ngrid:\n  - pattern: [transpose, bitrev, \"shift:k=2\"]\ntrials: 3\n");
    assert_int_equal(all.count, 2); /* and the ratio of the routings */
    const chart *c = &all.chart[0];
    assert_int_equal(c->xscale, CHART_CATEGORY);
    assert_int_equal(c->categories, 3);
    assert_string_equal(c->category[2], "shift:k=2");
    assert_int_equal(c->count, 2);
    assert_string_equal(c->series[0].name, "circuit:mode=rounds, random");
    assert_string_equal(c->series[1].name, "circuit:mode=rounds, first");
    assert_string_equal(c->series[1].point[2].label, "shift:k=2");
    assert_true(c->series[1].point[2].x == 2);
    assert_int_equal(check_values(c), 6);
    assert_string_equal(all.chart[1].title, "rounds, ratio to random");
    assert_int_equal(check_values(&all.chart[1]), 3);
    done(&study, &all);
}

/* Indices are x where nothing else is named, else they are series. */
static void test_indices(void **state) {
    (void)state;
    bough_study study;
    charts all;
    static const char text[] = "network: transit:n={n}\ntraffic: local:p=1\nmethods: [locality]\ngrid:\n"
                               "  - n: [64, 4096]\ntrials: 1\n";
    char with[400];
    snprintf(with, sizeof with, "%splot: {y: [p_any, p_sum]}\n", text);
    run(&study, &all, with);
    assert_int_equal(all.count, 2);
    assert_string_equal(all.chart[0].x_title, "level");
    assert_int_equal(all.chart[0].count, 2);
    assert_string_equal(all.chart[0].series[1].name, "locality, n = 4096");
    assert_true(all.chart[0].series[1].point[3].x == 4);
    assert_string_equal(all.chart[0].series[1].point[3].label, "4");
    check_values(&all.chart[0]);
    assert_string_equal(all.chart[1].x_title, "n");
    done(&study, &all);
    snprintf(with, sizeof with, "%splot: {x: n, y: [p_any]}\n", text);
    run(&study, &all, with);
    assert_int_equal(all.count, 1);
    assert_string_equal(all.chart[0].x_title, "n");
    assert_string_equal(all.chart[0].series[0].name, "locality, level 1");
    assert_int_equal(all.chart[0].series[0].points, 2);
    check_values(&all.chart[0]);
    done(&study, &all);
}

/* Lists whose specs change along an axis keep their entries apart, and entries alike get numbers. */
static void test_lists(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: [\"uniform:m={n}\", \"shift:k=1\", \"uniform:m=4\"]\n"
        "methods: [circuit:mode=rounds]\ngrid:\n  - n: [16, 32]\ntrials: 2\n"
        "plot: {x: n, y: [rounds], series: traffic}\n");
    assert_int_equal(all.count, 1);
    const chart *c = &all.chart[0];
    assert_int_equal(c->count, 3);
    assert_string_equal(c->series[0].name, "uniform");
    assert_string_equal(c->series[1].name, "shift:k=1");
    assert_string_equal(c->series[2].name, "uniform:m=4");
    for (int i = 0; i < 3; i++) assert_int_equal(c->series[i].points, 2);
    check_values(c);
    done(&study, &all);
}

/* m follows from n and k, so it tells no series apart; without k it would. */
static void test_axes_that_follow(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: uniform:m={m}\nmethods: [circuit:mode=rounds]\ngrid:\n"
        "  - n: [16, 32, 64]\n  - k: [1, 3]\n  - m: n - k * k\ntrials: 2\n"
        "plot: {x: n, y: [rounds], series: k}\n");
    assert_int_equal(all.count, 1);
    assert_int_equal(all.chart[0].count, 2);
    for (int i = 0; i < 2; i++) assert_int_equal(all.chart[0].series[i].points, 3);
    check_values(&all.chart[0]);
    done(&study, &all);
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: uniform:m={m}\nmethods: [circuit:mode=rounds]\ngrid:\n"
        "  - n: [16, 32, 64]\n  - m: [3, 7]\ntrials: 2\nplot: {x: n, y: [rounds]}\n");
    assert_int_equal(all.chart[0].count, 2);
    done(&study, &all);
}

/* `pool:` merges the last axis: one point for each n. */
static void test_pool(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: shift:k={k}\nmethods: [circuit:mode=rounds]\ngrid:\n"
        "  - n: [16, 32]\n  - k: [1, 2, 3]\ntrials: 2\npool: k\nplot: {x: n, y: [rounds]}\n");
    assert_int_equal(all.count, 1);
    assert_int_equal(all.chart[0].count, 1);
    assert_int_equal(all.chart[0].series[0].points, 2);
    assert_int_equal(all.chart[0].series[0].point[1].trials, 6);
    check_values_of(&all.chart[0], true);
    done(&study, &all);
}

static void common(const char *a, const char *b, const char *expected) {
    arena memory = {0};
    char *text = NULL;
    assert_int_equal(chart_common_spec(&memory, a, b, &text, NULL), BOUGH_OK);
    assert_string_equal(text, expected);
    arena_fini(&memory);
}

/* Each curve knows where it saturates, although it has no value there, and the table says so. */
static void test_saturation(void **state) {
    (void)state;
    bough_study study;
    charts all;
    char *text;
    run(&study, &all,
        "network: bft:n=64\ntraffic: poisson:load={load},flits={flits}\nmethods: [queueing]\n"
        "grid:\n  - flits: [16, 32]\n  - load: [0.2, 0.02, 0.1, 0.3]\nplot: {x: load, y: [latency]}\n");
    assert_int_equal(all.count, 1);
    for (size_t s = 0; s < 2; s++) {
        const chart_series *series = &all.chart[0].series[s];
        assert_int_equal(series->points, 2);
        assert_true(series->saturates && series->saturated_from == 0.2);
        assert_true(series->stable && series->stable_to == 0.1);
    }
    assert_int_equal(bough_report_table(&study, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "queueing, flits = 16: saturated from load 0.2 (stable at 0.1)\n"));
    free(text);
    done(&study, &all);
    run(&study, &all,
        "network: bft:n=64\ntraffic: poisson:load={load},flits=16\nmethods: [queueing]\n"
        "grid:\n  - load: [0.02, 0.1]\nplot: {x: load, y: [latency]}\n");
    assert_false(all.chart[0].series[0].saturates);
    assert_int_equal(bough_report_table(&study, NULL, &text, NULL), BOUGH_OK);
    assert_null(strstr(text, "saturat"));
    free(text);
    done(&study, &all);
}

static void test_common_specs(void **state) {
    (void)state;
    common("bins:model=1", "bins:model=1", "bins:model=1");
    common("bins:model=1,n=16", "bins:n=32,model=1", "bins:model=1");
    common("uniform:m=16", "uniform:m=32", "uniform");
    common("random", "random:x=1", "random");
    common("data:file=\"a,b\",c=1", "data:file=\"a,c\",c=1", "data:c=1");
    common("worm", "packet", "worm ...");
    common("worm ...", "flow", "worm ...");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_facets_of_a_dependent_axis),
        cmocka_unit_test(test_texts_of_the_author),
        cmocka_unit_test(test_texts_of_several_metrics),
        cmocka_unit_test(test_series_of_a_metric),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_axes_that_follow),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_common_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
