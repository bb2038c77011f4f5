/* The roles of dimensions (x, facet, series) are assigned once per study (plan) and once per metric (with or
 * without indices); then every cell of every answer is added. */
#include "report/charts/chart.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "report/charts/chart_build.h"
#include "report/tables/pooled_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

/* A copy that the charts own; NULL if memory runs out. */
static const char *keep(builder *b, const char *text) {
    char *copy = NULL;
    arena_copy(&b->all->memory, &copy, text, b->error);
    return copy;
}

void build_clear(builder *b) {
    b->buffer.length = 0;
    if (b->buffer.data) b->buffer.data[0] = 0;
}

/* Keeps the contents of the buffer. */
const char *build_keep_buffer(builder *b) {
    if (b->buffer.failed) {
        bough_fail_memory(b->error, b->buffer.length);
        return NULL;
    }
    return keep(b, b->buffer.data ? b->buffer.data : "");
}

/* "rounds", "latency (cycles)". */
static const char *metric_title(bough_metric_id metric, char *buffer, size_t size) {
    const bough_metric *m = &bough_metrics[metric];
    if (*m->unit && strcmp(m->unit, m->name) != 0)
        snprintf(buffer, size, "%s (%s)", m->name, m->unit);
    else
        snprintf(buffer, size, "%s", m->name);
    return buffer;
}

/* ---- the plan ---- */

static bool has_metric(const bough_answer *a, bough_metric_id metric, bool *indexed) {
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].metric == metric) {
            *indexed = a->cell[c].index != BOUGH_NO_ROW_INDEX;
            return true;
        }
    return false;
}

/* Metrics to draw: those of the plot, else the headlines of the answers. */
static unsigned plan_metrics(const bough_study *study, bough_metric_id metric[BOUGH_PLOT_METRICS]) {
    unsigned n = study->plot.ys;
    if (n) memcpy(metric, study->plot.y, n * sizeof *metric);
    for (size_t i = 0; i < study->points && !study->plot.ys; i++)
        for (size_t k = 0; k < study->point[i].answers && n < BOUGH_PLOT_METRICS; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            bool known = false, indexed;
            for (unsigned y = 0; y < n; y++) known = known || metric[y] == a->headline;
            if (known || !a->cells) continue;
            bough_metric_id m = a->headline; /* some modes of a method do not report its headline */
            if (!has_metric(a, m, &indexed)) m = a->cell[0].metric;
            for (unsigned y = 0; y < n; y++) known = known || metric[y] == m;
            if (!known) metric[n++] = m;
        }
    return n;
}

static bool power_of_two(double value) {
    int exponent;
    return value > 0 && frexp(value, &exponent) == 0.5;
}

