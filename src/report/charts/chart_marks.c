#include "report/charts/chart_marks.h"

#include "base/memory/memory.h"
#include "method/quantity.h"
#include "report/tables/table_labels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states of points ---- */

static const char *answer_state(const bough_answer *a) {
    if (!a || !a->trials) return "ok";
    if (a->outcome != BOUGH_RUN_OK) return bough_outcome_name(a->outcome);
    return table_has_few_trials(a) ? "few trials" : "ok";
}

/* "ok", "saturated", "partial", "deadlock", or "few trials" for fewer than BOUGH_FIRST_CHECKPOINT. */
static const char *point_state(const chart_point *p) {
    const char *state = answer_state(p->answer);
    return strcmp(state, "ok") == 0 ? answer_state(p->against) : state;
}

const char *const chart_colour[CHART_COLOURS] = {"#0072b2", "#c24e00", "#007a58", "#a8417f",
                                                 "#80660a", "#3d3d3d", "#2a86c0", "#7c3f00"};

bool chart_point_is_hollow(const chart_point *p) {
    return strcmp(point_state(p), "ok") != 0;
}

void chart_put_hollow(bough_text *out, const chart *c) {
    static const char *const states[] = {"saturated", "deadlock", "partial", "few trials"};
    size_t count = 0;
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        bool any = false;
        for (size_t s = 0; s < c->count && !any; s++)
            for (size_t i = 0; i < c->series[s].points && !any; i++)
                any = strcmp(point_state(&c->series[s].point[i]), states[k]) == 0;
        if (!any) continue;
        if (count++) bough_text_put(out, ", ");
        if (strcmp(states[k], "few trials") == 0)
            bough_text_printf(out, "fewer than %d trials", BOUGH_FIRST_CHECKPOINT);
        else
            bough_text_put(out, states[k]);
    }
}

/* ---- range ---- */

static double half_interval(const chart_point *p) {
    return isfinite(p->ci95) ? p->ci95 : 0;
}

/* Number of half widths above 0 and up to a limit. */
static size_t count_intervals(const chart *c, double limit) {
    size_t count = 0;
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++) {
            double half = half_interval(&c->series[s].point[i]);
            count += half > 0 && half <= limit;
        }
    return count;
}

/* The median of the half widths of intervals, to a relative 1e-6; 0 if there are none. By bisection, which
 * needs no memory. */
static double median_interval(const chart *c) {
    size_t all = count_intervals(c, DBL_MAX);
    double low = DBL_MIN, high = DBL_MAX;
    if (!all) return 0;
    while (high / low > 1 + 1e-6) {
        double middle = sqrt(low) * sqrt(high);
        if (count_intervals(c, middle) > all / 2)
            high = middle;
        else
            low = middle;
    }
    return high;
}

chart_bar chart_bar_of(const chart *c, const chart_point *p) {
    double half = half_interval(p);
    if (c->minmax && isfinite(p->min) && isfinite(p->max)) return (chart_bar){p->min, p->max};
    return (chart_bar){p->mean - half, p->mean + half};
}

chart_bar chart_x_bar_of(const chart *c, const chart_point *p) {
    double half = isfinite(p->x_ci95) ? p->x_ci95 : 0;
    if (!c->metric_x) return (chart_bar){p->x, p->x};
    if (c->minmax && isfinite(p->x_min) && isfinite(p->x_max)) return (chart_bar){p->x_min, p->x_max};
    return (chart_bar){p->x - half, p->x + half};
}

void chart_put_left_lines(bough_text *out, const chart *c) {
    if (c->left_lines)
        bough_text_printf(out, "%zu line%s nowhere above 0 and left out", c->left_lines,
                          c->left_lines == 1 ? " is" : "s are");
}

void chart_put_without_x(bough_text *out, const charts *all) {
    if (all->without_x)
        bough_text_printf(out, "%zu point%s without %s %s left out", all->without_x,
                          all->without_x == 1 ? "" : "s", all->x_metric, all->without_x == 1 ? "is" : "are");
}

static void add_lines(const chart *c, chart_range *r) {
    for (size_t k = 0; k < c->curves; k++)
        for (size_t i = 0; i < c->curve[k].points && !c->curve[k].vertical; i++) {
            r->low = fmin(r->low, c->curve[k].y[i]);
            r->high = fmax(r->high, c->curve[k].y[i]);
        }
}

bool chart_y_range(const chart *c, chart_range *r) {
    double low = INFINITY, high = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++) {
            const chart_point *p = &c->series[s].point[i];
            low = fmin(low, p->mean);
            high = fmax(high, p->mean);
            chart_bar bar = chart_bar_of(c, p);
            bottom = fmin(bottom, bar.low);
            top = fmax(top, bar.high);
        }
    if (!(low <= high)) return false;
    double most = fmax(0.5 * (high - low), 2.5 * median_interval(c));
    r->low = c->minmax ? bottom : fmax(bottom, low - most);
    r->high = c->minmax ? top : fmin(top, high + most);
    if (low >= 0) r->low = fmax(r->low, 0);
    r->clipped = r->low > bottom || r->high < top;
    add_lines(c, r);
    return true;
}

/* ---- saturation ---- */

void chart_put_series_name(bough_text *out, const chart_series *s) {
    bough_text_put(out, s->name);
    char from[QUANTITY_TEXT];
    if (s->saturates)
        bough_text_printf(out, " (saturated from %s)", quantity_format(s->saturated_from, 0, from));
}
