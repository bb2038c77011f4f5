/* The ratios that a plot names: of means, of maxima, of each series of a chart to the first that differs only
 * in the value of `series` and the metric. */
#include "report/charts/chart_build.h"

#include "base/status/try.h"
#include "method/quantity.h"

#include <math.h>
#include <string.h>

/* NULL if it is the series itself. */
static const chart_series *base_of(const chart *c, const chart_series *s) {
    const chart_series *base = c->series;
    while (strcmp(base->rest, s->rest) != 0) base++;
    return base == s ? NULL : base;
}

static const chart_point *point_at(const chart_series *s, const chart_point *p) {
    for (size_t i = 0; i < s->points; i++)
        if (s->point[i].x == p->x && s->point[i].index == p->index) return &s->point[i];
    return NULL;
}

/* The comparison of two answers of one point in one metric: its interval uses common trials. */
static const bough_comparison *comparison_of(const chart_point *p, const chart_point *q,
                                             bough_metric_id metric) {
    for (size_t i = 0; p->of == q->of && i < p->of->comparisons; i++) {
        const bough_comparison *r = &p->of->comparison[i];
        if (r->metric == metric && &p->of->answer[r->answer] == p->answer &&
            &p->of->answer[r->against] == q->answer)
            return r;
    }
    return NULL;
}

/* Half width relative to the mean; NAN if a random value has no interval. */
static double relative_interval(const chart_point *p) {
    return p->exact && isnan(p->ci95) ? 0 : p->ci95 / fabs(p->mean);
}

uint64_t chart_ratio_trials(const bough_answer *a, const bough_answer *against, uint64_t common) {
    if (a->exact == against->exact) return common;
    return a->exact ? against->trials : a->trials;
}

/* p over q. Without a comparison nothing is known of the correlation of the two, and the relative widths are
 * added, which no correlation exceeds. */
static chart_point ratio_of(const chart_series *s, const chart_series *base, const chart_point *p,
                            const chart_point *q, bool maxima) {
    chart_point r = *p;
    r.min = r.max = r.ci95 = NAN;
    r.trials = chart_ratio_trials(p->answer, q->answer, p->trials < q->trials ? p->trials : q->trials);
    r.exact = p->exact && q->exact;
    r.against = p->of == q->of ? q->answer : NULL;
    r.mean = maxima ? p->max / q->max : p->mean / q->mean;
    if (maxima) return r;
    const bough_comparison *known =
        s->metric == base->metric && p->index == BOUGH_NO_ROW_INDEX ? comparison_of(p, q, s->metric) : NULL;
    if (known) {
        r.mean = known->ratio, r.ci95 = known->ratio_ci95;
        r.trials = chart_ratio_trials(p->answer, q->answer, known->trials), r.exact = known->exact;
    } else if (!r.exact) {
        r.ci95 = fabs(r.mean) * (relative_interval(p) + relative_interval(q));
    }
    return r;
}

/* ---- series ---- */

static bough_status name_ratio(builder *b, const chart_series *s, bool maxima, chart_series *to) {
    const bough_plot *plot = &b->asked->plot;
    build_clear(b);
    bough_text_put(&b->buffer, s->name);
    if (plot->ratio_max) bough_text_put(&b->buffer, maxima ? ", maxima" : ", means");
    to->name = build_keep_buffer(b);
    if (!to->name) return BOUGH_NO_MEMORY;
    to->rest = s->rest;
    to->rank = s->rank;
    to->metric = s->metric;
    to->maxima = maxima;
    return build_style(b, to->name, &to->style);
}

/* The ratios of one series, if there are any. */
static bough_status add_series(builder *b, chart *to, const chart *from, const chart_series *s, bool maxima) {
    const chart_series *base = base_of(from, s);
    chart_series r = {0};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; base && i < s->points && !status; i++) {
        const chart_point *q = point_at(base, &s->point[i]);
        chart_point p = q ? ratio_of(s, base, &s->point[i], q, maxima) : (chart_point){.mean = NAN};
        if (!isfinite(p.mean)) continue;
        status = arena_grow(&b->all->memory, &r.point, r.points + 1, sizeof *r.point, b->error);
        if (!status) r.point[r.points++] = p;
    }
    if (r.points) TRY(name_ratio(b, s, maxima, &r));
    if (r.points) TRY(arena_grow(&b->all->memory, &to->series, to->count + 1, sizeof *to->series, b->error));
    if (r.points && !status) to->series[to->count++] = r;
    return status;
}

