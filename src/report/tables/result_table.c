/* Results as text tables. `long` has a line per metric; `wide` a line per answer with the metrics of
 * study->plot in columns. Values common to all lines are printed once, above the table. */
#include "base/text/escape.h"
#include "document/narrow_table.h"
#include "method/quantity.h"
#include "method/rows.h"
#include "report/charts/chart_marks.h"
#include "report/comparison/comparison_text.h"
#include "report/comparison/measured_gap.h"
#include "report/comparison/premise_lines.h"
#include "report/comparison/statistic_lines.h"
#include "report/report.h"
#include "report/tables/pooled_results.h"
#include "report/tables/precision_note.h"
#include "report/tables/table_labels.h"
#include "study/assumption_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- method columns ---- */

/* Tables with one column per answer and a line for each metric and index, like tables in papers. Used if a
 * study plots metrics with indices and has the methods as its series. */

/* True if every point has the same answers, and these do not fit in one line. */
static bool method_columns_fits(const bough_study *study) {
    if (!study->plot.ys || !study->plot.series || strcmp(study->plot.series, "method") != 0) return false;
    if (study->points == 0 || study->point[0].routings > 1) return false;
    for (size_t i = 1; i < study->points; i++)
        if (study->point[i].answers != study->point[0].answers) return false;
    return true;
}

#define APART 0.01 /* values that differ from the last answer's by this fraction are marked */

static bool is_apart(const bough_cell *c, const bough_cell *last) {
    return last && fabs(c->stats.mean - last->stats.mean) > APART * fabs(last->stats.mean);
}

/* A mark, and the digits that the interval makes significant. */
static void add_value(text_table *t, const bough_answer *a, const bough_cell *c, const char *mark,
                      double factor) {
    char number[QUANTITY_TEXT], text[QUANTITY_TEXT + 4];
    double ci = bough_cell_ci95(a, c);
    quantity_format(c->stats.mean * factor, isfinite(ci) ? ci * factor : 0, number);
    snprintf(text, sizeof text, "%s%s%s", mark, a->trials && a->outcome != BOUGH_RUN_OK ? "!" : "", number);
    t->now = table_style(a);
    text_table_add(t, text);
    t->now = TEXT_PLAIN;
}

/* The largest value of a line determines its unit. */
static quantity_unit line_unit(const bough_study_point *p, const bough_cell *of) {
    double most = 0;
    for (size_t k = 0; k < p->answers; k++) {
        const bough_cell *c = table_find_cell(&p->answer[k], of->metric, of->index);
        if (c && isfinite(c->stats.mean)) most = fmax(most, fabs(c->stats.mean));
    }
    return quantity_unit_of(of->metric, most);
}

/* One line: the metric and index of a cell of an answer, with the values of all answers. */
static void add_line(text_table *t, const table_labels *l, const bough_study_point *p, const bough_answer *a,
                     const bough_cell *of) {
    quantity_unit unit = line_unit(p, of);
    table_labels_add(t, l, p);
    table_add_metric(t, a, of);
    text_table_add(t, unit.name);
    const bough_cell *last =
        l->study->compare ? table_find_cell(&p->answer[p->answers - 1], of->metric, of->index) : NULL;
    for (size_t k = 0; k < p->answers; k++) {
        const bough_cell *c = table_find_cell(&p->answer[k], of->metric, of->index);
        if (c)
            add_value(t, &p->answer[k], c, is_apart(c, last) ? "*" : "", unit.factor);
        else
            text_table_add(t, "");
    }
    text_table_end_row(t);
}

/* Adds lines in the order of the answers, each once: lines of earlier answers are skipped. */
static void add_metric(text_table *t, const table_labels *l, const bough_study_point *p,
                       bough_metric_id metric) {
    for (size_t k = 0; k < p->answers; k++)
        for (size_t i = 0; i < p->answer[k].cells; i++) {
            const bough_cell *c = &p->answer[k].cell[i];
            bool skip = c->metric != metric;
            for (size_t j = 0; j < k && !skip; j++) skip = table_find_cell(&p->answer[j], metric, c->index);
            if (!skip) add_line(t, l, p, &p->answer[k], c);
        }
}

