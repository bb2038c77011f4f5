/* Charts of one metric against another: what a study file may ask for, where points are, staircases against
 * an enumeration of all pairs, bars in both directions, and lines over x and metrics. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random/random.h"
#include "report/charts/chart.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_svg.h"
#include "report/charts/figure_gnuplot.h"
#include "report/charts/text_plot.h"
#include "report/report.h"
#include "study/store/study_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(bough_status status, const bough_error *error) {
    if (status) fail_msg("%s: %s", error->place, error->reason);
}

static bough_status parse(bough_study *study, const char *text, bough_error *error) {
    *study = (bough_study){0};
    return bough_study_parse(
        study, &(bough_study_text){.name = "s.yaml", .text = text, .size = strlen(text), .limit = 1000},
        error);
}

static void run(bough_study *study, const char *text) {
    bough_error error = {0};
    ok(parse(study, text, &error), &error);
    ok(bough_study_resolve(study, &error), &error);
    ok(bough_study_run(study, &(bough_study_options){.threads = 1}, &error), &error);
}

static void make(const bough_study *study, charts *all) {
    bough_error error = {0};
    ok(charts_make(study, all, &error), &error);
}

static void done(bough_study *study, charts *all) {
    charts_fini(all);
    bough_study_fini(study);
}

#define TREES                                                                                                \
    "network: xgft:down=2x2x2x2,up={up}\ntraffic: bitcomp\nmethods: [offline:area=1]\n"                      \
    "grid:\n  - up: [\"1x1x1x1\", \"1x2x2x2\", \"1x2x1x2\"]\ntrials: 1\n"

/* ---- bad input ---- */

static void what_cannot_be_drawn_is_refused(void **state) {
    (void)state;
    const struct {
        const char *plot, *reason;
    } bad[] = {
        {"{x: area_gird, y: bit_steps}",
         "x: 'area_gird' is unknown (did you mean 'area_grid'?); name an axis, method, routing, network or "
         "traffic, or a metric"},
        {"{x: step_bits, y: bit_steps}",
         "x: metric step_bits has a value for each step; name a metric with one value"},
        {"{x: up, y: bit_steps, join: lower}", "join: applies where x is a metric"},
        {"{y: bit_steps, join: none}", "join: applies where x is a metric"},
        {"{x: area_grid, y: bit_steps, join: low}", "join: 'low' is not none, x, grid, lower or upper"},
        {"{x: area_grid, y: bit_steps, ratio: mean}",
         "ratio: needs series with common values of x; here x is the metric area_grid"},
        {"{x: area_grid, y: bit_steps, curves: {a: sqrt(at2/x}}", "expected ')' at the end"},
        {"{x: area_grid, y: bit_steps, curves: {a: at3/x}}",
         "'at3/x': the study has no axis or metric 'at3'"},
        {"{x: area_grid, y: bit_steps, curves: {a: stage_passes/x}}",
         "the study has no axis or metric 'stage_passes'"},
        {"{x: area_grid, y: bit_steps, curves: {a: up/x}}", "the values of axis up are not numbers"},
        {"{x: up, y: bit_steps, curves: {a: 1/x}}", "the study has no axis 'x'"},
        {"{series: area_grid, y: bit_steps}", "series: 'area_grid' is unknown"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        bough_study study;
        bough_error error = {0};
        snprintf(text, sizeof text, TREES "plot: %s\n", bad[i].plot);
        assert_int_equal(parse(&study, text, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("%s\n%s", bad[i].plot, error.reason);
        assert_non_null(strstr(error.place, "s.yaml:7"));
        bough_study_fini(&study);
    }
}

/* An axis hides a metric of its name: its values are x. */
static void an_axis_comes_before_a_metric(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study,
        "network: fattree:n={waves}\ntraffic: bitcomp\nmethods: [offline]\ngrid:\n  - waves: [16, 64]\n"
        "plot: {x: waves, y: passes, curves: {a: waves}}\n");
    assert_int_equal(bough_plot_x_metric(&study), BOUGH_METRIC_COUNT);
    make(&study, &all);
    assert_false(all.chart[0].metric_x);
    assert_true(all.chart[0].series[0].point[1].x == 64);
    done(&study, &all);
}

/* ---- points ---- */

static double value_of(const bough_answer *a, bough_metric_id metric) {
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].metric == metric && a->cell[c].index == BOUGH_NO_ROW_INDEX)
            return a->cell[c].stats.mean;
    return NAN;
}

