/* Results as text tables. `long` has a line per metric; `wide` a line per answer with the metrics of
 * study->plot in columns. Values common to all lines are printed once, above the table. */
#include "bough/report.h"

#include "base/text/escape.h"
#include "report/tables/method_columns.h"
#include "report/tables/narrow_table.h"
#include "report/tables/pooled_results.h"
#include "report/tables/premise_lines.h"
#include "report/tables/table_labels.h"
#include "report/tables/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LINE = 80, INDICES_SHOWN = 24 };

/* ---- numbers ---- */

/* Digits after the point such that the interval keeps two significant digits; -1: as short as possible. */
static int digits_for(double mean, double ci) {
    if (!(ci > 0) || !isfinite(ci) || !(fabs(mean) < 1e9)) return -1;
    int digits = 1 - (int)floor(log10(ci));
    return digits < 0 ? 0 : digits > 9 ? -1 : digits;
}

static char *format(double value, int digits, char *buffer, size_t size) {
    if (!isfinite(value))
        snprintf(buffer, size, "-");
    else if (digits >= 0)
        snprintf(buffer, size, "%.*f", digits, value);
    else if (value == floor(value) && fabs(value) < 1e15)
        snprintf(buffer, size, "%.0f", value);
    else
        snprintf(buffer, size, "%.6g", value);
    return buffer;
}

static void add_number(text_table *t, double value, int digits) {
    char text[400];
    text_table_add(t, format(value, digits, text, sizeof text));
}

static void add_cell(text_table *t, const bough_answer *a, const bough_cell *c, bool range) {
    const bough_stats *s = &c->stats;
    double ci = bough_cell_ci95(a, c);
    int digits = digits_for(s->mean, ci);
    add_number(t, s->mean, digits);
    if (!isfinite(ci) && (a->exact || !bough_metric_estimates(c->metric)))
        text_table_add(t, "");
    else
        add_number(t, ci, digits);
    if (!range) return;
    if (a->exact) {
        text_table_add(t, "");
        text_table_add(t, "");
    } else {
        add_number(t, s->min, -1);
        add_number(t, s->max, -1);
    }
}

/* ---- first columns ---- */

static void add_heads(text_table *t, const table_labels *l) {
    table_labels_head(t, l);
    if (l->routing) text_table_head(t, "routing", false);
    text_table_head(t, "method", false);
    t->labels = t->cells;
}

static void add_labels(text_table *t, const table_labels *l, const bough_study_point *p,
                       const bough_answer *a) {
    table_labels_add(t, l, p);
    if (l->routing) text_table_add(t, a->routed ? p->routing[a->routing].spec : "any");
    text_table_add(t, a->method);
}

static void skip_labels(text_table *t) {
    for (size_t i = 0; i < t->labels; i++) text_table_add(t, "");
}

/* ---- long ---- */

static void add_metric_line(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a, const bough_cell *c) {
    char number[32];
    if (c == a->cell) /* only the first line of an answer has labels */
        add_labels(t, l, p, a);
    else
        skip_labels(t);
    table_add_metric(t, c);
    add_cell(t, a, c, true);
    snprintf(number, sizeof number, "%" PRIu64, c->stats.count);
    text_table_add(t, a->exact ? "exact" : number);
    if (l->status) text_table_add(t, bough_outcome_name(a->outcome));
    text_table_end_row(t);
}

/* Metrics with many indices are truncated. */
static void add_long_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a) {
    size_t shown = 0;
    for (size_t k = 0; k < a->cells; k++) {
        const bough_cell *c = &a->cell[k];
        shown = k && a->cell[k - 1].metric == c->metric ? shown + 1 : 1;
        if (shown <= INDICES_SHOWN) add_metric_line(t, l, p, a, c);
        bool last = k + 1 == a->cells || a->cell[k + 1].metric != c->metric;
        if (!last || shown <= INDICES_SHOWN) continue;
        char more[96];
        snprintf(more, sizeof more, "... %zu more in --csv", shown - INDICES_SHOWN);
        skip_labels(t);
        text_table_add(t, more);
        text_table_end_row(t);
    }
}

