/* Curves and verticals of the plot. An expression has a value at every point of the study. In a chart it is
 * one line if these values depend on x alone, else one line for each value of the dimensions that it takes to
 * tell them apart. Between points it is evaluated too, where each axis that it names is x or grows linearly
 * with x (m: n/8), so that its value there is known. */
#include "report/charts/chart_build.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/files/real_expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 16, SAMPLES_MAX = 256 }; /* points of a line between two of the study; in all */

/* The expression at a point of the study. */
typedef struct sample {
    uint64_t key; /* of the dimensions that tell lines apart */
    double x, y;
    size_t point;
} sample;

typedef struct lines {
    builder *b;
    chart *c;
    const bough_plot_line *line;
    bool vertical;
    sample *at;
    size_t count;
    double low, high; /* x of the points of the chart */
    bool *kept;       /* [dims.count]: dimensions that tell lines apart */
    char **name;      /* [names]: the axes; where x is a metric, also x and metrics */
    size_t names;
    double *value, *end; /* [names]: of the current point, of another one */
    bool *used;          /* [names]: those that the expression names */
} lines;

/* ---- values at the points of the study ---- */

static bough_status evaluate(const lines *l, double *y, bough_error *error) {
    const real_axes axes = {l->name, l->value, l->used, l->names, l->b->study->axes + 1, NULL};
    return real_expression_value(l->line->expression, &axes, y, error);
}

/* x of a point in the chart; NAN if the chart has no such category. */
static double x_of(const lines *l, size_t point, const bough_answer *answer) {
    builder *b = l->b;
    const bough_study_point *of = &b->study->point[point];
    size_t x = build_x(b);
    if (x == X_METRIC) {
        const bough_cell *cell = build_x_cell(b, of, &answer);
        return cell ? cell->stats.mean : NAN;
    }
    if (l->c->xscale != CHART_CATEGORY) return x == X_INDEX ? l->low : strtod(of->value[x - DIM_AXES], NULL);
    build_clear(b);
    build_put_category(b, &b->buffer, &(cell_place){point, of, answer, BOUGH_NO_ROW_INDEX, x, NULL});
    for (size_t i = 0; i < l->c->categories && !b->buffer.failed; i++)
        if (strcmp(l->c->category[i], b->buffer.data ? b->buffer.data : "") == 0) return (double)i;
    return NAN;
}

static bool in_chart(const lines *l, size_t point, const bough_answer *answer) {
    const bough_study_point *of = &l->b->study->point[point];
    const char *facet =
        build_facet(l->b, &(cell_place){point, of, answer, BOUGH_NO_ROW_INDEX, build_x(l->b), NULL});
    return facet && l->c->facet ? strcmp(facet, l->c->facet) == 0 : facet == l->c->facet;
}

static void set_values(const lines *l, const sample *s, double *value) {
    const bough_study *study = l->b->study;
    if (l->c->metric_x)
        real_values_of_point(study, &study->point[s->point], s->x, value);
    else
        real_axes_of_point(study, &study->point[s->point], value);
}

/* An expression over metrics may have no value: an answer lacks one of them, or is 0. */
static bough_status take_sample(lines *l, size_t point, const bough_answer *answer) {
    sample s = {0, NAN, 0, point};
    s.x = in_chart(l, point, answer) ? x_of(l, point, answer) : NAN;
    if (!(s.x >= l->low && s.x <= l->high)) return BOUGH_OK;
    set_values(l, &s, l->value);
    bough_status status = evaluate(l, &s.y, l->c->metric_x ? NULL : l->b->error);
    if (!status) l->at[l->count++] = s;
    return l->c->metric_x ? BOUGH_OK : status;
}

static bough_status take_samples(lines *l) {
    const bough_study *study = l->b->study;
    size_t room = 0;
    for (size_t i = 0; i < study->points; i++) room += study->point[i].answers;
    bough_status status = bough_alloc(&l->at, room, sizeof *l->at, l->b->error);
    for (size_t i = 0; i < study->points && !status; i++) {
        for (size_t k = 0; k < study->point[i].answers && !status; k++)
            status = take_sample(l, i, &study->point[i].answer[k]);
    }
    return status;
}

/* ---- lines ---- */

