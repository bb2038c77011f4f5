/* Charts of one metric against another. x of a point is the metric's value of the same answer; where that
 * answer has none, of the one other answer of the point that has one (an area by `layout`, a time by `flow`).
 */
#include "report/charts/chart_build.h"

#include "base/status/try.h"

#include <math.h>
#include <stdio.h>

/* ---- x of a point ---- */

static const bough_cell *cell_of(const bough_answer *a, bough_metric_id metric) {
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].metric == metric && a->cell[c].index == BOUGH_NO_ROW_INDEX &&
            isfinite(a->cell[c].stats.mean))
            return &a->cell[c];
    return NULL;
}

const bough_cell *build_x_cell(const builder *b, const bough_study_point *of, const bough_answer **answer) {
    const bough_cell *own = cell_of(*answer, b->x_metric), *other = NULL;
    if (own) return own;
    for (size_t k = 0; k < of->answers; k++) {
        const bough_cell *cell = cell_of(&of->answer[k], b->x_metric);
        if (cell && other) return NULL;
        if (!cell) continue;
        other = cell;
        *answer = &of->answer[k];
    }
    return other;
}

/* The label says which point of the study it is; charts of an axis have x there. */
bool build_metric_x(builder *b, const cell_place *at, chart_point *p, bough_status *status) {
    const bough_answer *from = at->answer;
    const bough_cell *cell = build_x_cell(b, at->of, &from);
    if (!cell) return false;
    p->x = cell->stats.mean;
    p->x_ci95 = from->exact ? NAN : bough_cell_ci95(from, cell);
    p->x_min = cell->stats.min;
    p->x_max = cell->stats.max;
    build_clear(b);
    build_put_category(b, &b->buffer, at);
    p->label = build_keep_buffer(b);
    if (!p->label) *status = BOUGH_NO_MEMORY;
    return p->label != NULL;
}

/* ---- staircases ---- */

/* Whether a point beats all before it: points are in order of x. */
static bool improves(const chart_point *p, double best, bool upper) {
    return upper ? p->mean > best : p->mean < best;
}

static void add(chart_curve *curve, double x, double y) {
    curve->x[curve->points] = x;
    curve->y[curve->points++] = y;
}

/* Of points with one x the best alone is on the staircase. It ends at the largest x of the series. */
static void climb(const chart_series *s, chart_curve *curve, bool upper) {
    double best = upper ? -INFINITY : INFINITY, end = s->point[s->points - 1].x;
    for (size_t i = 0; i < s->points; i++) {
        const chart_point *p = &s->point[i];
        if (!improves(p, best, upper)) continue;
        if (curve->points && curve->x[curve->points - 1] == p->x)
            curve->points--;
        else if (curve->points)
            add(curve, p->x, best);
        best = p->mean;
        add(curve, p->x, best);
    }
    if (curve->x[curve->points - 1] < end) add(curve, end, best);
}

static bough_status add_staircase(builder *b, chart *c, const chart_series *s) {
    bough_status status = arena_grow(&b->all->memory, &c->curve, c->curves + 1, sizeof *c->curve, b->error);
    if (status) return status;
    chart_curve curve = {.style = s->style};
    build_clear(b);
    bough_text_printf(&b->buffer, "Pareto-optimal%s%s", c->count > 1 ? ", " : "",
                      c->count > 1 ? s->name : "");
    curve.name = build_keep_buffer(b);
    if (!curve.name) return BOUGH_NO_MEMORY;
    status = arena_alloc(&b->all->memory, &curve.x, 2 * s->points + 1, sizeof *curve.x, b->error);
    TRY(arena_alloc(&b->all->memory, &curve.y, 2 * s->points + 1, sizeof *curve.y, b->error));
    if (!status) climb(s, &curve, b->asked->plot.join == BOUGH_JOIN_UPPER);
    c->curve[c->curves++] = curve;
    return status;
}

bough_status build_staircases(builder *b) {
    bough_plot_join join = b->asked->plot.join;
    bough_status status = BOUGH_OK;
    if (b->x != X_METRIC || (join != BOUGH_JOIN_LOWER && join != BOUGH_JOIN_UPPER)) return status;
    for (size_t i = b->from; i < b->all->count; i++) {
        chart *c = &b->all->chart[i];
        for (size_t k = 0; k < c->count && !status; k++)
            if (c->series[k].points) status = add_staircase(b, c, &c->series[k]);
    }
    return status;
}