static void make_long(text_table *t, const table_labels *l) {
    add_heads(t, l);
    text_table_head(t, "metric", false);
    text_table_head(t, "mean", true);
    text_table_head(t, "+-95%", true);
    text_table_head(t, "min", true);
    text_table_head(t, "max", true);
    text_table_head(t, "trials", true);
    if (l->status) text_table_head(t, "status", false);
    text_table_end_row(t);
    for (size_t i = 0; i < l->study->points; i++)
        for (size_t k = 0; k < l->study->point[i].answers; k++)
            add_long_answer(t, l, &l->study->point[i], &l->study->point[i].answer[k]);
}

/* ---- wide ---- */

/* For an answer of the point's first method. */
static const bough_comparison *find_comparison(const bough_study_point *p, size_t answer,
                                               bough_metric_id metric) {
    for (size_t i = 0; i < p->comparisons; i++) {
        const bough_comparison *c = &p->comparison[i];
        if (c->answer == answer && c->metric == metric && p->answer[c->against].asked == 0 &&
            p->answer[c->answer].asked != 0)
            return c;
    }
    return NULL;
}

static void add_ratio(text_table *t, const bough_comparison *c) {
    if (c && isfinite(c->ratio))
        add_number(t, c->ratio, 3);
    else
        text_table_add(t, "");
}

static void add_wide_answer(text_table *t, const table_labels *l, const bough_study_point *p, size_t answer,
                            bool range) {
    const bough_study *study = l->study;
    const bough_answer *a = &p->answer[answer];
    add_labels(t, l, p, a);
    for (unsigned y = 0; y < study->plot.ys; y++) {
        const bough_cell *c = table_find_cell(a, study->plot.y[y], BOUGH_NO_ROW_INDEX);
        if (c)
            add_cell(t, a, c, range);
        else
            for (int i = 0; i < (range ? 4 : 2); i++) text_table_add(t, "");
        if (study->compare) add_ratio(t, find_comparison(p, answer, study->plot.y[y]));
    }
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, a->trials);
    text_table_add(t, a->exact ? "exact" : number);
    if (l->status) text_table_add(t, a->trials ? bough_outcome_name(a->outcome) : "");
    text_table_end_row(t);
}

static void make_wide(text_table *t, const table_labels *l, bool range) {
    const bough_study *study = l->study;
    add_heads(t, l);
    for (unsigned y = 0; y < study->plot.ys; y++) {
        text_table_head(t, bough_metrics[study->plot.y[y]].name, true);
        text_table_head_joined(t, "+-95%", true);
        if (range) text_table_head_joined(t, "min", true);
        if (range) text_table_head_joined(t, "max", true);
        if (study->compare) text_table_head_joined(t, "ratio", true);
    }
    text_table_head(t, "trials", true);
    if (l->status) text_table_head(t, "status", false);
    t->tail = 1u + l->status;
    text_table_end_row(t);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            add_wide_answer(t, l, &study->point[i], k, range);
}

/* ---- header and notes ---- */

static void put_effort(bough_text *out, const bough_effort *e) {
    char number[40];
    if (!(e->precision > 0)) {
        bough_text_printf(out, "%" PRIu64 " trials", e->trials);
        return;
    }
    bough_text_printf(out, "precision %s%s%s%%",
                      e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "",
                      e->watch < BOUGH_METRIC_COUNT ? ":" : "",
                      bough_format_real(e->precision * 100, number, sizeof number));
    bough_text_printf(out, ", at most %" PRIu64 " trials",
                      e->trials ? e->trials : (uint64_t)BOUGH_PRECISION_TRIALS);
}

static void put_single_head(bough_text *out, const bough_study *study) {
    const bough_study_point *p = &study->point[0];
    bough_text_put_line(out, "%s   %" PRIu64 " endpoints, %" PRIu64 " switches, %" PRIu64 " links",
                        p->network.spec, p->endpoints, p->switches, p->links);
    size_t from = out->length;
    if (p->faults.spec) bough_text_printf(out, "faults %s   ", p->faults.spec);
    if (p->routings == 1) bough_text_printf(out, "routing %s   ", p->routing[0].spec);
    bough_text_printf(out, "traffic %s   seed %" PRIu64 "   ", p->traffic.spec ? p->traffic.spec : "none",
                      study->seed);
    put_effort(out, &study->effort);
    bough_text_show(out, from);
    bough_text_put(out, "\n\n");
}