/* One series, whatever varies; the points are at the values of their own answers, by x. */
static void points_are_at_both_values(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, TREES "plot: {x: area_grid, y: [bit_steps, passes]}\n");
    make(&study, &all);
    assert_int_equal(all.count, 2);
    const chart *c = &all.chart[0];
    assert_string_equal(c->title, "bit_steps against area_grid");
    assert_string_equal(c->x_title, "area_grid (pitch^2)");
    assert_true(c->metric_x && c->scatter && !c->curves && c->count == 1);
    assert_int_equal(c->series[0].points, 3);
    static const char *const label[] = {"1x1x1x1", "1x2x1x2", "1x2x2x2"};
    for (size_t i = 0; i < 3; i++) {
        const chart_point *p = &c->series[0].point[i];
        assert_true(p->x == value_of(p->answer, BOUGH_METRIC_AREA_GRID));
        assert_true(p->mean == value_of(p->answer, BOUGH_METRIC_BIT_STEPS));
        assert_string_equal(p->label, label[i]);
        assert_string_equal(p->of->value[0], label[i]);
        assert_true(isnan(p->x_ci95));
    }
    done(&study, &all);
}

/* In the order of the study, the full tree comes before the pruned one. */
static void points_are_joined_in_the_order_of_the_study(void **state) {
    (void)state;
    static const char *const label[2][3] = {{"1x1x1x1", "1x2x2x2", "1x2x1x2"},
                                            {"1x1x1x1", "1x2x1x2", "1x2x2x2"}};
    static const char *const join[] = {"grid", "x"};
    for (int k = 0; k < 2; k++) {
        bough_study study;
        charts all;
        char text[600];
        snprintf(text, sizeof text,
                 TREES "plot: {x: area_grid, y: bit_steps, join: %s, curves: {a: 1e5/x}}\n", join[k]);
        run(&study, text);
        make(&study, &all);
        const chart *c = &all.chart[0];
        assert_false(c->scatter);
        for (size_t i = 0; i < 3; i++) assert_string_equal(c->series[0].point[i].label, label[k][i]);
        const chart_curve *curve = &c->curve[0]; /* from the smallest to the largest x in any case */
        assert_true(curve->x[0] == value_of(c->series[0].point[0].answer, BOUGH_METRIC_AREA_GRID));
        assert_true(curve->x[curve->points - 1] == c->series[0].point[k ? 2 : 1].x);
        done(&study, &all);
    }
}

/* The time of one method over the area that another one computes; of two that could be meant, neither. */
static void x_is_taken_from_another_answer(void **state) {
    (void)state;
    bough_study study;
    charts all;
    bough_text note = {0};
    run(&study, "network: [\"pruned:n=16\", \"pruned:n=64\"]\ntraffic: bitcomp\nmethods: [offline, layout]\n"
                "plot: {x: area, y: bit_steps}\n");
    make(&study, &all);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.chart[0].series[0].points, 2);
    const chart_point *p = &all.chart[0].series[0].point[0];
    assert_true(p->x == value_of(&p->of->answer[1], BOUGH_METRIC_AREA));
    assert_true(all.without_x == 0);
    done(&study, &all);
    run(&study,
        "network: [\"pruned:n=16\", \"pruned:n=64\"]\ntraffic: bitcomp\n"
        "methods: [offline, layout, \"layout:pitch=200nm\"]\nplot: {x: area, y: [bit_steps, wire_max]}\n");
    make(&study, &all);
    assert_int_equal(all.without_x, 2); /* of offline; those of layout have their own */
    chart_put_without_x(&note, &all);
    assert_string_equal(note.data, "2 points without area are left out");
    bough_text_fini(&note);
    done(&study, &all);
    run(&study, TREES "plot: {x: latency, y: bit_steps}\n"); /* nobody has it: no chart, but the note */
    make(&study, &all);
    assert_int_equal(all.count, 0);
    assert_int_equal(all.without_x, 3);
    done(&study, &all);
}