static int by_line(const void *a, const void *b) {
    const sample *p = a, *q = b;
    if (p->key != q->key) return p->key > q->key ? 1 : -1;
    if (p->x != q->x) return p->x > q->x ? 1 : -1;
    return (p->point > q->point) - (p->point < q->point);
}

static void set_keys(lines *l) {
    const chart_dims *dims = &l->b->dims;
    for (size_t i = 0; i < l->count; i++) {
        uint64_t key = 0;
        for (size_t d = DIM_NETWORK; d < dims->count; d++)
            if (l->kept[d]) key = key * dims->dim[d].labels + dims->dim[d].at[l->at[i].point];
        l->at[i].key = key;
    }
    qsort(l->at, l->count, sizeof *l->at, by_line);
}

/* True if no line has two values at one x; a vertical has one value in all. */
static bool is_function(const lines *l) {
    for (size_t i = 1; i < l->count; i++) {
        const sample *p = &l->at[i - 1], *q = &l->at[i];
        if (p->key == q->key && (l->vertical || p->x == q->x) && p->y != q->y) return false;
    }
    return true;
}

/* Keeps the dimensions without which a line would have two values somewhere. */
static void find_lines(lines *l) {
    const chart_dims *dims = &l->b->dims;
    for (size_t d = DIM_NETWORK; d < dims->count; d++)
        l->kept[d] = dims->dim[d].varies && dims->dim[d].at && !dims->dim[d].follows && d != l->b->facet &&
                     (d != build_x(l->b) || l->vertical);
    for (size_t d = DIM_NETWORK; d < dims->count; d++) {
        if (!l->kept[d]) continue;
        l->kept[d] = false;
        set_keys(l);
        l->kept[d] = !is_function(l);
    }
    set_keys(l);
}

static bough_status add_curve(const lines *l, size_t point, chart_curve **out) {
    builder *b = l->b;
    chart *c = l->c;
    build_clear(b);
    bough_text_put(&b->buffer, l->line->name);
    for (size_t d = DIM_NETWORK; d < b->dims.count; d++)
        if (l->kept[d]) bough_text_printf(&b->buffer, ", %s", chart_dims_label(&b->dims, d, point, NULL));
    bough_status status = arena_grow(&b->all->memory, &c->curve, c->curves + 1, sizeof *c->curve, b->error);
    if (status) return status;
    chart_curve new = {.name = build_keep_buffer(b), .vertical = l->vertical};
    if (!new.name) return BOUGH_NO_MEMORY;
    status = build_style(b, new.name, &new.style);
    if (status) return status;
    c->curve[c->curves] = new;
    *out = &c->curve[c->curves++];
    return BOUGH_OK;
}

static bough_status allocate(const builder *b, chart_curve *curve, size_t points) {
    bough_status status = arena_alloc(&b->all->memory, &curve->x, points, sizeof *curve->x, b->error);
    TRY(arena_alloc(&b->all->memory, &curve->y, points, sizeof *curve->y, b->error));
    return status;
}

/* ---- between points ---- */

static double value_at(const lines *l, const sample *s, size_t name) {
    set_values(l, s, l->value);
    return l->value[name];
}

/* True if what has this name grows linearly with x over the samples of a line. */
static bool is_linear(const lines *l, const sample *from, size_t count, size_t name) {
    double x0 = from->x, x1 = from[count - 1].x;
    double v0 = value_at(l, from, name), v1 = value_at(l, &from[count - 1], name);
    for (size_t i = 1; i + 1 < count; i++) {
        double want = v0 + (v1 - v0) * (from[i].x - x0) / (x1 - x0);
        double v = value_at(l, &from[i], name);
        if (!(fabs(v - want) <= 1e-9 * fmax(fabs(v0), fabs(v1)))) return false;
    }
    return true;
}

static bool is_continuous(const lines *l, const sample *from, size_t count) {
    if (l->c->xscale == CHART_CATEGORY || build_x(l->b) == X_INDEX) return false;
    for (size_t i = 0; i < l->names; i++)
        if (l->used[i] && !is_linear(l, from, count, i)) return false;
    return true;
}

static void add(chart_curve *curve, double x, double y) {
    curve->x[curve->points] = x;
    curve->y[curve->points++] = y;
}

