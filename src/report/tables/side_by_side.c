#include "report/tables/side_by_side.h"

#include "report/tables/table_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool across_fits(const bough_study *study) {
    if (!study->plot.ys || !study->plot.series || strcmp(study->plot.series, "method") != 0) return false;
    if (study->points == 0 || study->point[0].routings > 1) return false;
    for (size_t i = 1; i < study->points; i++)
        if (study->point[i].answers != study->point[0].answers) return false;
    return true;
}

static const bough_cell *find_cell(const bough_answer *a, bough_metric_id metric, int64_t index) {
    for (size_t i = 0; i < a->cells; i++)
        if (a->cell[i].metric == metric && a->cell[i].index == index) return &a->cell[i];
    return NULL;
}

enum { LINE = 80 };
#define APART 0.01 /* values that differ from the last answer's by this fraction are marked */

static bool is_apart(const bough_cell *c, const bough_cell *last) {
    return last && fabs(c->stats.mean - last->stats.mean) > APART * fabs(last->stats.mean);
}

/* Prints the digits that the interval makes significant. */
static void add_value(columns *t, const bough_answer *a, const bough_cell *c, const char *mark) {
    char text[80];
    double ci = bough_cell_ci95(a, c);
    int digits = ci > 0 && isfinite(ci) ? 1 - (int)floor(log10(ci)) : -1;
    if (digits >= 0 && digits <= 9)
        snprintf(text, sizeof text, "%s%.*f", mark, digits, c->stats.mean);
    else if (c->stats.mean == floor(c->stats.mean) && fabs(c->stats.mean) < 1e15)
        snprintf(text, sizeof text, "%s%.0f", mark, c->stats.mean);
    else
        snprintf(text, sizeof text, "%s%.6g", mark, c->stats.mean);
    columns_add(t, text);
}

static void add_line(columns *t, const bough_study *study, const across_labels *l, const bough_study_point *p,
                     bough_metric_id metric, int64_t index) {
    char name[96];
    if (l->network) columns_add(t, p->network.spec);
    if (l->traffic) columns_add(t, p->traffic.spec ? p->traffic.spec : "");
    for (size_t i = 0; i < study->axes && i < 32; i++)
        if (l->axis[i]) columns_add(t, p->value[i]);
    if (index == BOUGH_NO_ROW_INDEX)
        snprintf(name, sizeof name, "%s", bough_metrics[metric].name);
    else
        snprintf(name, sizeof name, "%s[%" PRId64 "]", bough_metrics[metric].name, index);
    columns_add(t, name);
    const bough_cell *last = study->compare ? find_cell(&p->answer[p->answers - 1], metric, index) : NULL;
    for (size_t k = 0; k < p->answers; k++) {
        const bough_cell *c = find_cell(&p->answer[k], metric, index);
        if (c)
            add_value(t, &p->answer[k], c, is_apart(c, last) ? "*" : "");
        else
            columns_add(t, "");
    }
    columns_end_row(t);
}

/* Adds lines in the order of the answers, each once: lines of earlier answers are skipped. */
static void add_point(columns *t, const bough_study *study, const across_labels *l,
                      const bough_study_point *p) {
    for (unsigned y = 0; y < study->plot.ys; y++)
        for (size_t k = 0; k < p->answers; k++)
            for (size_t i = 0; i < p->answer[k].cells; i++) {
                const bough_cell *c = &p->answer[k].cell[i];
                bool before = false;
                for (size_t j = 0; j < k && !before; j++)
                    before = find_cell(&p->answer[j], c->metric, c->index);
                if (c->metric == study->plot.y[y] && !before) add_line(t, study, l, p, c->metric, c->index);
            }
}

void across_make(columns *t, const bough_study *study, const across_labels *l) {
    char number[32];
    if (l->network) columns_head(t, "network", false);
    if (l->traffic) columns_head(t, "traffic", false);
    for (size_t i = 0; i < study->axes && i < 32; i++)
        if (l->axis[i]) columns_head(t, study->axis[i], true);
    columns_head(t, "metric", false);
    for (size_t k = 0; k < study->point[0].answers; k++) {
        snprintf(number, sizeof number, "(%zu)", k + 1);
        columns_head(t, number, true);
    }
    columns_end_row(t);
    for (size_t i = 0; i < study->points; i++) add_point(t, study, l, &study->point[i]);
}

void across_legend(bough_text *out, const bough_study *study) {
    bough_text_put(out, "\n");
    for (size_t k = 0; k < study->point[0].answers; k++) {
        bough_text entry = {0};
        bough_text_printf(&entry, "(%zu) %s", k + 1, study->point[0].answer[k].method);
        for (size_t i = 1; i < study->points; i++) { /* columns that differ from the previous point */
            const char *method = study->point[i].answer[k].method;
            if (strcmp(method, study->point[i - 1].answer[k].method) != 0)
                bough_text_printf(&entry, ", %s", method);
        }
        narrow_put_text(out, &entry, LINE);
    }
    if (study->compare)
        bough_text_printf(out, "*: more than %g %% from (%zu)\n", 100 * APART, study->point[0].answers);
}