/* ---- staircases ---- */

static bough_cell *cell_of(bough_study *study, size_t point, bough_metric_id metric) {
    bough_answer *a = &study->point[point].answer[0];
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].metric == metric) return &a->cell[c];
    fail();
    return NULL;
}

static bool beats(const chart_point *q, const chart_point *p, bool upper) {
    bool y = upper ? q->mean >= p->mean : q->mean <= p->mean;
    bool strictly = q->x < p->x || (upper ? q->mean > p->mean : q->mean < p->mean);
    return q->x <= p->x && y && strictly;
}

static bool on(const chart_curve *curve, double x, double y) {
    for (size_t k = 0; k < curve->points; k++)
        if (curve->x[k] == x && curve->y[k] == y) return true;
    return false;
}

/* Every point that no other beats is a corner; between corners the curve goes along one axis at a time. */
static void check_staircase(const chart *c, bool upper) {
    const chart_series *s = &c->series[0];
    const chart_curve *curve = &c->curve[0];
    double end = 0;
    size_t corners = 0;
    assert_int_equal(c->curves, 1);
    for (size_t i = 0; i < s->points; i++) {
        const chart_point *p = &s->point[i];
        bool beaten = false, before = false;
        end = fmax(end, p->x);
        for (size_t k = 0; k < s->points; k++) {
            beaten = beaten || beats(&s->point[k], p, upper);
            before = before || (k < i && s->point[k].x == p->x && s->point[k].mean == p->mean);
        }
        corners += !beaten && !before;
        if (!beaten) assert_true(on(curve, p->x, p->mean));
    }
    assert_true(curve->x[curve->points - 1] == end);
    size_t levels = 1;
    for (size_t k = 1; k < curve->points; k++) {
        bool level = curve->y[k] == curve->y[k - 1];
        assert_true(curve->x[k] >= curve->x[k - 1] && (level || curve->x[k] == curve->x[k - 1]));
        assert_true(level || (curve->y[k] > curve->y[k - 1]) == upper);
        levels += !level;
    }
    assert_int_equal(levels, corners);
}

static void staircases_are_the_points_that_none_beats(void **state) {
    (void)state;
    for (int upper = 0; upper < 2; upper++) {
        bough_study study;
        char text[600];
        snprintf(text, sizeof text,
                 "network: fattree:n=16\ntraffic: uniform:m={m}\nmethods: [offline:area=1]\ngrid:\n"
                 "  - m: 1..12\ntrials: 1\nplot: {x: area_grid, y: bit_steps, join: %s}\n",
                 upper ? "upper" : "lower");
        run(&study, text);
        for (uint64_t draw = 0; draw < 300; draw++) {
            charts all;
            uint64_t range = draw % 3 ? 100 : 5; /* equal values too */
            bough_stream s = bough_stream_make(bough_key_make(5, draw), BOUGH_DRAW_TEST, 0, 0);
            for (size_t i = 0; i < study.points; i++) {
                cell_of(&study, i, BOUGH_METRIC_AREA_GRID)->stats.mean =
                    1 + (double)bough_stream_below(&s, range);
                cell_of(&study, i, BOUGH_METRIC_BIT_STEPS)->stats.mean =
                    1 + (double)bough_stream_below(&s, range);
            }
            make(&study, &all);
            assert_int_equal(all.chart[0].series[0].points, 12);
            check_staircase(&all.chart[0], upper);
            charts_fini(&all);
        }
        bough_study_fini(&study);
    }
}

/* ---- lines ---- */

static const chart_curve *curve_of(const chart *c, const char *name) {
    for (size_t i = 0; i < c->curves; i++)
        if (strcmp(c->curve[i].name, name) == 0) return &c->curve[i];
    fail_msg("%s has no curve %s", c->title, name);
    return NULL;
}