static void make(text_table *t, const table_labels *l, bool named) {
    const bough_study *study = l->study;
    char number[32];
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    table_labels_head(t, l);
    text_table_head(t, "metric", false);
    text_table_head(t, "unit", false);
    t->labels = t->cells;
    for (size_t k = 0; k < study->point[0].answers; k++) {
        snprintf(number, sizeof number, "(%zu)", k + 1);
        text_table_head(t, named ? study->point[0].answer[k].method : number, true);
    }
    text_table_end_row(t);
    for (size_t i = 0; i < study->points; i++)
        for (unsigned y = 0; y < columns; y++) add_metric(t, l, &study->point[i], metric[y]);
}

static bool same_methods(const bough_study *study) {
    for (size_t i = 1; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (strcmp(study->point[i].answer[k].method, study->point[0].answer[k].method) != 0) return false;
    return true;
}

/* Columns are headed by the specs of their methods if these are the same at all points and the table is then
 * not wider than a line (returns true), else by numbers. */
static bool method_columns_make(text_table *t, const table_labels *l, size_t line) {
    bool named = same_methods(l->study);
    if (named) make(t, l, true);
    if (named && text_table_line(t) <= line) return true;
    bool colours = t->colours;
    text_table_fini(t);
    t->colours = colours;
    make(t, l, false);
    t->numbers = l->study->points ? l->study->point[0].answers : 0;
    return false;
}

/* The trials of a column: "3 trials (few)"; nothing if all its answers are exact. */
static void put_trials(bough_text *out, const bough_study *study, size_t answer) {
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < study->points; i++) {
        const bough_answer *a = &study->point[i].answer[answer];
        if (a->exact || !a->trials) continue;
        low = a->trials < low ? a->trials : low;
        high = a->trials > high ? a->trials : high;
    }
    if (!high) return;
    bough_text_printf(out, ": %" PRIu64, low);
    if (low < high) bough_text_printf(out, " to %" PRIu64, high);
    bough_text_printf(out, " trial%s%s", high == 1 ? "" : "s",
                      low < BOUGH_FIRST_CHECKPOINT ? " (few: values are rough)" : "");
}

static void put_column(bough_text *out, const bough_study *study, size_t k, bool named) {
    if (!named) bough_text_printf(out, "(%zu) ", k + 1);
    bough_text_put(out, study->point[0].answer[k].method);
    for (size_t i = 1; i < study->points; i++) { /* columns that differ from the previous point */
        const char *method = study->point[i].answer[k].method;
        if (strcmp(method, study->point[i - 1].answer[k].method) != 0) bough_text_printf(out, ", %s", method);
    }
}

/* What numbers and marks mean: "(1) data:table5.csv", "(2) circuit: 4 trials (few)". */
static void method_columns_legend(bough_text *out, const table_labels *l, bool named, size_t line) {
    const bough_study *study = l->study;
    size_t from = out->length;
    bough_text_put(out, "\n");
    for (size_t k = 0; k < study->point[0].answers; k++) {
        bough_text entry = {0}, trials = {0};
        put_trials(&trials, study, k);
        if (!named || trials.length) put_column(&entry, study, k, named);
        bough_text_join(&entry, &trials);
        put_wrapped_text(out, &entry, line);
    }
    if (study->compare && named)
        bough_text_printf(out, "*: more than %g %% from the last column\n", 100 * APART);
    else if (study->compare)
        bough_text_printf(out, "*: more than %g %% from (%zu)\n", 100 * APART, study->point[0].answers);
    if (l->status) bough_text_put(out, "!: not a normal end, such as saturation\n");
    if (!out->failed && out->length == from + 1) out->data[out->length = from] = 0; /* nothing to say */
}

/* ---- result table ---- */