/* Default scale: logarithmic if the values are powers of 2, or span more than a factor of a hundred. */
static chart_scale guess_scale(const builder *b, size_t dim) {
    double low = INFINITY, high = -INFINITY;
    bool powers = true;
    for (size_t i = 0; i < b->study->points; i++) {
        double x = strtod(b->study->point[i].value[dim - DIM_AXES], NULL);
        powers = powers && power_of_two(x);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (powers && high >= 8 * low) return CHART_LOG2;
    return low > 0 && high > 100 * low ? CHART_LOG10 : CHART_LINEAR;
}

static void plan_scale(builder *b) {
    const char *scale = b->study->plot.xscale;
    b->xscale = CHART_LINEAR;
    if (b->x >= b->dims.count || !b->dims.dim[b->x].numeric) return;
    if (!scale)
        b->xscale = guess_scale(b, b->x);
    else if (strcmp(scale, "log2") == 0)
        b->xscale = CHART_LOG2;
    else if (strcmp(scale, "log10") == 0)
        b->xscale = CHART_LOG10;
    for (size_t i = 0; i < b->study->points; i++) /* 0 has no logarithm */
        if (strtod(b->study->point[i].value[b->x - DIM_AXES], NULL) <= 0) b->xscale = CHART_LINEAR;
}

static bool is_series(const builder *b, size_t dim) {
    for (unsigned i = 0; i < b->serieses; i++)
        if (b->series[i] == dim) return true;
    return false;
}

static void plan(builder *b) {
    const bough_plot *plot = &b->asked->plot;
    b->x = chart_dims_find(&b->dims, plot->x);
    for (unsigned i = 0; i < BOUGH_PLOT_SERIES && plot->series[i]; i++)
        b->series[b->serieses++] = chart_dims_find(&b->dims, plot->series[i]);
    b->facet = chart_dims_find(&b->dims, plot->facet);
    if (b->facet == b->x) b->facet = DIM_NONE;
    if (b->facet != DIM_NONE && !b->dims.dim[b->facet].varies) b->facet = DIM_NONE;
    for (size_t i = DIM_AXES; i < b->dims.count && b->x == DIM_NONE; i++)
        if (b->dims.dim[i].varies && b->dims.dim[i].numeric && !is_series(b, i) && i != b->facet) b->x = i;
    b->x_metric = bough_plot_x_metric(b->asked);
    if (b->x_metric != BOUGH_METRIC_COUNT) {
        b->x = X_METRIC;
        b->all->x_metric = bough_metrics[b->x_metric].name;
    }
    if (b->serieses && !(b->serieses == 1 && b->series[0] == b->x)) return;
    b->series[0] = b->x == DIM_METHOD ? DIM_ROUTING : DIM_METHOD;
    b->serieses = 1;
}

size_t build_x(const builder *b) {
    if (b->x == X_METRIC) return X_METRIC;
    bool named = b->asked->plot.x && b->x != DIM_NONE && b->dims.dim[b->x].varies;
    return b->indexed && !named && b->metrics == 1 ? X_INDEX : b->x;
}

/* ---- charts ---- */

const char *build_facet(const builder *b, const cell_place *at) {
    return b->facet == DIM_NONE ? NULL : chart_dims_label(&b->dims, b->facet, at->point, at->answer);
}

void build_put_metrics(const builder *b, bough_text *out, const char *last) {
    for (unsigned i = 0; i < b->metrics; i++)
        bough_text_printf(out, "%s%s",
                          !i                   ? ""
                          : i + 1 < b->metrics ? ", "
                                               : last,
                          bough_plot_label(&b->asked->plot, bough_metrics[b->metric_list[i]].name));
}

void build_put_title(const builder *b, bough_text *out, const char *own, const char *ratio_to) {
    const char *title = b->asked->plot.title;
    const size_t from = out->length;
    bough_text_put(out, title ? title : own);
    if (!title) return;
    if (b->several) {
        bough_text_put(out, out->length > from ? ": " : "");
        build_put_metrics(b, out, " and ");
    }
    if (ratio_to) bough_text_printf(out, "%sratio to %s", out->length > from ? ", " : "", ratio_to);
}

/* "rounds, transits": the units of an overlay; without units the metrics. */
static void put_units(const builder *b, bough_text *out) {
    for (unsigned i = 0; i < b->metrics; i++) {
        const char *unit = bough_metrics[b->metric_list[i]].unit;
        bool known = !*unit;
        for (unsigned k = 0; k < i; k++)
            known = known || strcmp(bough_metrics[b->metric_list[k]].unit, unit) == 0;
        if (!known) bough_text_printf(out, "%s%s", out->length ? ", " : "", unit);
    }
    if (!out->length) build_put_metrics(b, out, ", ");
}

static bool joins_nothing(bough_plot_join join) {
    return join != BOUGH_JOIN_X && join != BOUGH_JOIN_GRID;
}

/* The label that the plot gives y of the current charts; NULL: none. */
static const char *y_label(const builder *b) {
    const bough_plot *plot = &b->asked->plot;
    if (plot->ylabels == 1 && !b->several) return plot->ylabel[0];
    for (unsigned i = 0; i < plot->ys && i < plot->ylabels; i++)
        if (plot->y[i] == b->metric_list[0]) return plot->ylabel[i];
    return NULL;
}

/* The buffer holds the title that is derived. */
static const char *keep_title(builder *b, const char *facet, const char *ratio_to) {
    bough_text title = {0};
    build_put_title(b, &title, b->buffer.data ? b->buffer.data : "", ratio_to);
    if (facet) bough_text_printf(&title, title.length ? " (%s)" : "%s", facet);
    const char *kept = title.failed ? NULL : keep(b, title.data ? title.data : "");
    if (title.failed) bough_fail_memory(b->error, title.length);
    bough_text_fini(&title);
    return kept;
}

static bough_status add_chart(builder *b, const cell_place *at, chart **out) {
    char title[160];
    const bough_plot *plot = &b->asked->plot;
    const char *facet = build_facet(b, at), *ratio_to = at->ratio_to;
    size_t x = at->x;
    *out = NULL;
    charts *all = b->all;
    if (all->count == CHARTS_MAX) {
        all->left_out++;
        return BOUGH_OK;
    }
    bough_status status = arena_grow(&all->memory, &all->chart, all->count + 1, sizeof *all->chart, b->error);
    if (status) return status;
    bool overlay = !ratio_to && b->metrics > 1;
    chart c = {.metric = b->metric,
               .ratio = ratio_to != NULL,
               .overlay = overlay,
               .minmax = !ratio_to && b->asked->plot.minmax,
               .metric_x = x == X_METRIC,
               .scatter = x == X_METRIC && joins_nothing(b->asked->plot.join),
               .width_cm = plot->width_cm,
               .height_cm = plot->height_cm,
               .font_pt = plot->font_pt,
               .xscale = b->xscale};
    const bough_metric *m = &bough_metrics[b->metric];
    build_clear(b);
    if (ratio_to)
        bough_text_printf(&b->buffer, "%s, ratio to %s", m->name, ratio_to);
    else if (b->metrics > 1)
        build_put_metrics(b, &b->buffer, " and ");
    else if (x != X_METRIC)
        bough_text_printf(&b->buffer, "%s: %s", m->name, m->summary);
    else
        bough_text_put(&b->buffer, m->name);
    if (x == X_METRIC) bough_text_printf(&b->buffer, " against %s", bough_metrics[b->x_metric].name);
    c.title = keep_title(b, facet, ratio_to);
    if (facet) c.facet = keep(b, facet);
    metric_title(b->metric, title, sizeof title);
    build_clear(b);
    if (ratio_to) bough_text_printf(&b->buffer, "%s / %s of %s", m->name, m->name, ratio_to);
    if (!ratio_to && b->metrics > 1) put_units(b, &b->buffer);
    c.y_title = b->buffer.length || b->buffer.failed ? build_keep_buffer(b) : keep(b, title);
    if (x == X_INDEX)
        c.x_title = keep(b, *m->index ? m->index : "index"), c.xscale = CHART_LINEAR;
    else if (x == X_METRIC)
        c.x_title = keep(b, metric_title(b->x_metric, title, sizeof title));
    else
        c.x_title = keep(b, x == DIM_NONE ? "" : b->dims.dim[x].name);
    if (plot->xlabel && !(x == X_INDEX && b->several)) c.x_title = keep(b, plot->xlabel);
    if (!ratio_to && y_label(b)) c.y_title = keep(b, y_label(b));
    if (x == DIM_NONE || (x < X_METRIC && !b->dims.dim[x].numeric)) c.xscale = CHART_CATEGORY;
    if (!c.title || !c.x_title || !c.y_title || (facet && !c.facet)) return BOUGH_NO_MEMORY;
    all->chart[all->count] = c;
    *out = &all->chart[all->count++];
    return BOUGH_OK;
}

static bool same_facet(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* *out is NULL beyond CHARTS_MAX. */
static bough_status find_chart(builder *b, const cell_place *at, chart **out) {
    const char *facet = build_facet(b, at);
    for (size_t i = b->from; i < b->all->count; i++)
        if (same_facet(b->all->chart[i].facet, facet)) {
            *out = &b->all->chart[i];
            return BOUGH_OK;
        }
    return add_chart(b, at, out);
}

bough_status build_style(builder *b, const char *name, unsigned *style) {
    for (size_t i = 0; i < b->styles; i++)
        if (strcmp(b->style[i], name) == 0) {
            *style = (unsigned)i;
            return BOUGH_OK;
        }
    bough_status status = arena_grow(&b->all->memory, &b->style, b->styles + 1, sizeof *b->style, b->error);
    if (status) return status;
    *style = (unsigned)b->styles;
    b->style[b->styles++] = name;
    return BOUGH_OK;
}

/* *out is NULL beyond the limit. */
static bough_status find_series(builder *b, chart *c, const series_name *as, chart_series **out) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->series[i].name, as->text.data) == 0) {
            *out = &c->series[i];
            return BOUGH_OK;
        }
    *out = NULL;
    if (c->count == CHART_SERIES_MAX) return BOUGH_OK;
    bough_status status = arena_grow(&b->all->memory, &c->series, c->count + 1, sizeof *c->series, b->error);
    if (status) return status;
    chart_series s = {.name = keep(b, as->text.data), .metric = b->metric, .rank = as->rank};
    if (!s.name) return BOUGH_NO_MEMORY;
    s.rest = s.name + as->head;
    status = build_style(b, s.name, &s.style);
    if (status) return status;
    c->series[c->count] = s;
    *out = &c->series[c->count++];
    return BOUGH_OK;
}

