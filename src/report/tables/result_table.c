/* Results as text tables. `long` has a line per metric; `wide` a line per answer with the metrics of
 * study->plot in columns. Values common to all lines are printed once, above the table. */
#include "bough/report.h"

#include "base/text/escape.h"
#include "report/tables/columns.h"
#include "report/tables/pooled_results.h"
#include "report/tables/side_by_side.h"
#include "report/tables/table_fit.h"
#include "report/tables/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80, INDICES_SHOWN = 24 };

typedef struct frame {
    const bough_study *study;
    bool axis[32]; /* axes shown as columns: those that vary */
    bool network, faults, traffic, routing, status;
} frame;

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

static void add_number(columns *t, double value, int digits) {
    char text[400];
    columns_add(t, format(value, digits, text, sizeof text));
}

static void add_cell(columns *t, const bough_answer *a, const bough_cell *c, bool range) {
    const bough_stats *s = &c->stats;
    double ci = bough_cell_ci95(a, c);
    int digits = digits_for(s->mean, ci);
    add_number(t, s->mean, digits);
    if (!isfinite(ci) && (a->exact || !bough_metric_estimates(c->metric)))
        columns_add(t, "");
    else
        add_number(t, ci, digits);
    if (!range) return;
    if (a->exact) {
        columns_add(t, "");
        columns_add(t, "");
    } else {
        add_number(t, s->min, -1);
        add_number(t, s->max, -1);
    }
}

/* ---- first columns ---- */

static bool varies(const bough_study *study, size_t axis) {
    for (size_t i = 1; i < study->points; i++)
        if (strcmp(study->point[i].value[axis], study->point[0].value[axis]) != 0) return true;
    return false;
}

static frame make_frame(const bough_study *study) {
    frame f = {.study = study,
               .network = study->network_varies,
               .faults = study->faults_vary,
               .traffic = study->traffic_varies};
    for (size_t i = 0; i < study->axes && i < 32; i++) f.axis[i] = varies(study, i);
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        if (p->routings > 1) f.routing = true;
        for (size_t k = 0; k < p->answers; k++)
            if (p->answer[k].trials && p->answer[k].outcome != BOUGH_RUN_OK) f.status = true;
    }
    return f;
}

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return *text && !*end;
}

static void add_heads(columns *t, const frame *f) {
    const bough_study *study = f->study;
    if (f->network) columns_head(t, "network", false);
    if (f->faults) columns_head(t, "faults", false);
    if (f->traffic) columns_head(t, "traffic", false);
    for (size_t i = 0; i < study->axes && i < 32; i++)
        if (f->axis[i]) columns_head(t, study->axis[i], is_number(study->point[0].value[i]));
    if (f->routing) columns_head(t, "routing", false);
    columns_head(t, "method", false);
}

static void add_labels(columns *t, const frame *f, const bough_study_point *p, const bough_answer *a) {
    if (f->network) columns_add(t, p->network.spec);
    if (f->faults) columns_add(t, p->faults.spec ? p->faults.spec : "");
    if (f->traffic) columns_add(t, p->traffic.spec ? p->traffic.spec : "");
    for (size_t i = 0; i < f->study->axes && i < 32; i++)
        if (f->axis[i]) columns_add(t, p->value[i]);
    if (f->routing) columns_add(t, a->routed ? p->routing[a->routing].spec : "any");
    columns_add(t, a->method);
}

static size_t count_labels(const frame *f) {
    size_t count = 1u + f->network + f->faults + f->traffic + f->routing;
    for (size_t i = 0; i < f->study->axes && i < 32; i++) count += f->axis[i];
    return count;
}

static void skip_labels(columns *t, const frame *f) {
    for (size_t count = count_labels(f); count; count--) columns_add(t, "");
}

/* ---- long ---- */

