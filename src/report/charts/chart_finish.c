/* The order of points, and scales that depend on their values. */
#include "report/charts/chart_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOG_Y_SPAN 1000 /* ratio of largest to smallest value from which y is logarithmic */
#define LOG_X_SPAN 100  /* the same of a metric as x, as of an axis */

/* ---- sorting ---- */

/* Stable: equal x stay in the order of the study. */
static int by_x(const void *a, const void *b) {
    const chart_point *p = a, *q = b;
    if (p->x != q->x) return p->x > q->x ? 1 : -1;
    if (p->of != q->of) return p->of > q->of ? 1 : -1;
    if (p->answer != q->answer) return p->answer > q->answer ? 1 : -1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Sorts points of a series that the grid yields in another order. */
static void sort_points(chart_series *s) {
    bool sorted = true;
    for (size_t i = 1; i < s->points && sorted; i++) sorted = s->point[i - 1].x <= s->point[i].x;
    if (!sorted) qsort(s->point, s->points, sizeof *s->point, by_x);
}

static void widen(double range[2], double value) {
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

/* A bound of 0 says nothing, and has no place on a logarithmic scale. */
static void leave_lines(chart *c) {
    size_t kept = 0;
    for (size_t k = 0; k < c->curves; k++) {
        chart_curve *curve = &c->curve[k];
        size_t points = 0;
        for (size_t n = 0; n < curve->points; n++) {
            if (!(curve->y[n] > 0) && !curve->vertical) continue;
            curve->x[points] = curve->x[n];
            curve->y[points++] = curve->y[n];
        }
        curve->points = points;
        if (points) c->curve[kept++] = *curve;
    }
    c->left_lines = c->curves - kept;
    c->curves = kept;
}

static bool all_positive(const chart *c) {
    for (size_t k = 0; k < c->count; k++)
        for (size_t n = 0; n < c->series[k].points; n++)
            if (!(c->series[k].point[n].mean > 0)) return false;
    return true;
}

/* By default logarithmic if the values span more than LOG_Y_SPAN; never with values that have no logarithm.
 */
static void finish_scale(chart *c, const char *wanted) {
    double range[2] = {INFINITY, 0};
    bool asked = wanted && strcmp(wanted, "log10") == 0;
    if (c->metric_x && asked && all_positive(c)) leave_lines(c);
    for (size_t k = 0; k < c->count; k++)
        for (size_t n = 0; n < c->series[k].points; n++) widen(range, c->series[k].point[n].mean);
    for (size_t k = 0; k < c->curves; k++)
        for (size_t n = 0; n < c->curve[k].points && !c->curve[k].vertical; n++)
            widen(range, c->curve[k].y[n]);
    bool log = wanted ? asked : range[1] >= LOG_Y_SPAN * range[0];
    if (!c->ratio && range[0] > 0 && isfinite(range[0]) && log) c->yscale = CHART_LOG10;
}

/* x of a chart where it is a metric: as the plot asks, else by the span of the values. */
static void set_metric_scale(chart *c, const char *wanted) {
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < c->count; k++)
        for (size_t n = 0; n < c->series[k].points; n++) {
            low = fmin(low, c->series[k].point[n].x);
            high = fmax(high, c->series[k].point[n].x);
        }
    c->xscale = CHART_LINEAR;
    if (!(low > 0)) return; /* 0 has no logarithm */
    if (wanted ? strcmp(wanted, "log10") == 0 : high > LOG_X_SPAN * low) c->xscale = CHART_LOG10;
    if (wanted && strcmp(wanted, "log2") == 0) c->xscale = CHART_LOG2;
}

void build_sort(builder *b) {
    const bough_plot *plot = &b->asked->plot;
    bool keeps = b->x == X_METRIC && plot->join == BOUGH_JOIN_GRID;
    for (size_t i = b->from; i < b->all->count; i++) {
        chart *c = &b->all->chart[i];
        for (size_t k = 0; k < c->count && !keeps; k++) sort_points(&c->series[k]);
        if (c->metric_x) set_metric_scale(c, plot->xscale);
    }
}

/* Stable: series of one rank stay as they are. */
static void order_series(chart *c) {
    for (size_t i = 1; i < c->count; i++)
        for (size_t k = i; k > 0 && c->series[k - 1].rank > c->series[k].rank; k--) {
            const chart_series s = c->series[k];
            c->series[k] = c->series[k - 1], c->series[k - 1] = s;
        }
}

void build_finish(charts *all, const bough_plot *plot) {
    for (size_t i = 0; i < all->count; i++) {
        chart *c = &all->chart[i];
        bool keeps = c->metric_x && plot->join == BOUGH_JOIN_GRID;
        for (size_t k = 0; k < c->count && !keeps; k++) sort_points(&c->series[k]);
        finish_scale(c, plot->yscale);
        order_series(c);
    }
}