/* The number of a category, or SIZE_MAX beyond the limit. */
static bough_status find_category(builder *b, chart *c, const char *name, size_t *at) {
    for (*at = 0; *at < c->categories; ++*at)
        if (strcmp(c->category[*at], name) == 0) return BOUGH_OK;
    *at = SIZE_MAX;
    if (c->categories == CHART_CATEGORIES_MAX) return BOUGH_OK;
    bough_status status =
        arena_grow(&b->all->memory, &c->category, c->categories + 1, sizeof *c->category, b->error);
    const char *kept = status ? NULL : keep(b, name);
    if (!kept) return BOUGH_NO_MEMORY;
    *at = c->categories;
    c->category[c->categories++] = kept;
    return BOUGH_OK;
}

/* ---- points ---- */

/* The place of a value or a label in `order`, or behind all of it. */
static unsigned rank_of(const bough_plot *plot, const char *text) {
    unsigned i = 0;
    while (i < plot->orders && strcmp(plot->order[i], text) != 0 &&
           strcmp(bough_plot_label(plot, plot->order[i]), text) != 0)
        i++;
    return i;
}

static void put_part(const builder *b, series_name *as, const char *text) {
    if (!*text) return;
    const unsigned rank = rank_of(&b->asked->plot, text);
    if (rank < as->rank) as->rank = rank;
    bough_text_printf(&as->text, "%s%s", as->text.length ? ", " : "", text);
}

