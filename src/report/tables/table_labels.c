#include "report/tables/table_labels.h"

#include "method/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool varies(const bough_study *study, size_t axis) {
    for (size_t i = 1; i < study->points; i++)
        if (strcmp(study->point[i].value[axis], study->point[0].value[axis]) != 0) return true;
    return false;
}

bool metric_is_chosen(const metric_choice *choice, const bough_answer *a, bough_metric_id metric) {
    if (choice->only) return choice->only[metric];
    return !choice->brief || metric == a->headline || bough_metric_is_main(metric);
}

table_labels table_labels_of(const bough_study *study) {
    table_labels l = {.study = study,
                      .axes = study->axes < LABEL_AXES_MAX ? study->axes : LABEL_AXES_MAX,
                      .network = study->network_varies,
                      .faults = study->faults_vary,
                      .traffic = study->traffic_varies};
    for (size_t i = 0; i < l.axes; i++) l.axis[i] = varies(study, i);
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        if (p->routings > 1) l.routing = true;
        for (size_t k = 0; k < p->answers; k++) {
            if (p->answer[k].trials && p->answer[k].outcome != BOUGH_RUN_OK) l.status = true;
            if (table_has_few_trials(&p->answer[k])) l.few = true;
        }
    }
    return l;
}

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return *text && !*end;
}

void table_labels_head(text_table *t, const table_labels *l) {
    if (l->network) text_table_head(t, "network", false);
    if (l->faults) text_table_head(t, "faults", false);
    if (l->traffic) text_table_head(t, "traffic", false);
    for (size_t i = 0; i < l->axes; i++)
        if (l->axis[i]) text_table_head(t, l->study->axis[i], is_number(l->study->point[0].value[i]));
}

void table_labels_add(text_table *t, const table_labels *l, const bough_study_point *p) {
    if (l->network) text_table_add(t, p->network.spec);
    if (l->faults) text_table_add(t, p->faults.spec ? p->faults.spec : "");
    if (l->traffic) text_table_add(t, p->traffic.spec ? p->traffic.spec : "");
    for (size_t i = 0; i < l->axes; i++)
        if (l->axis[i]) text_table_add(t, p->value[i]);
}

void table_answer_head(text_table *t, const table_labels *l) {
    table_labels_head(t, l);
    if (l->routing) text_table_head(t, "routing", false);
    text_table_head(t, "method", false);
    t->labels = t->cells;
}

void table_answer_add(text_table *t, const table_labels *l, const bough_study_point *p,
                      const bough_answer *a) {
    table_labels_add(t, l, p);
    if (l->routing) text_table_add(t, a->routed ? p->routing[a->routing].spec : "any");
    text_table_add(t, a->method);
}

unsigned table_metrics(const bough_study *study, bough_metric_id metric[TABLE_METRICS]) {
    const bough_plot *plot = &study->plot;
    bough_metric_id x = bough_plot_x_metric(study);
    unsigned count = 0;
    if (plot->ys && x != BOUGH_METRIC_COUNT) metric[count++] = x;
    for (unsigned y = 0; y < plot->ys; y++)
        if (plot->y[y] != x) metric[count++] = plot->y[y];
    return count;
}

bool table_is_plotted(const bough_study *study, bough_metric_id metric) {
    bough_metric_id shown[TABLE_METRICS];
    unsigned count = table_metrics(study, shown);
    for (unsigned y = 0; y < count; y++)
        if (shown[y] == metric) return true;
    return false;
}

const bough_cell *table_find_cell(const bough_answer *a, bough_metric_id metric, int64_t index) {
    for (size_t i = 0; i < a->cells; i++)
        if (a->cell[i].metric == metric && a->cell[i].index == index) return &a->cell[i];
    return NULL;
}

/* The index by its name if the trials have named it, else with what it counts, unless the metric says that.
 */
void table_add_metric(text_table *t, const bough_answer *a, const bough_cell *cell) {
    const bough_metric *m = &bough_metrics[cell->metric];
    char text[96 + BOUGH_NOTE_MAX], name[BOUGH_NOTE_MAX];
    bool said = !*m->index || strstr(m->name, m->index) || strchr(m->index, ',');
    if (cell->index == BOUGH_NO_ROW_INDEX)
        snprintf(text, sizeof text, "%s", m->name);
    else if (index_metric_name(a->note, cell->metric, cell->index, name))
        snprintf(text, sizeof text, "%s[%s]", m->name, name);
    else
        snprintf(text, sizeof text, "%s[%s%s%" PRId64 "]", m->name, said ? "" : m->index, said ? "" : " ",
                 cell->index);
    text_table_add(t, text);
}

/* ---- what a reader has to know of a row ---- */

bool table_has_few_trials(const bough_answer *a) {
    return !a->exact && a->trials > 0 && a->trials < BOUGH_FIRST_CHECKPOINT;
}

text_style table_style(const bough_answer *a) {
    bool ends = a->outcome == BOUGH_RUN_OK || a->outcome == BOUGH_RUN_PARTIAL;
    bool partial = a->trials && a->outcome == BOUGH_RUN_PARTIAL;
    if (a->trials && !ends) return TEXT_ERROR;
    return partial || table_has_few_trials(a) ? TEXT_WARNING : TEXT_PLAIN;
}

void table_head_trials(text_table *t, const table_labels *l) {
    text_table_head(t, "trials", true);
    if (l->status) text_table_head(t, "status", false);
}

void table_add_trials(text_table *t, const table_labels *l, const bough_answer *a, uint64_t trials) {
    char text[48];
    bool few = table_has_few_trials(a);
    snprintf(text, sizeof text, "%" PRIu64 "%s", trials, few ? " few" : "");
    t->now = few ? TEXT_WARNING : TEXT_PLAIN;
    text_table_add(t, a->exact ? "exact" : text);
    t->now = table_style(a);
    if (l->status)
        text_table_add(t, a->trials && a->outcome != BOUGH_RUN_OK ? bough_outcome_name(a->outcome) : "");
    t->now = TEXT_PLAIN;
}

void table_put_method(bough_text *out, const bough_study_point *p, const bough_answer *a) {
    size_t length = strcspn(a->method, ":");
    bool shared = false;
    for (size_t k = 0; k < p->answers && !shared; k++)
        shared = strcspn(p->answer[k].method, ":") == length &&
                 strncmp(p->answer[k].method, a->method, length) == 0 &&
                 strcmp(p->answer[k].method, a->method) != 0;
    bough_text_add(out, a->method, shared ? strlen(a->method) : length);
}
