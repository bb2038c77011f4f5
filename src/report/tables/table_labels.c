#include "report/tables/table_labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool varies(const bough_study *study, size_t axis) {
    for (size_t i = 1; i < study->points; i++)
        if (strcmp(study->point[i].value[axis], study->point[0].value[axis]) != 0) return true;
    return false;
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
        for (size_t k = 0; k < p->answers; k++)
            if (p->answer[k].trials && p->answer[k].outcome != BOUGH_RUN_OK) l.status = true;
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

bool table_is_plotted(const bough_study *study, bough_metric_id metric) {
    for (unsigned y = 0; y < study->plot.ys; y++)
        if (study->plot.y[y] == metric) return true;
    return false;
}

const bough_cell *table_find_cell(const bough_answer *a, bough_metric_id metric, int64_t index) {
    for (size_t i = 0; i < a->cells; i++)
        if (a->cell[i].metric == metric && a->cell[i].index == index) return &a->cell[i];
    return NULL;
}

void table_add_metric(text_table *t, const bough_cell *cell) {
    char name[96];
    if (cell->index == BOUGH_NO_ROW_INDEX)
        snprintf(name, sizeof name, "%s", bough_metrics[cell->metric].name);
    else
        snprintf(name, sizeof name, "%s[%" PRId64 "]", bough_metrics[cell->metric].name, cell->index);
    text_table_add(t, name);
}