static void add_metric_line(columns *t, const frame *f, const bough_study_point *p, const bough_answer *a,
                            const bough_cell *c) {
    char name[96], number[32];
    if (c == a->cell) /* only the first line of an answer has labels */
        add_labels(t, f, p, a);
    else
        skip_labels(t, f);
    if (c->index == BOUGH_NO_ROW_INDEX)
        snprintf(name, sizeof name, "%s", bough_metrics[c->metric].name);
    else
        snprintf(name, sizeof name, "%s[%" PRId64 "]", bough_metrics[c->metric].name, c->index);
    columns_add(t, name);
    add_cell(t, a, c, true);
    snprintf(number, sizeof number, "%" PRIu64, c->stats.count);
    columns_add(t, a->exact ? "exact" : number);
    if (f->status) columns_add(t, bough_outcome_name(a->outcome));
    columns_end_row(t);
}

/* Metrics with many indices are truncated. */
static void add_long_answer(columns *t, const frame *f, const bough_study_point *p, const bough_answer *a) {
    size_t shown = 0;
    for (size_t k = 0; k < a->cells; k++) {
        const bough_cell *c = &a->cell[k];
        shown = k && a->cell[k - 1].metric == c->metric ? shown + 1 : 1;
        if (shown <= INDICES_SHOWN) add_metric_line(t, f, p, a, c);
        bool last = k + 1 == a->cells || a->cell[k + 1].metric != c->metric;
        if (!last || shown <= INDICES_SHOWN) continue;
        char more[96];
        snprintf(more, sizeof more, "... %zu more in --csv", shown - INDICES_SHOWN);
        skip_labels(t, f);
        columns_add(t, more);
        columns_end_row(t);
    }
}

static void make_long(columns *t, const frame *f) {
    add_heads(t, f);
    columns_head(t, "metric", false);
    columns_head(t, "mean", true);
    columns_head(t, "+-95%", true);
    columns_head(t, "min", true);
    columns_head(t, "max", true);
    columns_head(t, "trials", true);
    if (f->status) columns_head(t, "status", false);
    columns_end_row(t);
    for (size_t i = 0; i < f->study->points; i++)
        for (size_t k = 0; k < f->study->point[i].answers; k++)
            add_long_answer(t, f, &f->study->point[i], &f->study->point[i].answer[k]);
}

/* ---- wide ---- */

static const bough_cell *find_cell(const bough_answer *a, bough_metric_id metric) {
    for (size_t i = 0; i < a->cells; i++)
        if (a->cell[i].metric == metric && a->cell[i].index == BOUGH_NO_ROW_INDEX) return &a->cell[i];
    return NULL;
}

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

static void add_ratio(columns *t, const bough_comparison *c) {
    if (c && isfinite(c->ratio))
        add_number(t, c->ratio, 3);
    else
        columns_add(t, "");
}

static void add_wide_answer(columns *t, const frame *f, const bough_study_point *p, size_t answer,
                            bool range) {
    const bough_study *study = f->study;
    const bough_answer *a = &p->answer[answer];
    add_labels(t, f, p, a);
    for (unsigned y = 0; y < study->plot.ys; y++) {
        const bough_cell *c = find_cell(a, study->plot.y[y]);
        if (c)
            add_cell(t, a, c, range);
        else
            for (int i = 0; i < (range ? 4 : 2); i++) columns_add(t, "");
        if (study->compare) add_ratio(t, find_comparison(p, answer, study->plot.y[y]));
    }
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, a->trials);
    columns_add(t, a->exact ? "exact" : number);
    if (f->status) columns_add(t, a->trials ? bough_outcome_name(a->outcome) : "");
    columns_end_row(t);
}

