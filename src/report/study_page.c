/* The data of a study's page; web/src/data.ts says the same in TypeScript. Texts that repeat stand once, in
 * `strings`, and rows are arrays: 10 000 points are about 1 MB. */
#include "bough/report.h"

#include "report/chart.h"
#include "report/json_writer.h"
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_string(json_writer *w, page_strings *strings, const char *text) {
    json_put_whole(w, NULL, page_string(strings, text));
}

/* ---- charts ---- */

static void put_point(json_writer *w, page_strings *strings, const chart_point *p) {
    const bough_study_point *of = p->of;
    bool routed = p->answer->routed || of->routings == 1;
    json_begin_array(w, NULL, true);
    json_put_real(w, NULL, p->x);
    put_string(w, strings, p->label);
    json_put_real(w, NULL, p->mean);
    json_put_real(w, NULL, p->ci95);
    json_put_real(w, NULL, p->min);
    json_put_real(w, NULL, p->max);
    json_put_whole(w, NULL, (int64_t)p->trials);
    json_put_whole(w, NULL, p->exact);
    put_string(w, strings, bough_outcome_name(p->answer->outcome));
    put_string(w, strings, of->network.spec);
    put_string(w, strings, of->faults.spec);
    put_string(w, strings, routed ? of->routing[p->answer->routing].spec : NULL);
    put_string(w, strings, of->traffic.spec);
    put_string(w, strings, p->answer->method);
    put_string(w, strings, p->against ? p->against->method : NULL);
    json_end_array(w);
}

static void put_chart(json_writer *w, page_strings *strings, const chart *c) {
    static const char *const scales[] = {"linear", "log2", "log10", "category"};
    json_begin_object(w, NULL, true);
    json_put_text(w, "title", c->title);
    json_put_text(w, "x", c->x_title);
    json_put_text(w, "y", c->y_title);
    json_put_text(w, "metric", bough_metrics[c->metric].name);
    json_put_text(w, "facet", c->facet);
    json_put_text(w, "xscale", scales[c->xscale]);
    json_put_text(w, "yscale", scales[c->yscale]);
    json_put_flag(w, "ratio", c->ratio);
    json_begin_array(w, "categories", true);
    for (size_t i = 0; i < c->categories; i++) json_put_text(w, NULL, c->category[i]);
    json_end_array(w);
    json_put_whole(w, "left_out", (int64_t)c->left_out);
    json_begin_array(w, "series", true);
    for (size_t i = 0; i < c->count; i++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", c->series[i].name);
        json_put_whole(w, "style", c->series[i].style);
        json_begin_array(w, "points", true);
        for (size_t k = 0; k < c->series[i].points; k++) put_point(w, strings, &c->series[i].point[k]);
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static bough_status put_charts(json_writer *w, page_strings *strings, const bough_study *study,
                               bough_error *error) {
    charts all;
    bough_status status = charts_make(study, &all, error);
    if (status) return status;
    json_begin_array(w, "charts", true);
    for (size_t i = 0; i < all.count; i++) put_chart(w, strings, &all.chart[i]);
    json_end_array(w);
    json_put_whole(w, "charts_left_out", (int64_t)all.left_out);
    charts_fini(&all);
    return BOUGH_OK;
}

/* ---- results: the columns of results.csv ---- */

static bool has_faults(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].faults.spec) return true;
    return false;
}

static void put_columns(json_writer *w, const bough_study *study, bool faults) {
    static const char *const names[] = {"network", "faults", "routing", "traffic", "method",
                                        "metric",  "index",  "unit",    "mean",    "ci95",
                                        "min",     "max",    "trials",  "status"};
    enum { NAMES = sizeof names / sizeof *names, INDEX = 6, UNIT = 7, MEAN = 8, TRIALS = 12 };
    json_begin_array(w, "columns", true);
    for (size_t i = 0; i < study->axes; i++) json_put_text(w, NULL, study->axis[i]);
    for (int i = 0; i < NAMES; i++)
        if (faults || i != 1) json_put_text(w, NULL, names[i]);
    json_end_array(w);
    json_begin_array(w, "text", true);
    for (size_t i = 0; i < study->axes; i++) json_put_flag(w, NULL, true);
    for (int i = 0; i < NAMES; i++)
        if (faults || i != 1) json_put_flag(w, NULL, i != INDEX && (i < MEAN || i > TRIALS));
    json_end_array(w);
}

