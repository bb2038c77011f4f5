#include "report/tables/units.h"

#include "report/tables/narrow_table.h"
#include "report/tables/table_labels.h"

#include <string.h>

enum { LINE = 80 };

static bool has_unit(bough_metric_id metric) {
    const bough_metric *m = &bough_metrics[metric];
    return *m->unit && strcmp(m->unit, m->name) != 0;
}

typedef struct metric_list {
    bool seen[BOUGH_METRIC_COUNT];
    bough_metric_id metric[BOUGH_METRIC_COUNT];
    unsigned count;
} metric_list;

static void list_metrics(metric_list *l, const bough_study *study, const bough_answer *a, bool plotted) {
    for (size_t c = 0; c < a->cells; c++) {
        bough_metric_id m = a->cell[c].metric;
        if (!l->seen[m] && has_unit(m) && (!plotted || table_is_plotted(study, m))) l->metric[l->count++] = m;
        l->seen[m] = true;
    }
}

void units_put(bough_text *out, const bough_study *study, bool plotted) {
    metric_list list = {0}; /* each once, in order of occurrence */
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            list_metrics(&list, study, &study->point[i].answer[k], plotted);
    if (list.count) bough_text_put(out, "\n");
    while (list.count) { /* first those with the unit of the first metric, then the others */
        const char *unit = bough_metrics[list.metric[0]].unit;
        bough_text line = {0};
        unsigned others = 0;
        bough_text_printf(&line, "%s:", unit);
        for (unsigned i = 0; i < list.count; i++) {
            const bough_metric *m = &bough_metrics[list.metric[i]];
            if (strcmp(m->unit, unit) == 0)
                bough_text_printf(&line, "%s %s", i ? "," : "", m->name);
            else
                list.metric[others++] = list.metric[i];
        }
        put_wrapped_text(out, &line, LINE);
        list.count = others;
    }
}