/* The values of `series`, in its order. */
static void put_series_parts(const builder *b, series_name *as, const cell_place *at) {
    for (unsigned i = 0; i < b->serieses; i++) {
        const size_t dim = b->series[i];
        if (dim == DIM_NONE || dim == b->facet || dim == at->x) continue;
        if (b->dims.dim[dim].varies || (dim == DIM_METHOD && b->serieses == 1))
            put_part(b, as, chart_dims_label(&b->dims, dim, at->point, at->answer));
    }
}

/* The name of a series: `series` of the plot first, in overlays with the metric, then all other varying
 * dimensions. */
static void name_series(const builder *b, series_name *as, const cell_place *at) {
    const bough_answer *a = at->answer;
    bough_text *out = &as->text;
    size_t x = at->x;
    as->rank = b->asked->plot.orders;
    put_series_parts(b, as, at);
    if (b->metrics > 1 && !at->ratio_to)
        put_part(b, as, bough_plot_label(&b->asked->plot, bough_metrics[b->metric].name));
    as->head = out->length;
    bool rest = x == DIM_NONE || x == X_METRIC;
    for (size_t i = 0; i < b->dims.count && !rest; i++)
        if (b->dims.dim[i].varies && !b->dims.dim[i].follows && !is_series(b, i) && i != b->facet && i != x)
            put_part(b, as, chart_dims_label(&b->dims, i, at->point, a));
    for (size_t i = DIM_METHOD; i <= DIM_ROUTING && rest; i++) /* the rest is x, or its points */
        if (b->dims.dim[i].varies && !is_series(b, i) && i != b->facet)
            put_part(b, as, chart_dims_label(&b->dims, i, at->point, a));
    if (at->index != BOUGH_NO_ROW_INDEX && x != X_INDEX) {
        char text[80];
        const char *what = bough_metrics[b->metric].index;
        snprintf(text, sizeof text, "%s %" PRId64, *what ? what : "index", at->index);
        put_part(b, as, text);
    }
    if (!out->length) bough_text_put(out, a->method);
    if (as->head > out->length || !as->head) as->head = out->length;
}