enum { LINE = 80, INDICES_SHOWN = 24, NOTES_SHOWN = 12 };

/* ---- numbers ---- */

/* A cell in its unit. */
typedef struct shown_cell {
    const bough_answer *answer;
    const bough_cell *cell;
    quantity_unit unit;
    bool range; /* with min and max */
    bool first; /* of the lines of its answer */
} shown_cell;

/* Several trials gave one value. */
static bool are_equal(const bough_answer *a, const bough_stats *s) {
    return !a->exact && s->count > 1 && s->min == s->max;
}

static void add_interval(text_table *t, const shown_cell *c, double shown, double ci) {
    char text[QUANTITY_TEXT];
    bool none = c->answer->exact || !bough_metric_estimates(c->cell->metric);
    if (isfinite(ci) && ci > 0)
        text_table_add(t, quantity_format_interval(shown, ci, text));
    else if (none || !isfinite(shown))
        text_table_add(t, "");
    else
        text_table_add(t, are_equal(c->answer, &c->cell->stats) ? "equal" : "-");
}

/* One of the values: counts are whole, others have the digits of the mean. */
static void add_extreme(text_table *t, const shown_cell *c, double value, double ci) {
    char text[QUANTITY_TEXT];
    bool whole = value == floor(value) && c->unit.factor == 1;
    text_table_add(t, quantity_format(value * c->unit.factor, whole ? 0 : ci, text));
}

static void add_range(text_table *t, const shown_cell *c, double ci) {
    const bough_stats *s = &c->cell->stats;
    bool differ = !c->answer->exact && s->min != s->max;
    if (differ) add_extreme(t, c, s->min, ci);
    if (differ) add_extreme(t, c, s->max, ci);
    for (int i = 0; i < 2 && !differ; i++) text_table_add(t, "");
}

/* Mean, interval, and minimum and maximum where they differ. */
static void add_cell(text_table *t, const shown_cell *c, bool with_unit) {
    char text[QUANTITY_TEXT], behind[sizeof c->unit.name];
    const bough_answer *a = c->answer;
    double shown = c->cell->stats.mean * c->unit.factor, ci = bough_cell_ci95(a, c->cell) * c->unit.factor;
    double known = isfinite(ci) && !are_equal(a, &c->cell->stats) ? ci : 0;
    text_style style = table_style(a);
    t->now = style ? style : c->cell->metric == a->headline ? TEXT_BOLD : TEXT_PLAIN;
    text_table_add(t, quantity_format(shown, known, text));
    t->now = TEXT_PLAIN;
    if (with_unit) text_table_add(t, isfinite(shown) ? quantity_unit_behind(&c->unit, text, behind) : "");
    add_interval(t, c, shown, known > 0 ? known : NAN);
    if (c->range) add_range(t, c, known);
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
    bough_text method = {0};
    bough_text_put(&method, a->method);
    if (l->status_above && a->outcome != BOUGH_RUN_OK && a->trials)
        bough_text_printf(&method, " (%s)", bough_outcome_name(a->outcome));
    if (method.failed) t->failed = true;
    t->now = l->status_above ? table_style(a) : TEXT_PLAIN;
    if (!method.failed) text_table_add(t, method.data);
    t->now = TEXT_PLAIN;
    bough_text_fini(&method);
}

static void add_blanks(text_table *t, size_t count) {
    while (count--) text_table_add(t, "");
}

/* ---- ratios ---- */

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
    char text[QUANTITY_TEXT];
    bool large = c && fabs(c->ratio) >= 100;
    if (c && isfinite(c->ratio) && !large)
        snprintf(text, sizeof text, "%.3f", c->ratio);
    else if (c && isfinite(c->ratio))
        quantity_format(c->ratio, 0, text);
    else
        text[0] = 0;
    text_table_add(t, text);
}