static void make_wide(columns *t, const frame *f, bool range) {
    const bough_study *study = f->study;
    add_heads(t, f);
    for (unsigned y = 0; y < study->plot.ys; y++) {
        columns_head(t, bough_metrics[study->plot.y[y]].name, true);
        columns_head_joined(t, "+-95%", true);
        if (range) columns_head_joined(t, "min", true);
        if (range) columns_head_joined(t, "max", true);
        if (study->compare) columns_head_joined(t, "ratio", true);
    }
    columns_head(t, "trials", true);
    if (f->status) columns_head(t, "status", false);
    columns_end_row(t);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            add_wide_answer(t, f, &study->point[i], k, range);
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

static void put_head(bough_text *out, const bough_study *study, const frame *f, const char *pool) {
    bough_text_put_line(out, "%s", study->title);
    size_t from = out->length;
    if (!f->network && !study->axes) bough_text_printf(out, "%s   ", study->point[0].network.spec);
    if (!f->faults && !study->axes && study->point[0].faults.spec)
        bough_text_printf(out, "%s   ", study->point[0].faults.spec);
    if (!f->traffic && !study->axes && study->point[0].traffic.spec)
        bough_text_printf(out, "%s   ", study->point[0].traffic.spec);
    for (size_t i = 0; i < study->axes && i < 32; i++)
        if (!f->axis[i] && !(pool && i + 1 == study->axes))
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
        const bough_cell *cell = find_cell(of[i], c->metric);
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

/* Notes of trials. */
static void put_notes(bough_text *out, const frame *f) {
    bool any = false;
    for (size_t i = 0; i < f->study->points; i++) {
        const bough_study_point *p = &f->study->point[i];
        for (size_t k = 0; k < p->answers; k++) {
            const bough_answer *a = &p->answer[k];
            if (!a->note[0]) continue;
            bough_text line = {0};
            bough_text_put(&line, a->method);
            if (p->routings > 1 && a->routed)
                bough_text_printf(&line, " under %s", p->routing[a->routing].spec);
            if (f->network) bough_text_printf(&line, ", %s", p->network.spec);
            for (size_t x = 0; x < f->study->axes && x < 32; x++)
                if (f->axis[x]) bough_text_printf(&line, ", %s=%s", f->study->axis[x], p->value[x]);
            if (a->outcome != BOUGH_RUN_OK) bough_text_printf(&line, ": %s", bough_outcome_name(a->outcome));
            bough_text_printf(&line, ": %s", a->note);
            if (!any) bough_text_put(out, "\n");
            narrow_put_text(out, &line, LINE);
            any = true;
        }
    }
}

/* A metric with indices does not fit in one cell of the plot. */
static bool fits_wide(const bough_study *study) {
    if (!study->plot.ys) return false;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            for (size_t c = 0; c < a->cells; c++)
                for (unsigned y = 0; y < study->plot.ys; y++)
                    if (a->cell[c].metric == study->plot.y[y] && a->cell[c].index != BOUGH_NO_ROW_INDEX)
                        return false;
        }
    return true;
}

static void put_ratio(bough_text *out) {
    bough_text_put(out, "\n"
                        "ratio: of the metric to its left, relative to the point's first method\n");
}

static bough_status make_table(const bough_study *study, bool single, const char *pool, char **text,
                               bough_error *error) {
    bough_text out = {0}, legend = {0};
    columns t = {0};
    frame f = make_frame(study);
    if (pool) f.axis[study->axes - 1] = false;
    if (single)
        put_single_head(&out, study);
    else
        put_head(&out, study, &f, pool);
    bool wide = !single && fits_wide(study), across = !single && !wide && across_fits(study);
    if (across) {
        across_make(&t, study, &(across_labels){f.axis, f.network, f.traffic});
    } else if (wide) {
        make_wide(&t, &f, true);
        if (columns_line(&t) > LINE) {
            columns_fini(&t);
            make_wide(&t, &f, false);
        }
    } else {
        make_long(&t, &f);
    }
    if (across)
        columns_write(&t, &out);
    else if (wide)
        narrow_write(&t, count_labels(&f), t.width - 1 - f.status, LINE, &out, &legend);
    else
        narrow_write_headed(&t, count_labels(&f), LINE, &out);
    if (across) across_legend(&out, study);
    if (legend.length) bough_text_put(&out, "\n");
    bough_text_join(&out, &legend);
    if (wide && study->compare) put_ratio(&out);
    units_put(&out, study, wide || across);
    put_notes(&out, &f);
    if (single) put_comparisons(&out, &study->point[0]);
    columns_fini(&t);
    size_t length = out.length;
    *text = bough_text_take(&out);
    return *text ? BOUGH_OK : bough_fail_memory(error, length);
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