/* x as a category: the value of a dimension, or of all varying ones. */
void build_put_category(const builder *b, bough_text *out, const cell_place *at) {
    size_t x = at->x;
    for (size_t i = 0; i < b->dims.count; i++) {
        bool wanted = x == DIM_NONE || x == X_METRIC
                          ? b->dims.dim[i].varies && !is_series(b, i) && i != b->facet && i > DIM_ROUTING
                          : i == x;
        if (wanted && i >= DIM_AXES)
            bough_text_printf(out, "%s%s", out->length ? " " : "", at->of->value[i - DIM_AXES]);
        else if (wanted)
            bough_text_printf(out, "%s%s", out->length ? " " : "",
                              chart_dims_label(&b->dims, i, at->point, at->answer));
    }
}

/* The label stays NULL beyond the limit of categories. */
static bough_status set_x(builder *b, chart *c, const cell_place *at, chart_point *p) {
    char text[32];
    bough_status status = BOUGH_OK;
    if (c->xscale == CHART_CATEGORY) {
        size_t number = 0;
        build_clear(b);
        build_put_category(b, &b->buffer, at);
        if (b->buffer.failed) return bough_fail_memory(b->error, 64);
        status = find_category(b, c, b->buffer.data ? b->buffer.data : "", &number);
        if (!status && number != SIZE_MAX) p->x = (double)number, p->label = c->category[number];
    } else if (at->x == X_INDEX) {
        snprintf(text, sizeof text, "%" PRId64, at->index);
        p->x = (double)at->index;
        p->label = keep(b, text);
        if (!p->label) status = BOUGH_NO_MEMORY;
    } else {
        p->label = at->of->value[at->x - DIM_AXES];
        p->x = strtod(p->label, NULL);
    }
    return status;
}

static bough_status add_point(builder *b, const cell_place *at, chart_point p) {
    chart *c;
    chart_series *s = NULL;
    if (!isfinite(p.mean)) return BOUGH_OK;
    bough_status status = BOUGH_OK;
    if (at->x == X_METRIC && !build_metric_x(b, at, &p, &status)) {
        b->all->without_x += !status;
        return status;
    }
    TRY(find_chart(b, at, &c));
    if (status || !c) return status;
    if (at->x != X_METRIC) status = set_x(b, c, at, &p);
    series_name name = {0};
    name_series(b, &name, at);
    if (!status && name.text.failed) status = bough_fail_memory(b->error, 64);
    if (!status && p.label) status = find_series(b, c, &name, &s);
    bough_text_fini(&name.text);
    if (status || !s) {
        c->left_out += !status;
        return status;
    }
    status = arena_grow(&b->all->memory, &s->point, s->points + 1, sizeof *s->point, b->error);
    if (!status) s->point[s->points++] = p;
    return status;
}

/* The values of one answer. */
static bough_status add_answer(builder *b, size_t point, const bough_answer *a) {
    bough_status status = BOUGH_OK;
    const bough_study_point *of = &b->study->point[point];
    for (size_t n = 0; n < a->cells; n++) {
        const bough_cell *cell = &a->cell[n];
        if (cell->metric != b->metric) continue;
        b->indexed = cell->index != BOUGH_NO_ROW_INDEX;
        chart_point p = {.mean = cell->stats.mean,
                         .ci95 = bough_cell_ci95(a, cell),
                         .min = cell->stats.min,
                         .max = cell->stats.max,
                         .trials = b->asked->pool ? a->trials : cell->stats.count, /* of points */
                         .exact = a->exact,
                         .index = cell->index,
                         .of = of,
                         .answer = a};
        TRY(add_point(b, &(cell_place){point, of, a, cell->index, build_x(b), NULL}, p));
    }
    return status;
}

static bough_status add_values(builder *b) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < b->study->points; i++)
        for (size_t k = 0; k < b->study->point[i].answers; k++)
            TRY(add_answer(b, i, &b->study->point[i].answer[k]));
    return status;
}

/* ---- saturation ---- */

