/* Overlays, lines and ratios that a plot asks for: values by hand, and what renderers make of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/charts/chart.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_svg.h"
#include "report/charts/figure_gnuplot.h"
#include "report/charts/text_plot.h"

#include <stdlib.h>
#include <string.h>

static void ok(bough_status status, const bough_error *error) {
    if (status) fail_msg("%s: %s", error->place, error->reason);
}

static void run(bough_study *study, charts *all, const char *text) {
    bough_error error = {0};
    *study = (bough_study){0};
    ok(bough_study_parse(study, &(bough_study_text){.name = "s.yaml", .text = text, .size = strlen(text)},
                         &error),
       &error);
    ok(bough_study_resolve(study, &error), &error);
    ok(bough_study_run(study, &(bough_study_options){.threads = 1}, &error), &error);
    ok(charts_make(study, all, &error), &error);
}

static void done(bough_study *study, charts *all) {
    charts_fini(all);
    bough_study_fini(study);
}

#define SMALL                                                                                                \
    "network: fattree:n={n}\ntraffic: uniform:m={m}\n"                                                       \
    "methods: [circuit:mode=rounds, bins:model=1, circuit:mode=cycles]\n"                                    \
    "grid:\n  - n: 2^4..2^6 times 2\n  - m: [n/8, n]\ntrials: 5\n"

static const chart_curve *curve_of(const chart *c, const char *name) {
    for (size_t i = 0; i < c->curves; i++)
        if (strcmp(c->curve[i].name, name) == 0) return &c->curve[i];
    fail_msg("%s has no curve %s", c->title, name);
    return NULL;
}

/* m = n/8 and m = n: in each facet lg m is a line over n, also between points. */
static void test_curve(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: n, xscale: log2, y: rounds, facet: m, curves: {lg m: lg(m)}}\n");
    assert_int_equal(all.count, 4);
    for (int i = 0; i < 2; i++) {
        const chart_curve *curve = curve_of(&all.chart[i], "lg m");
        assert_int_equal(all.chart[i].curves, 1);
        assert_int_equal(curve->points, 2 * 16 + 1);
        assert_int_equal(curve->style, 2); /* after both series */
        assert_false(curve->vertical || curve->mean);
        for (size_t k = 0; k < curve->points; k++) {
            assert_true(fabs(curve->x[k] - 16 * pow(2, (double)k / 16)) < 1e-9 * curve->x[k]);
            assert_true(fabs(curve->y[k] - log2(curve->x[k] / (i ? 1 : 8))) < 1e-9);
        }
    }
    assert_int_equal(all.chart[2].curves, 0); /* ratios */
    done(&study, &all);
}

/* Without facets it takes two lines, whose names say which. */
static void test_curves_of_a_series(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: n, y: rounds, curves: {lg m: lg(m), lg n: lg(n)}}\n");
    const chart *c = &all.chart[0];
    assert_int_equal(c->curves, 3);
    assert_true(curve_of(c, "lg m, m = n/8")->y[0] == 1);
    assert_true(curve_of(c, "lg m, m = n")->y[0] == 4);
    const chart_curve *n = curve_of(c, "lg n");
    assert_true(n->y[0] == 4 && n->y[n->points - 1] == 6);
    done(&study, &all);
}

/* n = 2^k is no linear function of k: straight lines between the points. On categories there is no between.
 */
static void test_no_values_between(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: uniform\nmethods: bins:model=1\n"
        "grid:\n  - k: 2..4\n  - n: 2^k\ntrials: 2\nplot: {x: k, y: rounds, curves: {n: n, k: k}}\n");
    const chart_curve *n = curve_of(&all.chart[0], "n"), *k = curve_of(&all.chart[0], "k");
    assert_int_equal(n->points, 3);
    for (int i = 0; i < 3; i++) assert_true(n->x[i] == i + 2 && n->y[i] == 4 << i);
    assert_int_equal(k->points, 33);
    done(&study, &all);
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: \"{p}\"\nmethods: circuit\ngrid:\n  - n: [8, 16]\n  - p: [bitrev, "
        "tornado]\n"
        "trials: 2\nplot: {x: p, y: rounds, facet: n, curves: {lg n: lg(n)}, verticals: {v: n}}\n");
    assert_int_equal(all.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(all.chart[i].curves, 1); /* no verticals */
        const chart_curve *lg = &all.chart[i].curve[0];
        assert_int_equal(lg->points, 2);
        assert_true(lg->x[0] == 0 && lg->x[1] == 1 && lg->y[0] == 3 + i && lg->y[1] == 3 + i);
    }
    done(&study, &all);
}

static void test_vertical(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: m, y: rounds, facet: n, verticals: {phase: 2*n/lg(n)}}\n");
    static const double want[] = {8, 12.8, 128.0 / 6};
    for (int i = 0; i < 3; i++) {
        const chart_curve *v = curve_of(&all.chart[i], "phase");
        assert_true(v->vertical && v->points == 2);
        assert_true(fabs(v->x[0] - want[i]) < 1e-12 && v->x[0] == v->x[1]);
    }
    done(&study, &all);
}