static void put_head(bough_text *out, const table_labels *l, const char *pool) {
    const bough_study *study = l->study;
    bough_text_put_line(out, "%s", study->title);
    size_t from = out->length;
    if (!l->network && !study->axes) bough_text_printf(out, "%s   ", study->point[0].network.spec);
    if (!l->faults && !study->axes && study->point[0].faults.spec)
        bough_text_printf(out, "%s   ", study->point[0].faults.spec);
    if (!l->traffic && !study->axes && study->point[0].traffic.spec)
        bough_text_printf(out, "%s   ", study->point[0].traffic.spec);
    for (size_t i = 0; i < l->axes; i++)
        if (!l->axis[i] && !(pool && i + 1 == study->axes))
            bough_text_printf(out, "%s=%s   ", study->axis[i], study->point[0].value[i]);
    bough_text_printf(out, "seed %" PRIu64 "   ", study->seed);
    put_effort(out, &study->effort);
    if (pool) bough_text_printf(out, "   merged over %s", pool);
    bough_text_show(out, from);
    bough_text_put(out, "\n\n");
}

static void put_name(bough_text *out, const bough_study_point *p, const bough_comparison *c, size_t answer) {
    const bough_answer *a = &p->answer[answer];
    bool routings = p->answer[c->answer].routing != p->answer[c->against].routing;
    size_t from = out->length;
    if (routings)
        bough_text_printf(out, "%s under %s", a->method, p->routing[a->routing].spec);
    else
        bough_text_printf(out, "%s%s%s", a->method, p->routings > 1 && a->routed ? " under " : "",
                          p->routings > 1 && a->routed ? p->routing[a->routing].spec : "");
    if (a->outcome != BOUGH_RUN_OK) bough_text_printf(out, " (%s)", bough_outcome_name(a->outcome));
    bough_text_show(out, from);
}

/* Reports which of the two has no value, and why. */
static void put_no_comparison(bough_text *out, const bough_study_point *p, const bough_comparison *c) {
    const bough_answer *of[] = {&p->answer[c->answer], &p->answer[c->against]};
    bough_text_printf(out, "  %s  not compared:", bough_metrics[c->metric].name);
    for (size_t i = 0, said = 0; i < 2; i++) {
        const bough_cell *cell = table_find_cell(of[i], c->metric, BOUGH_NO_ROW_INDEX);
        if (cell && isfinite(cell->stats.mean)) continue;
        bool known = of[i]->outcome != BOUGH_RUN_OK;
        bough_text_printf(out, "%s %s %s%s", said++ ? "," : "", of[i]->method, known ? "is " : "has no value",
                          known ? bough_outcome_name(of[i]->outcome) : "");
    }
    bough_text_put(out, "\n");
}

static void put_comparisons(bough_text *out, const bough_study_point *p) {
    char number[400];
    for (size_t i = 0; i < p->comparisons; i++) {
        const bough_comparison *c = &p->comparison[i];
        const bough_comparison *before = i ? c - 1 : NULL;
        if (!before || before->answer != c->answer || before->against != c->against) {
            bough_text_put(out, "\n");
            put_name(out, p, c, c->answer);
            bough_text_put(out, " / ");
            put_name(out, p, c, c->against);
            bough_text_put(out, ":\n");
        }
        if (!isfinite(c->difference)) {
            put_no_comparison(out, p, c);
            continue;
        }
        int digits = digits_for(c->ratio, c->ratio_ci95);
        bough_text_printf(out, "  %s  %s", bough_metrics[c->metric].name,
                          format(c->ratio, digits, number, sizeof number));
        if (isfinite(c->ratio_ci95))
            bough_text_printf(out, " +- %s", format(c->ratio_ci95, digits, number, sizeof number));
        digits = digits_for(c->difference, c->difference_ci95);
        bough_text_printf(out, "  (difference %s", format(c->difference, digits, number, sizeof number));
        if (isfinite(c->difference_ci95))
            bough_text_printf(out, " +- %s", format(c->difference_ci95, digits, number, sizeof number));
        bough_text_put(out, ")\n");
    }
}