static void put_cell(json_writer *w, page_strings *strings, const bough_study *study, bool faults,
                     const bough_study_point *p, const bough_answer *a, const bough_cell *c) {
    json_begin_array(w, NULL, true);
    for (size_t i = 0; i < study->axes; i++) put_string(w, strings, p->value[i]);
    put_string(w, strings, p->network.spec);
    if (faults) put_string(w, strings, p->faults.spec ? p->faults.spec : "");
    put_string(w, strings, a->routed || p->routings == 1 ? p->routing[a->routing].spec : "");
    put_string(w, strings, p->traffic.spec ? p->traffic.spec : "");
    put_string(w, strings, a->method);
    put_string(w, strings, bough_metrics[c->metric].name);
    if (c->index == BOUGH_NO_ROW_INDEX)
        json_put_text(w, NULL, NULL);
    else
        json_put_whole(w, NULL, c->index);
    put_string(w, strings, bough_metrics[c->metric].unit);
    json_put_real(w, NULL, c->stats.mean);
    json_put_real(w, NULL, bough_cell_ci95(a, c));
    json_put_real(w, NULL, c->stats.min);
    json_put_real(w, NULL, c->stats.max);
    json_put_whole(w, NULL, (int64_t)c->stats.count);
    put_string(w, strings, bough_outcome_name(a->outcome));
    json_end_array(w);
}

static void put_results(json_writer *w, page_strings *strings, const bough_study *study) {
    bool faults = has_faults(study);
    json_begin_object(w, "results", true);
    put_columns(w, study, faults);
    json_begin_array(w, "rows", true);
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        for (size_t k = 0; k < p->answers; k++)
            for (size_t c = 0; c < p->answer[k].cells; c++)
                put_cell(w, strings, study, faults, p, &p->answer[k], &p->answer[k].cell[c]);
    }
    json_end_array(w);
    json_end_object(w);
}

/* ---- around them ---- */

static void put_effort(json_writer *w, const bough_effort *e) {
    char text[160], number[40];
    if (e->precision > 0)
        snprintf(text, sizeof text,
                 "until the 95 %% interval of %s is within %s %%, at most %" PRIu64 " trials",
                 e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "each headline",
                 bough_format_real(100 * e->precision, number, sizeof number),
                 e->trials ? e->trials : (uint64_t)BOUGH_PRECISION_TRIALS);
    else
        snprintf(text, sizeof text, "%" PRIu64 " %s", e->trials, e->trials == 1 ? "trial" : "trials");
    json_put_text(w, "effort", text);
}

enum { NOTES_MAX = 40 };

/* What trials say in words. */
static void put_notes(json_writer *w, const bough_study *study) {
    bough_text line = {0};
    size_t notes = 0;
    json_begin_array(w, "notes", true);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers && notes < NOTES_MAX; k++) {
            const bough_study_point *p = &study->point[i];
            const bough_answer *a = &p->answer[k];
            if (!a->note[0]) continue;
            line.length = 0;
            bough_text_put(&line, a->method);
            if (p->routings > 1 && a->routed)
                bough_text_printf(&line, " under %s", p->routing[a->routing].spec);
            for (size_t x = 0; x < study->axes; x++)
                bough_text_printf(&line, ", %s=%s", study->axis[x], p->value[x]);
            bough_text_printf(&line, ": %s%s%s",
                              a->outcome == BOUGH_RUN_OK ? "" : bough_outcome_name(a->outcome),
                              a->outcome == BOUGH_RUN_OK ? "" : ": ", a->note);
            if (!line.failed) json_put_text(w, NULL, line.data);
            notes++;
        }
    json_end_array(w);
    bough_text_fini(&line);
}

static void put_answers(json_writer *w, const bough_study *study) {
    int64_t answers = 0, complete = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++, answers++)
            complete += study->point[i].answer[k].complete;
    json_put_whole(w, "answers", answers);
    json_put_whole(w, "complete", complete);
}

static bough_status put_page(json_writer *w, page_strings *strings, const bough_study *study,
                             bough_error *error) {
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, study->seed);
    json_begin_object(w, NULL, true);
    json_put_text(w, "bough", BOUGH_VERSION);
    json_put_whole(w, "schema", 1);
    json_put_text(w, "title", study->title);
    json_put_text(w, "command", study->command);
    json_put_text(w, "seed", seed);
    json_begin_object(w, "study", true);
    bough_status status = put_charts(w, strings, study, error);
    put_effort(w, &study->effort);
    put_answers(w, study);
    put_notes(w, study);
    put_results(w, strings, study);
    json_end_object(w);
    json_begin_array(w, "strings", true);
    for (size_t i = 0; i < strings->count; i++) json_put_text(w, NULL, strings->text[i]);
    json_end_array(w);
    json_end_object(w);
    if (!status && strings->failed) status = bough_fail_memory(error, strings->count);
    return status;
}

bough_status bough_report_html(const bough_study *study, char **html, bough_error *error) {
    bough_text json = {0};
    json_writer w = {.out = &json};
    page_strings strings = {0};
    char *plain = NULL;
    bough_status status = bough_report_html_check(error);
    if (!status) status = bough_report_table(study, false, &plain, error);
    if (!status) status = put_page(&w, &strings, study, error);
    if (!status && json.failed) status = bough_fail_memory(error, json.length);
    if (!status) status = page_write(study->title, json.data, plain, html, error);
    free(plain);
    bough_text_fini(&json);
    page_strings_fini(&strings);
    return status;
}
