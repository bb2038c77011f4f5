#include "report/tables/units.h"

#include "report/tables/table_fit.h"

#include <string.h>

enum { LINE = 80 };

static bool is_plotted(const bough_study *study, unsigned metric) {
    for (unsigned y = 0; y < study->plot.ys; y++)
        if (study->plot.y[y] == metric) return true;
    return false;
}

/* The metrics of the table, each once, in order of occurrence. */
static unsigned list_metrics(const bough_study *study, bool plotted, uint16_t list[BOUGH_METRIC_COUNT]) {
    bool seen[BOUGH_METRIC_COUNT] = {false};
    unsigned count = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            for (size_t c = 0; c < a->cells; c++) {
                unsigned m = a->cell[c].metric;
                if (seen[m]) continue;
                seen[m] = true;
                const bough_metric *metric = &bough_metrics[m];
                if (!metric->unit[0] || strcmp(metric->unit, metric->name) == 0) continue;
                if (!plotted || is_plotted(study, m)) list[count++] = (uint16_t)m;
            }
        }
    return count;
}

void units_put(bough_text *out, const bough_study *study, bool plotted) {
    uint16_t list[BOUGH_METRIC_COUNT];
    unsigned count = list_metrics(study, plotted, list);
    if (count) bough_text_put(out, "\n");
    while (count) { /* first those with the unit of the first metric, then the others */
        const char *unit = bough_metrics[list[0]].unit;
        bough_text line = {0};
        unsigned others = 0;
        bough_text_printf(&line, "%s:", unit);
        for (unsigned i = 0; i < count; i++) {
            const bough_metric *m = &bough_metrics[list[i]];
            if (strcmp(m->unit, unit) == 0)
                bough_text_printf(&line, "%s %s", i ? "," : "", m->name);
            else
                list[others++] = list[i];
        }
        narrow_put_text(out, &line, LINE);
        count = others;
    }
}