static bool has_ratio(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].comparisons; k++) {
            const bough_study_point *p = &study->point[i];
            const bough_comparison *c = &p->comparison[k];
            bool shown = !study->plot.ys || table_is_plotted(study, c->metric);
            if (shown && isfinite(c->ratio) && find_comparison(p, c->answer, c->metric) == c) return true;
        }
    return false;
}

/* ---- long ---- */

typedef struct long_style {
    bool range, ratio;
} long_style;

static void add_metric_line(text_table *t, const table_labels *l, const bough_study_point *p,
                            const shown_cell *c, bool ratio) {
    const bough_answer *a = c->answer;
    if (c->first) /* only the first line of an answer has labels */
        add_labels(t, l, p, a);
    else
        add_blanks(t, t->labels);
    t->now = c->cell->metric == a->headline ? TEXT_BOLD : TEXT_PLAIN;
    table_add_metric(t, a, c->cell);
    t->now = TEXT_PLAIN;
    add_cell(t, c, true);
    bool whole = c->cell->index == BOUGH_NO_ROW_INDEX;
    if (ratio) add_ratio(t, whole ? find_comparison(p, (size_t)(a - p->answer), c->cell->metric) : NULL);
    table_add_trials(t, l, a, c->cell->stats.count);
    text_table_end_row(t);
}

/* Metrics with many indices are truncated. */
static void add_long_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a, long_style style) {
    size_t shown = 0;
    bool first = true;
    for (size_t k = 0; k < a->cells; k++) {
        const bough_cell *c = &a->cell[k];
        if (!metric_is_chosen(&l->choice, a, c->metric)) continue;
        shown = k && a->cell[k - 1].metric == c->metric ? shown + 1 : 1;
        if (shown <= INDICES_SHOWN) {
            shown_cell cell = {a, c, quantity_unit_of(c->metric, c->stats.mean), style.range, first};
            add_metric_line(t, l, p, &cell, style.ratio);
            first = false;
        }
        bool last = k + 1 == a->cells || a->cell[k + 1].metric != c->metric;
        if (!last || shown <= INDICES_SHOWN) continue;
        char more[96];
        snprintf(more, sizeof more, "... %zu more in --csv", shown - INDICES_SHOWN);
        add_blanks(t, t->labels);
        text_table_add(t, more);
        text_table_end_row(t);
    }
}

static void make_long(text_table *t, const table_labels *l, long_style style) {
    add_heads(t, l);
    text_table_head(t, "metric", false);
    text_table_head(t, "mean", true);
    text_table_head_unit(t);
    text_table_head(t, "+-95%", true);
    if (style.range) text_table_head(t, "min", true);
    if (style.range) text_table_head(t, "max", true);
    if (style.ratio) text_table_head(t, "ratio", true);
    table_head_trials(t, l);
    text_table_end_row(t);
    for (size_t i = 0; i < l->study->points; i++)
        for (size_t k = 0; k < l->study->point[i].answers; k++)
            add_long_answer(t, l, &l->study->point[i], &l->study->point[i].answer[k], style);
}

/* ---- wide ---- */

enum { UNIT_ROWS = 4, UNIT_WIDTH = 12 };

/* One unit for a column: in the middle of its values on a logarithmic scale. */
static quantity_unit column_unit(const bough_study *study, bough_metric_id metric) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_cell *c = table_find_cell(&study->point[i].answer[k], metric, BOUGH_NO_ROW_INDEX);
            double size = c ? fabs(c->stats.mean) : NAN;
            if (!isfinite(size) || size == 0) continue;
            low = fmin(low, size);
            high = fmax(high, size);
        }
    return quantity_unit_of(metric, high > 0 ? sqrt(low) * sqrt(high) : 0);
}

/* Cuts "flits/cycle/endpoint" after slashes and blanks into lines of a column with a short heading. Returns
 * their number. */
