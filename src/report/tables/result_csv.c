#include "report/report.h"

#include "base/text/escape.h"
#include "method/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct writer {
    bough_text *out;
    void (*put)(bough_text *out, const char *cell);
    const bough_study *study;
    bool faults, premises, statistics, names; /* have their own columns only if there are any */
} writer;

static void put_next(const writer *w, const char *field) {
    w->put(w->out, field);
    bough_text_put(w->out, ",");
}

static void put_real(bough_text *out, double value) {
    char number[40];
    if (isfinite(value)) bough_text_put(out, bough_format_real(value, number, sizeof number));
    bough_text_put(out, ",");
}

static bool has_faults(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].faults.spec) return true;
    return false;
}

static bool has_premises(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (study->point[i].answer[k].premises) return true;
    return false;
}

/* The broken premises of an answer in one field. */
static void put_premises(const writer *w, const bough_answer *a) {
    bough_text field = {0};
    bough_text_put(&field, "");
    for (size_t i = 0; i < a->premises; i++) bough_text_printf(&field, "%s%s", i ? "; " : "", a->premise[i]);
    bough_text_put(w->out, ",");
    if (field.failed)
        w->out->failed = true;
    else
        w->put(w->out, field.data);
    bough_text_fini(&field);
}

static bool has_statistics(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].statistics) return true;
    return false;
}

static bool has_index_name(const bough_answer *a, const bough_cell *c) {
    char name[BOUGH_NOTE_MAX];
    return c->index != BOUGH_NO_ROW_INDEX && index_metric_name(a->note, c->metric, c->index, name);
}

static bool answer_has_index_names(const bough_answer *a) {
    for (size_t c = 0; c < a->cells; c++)
        if (has_index_name(a, &a->cell[c])) return true;
    return false;
}

static bool has_index_names(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (answer_has_index_names(&study->point[i].answer[k])) return true;
    return false;
}

/* The name of the index, empty if it has none. */
static void put_index_name(const writer *w, const bough_answer *a, const bough_cell *c) {
    char name[BOUGH_NOTE_MAX] = "";
    if (!w->names) return;
    if (c && c->index != BOUGH_NO_ROW_INDEX && !index_metric_name(a->note, c->metric, c->index, name))
        *name = 0;
    bough_text_put(w->out, ",");
    w->put(w->out, name);
}

/* Up to the metric. */
static void put_labels(const writer *w, const bough_study_point *p, const bough_answer *a) {
    for (size_t i = 0; i < w->study->axes; i++) put_next(w, p->value[i]);
    put_next(w, p->network.spec);
    if (w->faults) put_next(w, p->faults.spec ? p->faults.spec : "");
    put_next(w, a->routed || p->routings == 1 ? p->routing[a->routing].spec : "");
    put_next(w, p->traffic.spec ? p->traffic.spec : "");
    put_next(w, a->method);
}

static void put_cell(const writer *w, const bough_study_point *p, const bough_answer *a,
                     const bough_cell *c) {
    bough_text *out = w->out;
    put_labels(w, p, a);
    put_next(w, bough_metrics[c->metric].name);
    if (c->index != BOUGH_NO_ROW_INDEX) bough_text_printf(out, "%" PRId64, c->index);
    bough_text_put(out, ",");
    put_next(w, bough_metrics[c->metric].unit);
    put_real(out, c->stats.mean);
    put_real(out, bough_cell_ci95(a, c));
    put_real(out, c->stats.min);
    put_real(out, c->stats.max);
    bough_text_printf(out, "%" PRIu64 ",", c->stats.count);
    bough_text_put(out, bough_outcome_name(a->outcome));
    if (w->statistics) bough_text_put(out, ",,,,,");
    if (w->premises) put_premises(w, a);
    put_index_name(w, a, c);
    bough_text_put(out, "\n");
}

/* A line without mean and range. */
static void put_statistic(const writer *w, const bough_study_point *p, const bough_statistic_value *v) {
    const bough_answer *a = &p->answer[v->answer];
    const bough_trial_statistic *s = &w->study->statistic[v->statistic];
    const bough_metric *m = &bough_metrics[s->metric];
    bool quantile = isnan(v->limit);
    put_labels(w, p, a);
    bough_text_printf(w->out, "%s,,%s,,,,,%" PRIu64 ",%s,", m->name, quantile ? m->unit : "share", v->trials,
                      bough_outcome_name(a->outcome));
    put_real(w->out, quantile ? s->quantile : NAN);
    put_real(w->out, v->limit);
    put_real(w->out, v->value);
    put_real(w->out, v->low);
    char number[40];
    if (isfinite(v->high)) bough_text_put(w->out, bough_format_real(v->high, number, sizeof number));
    if (w->premises) put_premises(w, a);
    put_index_name(w, a, NULL);
    bough_text_put(w->out, "\n");
}

static void put_study(const writer *w) {
    const bough_study *study = w->study;
    for (size_t i = 0; i < study->axes; i++) put_next(w, study->axis[i]);
    bough_text_printf(
        w->out, "network,%srouting,traffic,method,metric,index,unit,mean,ci95,min,max,trials,status%s%s%s\n",
        w->faults ? "faults," : "", w->statistics ? ",quantile,limit,statistic,low,high" : "",
        w->premises ? ",premises" : "", w->names ? ",index_name" : "");
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        for (size_t k = 0; k < p->answers; k++)
            for (size_t c = 0; c < p->answer[k].cells; c++)
                put_cell(w, p, &p->answer[k], &p->answer[k].cell[c]);
        for (size_t k = 0; k < p->statistics; k++) put_statistic(w, p, &p->statistic[k]);
    }
}

static bough_status write_csv(writer *w, char **text, bough_error *error) {
    bough_text out = {0};
    w->out = &out;
    put_study(w);
    return bough_text_finish(&out, text, error);
}

bough_status bough_report_csv(const bough_study *study, char **text, bough_error *error) {
    writer w = {.put = bough_text_put_csv,
                .study = study,
                .faults = has_faults(study),
                .premises = has_premises(study),
                .statistics = has_statistics(study),
                .names = has_index_names(study)};
    return write_csv(&w, text, error);
}

bough_status bough_report_csv_safe(const bough_study *study, char **text, bough_error *error) {
    writer w = {.put = bough_text_put_csv_safe,
                .study = study,
                .faults = has_faults(study),
                .premises = has_premises(study),
                .statistics = has_statistics(study),
                .names = has_index_names(study)};
    return write_csv(&w, text, error);
}
