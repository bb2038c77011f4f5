#include "report/tables/method_columns.h"

#include "report/tables/narrow_table.h"

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

enum { LINE = 80 };
#define APART 0.01 /* values that differ from the last answer's by this fraction are marked */

static bool is_apart(const bough_cell *c, const bough_cell *last) {
    return last && fabs(c->stats.mean - last->stats.mean) > APART * fabs(last->stats.mean);
}

/* Prints the digits that the interval makes significant. */
static void add_value(text_table *t, const bough_answer *a, const bough_cell *c, const char *mark) {
    char text[80];
    double ci = bough_cell_ci95(a, c);
    int digits = ci > 0 && isfinite(ci) ? 1 - (int)floor(log10(ci)) : -1;
    if (digits >= 0 && digits <= 9)
        snprintf(text, sizeof text, "%s%.*f", mark, digits, c->stats.mean);
    else if (c->stats.mean == floor(c->stats.mean) && fabs(c->stats.mean) < 1e15)
        snprintf(text, sizeof text, "%s%.0f", mark, c->stats.mean);
    else
        snprintf(text, sizeof text, "%s%.6g", mark, c->stats.mean);
    text_table_add(t, text);
}

/* One line: the metric and index of a cell, with the values of all answers. */
static void add_line(text_table *t, const table_labels *l, const bough_study_point *p, const bough_cell *of) {
    table_labels_add(t, l, p);
    table_add_metric(t, of);
    const bough_cell *last =
        l->study->compare ? table_find_cell(&p->answer[p->answers - 1], of->metric, of->index) : NULL;
    for (size_t k = 0; k < p->answers; k++) {
        const bough_cell *c = table_find_cell(&p->answer[k], of->metric, of->index);
        if (c)
            add_value(t, &p->answer[k], c, is_apart(c, last) ? "*" : "");
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
            if (!skip) add_line(t, l, p, c);
        }
}

void method_columns_make(text_table *t, const table_labels *l) {
    const bough_study *study = l->study;
    char number[32];
    table_labels_head(t, l);
    text_table_head(t, "metric", false);
    for (size_t k = 0; k < study->point[0].answers; k++) {
        snprintf(number, sizeof number, "(%zu)", k + 1);
        text_table_head(t, number, true);
    }
    text_table_end_row(t);
    for (size_t i = 0; i < study->points; i++)
        for (unsigned y = 0; y < study->plot.ys; y++) add_metric(t, l, &study->point[i], study->plot.y[y]);
}

void method_columns_legend(bough_text *out, const bough_study *study) {
    bough_text_put(out, "\n");
    for (size_t k = 0; k < study->point[0].answers; k++) {
        bough_text entry = {0};
        bough_text_printf(&entry, "(%zu) %s", k + 1, study->point[0].answer[k].method);
        for (size_t i = 1; i < study->points; i++) { /* columns that differ from the previous point */
            const char *method = study->point[i].answer[k].method;
            if (strcmp(method, study->point[i - 1].answer[k].method) != 0)
                bough_text_printf(&entry, ", %s", method);
        }
        put_wrapped_text(out, &entry, LINE);
    }
    if (study->compare)
        bough_text_printf(out, "*: more than %g %% from (%zu)\n", 100 * APART, study->point[0].answers);
}