static size_t cut_unit(const char *unit, size_t width, char line[UNIT_ROWS][32]) {
    size_t lines = 0, most = width > UNIT_WIDTH ? width : UNIT_WIDTH;
    while (*unit && lines < UNIT_ROWS) {
        size_t length = 0;
        while (unit[length]) {
            size_t next = length + strcspn(unit + length, "/ ");
            next += unit[next] != 0;
            if (length && (next > most && lines + 1 < UNIT_ROWS)) break;
            length = next;
        }
        int shown = (int)length - (length > 0 && unit[length - 1] == ' ');
        snprintf(line[lines++], 32, "%.*s", shown, unit);
        unit += length;
    }
    return lines;
}

static void add_unit_rows(text_table *t, const table_labels *l, const quantity_unit *unit, size_t between) {
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(l->study, metric);
    char line[TABLE_METRICS][UNIT_ROWS][32];
    size_t lines[TABLE_METRICS], most = 0;
    for (unsigned y = 0; y < columns; y++) {
        lines[y] = cut_unit(unit[y].name, strlen(bough_metrics[metric[y]].name), line[y]);
        if (lines[y] > most) most = lines[y];
    }
    for (size_t r = 0; r < most; r++) {
        add_blanks(t, t->labels);
        for (unsigned y = 0; y < columns; y++) {
            text_table_add(t, r < lines[y] ? line[y][r] : "");
            add_blanks(t, between);
        }
        text_table_end_row(t);
    }
    t->units = most;
}

static void add_wide_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a, const shown_cell *style) {
    const bough_study *study = l->study;
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    add_labels(t, l, p, a);
    for (unsigned y = 0; y < columns; y++) {
        const bough_cell *c = table_find_cell(a, metric[y], BOUGH_NO_ROW_INDEX);
        if (c) {
            add_cell(t, &(shown_cell){a, c, style[y].unit, style[y].range, false}, false);
        } else { /* "-" where the trials found no value, as the latency of a saturated network */
            t->now = table_style(a);
            text_table_add(t, a->trials && a->outcome != BOUGH_RUN_OK ? "-" : "");
            t->now = TEXT_PLAIN;
            add_blanks(t, style[y].range ? 3 : 1);
        }
        if (study->compare) add_ratio(t, find_comparison(p, (size_t)(a - p->answer), metric[y]));
    }
    table_add_trials(t, l, a, a->trials);
    text_table_end_row(t);
}

static void make_wide(text_table *t, const table_labels *l, bool range) {
    const bough_study *study = l->study;
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    shown_cell style[TABLE_METRICS] = {0};
    quantity_unit unit[TABLE_METRICS];
    add_heads(t, l);
    for (unsigned y = 0; y < columns; y++) {
        unit[y] = column_unit(study, metric[y]);
        style[y] = (shown_cell){.unit = unit[y], .range = range};
        text_table_head(t, bough_metrics[metric[y]].name, true);
        text_table_head_joined(t, "+-95%", true);
        if (range) text_table_head_joined(t, "min", true);
        if (range) text_table_head_joined(t, "max", true);
        if (study->compare) text_table_head_joined(t, "ratio", true);
    }
    table_head_trials(t, l);
    t->tail = 1u + l->status;
    text_table_end_row(t);
    add_unit_rows(t, l, unit, 1u + 2 * range + study->compare);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            add_wide_answer(t, l, &study->point[i], &study->point[i].answer[k], style);
}

/* ---- header and notes ---- */

static void put_effort(bough_text *out, const bough_effort *e) {
    char number[40];
    if (!(e->precision > 0)) {
        bough_text_printf(out, "%" PRIu64 " trial%s", e->trials, e->trials == 1 ? "" : "s");
        return;
    }
    bough_text_printf(out, "precision %s%s%s%%",
                      e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "",
                      e->watch < BOUGH_METRIC_COUNT ? ":" : "",
                      bough_format_real(e->precision * 100, number, sizeof number));
    const uint64_t most = e->trials ? e->trials : (uint64_t)BOUGH_PRECISION_TRIALS;
    bough_text_printf(out, ", at most %" PRIu64 " trial%s", most, most == 1 ? "" : "s");
}