/* at2_cuts is the same at all points of a chart, so the curve is known between them; that of `at2` is not. */
static void lines_are_over_x_and_metrics(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, "network: xgft:down=2x2x2x2,up={up}\ntraffic: \"{t}\"\nmethods: [offline:area=1, atbound]\n"
                "grid:\n  - t: [\"motexp:eta=2\", bitcomp]\n  - up: [\"1x1x1x1\", \"1x2x2x2\", "
                "\"1x2x1x2\"]\ntrials: 1\n"
                "plot: {x: area_grid, y: bit_steps, facet: t, xscale: log10, yscale: log10, curves: {cuts: "
                "sqrt(at2_cuts/x), content: sqrt(at2_content/x), own: sqrt(at2/x), one: x/x}}\n");
    make(&study, &all);
    assert_int_equal(all.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const chart *c = &all.chart[i];
        const chart_curve *cuts = curve_of(c, "cuts"), *own = curve_of(c, "own");
        const chart_series *s = &c->series[0];
        double bound = value_of(&s->point[0].of->answer[1], BOUGH_METRIC_AT2_CUTS);
        assert_int_equal(c->xscale, CHART_LOG10);
        assert_int_equal(c->yscale, CHART_LOG10);
        assert_int_equal(cuts->points, 1 + 2 * 16);
        for (size_t k = 0; k < cuts->points; k++)
            assert_true(fabs(cuts->y[k] - sqrt(bound / cuts->x[k])) < 1e-9 * cuts->y[k]);
        assert_int_equal(own->points, 3); /* joined by straight lines */
        for (size_t k = 0; k < 3; k++) assert_true(fabs(own->y[k] - s->point[k].mean) < 1e-9 * own->y[k]);
        for (size_t k = 0; k < 3; k++) assert_true(curve_of(c, "one")->y[k] == 1);
        assert_true(cuts->x[0] == s->point[0].x && cuts->x[32] == s->point[2].x);
    }
    assert_int_equal(all.chart[0].left_lines, 0);
    assert_non_null(curve_of(&all.chart[0], "content"));
    /* eta = sqrt n for the complement, where at2_content is 0 */
    assert_int_equal(all.chart[1].left_lines, 1);
    assert_int_equal(all.chart[1].curves, 3);
    bough_text text = {0};
    chart_put_left_lines(&text, &all.chart[1]);
    assert_string_equal(text.data, "1 line is nowhere above 0 and left out");
    bough_text_fini(&text);
    done(&study, &all);
}

/* ---- bars in both directions, and what renderers make of them ---- */

#define DRAWN                                                                                                \
    "network: fattree:n={n}\ntraffic: randperm\nmethods: [circuit:mode=rounds]\ngrid:\n  - n: [16, 64, "     \
    "256]\n"                                                                                                 \
    "trials: 20\nplot: {x: attempts, y: rounds, bars: %s, join: lower}\n"

/* A line of a series that is as high at both ends. */
static bool has_level_bar(const char *svg) {
    double x1, x2, y1, y2;
    for (const char *at = svg; (at = strstr(at, "<line class=\"line0\" x1")); at++)
        if (sscanf(at, "<line class=\"line0\" x1=\"%lf\" x2=\"%lf\" y1=\"%lf\" y2=\"%lf\"", &x1, &x2, &y1,
                   &y2) == 4 &&
            y1 == y2 && x1 < x2 && x1 > 26) /* not in the legend */
            return true;
    return false;
}