/* The chart and the series of an answer of the current metric, if they exist. */
static chart_series *known_series(builder *b, const cell_place *at) {
    const char *facet = build_facet(b, at);
    series_name name = {0};
    chart_series *found = NULL;
    name_series(b, &name, at);
    if (name.text.failed) b->buffer.failed = true;
    for (size_t i = b->from; i < b->all->count && !name.text.failed; i++) {
        chart *c = &b->all->chart[i];
        if (c->ratio || c->xscale == CHART_CATEGORY || !same_facet(c->facet, facet)) continue;
        for (size_t k = 0; k < c->count; k++)
            if (strcmp(c->series[k].name, name.text.data) == 0) found = &c->series[k];
    }
    bough_text_fini(&name.text);
    return found;
}

static void note_saturation(chart_series *s, double x, bool saturated) {
    if (saturated && (!s->saturates || x < s->saturated_from)) s->saturates = true, s->saturated_from = x;
    if (saturated || (s->stable && x <= s->stable_to)) return;
    s->stable = true;
    s->stable_to = x;
}

/* stable: of answers that ended normally, else of those that are saturated. */
static void find_answer_saturation(builder *b, size_t point, const bough_answer *a, bool stable) {
    const bough_study_point *of = &b->study->point[point];
    if (!a->trials || a->outcome != (stable ? BOUGH_RUN_OK : BOUGH_RUN_SATURATED)) return;
    chart_series *s = known_series(b, &(cell_place){point, of, a, BOUGH_NO_ROW_INDEX, b->x, NULL});
    double x = strtod(of->value[b->x - DIM_AXES], NULL);
    if (s && (!stable || !s->saturates || x < s->saturated_from)) note_saturation(s, x, !stable);
}

/* First where each series saturates, then up to where it does not. Metrics with indices are no curves over x.
 */
static void find_saturation(builder *b) {
    if (b->indexed || b->x >= b->dims.count || b->x < DIM_AXES || !b->dims.dim[b->x].numeric) return;
    for (int stable = 0; stable < 2; stable++)
        for (size_t i = 0; i < b->study->points; i++)
            for (size_t k = 0; k < b->study->point[i].answers; k++)
                find_answer_saturation(b, i, &b->study->point[i].answer[k], stable == 1);
}

/* Ratios of one kind: of methods, or of routings. */
static bough_status add_ratios(builder *b, bool routings) {
    bough_status status = BOUGH_OK;
    size_t dim = routings ? DIM_ROUTING : DIM_METHOD;
    b->from = b->all->count;
    if (!b->dims.dim[dim].labels) return BOUGH_OK;
    const char *to = b->dims.dim[dim].label[0];
    for (size_t i = 0; i < b->study->points; i++)
        for (size_t n = 0; n < b->study->point[i].comparisons && !status; n++) {
            const bough_study_point *of = &b->study->point[i];
            const bough_comparison *r = &of->comparison[n];
            const bough_answer *a = &of->answer[r->answer], *against = &of->answer[r->against];
            if (r->metric != b->metric || (a->asked == against->asked) != routings) continue;
            chart_point p = {.mean = r->ratio,
                             .ci95 = r->ratio_ci95,
                             .min = NAN,
                             .max = NAN,
                             .trials = chart_ratio_trials(a, against, r->trials),
                             .exact = r->exact,
                             .index = BOUGH_NO_ROW_INDEX,
                             .of = of,
                             .answer = a,
                             .against = against};
            status = add_point(b, &(cell_place){i, of, a, BOUGH_NO_ROW_INDEX, b->x, to}, p);
        }
    return status;
}

/* The charts of the metrics in b->metric_list: several in an overlay. */
static bough_status add_metrics(builder *b) {
    bough_status status = BOUGH_OK;
    const bough_plot *plot = &b->asked->plot;
    b->from = b->all->count;
    for (unsigned i = 0; i < b->metrics; i++) {
        b->metric = b->metric_list[i];
        TRY(add_values(b));
        if (!status) find_saturation(b);
    }
    build_sort(b);
    TRY(build_staircases(b));
    TRY(build_lines(b));
    if (plot->ratio) TRY(build_ratios(b));
    for (unsigned i = 0; i < b->metrics && !plot->ratio && b->x != X_METRIC; i++) {
        b->metric = b->metric_list[i];
        TRY(add_ratios(b, false));
        TRY(add_ratios(b, true));
    }
    return status;
}

