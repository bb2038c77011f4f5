#include "report/tables/forecast_document.h"

#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "report/comparison/premise_lines.h"
#include "report/tables/result_json.h"
#include "study/store/finished_study.h"

#include <inttypes.h>
#include <math.h>

enum { POINTS_LISTED = 3, BYTES_TEXT = 32, SECONDS_TEXT = 32 };

static bool is_listed(const bough_study *study) {
    return study->points <= POINTS_LISTED;
}

/* ---- for people ---- */

static void put_trials(document *d, const bough_effort *e) {
    char number[40];
    if (!(e->precision > 0)) {
        document_fact(d, "trials", "%" PRIu64 " of each random answer", e->trials);
        return;
    }
    document_fact(d, "trials",
                  "at most %" PRIu64 ", until the 95 %% interval of %s is within %s %% of the mean",
                  bough_effort_trials(e),
                  e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "each headline",
                  bough_format_real(100 * e->precision, number, sizeof number));
}

static void put_time(document *d, const bough_forecast *f) {
    char time[SECONDS_TEXT];
    bough_format_seconds(f->seconds, time, sizeof time);
    if (f->least)
        document_fact(d, "time", "more than %s: a trial takes longer than an estimate may (%g s)", time,
                      BOUGH_FORECAST_SECONDS);
    else
        document_fact(d, "time", "about %s, an estimate from single trials (about %" PRIu64 " in all)", time,
                      f->trials);
}

static void put_answers(document *d, const bough_study_point *p) {
    text_table t = {.labels = 1};
    text_table_head(&t, "method", false);
    text_table_head(&t, "routing", false);
    text_table_head(&t, "memory", true);
    text_table_head(&t, "", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < p->answers; i++) {
        const bough_answer *a = &p->answer[i];
        char bytes[BYTES_TEXT];
        text_table_add(&t, a->method);
        text_table_add(&t, a->routed ? p->routing[a->routing].spec : "any");
        text_table_add(&t, bough_format_bytes(a->bytes, bytes, sizeof bytes));
        text_table_add(&t, a->exact ? "exact" : "");
        text_table_end_row(&t);
    }
    document_table(d, &t, "");
}

static void put_point(document *d, const bough_study *study, size_t at) {
    const bough_study_point *p = &study->point[at];
    bough_text name = {0};
    bough_text_printf(&name, "%zu.", at + 1);
    for (size_t i = 0; i < study->axes; i++) bough_text_printf(&name, " %s=%s", study->axis[i], p->value[i]);
    d->failed |= name.failed;
    if (!name.failed) document_heading(d, "", "%s", name.data);
    bough_text_fini(&name);
    document_begin(d, DOCUMENT_LINE, "");
    document_put(d, "%s", p->network.spec);
    if (p->faults.spec) document_put(d, ", faults %s", p->faults.spec);
    if (p->physical.spec) document_put(d, ", physical %s", p->physical.spec);
    if (p->traffic.spec) document_put(d, ", traffic %s", p->traffic.spec);
    document_end(d);
    put_answers(d, p);
}

void planned_run_describe(document *d, const planned_run *run) {
    const bough_study *study = run->study;
    const bough_forecast *f = run->forecast;
    char bytes[BYTES_TEXT];
    document_section(d, "forecast", "Forecast");
    document_fact(d, "study", "%s", study->title);
    document_fact(d, "points", "%zu, answers %zu%s", study->points, study_count_answers(study).all,
                  is_listed(study) ? "" : " (--json lists them)");
    document_fact(d, "seed", "%" PRIu64, study->seed);
    put_trials(d, &study->effort);
    document_fact(d, "threads", "%u", f->threads);
    document_fact(d, "memory", "%s for the largest answer",
                  bough_format_bytes(f->memory, bytes, sizeof bytes));
    put_time(d, f);
    document_fact(d, "results", "%s (nothing was created)", run->directory);
    if (is_listed(study)) document_section(d, "points", "Points");
    for (size_t i = 0; i < study->points && is_listed(study); i++) put_point(d, study, i);
    premises_describe(d, study);
}

/* ---- for programs ---- */

static void json_effort(json_writer *w, const bough_effort *e) {
    const bool precise = e->precision > 0;
    json_put_whole(w, "trials", (int64_t)bough_effort_trials(e));
    json_put_real(w, "precision", precise ? e->precision : NAN);
    if (precise)
        json_put_text(w, "watch", e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : NULL);
}

static void json_forecast(json_writer *w, const bough_forecast *f) {
    json_begin_object(w, "forecast", true);
    json_put_whole(w, "threads", f->threads);
    json_put_whole(w, "bytes", (int64_t)f->memory);
    json_put_real(w, "seconds", f->least ? NAN : f->seconds);
    json_put_whole(w, "trials", (int64_t)f->trials);
    json_end_object(w);
}

static void json_answer(json_writer *w, const bough_study_point *p, const bough_answer *a) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", a->method);
    json_put_text(w, "routing", a->routed ? p->routing[a->routing].spec : NULL);
    json_put_whole(w, "bytes", (int64_t)a->bytes);
    json_put_flag(w, "exact", a->exact);
    result_put_premises(w, a);
    json_end_object(w);
}

static void json_point(json_writer *w, const bough_study *study, const bough_study_point *p) {
    json_begin_object(w, NULL, false);
    json_begin_object(w, "axes", true);
    for (size_t i = 0; i < study->axes; i++) json_put_axis(w, study->axis[i], p->value[i]);
    json_end_object(w);
    result_put_inputs(w, p);
    json_begin_array(w, "answers", false);
    for (size_t i = 0; i < p->answers; i++) json_answer(w, p, &p->answer[i]);
    json_end_array(w);
    json_end_object(w);
}

void planned_run_put_json(bough_text *out, const planned_run *run) {
    const bough_study *study = run->study;
    json_writer w = {.out = out};
    json_begin_document(&w);
    json_put_text(&w, "study", study->title);
    json_put_whole(&w, "seed", (int64_t)study->seed);
    json_effort(&w, &study->effort);
    json_put_text(&w, "results", run->directory);
    json_forecast(&w, run->forecast);
    json_begin_array(&w, "points", false);
    for (size_t i = 0; i < study->points; i++) json_point(&w, study, &study->point[i]);
    json_end_array(&w);
    json_end_document(&w);
}