static void bars_are_in_both_directions(void **state) {
    (void)state;
    for (int minmax = 0; minmax < 2; minmax++) {
        char text[600];
        bough_study study;
        charts all;
        bough_error error = {0};
        bough_text csv = {0}, script = {0}, picture = {0}, svg = {0};
        snprintf(text, sizeof text, DRAWN, minmax ? "minmax" : "interval");
        run(&study, text);
        make(&study, &all);
        const chart *c = &all.chart[0];
        const chart_point *p = &c->series[0].point[1];
        const bough_cell *cell = NULL;
        for (size_t k = 0; k < p->answer->cells; k++)
            if (p->answer->cell[k].metric == BOUGH_METRIC_ATTEMPTS) cell = &p->answer->cell[k];
        assert_true(p->x == cell->stats.mean && p->x_min == cell->stats.min && p->x_max == cell->stats.max);
        assert_true(p->x_ci95 > 0 && p->x_ci95 == bough_cell_ci95(p->answer, cell));
        chart_bar bar = chart_x_bar_of(c, p);
        assert_true(bar.low == (minmax ? p->x_min : p->x - p->x_ci95));
        assert_true(bar.high == (minmax ? p->x_max : p->x + p->x_ci95));
        ok(figure_csv(c, &csv, &error), &error);
        assert_memory_equal(
            csv.data, "series,x,mean,low,high,ci95,min,max,trials,hollow,label,name,x_low,x_high\n", 72);
        char line[200];
        snprintf(line, sizeof line, ",64,circuit:mode=rounds,%.17g,", bar.low);
        if (!strstr(csv.data, line)) fail_msg("%s is not in\n%s", line, csv.data);
        ok(figure_script(c, "f", &script, &error), &error);
        assert_non_null(strstr(script.data, "with xerrorbars"));
        assert_non_null(strstr(script.data, "with points lt 1"));
        ok(plot_chart(c, &(plot_options){.ascii = true}, &picture, &error), &error);
        assert_non_null(strstr(picture.data, "||")); /* two cells of a bar side by side */
        assert_non_null(strstr(picture.data, "1 line: Pareto-optimal"));
        chart_svg(c, &svg);
        assert_non_null(strstr(svg.data, "<title>circuit:mode=rounds, 64, "));
        assert_true(has_level_bar(svg.data));
        const char *staircase = strstr(svg.data, "<polyline"); /* the only line: points are not joined */
        assert_non_null(staircase);
        assert_null(strstr(staircase + 1, "<polyline"));
        bough_text *const texts[] = {&csv, &script, &picture, &svg};
        for (size_t k = 0; k < 4; k++) bough_text_fini(texts[k]);
        done(&study, &all);
    }
}

/* ---- the table, JSON ---- */

static void a_table_has_a_column_for_x(void **state) {
    (void)state;
    bough_study study;
    bough_error error = {0};
    char *table, *json;
    run(&study, TREES "plot: {x: area_grid, y: bit_steps, join: lower, curves: {a: 1/x}}\n");
    ok(bough_report_table(&study, &(bough_table_options){.width = 100}, &table, &error), &error);
    assert_non_null(strstr(table, "up       method          area_grid"));
    assert_true(strstr(table, "area_grid") < strstr(table, "bit_steps"));
    ok(bough_report_json(&study, false, &json, &error), &error);
    assert_non_null(strstr(json, "\"join\": \"lower\""));
    assert_null(strstr(json, "\"lines\"")); /* a line has a value per answer */
    free(table);
    free(json);
    bough_study_fini(&study);
}

/* ---- the store ---- */

static void a_store_keeps_x_and_join(void **state) {
    (void)state;
    bough_study study, read = {0};
    bough_error error = {0};
    ok(parse(&study, TREES "plot: {x: area_grid, y: bit_steps, join: upper}\n", &error), &error);
    char *text = view_write(&study);
    ok(view_read(text, &read, &error), &error);
    assert_int_equal(read.plot.join, BOUGH_JOIN_UPPER);
    assert_int_equal(bough_plot_x_metric(&read), BOUGH_METRIC_AREA_GRID);
    char *at = strstr(text, "\"upper\"");
    memcpy(at, "\"uppes\"", 7);
    bough_study_fini(&read);
    assert_int_equal(view_read(text, &read, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "damaged (join)"));
    bough_study_fini(&read);
    free(text);
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(an_axis_comes_before_a_metric),
        cmocka_unit_test(points_are_at_both_values),
        cmocka_unit_test(points_are_joined_in_the_order_of_the_study),
        cmocka_unit_test(x_is_taken_from_another_answer),
        cmocka_unit_test(staircases_are_the_points_that_none_beats),
        cmocka_unit_test(lines_are_over_x_and_metrics),
        cmocka_unit_test(bars_are_in_both_directions),
        cmocka_unit_test(a_table_has_a_column_for_x),
        cmocka_unit_test(a_store_keeps_x_and_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