/* The points between p and q, at equal distances on the scale of the chart. */
static void add_between(const lines *l, chart_curve *curve, const sample *p, const sample *q, size_t steps) {
    set_values(l, q, l->end);
    for (size_t i = 1; i < steps; i++) {
        double y, share = (double)i / (double)steps;
        double x =
            l->c->xscale == CHART_LINEAR ? p->x + share * (q->x - p->x) : p->x * pow(q->x / p->x, share);
        set_values(l, p, l->value);
        for (size_t k = 0; k < l->names; k++)
            l->value[k] += (l->end[k] - l->value[k]) * (x - p->x) / (q->x - p->x);
        if (evaluate(l, &y, NULL) == BOUGH_OK) add(curve, x, y);
    }
}

/* ---- all of them ---- */

/* One line: samples of different x, ascending. */
static bough_status add_line(const lines *l, const sample *from, size_t count) {
    chart_curve *curve;
    size_t steps = count > 1 && is_continuous(l, from, count) ? SAMPLES_MAX / (count - 1) : 1;
    if (steps > BETWEEN) steps = BETWEEN;
    if (steps < 1) steps = 1;
    bough_status status = add_curve(l, from->point, &curve);
    TRY(allocate(l->b, curve, count * steps + 1));
    for (size_t i = 0; i < count && !status; i++) {
        if (i) add_between(l, curve, &from[i - 1], &from[i], steps);
        add(curve, from[i].x, from[i].y);
    }
    if (!status && build_x(l->b) == X_INDEX) add(curve, l->high, from->y);
    return status;
}

static bough_status add_vertical(const lines *l, const sample *from) {
    chart_curve *curve;
    bough_status status = add_curve(l, from->point, &curve);
    TRY(allocate(l->b, curve, 2));
    for (int i = 0; i < 2 && !status; i++) add(curve, from->y, 0);
    return status;
}

static bough_status add_lines(lines *l) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0, end; i < l->count && !status; i = end) {
        size_t different = 1;
        for (end = i + 1; end < l->count && l->at[end].key == l->at[i].key; end++)
            if (l->at[end].x != l->at[i + different - 1].x) l->at[i + different++] = l->at[end];
        status = l->vertical ? add_vertical(l, &l->at[i]) : add_line(l, &l->at[i], different);
    }
    return status;
}

static size_t name_values(lines *l) {
    const bough_study *study = l->b->study;
    size_t all = real_names_of(study, l->name);
    return l->c->metric_x ? all : study->axes;
}

static bough_status add_expression(lines *l) {
    const bough_study *study = l->b->study;
    size_t most = real_names_most(study);
    bough_status status = bough_alloc(&l->kept, l->b->dims.count, sizeof *l->kept, l->b->error);
    TRY(bough_alloc(&l->value, most, sizeof *l->value, l->b->error));
    TRY(bough_alloc(&l->end, most, sizeof *l->end, l->b->error));
    TRY(bough_alloc(&l->used, most, sizeof *l->used, l->b->error));
    TRY(bough_alloc(&l->name, most, sizeof *l->name, l->b->error));
    if (!status) l->names = name_values(l);
    TRY(take_samples(l));
    if (!status) find_lines(l);
    TRY(add_lines(l));
    FREE_ALL(l->at, l->kept, l->value, l->end, l->used, l->name);
    return status;
}

static bough_status add_to_chart(builder *b, chart *c) {
    const bough_plot *plot = &b->asked->plot;
    lines l = {.b = b, .c = c, .low = INFINITY, .high = -INFINITY};
    bough_status status = BOUGH_OK;
    for (size_t s = 0; s < c->count; s++) {
        if (!c->series[s].points) continue;
        for (size_t k = 0; k < c->series[s].points; k++) {
            l.low = fmin(l.low, c->series[s].point[k].x);
            l.high = fmax(l.high, c->series[s].point[k].x);
        }
    }
    for (unsigned i = 0; i < plot->curves + plot->verticals; i++) {
        lines one = l;
        one.vertical = i >= plot->curves;
        one.line = one.vertical ? &plot->vertical[i - plot->curves] : &plot->curve[i];
        if (!one.vertical || c->xscale != CHART_CATEGORY) TRY(add_expression(&one));
    }
    return status;
}

bough_status build_lines(builder *b) {
    bough_status status = BOUGH_OK;
    for (size_t i = b->from; i < b->all->count; i++) TRY(add_to_chart(b, &b->all->chart[i]));
    return status;
}