/* Lines of items, which are not broken at the end of a line. */
typedef struct head_lines {
    bough_text *out, line;
    size_t width;
} head_lines;

static void end_line(head_lines *h) {
    put_wrapped_text(h->out, &h->line, h->width);
}

static void put_item(head_lines *h, bough_text *item) {
    if (h->line.length && h->line.length + 3 + item->length > h->width) end_line(h);
    if (h->line.length && item->length) bough_text_put(&h->line, "   ");
    bough_text_join(&h->line, item);
}

static void put_named(head_lines *h, const char *name, const char *between, const char *value) {
    bough_text item = {0};
    bough_text_printf(&item, "%s%s%s", name, between, value);
    put_item(h, &item);
}

static void put_run(head_lines *h, const bough_study *study) {
    bough_text seed = {0}, effort = {0};
    bough_text_printf(&seed, "seed %" PRIu64, study->seed);
    put_item(h, &seed);
    put_effort(&effort, &study->effort);
    put_item(h, &effort);
}

static void put_single_head(bough_text *out, const bough_study *study, size_t width) {
    const bough_study_point *p = &study->point[0];
    head_lines h = {.out = out, .width = width};
    bough_text sizes = {0};
    put_named(&h, p->network.spec, "", "");
    bough_text_printf(&sizes, "%" PRIu64 " endpoint%s, %" PRIu64 " switch%s, %" PRIu64 " link%s",
                      p->endpoints, p->endpoints == 1 ? "" : "s", p->switches, p->switches == 1 ? "" : "es",
                      p->links, p->links == 1 ? "" : "s");
    put_item(&h, &sizes);
    end_line(&h);
    if (p->used) bough_text_printf(out, "%" PRIu64 " of %" PRIu64 " endpoints used\n", p->used, p->endpoints);
    if (p->faults.spec) put_named(&h, "faults", " ", p->faults.spec);
    if (p->physical.spec) put_named(&h, "physical", " ", p->physical.spec);
    if (p->routings == 1) put_named(&h, "routing", " ", p->routing[0].spec);
    put_named(&h, "traffic", " ", p->traffic.spec ? p->traffic.spec : "none");
    put_run(&h, study);
    end_line(&h);
    bough_text_put(out, "\n");
}

static void put_head(bough_text *out, const table_labels *l, const char *pool, size_t width) {
    const bough_study *study = l->study;
    const bough_study_point *p = &study->point[0];
    head_lines h = {.out = out, .width = width};
    put_wrapped(out, study->title, width);
    if (!l->network && !study->axes) put_named(&h, p->network.spec, "", "");
    if (!l->faults && !study->axes && p->faults.spec) put_named(&h, p->faults.spec, "", "");
    if (!l->traffic && !study->axes && p->traffic.spec) put_named(&h, p->traffic.spec, "", "");
    for (size_t i = 0; i < l->axes; i++)
        if (!l->axis[i] && !(pool && i + 1 == study->axes)) put_named(&h, study->axis[i], "=", p->value[i]);
    put_run(&h, study);
    if (pool) put_named(&h, "merged over", " ", pool);
    end_line(&h);
    bough_text_put(out, "\n");
}

/* How a table is written. */
typedef struct table_frame {
    const table_labels *labels;
    size_t width;
    bool colours, single;
} table_frame;

/* "METHOD under ROUTING, AXIS=VALUE: " */
static void put_whose(bough_text *line, const table_labels *l, const bough_study_point *p,
                      const bough_answer *a) {
    table_put_method(line, p, a);
    if (p->routings > 1 && a->routed) bough_text_printf(line, " under %s", p->routing[a->routing].spec);
    if (l->network) bough_text_printf(line, ", %s", p->network.spec);
    for (size_t x = 0; x < l->axes; x++)
        if (l->axis[x]) bough_text_printf(line, ", %s=%s", l->study->axis[x], p->value[x]);
    bough_text_put(line, ": ");
}

/* The notes of an answer: of its trials (names of indices are in the rows), of its precision, and where
 * measured and computed times part. *notes: those of all answers so far. */