static void put_note(bough_text *out, const table_labels *l, const bough_study_point *p,
                     const bough_answer *a) {
    bough_text line = {0};
    bough_text_put(&line, a->method);
    if (p->routings > 1 && a->routed) bough_text_printf(&line, " under %s", p->routing[a->routing].spec);
    if (l->network) bough_text_printf(&line, ", %s", p->network.spec);
    for (size_t x = 0; x < l->axes; x++)
        if (l->axis[x]) bough_text_printf(&line, ", %s=%s", l->study->axis[x], p->value[x]);
    if (a->outcome != BOUGH_RUN_OK) bough_text_printf(&line, ": %s", bough_outcome_name(a->outcome));
    bough_text_printf(&line, ": %s", a->note);
    put_wrapped_text(out, &line, LINE);
}

/* Notes of trials. */
static void put_notes(bough_text *out, const table_labels *l) {
    bool any = false;
    for (size_t i = 0; i < l->study->points; i++) {
        const bough_study_point *p = &l->study->point[i];
        for (size_t k = 0; k < p->answers; k++) {
            if (!p->answer[k].note[0]) continue;
            if (!any) bough_text_put(out, "\n");
            put_note(out, l, p, &p->answer[k]);
            any = true;
        }
    }
}

/* A metric with indices does not fit in one cell of the plot. */
static bool has_plotted_index(const bough_study *study, const bough_answer *a) {
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].index != BOUGH_NO_ROW_INDEX && table_is_plotted(study, a->cell[c].metric)) return true;
    return false;
}

static bool fits_wide(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (has_plotted_index(study, &study->point[i].answer[k])) return false;
    return study->plot.ys > 0;
}

static void put_ratio(bough_text *out) {
    bough_text_put(out, "\n"
                        "ratio: of the metric to its left, relative to the point's first method\n");
}

static bough_status make_table(const bough_study *study, bool single, const char *pool, char **text,
                               bough_error *error) {
    bough_text out = {0}, legend = {0};
    text_table t = {0};
    table_labels labels = table_labels_of(study);
    if (pool && labels.axes == study->axes) labels.axis[study->axes - 1] = false;
    if (single)
        put_single_head(&out, study);
    else
        put_head(&out, &labels, pool);
    premise_lines_put(&out, study);
    bool wide = !single && fits_wide(study), across = !single && !wide && method_columns_fits(study);
    if (across) {
        method_columns_make(&t, &labels);
    } else if (wide) {
        make_wide(&t, &labels, true);
        if (text_table_line(&t) > LINE) {
            text_table_fini(&t);
            make_wide(&t, &labels, false);
        }
    } else {
        make_long(&t, &labels);
    }
    if (across)
        text_table_write(&t, &out);
    else if (wide)
        narrow_table_write(&t, LINE, &out, &legend);
    else
        narrow_table_write_headed(&t, LINE, &out);
    if (across) method_columns_legend(&out, study);
    if (legend.length) bough_text_put(&out, "\n");
    bough_text_join(&out, &legend);
    if (wide && study->compare) put_ratio(&out);
    units_put(&out, study, wide || across);
    put_notes(&out, &labels);
    if (single) put_comparisons(&out, &study->point[0]);
    text_table_fini(&t);
    return bough_text_finish(&out, text, error);
}

bough_status bough_report_table(const bough_study *study, bool single, char **text, bough_error *error) {
    if (!study->pool) return make_table(study, single, NULL, text, error);
    bough_study pooled;
    bough_status status = pool_study(study, &pooled, error);
    if (status) return status;
    status = make_table(&pooled, false, study->pool, text, error);
    bough_study_fini(&pooled);
    return status;
}