/* A horizontal line at the mean over x. */
static bough_status add_average(builder *b, chart *c, const chart_series *s) {
    char text[QUANTITY_TEXT];
    double sum = 0;
    if (s->points < 2) return BOUGH_OK;
    for (size_t i = 0; i < s->points; i++) sum += s->point[i].mean;
    double mean = sum / (double)s->points;
    build_clear(b);
    bough_text_printf(&b->buffer, "%s: %s on average", s->name, quantity_format(mean, 0, text));
    bough_status status = arena_grow(&b->all->memory, &c->curve, c->curves + 1, sizeof *c->curve, b->error);
    if (status) return status;
    chart_curve curve = {.name = build_keep_buffer(b), .style = s->style, .mean = true, .points = 2};
    status = curve.name ? BOUGH_OK : BOUGH_NO_MEMORY;
    TRY(arena_alloc(&b->all->memory, &curve.x, 2, sizeof *curve.x, b->error));
    TRY(arena_alloc(&b->all->memory, &curve.y, 2, sizeof *curve.y, b->error));
    if (status) return status;
    curve.x[0] = s->point[0].x, curve.x[1] = s->point[s->points - 1].x;
    curve.y[0] = curve.y[1] = mean;
    c->curve[c->curves++] = curve;
    return BOUGH_OK;
}

/* ---- charts ---- */

/* "circuit:mode=rounds": the first series without other dimensions. */
static void put_base(bough_text *out, const chart_series *s) {
    size_t length = strlen(s->name) - strlen(s->rest);
    bough_text_add(out, s->name, length);
}

static bough_status name_chart(builder *b, const chart *from, chart *to) {
    const bough_plot *plot = &b->asked->plot;
    const char *of = plot->ratio_max ? plot->ratio_mean ? "means and maxima, " : "maxima, " : "";
    const char *metric = bough_metrics[from->metric].name;
    build_clear(b);
    if (b->asked->plot.title)
        build_put_title(b, &b->buffer, "", NULL);
    else
        build_put_metrics(b, &b->buffer, " and ");
    bough_text_printf(&b->buffer, "%s%sratio to ", b->buffer.length ? ": " : "", of);
    put_base(&b->buffer, from->series);
    if (from->facet) bough_text_printf(&b->buffer, " (%s)", from->facet);
    to->title = build_keep_buffer(b);
    build_clear(b);
    if (from->overlay)
        bough_text_put(&b->buffer, "ratio to ");
    else
        bough_text_printf(&b->buffer, "%s / %s of ", metric, metric);
    put_base(&b->buffer, from->series);
    to->y_title = build_keep_buffer(b);
    return to->title && to->y_title ? BOUGH_OK : BOUGH_NO_MEMORY;
}

static bough_status fill(builder *b, const chart *from, chart *to) {
    const bough_plot *plot = &b->asked->plot;
    bough_status status = name_chart(b, from, to);
    TRY(arena_alloc(&b->all->memory, &to->category, from->categories, sizeof *to->category, b->error));
    for (size_t i = 0; i < from->categories && !status; i++)
        to->category[to->categories++] = from->category[i];
    for (int maxima = 0; maxima < 2; maxima++)
        for (size_t s = 0; s < from->count && (maxima ? plot->ratio_max : plot->ratio_mean); s++)
            TRY(add_series(b, to, from, &from->series[s], maxima));
    for (size_t s = 0; s < to->count; s++) TRY(add_average(b, to, &to->series[s]));
    return status;
}

static bough_status add_chart(builder *b, size_t at) {
    charts *all = b->all;
    const chart *from = &all->chart[at];
    if (from->count < 2) return BOUGH_OK;
    chart to = {.metric = from->metric,
                .ratio = true,
                .overlay = from->overlay,
                .facet = from->facet,
                .x_title = from->x_title,
                .width_cm = from->width_cm,
                .height_cm = from->height_cm,
                .font_pt = from->font_pt,
                .xscale = from->xscale};
    bough_status status = fill(b, from, &to);
    if (!status && to.count && all->count < CHARTS_MAX) {
        status = arena_grow(&all->memory, &all->chart, all->count + 1, sizeof *all->chart, b->error);
        if (!status) all->chart[all->count++] = to;
        if (!status) return BOUGH_OK;
    }
    all->left_out += to.count && all->count == CHARTS_MAX;
    return status;
}

bough_status build_ratios(builder *b) {
    bough_status status = BOUGH_OK;
    const bough_plot *plot = &b->asked->plot;
    for (size_t i = b->from, end = b->all->count; i < end && (plot->ratio_mean || plot->ratio_max); i++)
        TRY(add_chart(b, i));
    return status;
}
