/* The tables of results. `wide` has a line for each answer, with the metrics of study->plot in columns;
 * `across` a column for each answer; `long` a line for each metric. Values that all lines have in common are
 * in the summary. */
#include "base/text/escape.h"
#include "method/quantity.h"
#include "method/rows.h"
#include "report/tables/result_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    INDICES_SHOWN = 24, /* of a metric in a long table */
    ROWS_SHOWN = 2000   /* of a page */
};

/* ---- across ---- */

/* Tables with one column per answer and a line for each metric and index, like tables in papers. Used if a
 * study plots metrics with indices and has the methods as its series. */

/* True if every point has the same answers, and these do not fit in one line. */
static bool fits_across(const bough_study *study) {
    if (!study->plot.ys || !study->plot.series[0] || strcmp(study->plot.series[0], "method") != 0 ||
        study->plot.series[1])
        return false;
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

/* The spec, and those of points where it is another. */
static void put_method(bough_text *out, const bough_study *study, size_t k) {
    bough_text_put(out, study->point[0].answer[k].method);
    for (size_t i = 1; i < study->points; i++) {
        const char *method = study->point[i].answer[k].method;
        if (strcmp(method, study->point[i - 1].answer[k].method) != 0) bough_text_printf(out, ", %s", method);
    }
}

static void make_across(text_table *t, const table_labels *l) {
    const bough_study *study = l->study;
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    table_labels_head(t, l);
    text_table_head(t, "metric", false);
    text_table_head(t, "unit", false);
    t->labels = t->cells;
    t->layout = TEXT_LAYOUT_PARTS;
    t->numbered = true;
    for (size_t k = 0; k < study->point[0].answers; k++) {
        bough_text head = {0};
        put_method(&head, study, k);
        t->failed |= head.failed;
        if (!head.failed) text_table_head(t, head.data, true);
        bough_text_fini(&head);
    }
    text_table_end_row(t);
    for (size_t i = 0; i < study->points; i++)
        for (unsigned y = 0; y < columns; y++) add_metric(t, l, &study->point[i], metric[y]);
}

/* The trials of a column: "3 trials (few)"; nothing if all its answers are exact. */
static void put_trials(document *d, const bough_study *study, size_t answer) {
    uint64_t low = UINT64_MAX, high = 0;
    bough_text line = {0};
    for (size_t i = 0; i < study->points; i++) {
        const bough_answer *a = &study->point[i].answer[answer];
        if (a->exact || !a->trials) continue;
        low = a->trials < low ? a->trials : low;
        high = a->trials > high ? a->trials : high;
    }
    if (!high) return;
    put_method(&line, study, answer);
    bough_text_printf(&line, ": %" PRIu64, low);
    if (low < high) bough_text_printf(&line, " to %" PRIu64, high);
    bough_text_printf(&line, " trial%s%s", high == 1 ? "" : "s",
                      low < BOUGH_FIRST_CHECKPOINT ? " (few: values are rough)" : "");
    document_list(d, &line);
}

static void describe_across_marks(document *d, const table_labels *l) {
    for (size_t k = 0; k < l->study->point[0].answers; k++) put_trials(d, l->study, k);
    if (l->study->compare) document_item_of_list(d, "*: more than %g %% from the last column", 100 * APART);
    if (l->status) document_item_of_list(d, "!: not a normal end, such as saturation");
}

/* ---- numbers ---- */

/* A cell in its unit. */
typedef struct shown_cell {
    const bough_answer *answer;
    const bough_cell *cell;
    quantity_unit unit;
    bool labelled; /* the line has the labels of its answer */
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

static void add_blanks(text_table *t, size_t count) {
    while (count--) text_table_add(t, "");
}

/* Mean, interval, and minimum and maximum where they differ. */
static void add_cell(text_table *t, const shown_cell *c, bool with_unit) {
    char text[QUANTITY_TEXT], behind[sizeof c->unit.name];
    const bough_answer *a = c->answer;
    const bough_stats *s = &c->cell->stats;
    double shown = s->mean * c->unit.factor, ci = bough_cell_ci95(a, c->cell) * c->unit.factor;
    double known = isfinite(ci) && !are_equal(a, s) ? ci : 0;
    text_style style = table_style(a);
    t->now = style ? style : c->cell->metric == a->headline ? TEXT_BOLD : TEXT_PLAIN;
    text_table_add(t, quantity_format(shown, known, text));
    t->now = TEXT_PLAIN;
    if (with_unit) text_table_add(t, isfinite(shown) ? quantity_unit_behind(&c->unit, text, behind) : "");
    add_interval(t, c, shown, known > 0 ? known : NAN);
    if (!a->exact && s->min != s->max) {
        add_extreme(t, c, s->min, known);
        add_extreme(t, c, s->max, known);
    } else {
        add_blanks(t, 2);
    }
}

/* Behind a mean: minimum and maximum only where there is room. */
static void head_interval(text_table *t, bool joined) {
    static const char *const head[] = {"+-95%", "min", "max"};
    for (int i = 0; i < 3; i++) {
        if (joined)
            text_table_head_joined(t, head[i], true);
        else
            text_table_head(t, head[i], true);
        if (i) text_table_room(t, TEXT_ROOM_SPARE);
    }
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

static void describe_ratio(document *d, const bough_study *study, const char *pool) {
    if (has_ratio(study))
        document_item_of_list(d, "ratio: of the metric to its left, relative to the point's first method");
    else if (pool)
        document_item_of_list(d, "compare: no ratios, because points are merged over %s", pool);
    else
        document_item_of_list(
            d, "compare: no ratios, because no point has a value of two methods for these metrics");
}

/* ---- long ---- */

typedef struct long_style {
    bool ratio;
    bool all; /* every metric and index, and labels in each line; at most ROWS_SHOWN lines */
} long_style;

static void head_long(text_table *t, const table_labels *l, long_style style) {
    table_answer_head(t, l);
    t->layout = TEXT_LAYOUT_HEADED;
    text_table_head(t, "metric", false);
    text_table_head(t, "mean", true);
    text_table_head_unit(t);
    head_interval(t, false);
    if (style.ratio) text_table_head(t, "ratio", true);
    table_head_trials(t, l);
    if (l->status) text_table_room(t, TEXT_ROOM_LABELLED);
    text_table_end_row(t);
}

static void add_metric_line(text_table *t, const table_labels *l, const bough_study_point *p,
                            const shown_cell *c, bool ratio) {
    const bough_answer *a = c->answer;
    if (c->labelled)
        table_answer_add(t, l, p, a);
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

static void add_more(text_table *t, size_t more) {
    char text[96];
    snprintf(text, sizeof text, "... %zu more in --csv", more);
    add_blanks(t, t->labels);
    text_table_add(t, text);
    text_table_end_row(t);
}

/* The headline first. Metrics with many indices are truncated. */
static void add_long_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a, long_style style) {
    size_t shown = 0;
    bool first = true;
    for (size_t i = 0; i < 2 * a->cells; i++) {
        const size_t k = i % a->cells;
        const bough_cell *c = &a->cell[k];
        const bool again = k && a->cell[k - 1].metric == c->metric,
                   last = k + 1 == a->cells || a->cell[k + 1].metric != c->metric;
        if ((c->metric == a->headline) != (i < a->cells) || !metric_is_chosen(&l->choice, a, c->metric))
            continue;
        if (style.all && text_table_rows(t) > ROWS_SHOWN) return;
        shown = again ? shown + 1 : 1;
        if (shown <= INDICES_SHOWN || style.all) {
            shown_cell cell = {a, c, quantity_unit_of(c->metric, c->stats.mean), first || style.all};
            add_metric_line(t, l, p, &cell, style.ratio);
            first = false;
        } else if (last) {
            add_more(t, shown - INDICES_SHOWN);
        }
    }
}

static void make_long(text_table *t, const table_labels *l, long_style style) {
    head_long(t, l, style);
    for (size_t i = 0; i < l->study->points; i++)
        for (size_t k = 0; k < l->study->point[i].answers; k++)
            add_long_answer(t, l, &l->study->point[i], &l->study->point[i].answer[k], style);
}

/* ---- wide ---- */

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

static void add_wide_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                            const bough_answer *a, const quantity_unit *unit) {
    const bough_study *study = l->study;
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    table_answer_add(t, l, p, a);
    for (unsigned y = 0; y < columns; y++) {
        const bough_cell *c = table_find_cell(a, metric[y], BOUGH_NO_ROW_INDEX);
        if (c) {
            add_cell(t, &(shown_cell){a, c, unit[y], false}, false);
        } else { /* "-" where the trials found no value, as the latency of a saturated network */
            t->now = table_style(a);
            text_table_add(t, a->trials && a->outcome != BOUGH_RUN_OK ? "-" : "");
            t->now = TEXT_PLAIN;
            add_blanks(t, 3);
        }
        if (study->compare) add_ratio(t, find_comparison(p, (size_t)(a - p->answer), metric[y]));
    }
    table_add_trials(t, l, a, a->trials);
    text_table_end_row(t);
}

static void make_wide(text_table *t, const table_labels *l) {
    const bough_study *study = l->study;
    bough_metric_id metric[TABLE_METRICS];
    unsigned columns = table_metrics(study, metric);
    quantity_unit unit[TABLE_METRICS];
    table_answer_head(t, l);
    t->layout = TEXT_LAYOUT_PARTS;
    for (unsigned y = 0; y < columns; y++) {
        unit[y] = column_unit(study, metric[y]);
        text_table_head(t, bough_metrics[metric[y]].name, true);
        head_interval(t, true);
        if (study->compare) text_table_head_joined(t, "ratio", true);
    }
    table_head_trials(t, l);
    t->tail = 1u + l->status;
    text_table_end_row(t);
    add_blanks(t, t->labels);
    for (unsigned y = 0; y < columns; y++) {
        text_table_add(t, unit[y].name);
        add_blanks(t, 3u + study->compare);
    }
    text_table_end_row(t);
    t->units = 1;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            add_wide_answer(t, l, &study->point[i], &study->point[i].answer[k], unit);
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

/* ---- in a document ---- */

/* What marks in the table mean. */
static void describe_marks(document *d, const table_labels *l) {
    if (d->failed) return;
    const text_table *t = &d->item[d->items - 1].table;
    bool equal = false, few = false;
    for (size_t i = 0; i < t->cells; i++) {
        const char *text = t->cell[i];
        size_t length = strlen(text);
        equal = equal || strcmp(text, "equal") == 0;
        few = few || (l->few && length > 4 && strcmp(text + length - 4, " few") == 0);
    }
    if (equal)
        document_item_of_list(
            d, "equal: each of the N trials gave this value; others are rarer than 3 in N (95 %%)");
    if (few)
        document_item_of_list(d, "few: fewer than %d trials; means and intervals are rough",
                              BOUGH_FIRST_CHECKPOINT);
}

static void add_table(document *d, text_table *t, const char *caption) {
    const size_t rows = text_table_rows(t) - text_table_heads(t);
    bough_text more = {0};
    if (rows > ROWS_SHOWN)
        bough_text_printf(&more, "The first %d of %zu rows; results.csv has all.", ROWS_SHOWN, rows);
    document_long_table(d, t, caption, rows > ROWS_SHOWN ? ROWS_SHOWN : 0, rows > ROWS_SHOWN ? &more : NULL);
}

void result_table_describe(document *d, const table_labels *l, bool single, const char *pool) {
    const bool wide = !single && fits_wide(l->study), across = !single && !wide && fits_across(l->study);
    text_table t = {0};
    if (wide)
        make_wide(&t, l);
    else if (across)
        make_across(&t, l); /* marks what differs */
    else
        make_long(&t, l, (long_style){.ratio = !single && l->study->compare});
    add_table(d, &t, "Results");
    if (across)
        describe_across_marks(d, l);
    else
        describe_marks(d, l);
    if (!single && !across && l->study->compare) describe_ratio(d, l->study, pool);
}

/* Whether a long table leaves out nothing of an answer. */
static bool has_all(const table_labels *l, const bough_answer *a) {
    size_t run = 0;
    for (size_t c = 0; c < a->cells; c++) {
        run = c && a->cell[c - 1].metric == a->cell[c].metric ? run + 1 : 1;
        if (run > INDICES_SHOWN || !metric_is_chosen(&l->choice, a, a->cell[c].metric)) return false;
    }
    return true;
}

void result_table_describe_all(document *d, const bough_study *study, const table_labels *shown,
                               bool single) {
    table_labels labels = table_labels_of(study);
    bool whole = shown->study == study && (single || (!fits_wide(study) && !fits_across(study)));
    size_t results = 0;
    text_table t = {0};
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            whole = whole && has_all(shown, &study->point[i].answer[k]);
            results += study->point[i].answer[k].cells;
        }
    if (!results || whole) return;
    make_long(&t, &labels, (long_style){.all = true});
    document_section(d, "all-results", "All results");
    if (results > ROWS_SHOWN)
        document_note(d, "The first %d of %zu results; results.csv has all.", ROWS_SHOWN, results);
    document_table(d, &t, "All results");
}
