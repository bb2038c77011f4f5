#include "report/tables/method_columns.h"

#include "report/tables/narrow_table.h"
#include "report/tables/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool method_columns_fits(const bough_study *study) {
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

bool method_columns_make(text_table *t, const table_labels *l, size_t line) {
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

void method_columns_legend(bough_text *out, const table_labels *l, bool named, size_t line) {
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