static const chart_series *series_of(const chart *c, const char *name) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->series[i].name, name) == 0) return &c->series[i];
    fail_msg("%s has no series %s", c->title, name);
    return NULL;
}

/* Series are methods x metrics; other metrics have their own charts. */
static void test_overlay(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        SMALL
        "plot: {x: n, y: [rounds, first_success, norm_cycles], overlay: [rounds, norm_cycles], facet: m, "
        "ratio: none}\n");
    assert_int_equal(all.count, 4);
    for (int i = 0; i < 2; i++) {
        const chart *c = &all.chart[i];
        assert_true(c->overlay && !c->ratio);
        assert_int_equal(c->count, 3);
        assert_string_equal(c->y_title, "rounds, transits");
        assert_non_null(strstr(c->title, "rounds and norm_cycles (m = n"));
        assert_int_equal(series_of(c, "circuit:mode=rounds, rounds")->metric, BOUGH_METRIC_ROUNDS);
        const chart_series *cycles = series_of(c, "circuit:mode=cycles, norm_cycles");
        assert_int_equal(cycles->metric, BOUGH_METRIC_NORM_CYCLES);
        for (size_t k = 0; k < cycles->points; k++) {
            const bough_answer *a = cycles->point[k].answer;
            for (size_t n = 0; n < a->cells; n++)
                if (a->cell[n].metric == BOUGH_METRIC_NORM_CYCLES)
                    assert_true(cycles->point[k].mean == a->cell[n].stats.mean);
        }
    }
    assert_int_equal(all.chart[2].metric, BOUGH_METRIC_FIRST_SUCCESS);
    done(&study, &all);
}

/* Ratios of means are those of the comparisons where there are any, ratios of maxima by hand. */
static void test_ratios(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        SMALL "plot: {x: n, y: [rounds, norm_cycles], overlay: true, facet: m, ratio: [mean, max]}\n");
    assert_int_equal(all.count, 4);
    const chart *base = &all.chart[1], *c = &all.chart[3];
    assert_true(c->ratio && strcmp(c->facet, "m = n") == 0);
    assert_string_equal(
        c->title, "rounds and norm_cycles: means and maxima, ratio to circuit:mode=rounds, rounds (m = n)");
    const chart_series *one = series_of(base, "circuit:mode=rounds, rounds"),
                       *bins = series_of(c, "bins:model=1, rounds, means"),
                       *top = series_of(c, "circuit:mode=cycles, norm_cycles, maxima"),
                       *cycles = series_of(base, "circuit:mode=cycles, norm_cycles");
    assert_int_equal(c->count, 4);
    assert_int_equal(bins->points, 3);
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        const bough_study_point *of = bins->point[i].of;
        bool found = false;
        for (size_t k = 0; k < of->comparisons; k++)
            found = found || (of->comparison[k].metric == BOUGH_METRIC_ROUNDS &&
                              of->comparison[k].ratio == bins->point[i].mean &&
                              of->comparison[k].ratio_ci95 == bins->point[i].ci95);
        assert_true(found);
        assert_true(top->maxima && top->point[i].mean == cycles->point[i].max / one->point[i].max);
        assert_true(isnan(top->point[i].ci95));
        sum += bins->point[i].mean;
    }
    /* rounds and cycles are not compared by the study: the widths of both count in full */
    const chart_series *means = series_of(c, "circuit:mode=cycles, norm_cycles, means");
    const chart_point *p = &cycles->point[0], *q = &one->point[0], *r = &means->point[0];
    assert_true(r->mean == p->mean / q->mean);
    if (!isnan(q->ci95))
        assert_true(fabs(r->ci95 - r->mean * (p->ci95 / p->mean + q->ci95 / q->mean)) < 1e-12 * r->mean);
    assert_int_equal(c->curves, 4);
    const chart_curve *average = &c->curve[0];
    assert_true(average->mean && average->style == bins->style && average->points == 2);
    assert_true(average->x[0] == bins->point[0].x && average->x[1] == bins->point[2].x);
    assert_true(fabs(average->y[0] - sum / 3) < 1e-12 && average->y[1] == average->y[0]);
    assert_non_null(strstr(average->name, "bins:model=1, rounds, means: "));
    done(&study, &all);
}

/* Series of an axis: each to the first of the same method. */
static void test_ratios_of_an_axis(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all,
        "network: fattree:n={n}\ntraffic: \"{p}:m={n}\"\nmethods: [circuit:mode=rounds, bins:model=1]\n"
        "grid:\n  - p: [uniform, bitrev]\n  - n: [16, 32]\ntrials: 20\nplot: {x: n, y: rounds, series: p, "
        "ratio: mean}\n");
    assert_int_equal(all.count, 2);
    const chart *c = &all.chart[1];
    assert_int_equal(c->count, 2);
    const chart_series *base = series_of(&all.chart[0], "p = uniform, circuit:mode=rounds"),
                       *s = series_of(&all.chart[0], "p = bitrev, circuit:mode=rounds"),
                       *r = series_of(c, "p = bitrev, circuit:mode=rounds");
    for (int i = 0; i < 2; i++) assert_true(r->point[i].mean == s->point[i].mean / base->point[i].mean);
    assert_string_equal(c->y_title, "rounds / rounds of p = uniform");
    done(&study, &all);
}