static void put_answer_notes(bough_text *out, const table_frame *f, const bough_study_point *p,
                             const bough_answer *a, size_t *notes) {
    bough_text note[3] = {0};
    size_t said = index_names_at(a->note);
    if (said && a->outcome != BOUGH_RUN_OK)
        bough_text_printf(&note[0], "%s: ", bough_outcome_name(a->outcome));
    bough_text_add(&note[0], a->note, said);
    precision_note_put(&note[1], f->labels->study, a);
    measured_gap_put(&note[2], p, a);
    for (size_t i = 0; i < 3; i++) {
        bough_text line = {0};
        if (note[i].failed) out->failed = true;
        if (!note[i].length) continue;
        if (!*notes) bough_text_put(out, "\n");
        if (++*notes > NOTES_SHOWN) continue;
        put_whose(&line, f->labels, p, a);
        bough_text_join(&line, &note[i]);
        put_wrapped_text(out, &line, f->width);
    }
    for (size_t i = 0; i < 3; i++) bough_text_fini(&note[i]);
}

static void put_notes(bough_text *out, const table_frame *f) {
    const bough_study *study = f->labels->study;
    size_t notes = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            put_answer_notes(out, f, &study->point[i], &study->point[i].answer[k], &notes);
    if (notes > NOTES_SHOWN)
        bough_text_printf(out, "... and %zu more notes in --json\n", notes - NOTES_SHOWN);
}

/* What marks in the table mean. */
static void put_legend(bough_text *out, const table_labels *l, const text_table *t) {
    bool equal = false, few = false;
    for (size_t i = 0; i < t->cells && !t->failed; i++) {
        const char *text = t->cell[i];
        size_t length = strlen(text);
        equal = equal || strcmp(text, "equal") == 0;
        few = few || (l->few && length > 4 && strcmp(text + length - 4, " few") == 0);
    }
    if (equal || few) bough_text_put(out, "\n");
    if (equal) bough_text_put(out, "equal: every trial gave this value\n");
    if (few)
        bough_text_printf(out, "few: fewer than %d trials; means and intervals are rough\n",
                          BOUGH_FIRST_CHECKPOINT);
}

enum { METRICS_BRIEF = 8 }; /* of an answer */

/* Metrics that the table leaves out. */
static void put_left_out(bough_text *out, const table_labels *l) {
    bool left[BOUGH_METRIC_COUNT] = {false};
    size_t count = 0;
    for (size_t i = 0; i < l->study->points; i++)
        for (size_t k = 0; k < l->study->point[i].answers; k++) {
            const bough_answer *a = &l->study->point[i].answer[k];
            for (size_t c = 0; c < a->cells; c++)
                left[a->cell[c].metric] |= !metric_is_chosen(&l->choice, a, a->cell[c].metric);
        }
    for (int m = 0; m < BOUGH_METRIC_COUNT; m++) count += left[m];
    if (count && !l->choice.only)
        bough_text_printf(out, "\n%zu more metric%s: --metrics all, or a list of names\n", count,
                          count == 1 ? "" : "s");
}

static void put_ratio(bough_text *out, const bough_study *study, const char *pool) {
    bough_text_put(out, "\n");
    if (has_ratio(study))
        bough_text_put(out, "ratio: of the metric to its left, relative to the point's first method\n");
    else if (pool)
        bough_text_printf(out, "compare: no ratios, because points are merged over %s\n", pool);
    else
        bough_text_put(out,
                       "compare: no ratios, because no point has a value of two methods for these metrics\n");
}

/* ---- the whole ---- */

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

/* Minimum and maximum are left out where there is no room for them. */
static void put_wide(bough_text *out, const table_frame *f) {
    bough_text legend = {0};
    text_table t = {.colours = f->colours};
    make_wide(&t, f->labels, true);
    if (text_table_line(&t) > f->width) {
        text_table_fini(&t);
        t.colours = f->colours;
        make_wide(&t, f->labels, false);
    }
    narrow_table_write(&t, f->width, out, &legend);
    if (legend.length) bough_text_put(out, "\n");
    bough_text_join(out, &legend);
    put_legend(out, f->labels, &t);
    text_table_fini(&t);
}

