#include "bough/report.h"

#include "base/escape.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put_next(bough_text *out, const char *field) {
    bough_text_put_csv(out, field);
    bough_text_put(out, ",");
}

static void put_real(bough_text *out, double value) {
    char number[40];
    if (isfinite(value)) bough_text_put(out, bough_format_real(value, number, sizeof number));
    bough_text_put(out, ",");
}

/* A column of its own only where it says something. */
static bool has_faults(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].faults.spec) return true;
    return false;
}

static void put_cell(bough_text *out, const bough_study *study, bool faults, const bough_study_point *p,
                     const bough_answer *a, const bough_cell *c) {
    for (size_t i = 0; i < study->axes; i++) put_next(out, p->value[i]);
    put_next(out, p->network.spec);
    if (faults) put_next(out, p->faults.spec ? p->faults.spec : "");
    put_next(out, a->routed || p->routings == 1 ? p->routing[a->routing].spec : "");
    put_next(out, p->traffic.spec ? p->traffic.spec : "");
    put_next(out, a->method);
    put_next(out, bough_metrics[c->metric].name);
    if (c->index != BOUGH_NO_ROW_INDEX) bough_text_printf(out, "%" PRId64, c->index);
    bough_text_put(out, ",");
    put_next(out, bough_metrics[c->metric].unit);
    put_real(out, c->stats.mean);
    put_real(out, bough_cell_ci95(a, c));
    put_real(out, c->stats.min);
    put_real(out, c->stats.max);
    bough_text_printf(out, "%" PRIu64 ",", c->stats.count);
    bough_text_printf(out, "%s\n", bough_outcome_name(a->outcome));
}

bough_status bough_report_csv(const bough_study *study, char **text, bough_error *error) {
    bough_text out = {0};
    for (size_t i = 0; i < study->axes; i++) put_next(&out, study->axis[i]);
    bool faults = has_faults(study);
    bough_text_printf(&out,
                      "network,%srouting,traffic,method,metric,index,unit,mean,ci95,min,max,trials,status\n",
                      faults ? "faults," : "");
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        for (size_t k = 0; k < p->answers; k++)
            for (size_t c = 0; c < p->answer[k].cells; c++)
                put_cell(&out, study, faults, p, &p->answer[k], &p->answer[k].cell[c]);
    }
    size_t length = out.length;
    *text = bough_text_take(&out);
    return *text ? BOUGH_OK : bough_fail_memory(error, length);
}