static void test_yscale(void **state) {
    (void)state;
    bough_study study;
    charts all;
    run(&study, &all, SMALL "plot: {x: n, y: rounds, yscale: log10}\n");
    assert_int_equal(all.chart[0].yscale, CHART_LOG10);
    done(&study, &all);
    run(&study, &all, SMALL "plot: {x: n, y: rounds, curves: {far: 10000*n}}\n");
    assert_int_equal(all.chart[0].yscale, CHART_LOG10); /* lines count */
    done(&study, &all);
    run(&study, &all, SMALL "plot: {x: n, y: rounds, yscale: linear, curves: {far: 10000*n}}\n");
    assert_int_equal(all.chart[0].yscale, CHART_LINEAR);
    done(&study, &all);
    run(&study, &all, SMALL "plot: {x: n, y: rounds, yscale: log10, curves: {below: 0-n}}\n");
    assert_int_equal(all.chart[0].yscale, CHART_LINEAR); /* -16 has no logarithm */
    done(&study, &all);
}

static size_t count(const char *text, const char *of) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, of)) != NULL; at++) n++;
    return n;
}

/* One chart by hand: a series of two points with extremes, a curve, a vertical. */
static void test_renderers(void **state) {
    (void)state;
    chart_point point[] = {
        {.x = 1, .mean = 2, .ci95 = 0.5, .min = 1, .max = 5, .trials = 20, .exact = true, .label = "1"},
        {.x = 4, .mean = 3, .ci95 = NAN, .min = 3, .max = 3, .trials = 20, .exact = true, .label = "4"}};
    chart_series series = {.name = "s", .point = point, .points = 2};
    double x[] = {1, 2, 4}, y[] = {0, 4, 8}, at[] = {3, 3}, none[] = {0, 0};
    chart_curve curve[] = {{.name = "<a> & 'b'", .style = 1, .x = x, .y = y, .points = 3},
                           {.name = "here", .style = 2, .vertical = true, .x = at, .y = none, .points = 2}};
    chart c = {.title = "t",
               .x_title = "n",
               .y_title = "rounds",
               .metric = BOUGH_METRIC_ROUNDS,
               .minmax = true,
               .series = &series,
               .count = 1,
               .curve = curve,
               .curves = 2};
    bough_text out = {0};
    bough_error error = {0};
    chart_bar bar = chart_bar_of(&c, &point[0]);
    assert_true(bar.low == 1 && bar.high == 5);
    chart_range range;
    assert_true(chart_y_range(&c, &range));
    assert_true(range.low == 0 && range.high == 8 && !range.clipped);

    chart_svg(&c, &out);
    assert_int_equal(count(out.data, "<polyline"), 3);
    assert_int_equal(count(out.data, "&lt;a&gt; &amp;"), 2); /* title and legend */
    assert_int_equal(count(out.data, "h6M"), 1);             /* caps of the one bar */
    assert_non_null(strstr(out.data, ", 1 to 5</title>"));
    bough_text_fini(&out);

    assert_int_equal(figure_csv(&c, &out, &error), BOUGH_OK);
    assert_non_null(strstr(out.data, "\n1,2,4,4,4,,,,,0,,<a> & 'b'\n"));
    assert_int_equal(count(out.data, "\n"), 1 + 2 + 3);
    bough_text_fini(&out);
    assert_int_equal(figure_script(&c, "x", &out, &error), BOUGH_OK);
    assert_non_null(strstr(out.data, "3:7:8 with yerrorbars"));
    assert_non_null(strstr(out.data, "($1==1?$2:1/0):3 with lines"));
    assert_non_null(strstr(out.data, "title '<a> & ''b'''"));
    assert_non_null(strstr(out.data, "set arrow from first 3, graph 0 to first 3, graph 1 nohead"));
    assert_non_null(strstr(out.data, "NaN with lines"));
    bough_text_fini(&out);

    assert_int_equal(plot_chart(&c, &(plot_options){.ascii = true}, &out, &error), BOUGH_OK);
    assert_non_null(strstr(out.data, "\n1 line: <a> & 'b'\n"));
    assert_non_null(strstr(out.data, "\n2 vertical line: here\n"));
    bough_text_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),     cmocka_unit_test(test_curves_of_a_series),
        cmocka_unit_test(test_vertical),  cmocka_unit_test(test_no_values_between),
        cmocka_unit_test(test_overlay),   cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_yscale),    cmocka_unit_test(test_ratios_of_an_axis),
        cmocka_unit_test(test_renderers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