/* If there is no room for all columns, minimum and maximum are left out, then the status of the trials of a
 * method is written after its name. */
static void put_long(bough_text *out, const table_frame *f) {
    table_labels labels = *f->labels;
    long_style style = {.range = true, .ratio = !f->single && labels.study->compare};
    text_table t = {.colours = f->colours};
    make_long(&t, &labels, style);
    for (int i = 0; i < 2; i++) {
        if (text_table_line(&t) <= f->width || narrow_table_headed_line(&t) <= f->width) break;
        if (i == 0) style.range = false;
        if (i == 1) labels.status_above = labels.status;
        if (i == 1) labels.status = false;
        text_table_fini(&t);
        t.colours = f->colours;
        make_long(&t, &labels, style);
    }
    narrow_table_write_headed(&t, f->width, out);
    put_legend(out, &labels, &t);
    text_table_fini(&t);
}

static void put_across(bough_text *out, const table_frame *f) {
    bough_text legend = {0};
    text_table t = {.colours = f->colours};
    bool named = method_columns_make(&t, f->labels, f->width);
    narrow_table_write(&t, f->width, out, &legend);
    if (legend.length) bough_text_put(out, "\n");
    bough_text_join(out, &legend);
    method_columns_legend(out, f->labels, named, f->width);
    text_table_fini(&t);
}

static size_t count_metrics(const bough_answer *a) {
    size_t count = 0;
    for (size_t c = 0; c < a->cells; c++) count += !c || a->cell[c].metric != a->cell[c - 1].metric;
    return count;
}

/* Whether an answer has so many metrics that the main ones suffice. */
static bool is_long(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (count_metrics(&study->point[i].answer[k]) > METRICS_BRIEF) return true;
    return false;
}

static bough_status make_table(const bough_study *study, const bough_table_options *options, const char *pool,
                               char **text, bough_error *error) {
    bough_text out = {0};
    table_labels labels = table_labels_of(study);
    labels.choice = (metric_choice){options->brief && is_long(study), options->only};
    table_frame f = {&labels, options->width ? options->width : LINE, options->colours, options->single};
    if (pool && labels.axes == study->axes) labels.axis[study->axes - 1] = false;
    if (f.single)
        put_single_head(&out, study, f.width);
    else
        put_head(&out, &labels, pool, f.width);
    assumption_lines_put(&out, study, f.width);
    premise_lines_put(&out, study);
    bool wide = !f.single && fits_wide(study), across = !f.single && !wide && method_columns_fits(study);
    if (wide)
        put_wide(&out, &f);
    else if (across)
        put_across(&out, &f); /* marks what differs */
    else
        put_long(&out, &f);
    if (!f.single && !across && study->compare) put_ratio(&out, study, pool);
    bough_status status = f.single ? BOUGH_OK : chart_put_saturation(study, f.width, &out, error);
    statistic_lines_put(&out, &labels, pool, f.width);
    put_notes(&out, &f);
    if (f.single) comparison_text_put(&out, &study->point[0], &labels.choice, f.width);
    put_left_out(&out, &labels);
    if (status)
        bough_text_fini(&out);
    else
        status = bough_text_finish(&out, text, error);
    return status;
}

bough_status bough_report_table(const bough_study *study, const bough_table_options *options, char **text,
                                bough_error *error) {
    static const bough_table_options defaults = {0};
    bough_table_options o = options ? *options : defaults;
    if (!study->pool) return make_table(study, &o, NULL, text, error);
    bough_study pooled;
    bough_status status = pool_study(study, &pooled, error);
    if (status) return status;
    o.single = false;
    status = make_table(&pooled, &o, study->pool, text, error);
    bough_study_fini(&pooled);
    return status;
}