/* Metrics of an overlay are drawn together where the first of them stands. */
static bough_status add_all(builder *b) {
    bough_metric_id metric[BOUGH_PLOT_METRICS];
    const bool *overlay = b->asked->plot.overlay;
    const unsigned metrics = plan_metrics(b->asked, metric);
    bough_status status = BOUGH_OK;
    bool drawn = false;
    for (unsigned y = 0; y < metrics; y++) {
        if (overlay[y] && drawn) continue;
        b->metrics = 0;
        for (unsigned k = y; k < metrics; k++)
            if (k == y || (overlay[y] && overlay[k])) b->metric_list[b->metrics++] = metric[k];
        b->several = b->metrics < metrics;
        drawn = drawn || overlay[y];
        TRY(add_metrics(b));
    }
    return status;
}

bough_status charts_make(const bough_study *study, charts *out, bough_error *error) {
    *out = (charts){0};
    builder b = {.all = out, .asked = study, .study = study, .error = error};
    bough_status status = BOUGH_OK;
    if (study->pool) {
        status = pool_study(study, &out->pooled, error);
        b.study = &out->pooled;
    }
    TRY(chart_dims_make(b.study, study->pool, &b.dims, error));
    TRY(chart_dims_rename(&b.dims, &study->plot, error));
    if (!status) {
        plan(&b);
        plan_scale(&b);
        size_t kept[BOUGH_PLOT_SERIES + 2] = {b.x, b.facet};
        memcpy(kept + 2, b.series, sizeof b.series);
        chart_dims_follow(&b.dims, kept, 2 + b.serieses);
    }
    TRY(add_all(&b));
    out->styles = (unsigned)b.styles;
    build_finish(out, &study->plot);
    bough_text_fini(&b.buffer);
    arena_fini(&b.dims.memory);
    if (status) charts_fini(out);
    return status;
}

/* ---- names that the plot gives ---- */

/* All that `labels` and `order` may name. */
static bough_status list_values(builder *b, const char ***name, size_t *count) {
    size_t most = b->asked->plot.ys;
    for (size_t i = 0; i < b->dims.count; i++) most += b->dims.dim[i].labels;
    bough_status status = arena_alloc(&b->dims.memory, name, most, sizeof **name, b->error);
    *count = 0;
    for (size_t i = 0; i < b->dims.count && !status; i++)
        for (size_t k = 0; k < b->dims.dim[i].labels; k++) (*name)[(*count)++] = b->dims.dim[i].label[k];
    for (unsigned y = 0; y < b->asked->plot.ys && !status; y++)
        (*name)[(*count)++] = bough_metrics[b->asked->plot.y[y]].name;
    return status;
}

static bough_status check_value(const builder *b, const char *key, const char *value, const char **name,
                                size_t names) {
    const bough_plot *plot = &b->asked->plot;
    char hint[BOUGH_HINT_MAX];
    for (size_t i = 0; i < names; i++)
        if (strcmp(name[i], value) == 0 ||
            (*key == 'o' && strcmp(bough_plot_label(plot, name[i]), value) == 0))
            return BOUGH_OK;
    return bough_fail(b->error, BOUGH_INVALID, "plot",
                      "%s: no series has '%.80s'%s; write a value as the legend shows it, as in '%.80s'", key,
                      value, bough_hint(hint, value, name, names), names ? name[0] : "");
}

bough_status charts_check_names(const bough_study *study, bough_error *error) {
    const bough_plot *plot = &study->plot;
    builder b = {.asked = study, .study = study, .error = error};
    const char **name = NULL;
    size_t names = 0;
    if (!plot->labels && !plot->orders) return BOUGH_OK;
    bough_status status = chart_dims_make(study, study->pool, &b.dims, error);
    TRY(list_values(&b, &name, &names));
    for (unsigned i = 0; i < plot->labels; i++)
        TRY(check_value(&b, "labels", plot->label[i].name, name, names));
    for (unsigned i = 0; i < plot->orders; i++) TRY(check_value(&b, "order", plot->order[i], name, names));
    TRY(chart_dims_rename(&b.dims, plot, error));
    arena_fini(&b.dims.memory);
    return status;
}

void charts_fini(charts *all) {
    arena_fini(&all->memory);
    bough_study_fini(&all->pooled);
    *all = (charts){0};
}
