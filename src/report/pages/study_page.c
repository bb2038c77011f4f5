/* The data of a study's page; web/src/data.ts says the same in TypeScript. Texts stand once, in `strings`,
 * what one answer's numbers have in common once, in `answers`, and every number once, in `values`, of which
 * the first are the results in the order of results.csv. Charts point there. 10 000 points are about 0.5 MB.
 */
#include "base/status/try.h"
#include "report/report.h"

#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "report/charts/chart.h"
#include "report/charts/chart_marks.h"
#include "report/comparison/premise_lines.h"
#include "report/pages/page.h"
#include "report/pages/study_html.h"
#include "study/assumption_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that charts show and results do not have: ratios, merged answers. */
typedef struct more_value {
    uint64_t answer;
    const chart_point *point;
    bough_metric_id metric;
} more_value;

typedef struct study_page {
    const bough_study *study;
    json_writer w;
    page_strings strings;
    charts charts;
    size_t *answer, *value;     /* [points + 1]: of each point the first in `answers` and `values` */
    const chart_point **merged; /* answers of a pooled study, which come after */
    size_t merged_count, merged_capacity;
    more_value *more;
    size_t mores, more_capacity;
    bough_error *error;
} study_page;

static void put_string(study_page *p, const char *text) {
    json_put_whole(&p->w, NULL, page_string(&p->strings, text));
}

/* ---- charts ---- */

static bough_status count_values(study_page *p) {
    const bough_study *study = p->study;
    bough_status status = bough_alloc(&p->answer, (uint64_t)study->points + 1, sizeof *p->answer, p->error);
    TRY(bough_alloc(&p->value, (uint64_t)study->points + 1, sizeof *p->value, p->error));
    for (size_t i = 0; i < study->points && !status; i++) {
        p->answer[i + 1] = p->answer[i] + study->point[i].answers;
        p->value[i + 1] = p->value[i];
        for (size_t k = 0; k < study->point[i].answers; k++)
            p->value[i + 1] += study->point[i].answer[k].cells;
    }
    return status;
}

static bough_status check_size(const study_page *p) {
    size_t values = p->value[p->study->points];
    if (values <= BOUGH_PAGE_VALUES) return BOUGH_OK;
    return bough_fail(p->error, BOUGH_TOO_LARGE, NULL,
                      "the report page holds %d results, and this study has %zu; results.csv has them all",
                      BOUGH_PAGE_VALUES, values);
}

/* The number of a result: those of earlier points, of earlier answers of this point, of this answer. */
static size_t find_value(const study_page *p, const chart_point *point, bough_metric_id metric) {
    size_t at = p->value[point->of - p->study->point];
    for (const bough_answer *a = point->of->answer; a < point->answer; a++) at += a->cells;
    for (size_t i = 0; i < point->answer->cells; i++, at++)
        if (point->answer->cell[i].metric == metric && point->answer->cell[i].index == point->index) break;
    return at;
}

/* The number in `answers`. */
static bough_status find_answer(study_page *p, const chart_point *point, uint64_t *at) {
    if (!p->study->pool) {
        *at = p->answer[point->of - p->study->point] + (size_t)(point->answer - point->of->answer);
        return BOUGH_OK;
    }
    *at = p->answer[p->study->points] + p->merged_count;
    bough_status status =
        bough_grow(&p->merged, &p->merged_capacity, p->merged_count + 1, sizeof *p->merged, p->error);
    if (!status) p->merged[p->merged_count++] = point;
    return status;
}

/* What a ratio is to: another method, or the same under another routing. */
static const char *against_name(const chart_point *point) {
    bool routings = point->against->asked == point->answer->asked;
    return routings ? point->of->routing[point->against->routing].spec : point->against->method;
}

static bough_status put_point(study_page *p, const chart *c, const chart_series *s,
                              const chart_point *point) {
    size_t value = p->value[p->study->points] + p->mores;
    if (!c->ratio && !p->study->pool) {
        value = find_value(p, point, s->metric);
    } else {
        bough_status status =
            bough_grow(&p->more, &p->more_capacity, p->mores + 1, sizeof *p->more, p->error);
        if (status) return status;
        more_value *more = &p->more[p->mores++];
        *more = (more_value){.point = point, .metric = s->metric};
        status = find_answer(p, point, &more->answer);
        if (status) return status;
    }
    json_begin_array(&p->w, NULL, true);
    json_put_real(&p->w, NULL, point->x);
    put_string(p, point->label);
    json_put_whole(&p->w, NULL, (int64_t)value);
    if (point->against) put_string(p, against_name(point));
    if (c->metric_x) {
        const chart_bar bar = chart_x_bar_of(c, point);
        json_put_real(&p->w, NULL, bar.low);
        json_put_real(&p->w, NULL, bar.high);
    }
    json_end_array(&p->w);
    return BOUGH_OK;
}

/* Lines without marks. */
static void put_curves(json_writer *w, const chart *c) {
    if (!c->curves) return;
    json_begin_array(w, "curves", true);
    for (size_t i = 0; i < c->curves; i++) {
        const chart_curve *curve = &c->curve[i];
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", curve->name);
        json_put_whole(w, "style", curve->style);
        json_put_flag(w, "mean", curve->mean);
        json_put_flag(w, "vertical", curve->vertical);
        json_begin_array(w, "x", true);
        for (size_t k = 0; k < curve->points; k++) json_put_real(w, NULL, curve->x[k]);
        json_end_array(w);
        json_begin_array(w, "y", true);
        for (size_t k = 0; k < curve->points; k++) json_put_real(w, NULL, curve->y[k]);
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
}

static bough_status put_chart(study_page *p, const chart *c) {
    static const char *const scales[] = {"linear", "log2", "log10", "category"};
    json_writer *w = &p->w;
    bough_status status = BOUGH_OK;
    json_begin_object(w, NULL, true);
    json_put_text(w, "title", c->title);
    json_put_text(w, "x", c->x_title);
    json_put_text(w, "y", c->y_title);
    json_put_text(w, "metric", bough_metrics[c->metric].name);
    json_put_text(w, "facet", c->facet);
    json_put_text(w, "xscale", scales[c->xscale]);
    json_put_text(w, "yscale", scales[c->yscale]);
    json_put_flag(w, "ratio", c->ratio);
    if (c->overlay) json_put_flag(w, "overlay", true);
    if (c->minmax) json_put_flag(w, "minmax", true);
    if (c->metric_x) json_put_flag(w, "metric_x", true);
    if (c->scatter) json_put_flag(w, "scatter", true);
    json_begin_array(w, "categories", true);
    for (size_t i = 0; i < c->categories; i++) json_put_text(w, NULL, c->category[i]);
    json_end_array(w);
    json_put_whole(w, "left_out", (int64_t)c->left_out);
    if (c->left_lines) json_put_whole(w, "left_lines", (int64_t)c->left_lines);
    json_begin_array(w, "series", true);
    for (size_t i = 0; i < c->count && !status; i++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", c->series[i].name);
        json_put_whole(w, "style", c->series[i].style);
        if (c->overlay) json_put_text(w, "metric", bough_metrics[c->series[i].metric].name);
        if (c->series[i].maxima) json_put_flag(w, "maxima", true);
        json_put_real(w, "saturated", c->series[i].saturates ? c->series[i].saturated_from : NAN);
        json_put_real(w, "stable", c->series[i].stable ? c->series[i].stable_to : NAN);
        json_begin_array(w, "points", true);
        for (size_t k = 0; k < c->series[i].points && !status; k++)
            status = put_point(p, c, &c->series[i], &c->series[i].point[k]);
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
    put_curves(w, c);
    json_end_object(w);
    return status;
}

static bough_status put_charts(study_page *p) {
    bough_status status = charts_make(p->study, &p->charts, p->error);
    json_begin_array(&p->w, "charts", true);
    for (size_t i = 0; i < p->charts.count && !status; i++) status = put_chart(p, &p->charts.chart[i]);
    json_end_array(&p->w);
    json_put_whole(&p->w, "charts_left_out", (int64_t)p->charts.left_out);
    bough_text without = {0};
    chart_put_without_x(&without, &p->charts);
    if (without.length) json_put_text(&p->w, "without_x", without.data);
    if (without.failed && !status) status = bough_fail_memory(p->error, 64);
    bough_text_fini(&without);
    return status;
}

/* ---- answers and values ---- */

static bool has_faults(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].faults.spec) return true;
    return false;
}

static void put_answer(study_page *p, const bough_study_point *of, const bough_answer *a) {
    bool routed = a->routed || of->routings == 1;
    json_begin_array(&p->w, NULL, true);
    for (size_t i = 0; i < p->study->axes; i++) put_string(p, of->value[i]);
    put_string(p, of->network.spec);
    put_string(p, of->faults.spec);
    put_string(p, routed ? of->routing[a->routing].spec : NULL);
    put_string(p, of->traffic.spec);
    put_string(p, a->method);
    put_string(p, bough_outcome_name(a->outcome));
    json_end_array(&p->w);
}

static void put_answers(study_page *p) {
    const bough_study *study = p->study;
    json_begin_array(&p->w, "answers", true);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            put_answer(p, &study->point[i], &study->point[i].answer[k]);
    for (size_t i = 0; i < p->merged_count; i++) put_answer(p, p->merged[i]->of, p->merged[i]->answer);
    json_end_array(&p->w);
}

/* [answer, metric, index, mean], and where these are not those of one exact value: ci95, min, max, trials. */
static void put_value(study_page *p, uint64_t answer, bough_metric_id metric, const chart_point *v) {
    json_begin_array(&p->w, NULL, true);
    json_put_whole(&p->w, NULL, (int64_t)answer);
    json_put_whole(&p->w, NULL, metric);
    if (v->index == BOUGH_NO_ROW_INDEX)
        json_put_text(&p->w, NULL, NULL);
    else
        json_put_whole(&p->w, NULL, v->index);
    json_put_real(&p->w, NULL, v->mean);
    bool single = v->exact && v->trials == 1 && isnan(v->ci95) && v->min == v->mean && v->max == v->mean;
    if (!single) {
        json_put_real(&p->w, NULL, v->ci95);
        json_put_real(&p->w, NULL, v->min);
        json_put_real(&p->w, NULL, v->max);
        json_put_whole(&p->w, NULL, (int64_t)v->trials);
        json_put_whole(&p->w, NULL, v->exact);
    }
    json_end_array(&p->w);
}

static void put_values(study_page *p) {
    uint64_t answer = 0;
    json_put_whole(&p->w, "results", (int64_t)p->value[p->study->points]);
    json_begin_array(&p->w, "values", true);
    for (size_t i = 0; i < p->study->points; i++)
        for (size_t k = 0; k < p->study->point[i].answers; k++, answer++) {
            const bough_answer *a = &p->study->point[i].answer[k];
            for (size_t c = 0; c < a->cells; c++) {
                const bough_cell *cell = &a->cell[c];
                chart_point v = {.mean = cell->stats.mean,
                                 .ci95 = bough_cell_ci95(a, cell),
                                 .min = cell->stats.min,
                                 .max = cell->stats.max,
                                 .trials = cell->stats.count,
                                 .exact = a->exact,
                                 .index = cell->index};
                put_value(p, answer, cell->metric, &v);
            }
        }
    for (size_t i = 0; i < p->mores; i++)
        put_value(p, p->more[i].answer, p->more[i].metric, p->more[i].point);
    json_end_array(&p->w);
}

/* All metrics of this version, so that their numbers are those of the program. */
static void put_metrics(json_writer *w) {
    json_begin_array(w, "metrics", true);
    for (int i = 0; i < BOUGH_METRIC_COUNT; i++) {
        json_begin_array(w, NULL, true);
        json_put_text(w, NULL, bough_metrics[i].name);
        json_put_text(w, NULL, bough_metrics[i].unit);
        json_end_array(w);
    }
    json_end_array(w);
}

static bough_status put_study(study_page *p) {
    json_writer *w = &p->w;
    json_begin_object(w, "study", true);
    bough_status status = put_charts(p);
    json_begin_array(w, "axes", true);
    for (size_t i = 0; i < p->study->axes; i++) json_put_text(w, NULL, p->study->axis[i]);
    json_end_array(w);
    json_put_flag(w, "faults", has_faults(p->study));
    put_metrics(w);
    put_answers(p);
    put_values(p);
    json_end_object(w);
    return status;
}

static bough_status put_page(study_page *p) {
    json_writer *w = &p->w;
    json_begin_document(w);
    bough_status status = put_study(p);
    json_begin_array(w, "strings", true);
    for (size_t i = 0; i < p->strings.count; i++) json_put_text(w, NULL, p->strings.text[i]);
    json_end_array(w);
    json_end_document(w);
    if (!status && p->strings.failed) status = bough_fail_memory(p->error, p->strings.count);
    return status;
}

static bough_status write_scripted(const bough_study *study, page_parts *parts, char **text,
                                   bough_error *error) {
    bough_text json = {0};
    study_page p = {.study = study, .w = {.out = &json, .compact = true}, .error = error};
    char *plain = NULL;
    bough_status status = count_values(&p);
    TRY(check_size(&p));
    TRY(bough_report_table(study, NULL, &plain, error));
    TRY(put_page(&p));
    if (!status && json.failed) status = bough_fail_memory(error, json.length);
    parts->json = json.data;
    parts->plain = plain;
    TRY(page_write(parts, text, error));
    free(plain);
    bough_text_fini(&json);
    page_strings_fini(&p.strings);
    charts_fini(&p.charts);
    free(p.answer);
    free(p.value);
    free(p.merged);
    free(p.more);
    return status;
}

/* The markup of a page without scripts. */
static bough_status write_static(const bough_study *study, page_parts *parts, char **text,
                                 bough_error *error) {
    html_writer rest = {0};
    charts all = {0};
    bough_status status = charts_make(study, &all, error);
    if (!status) study_html_rest(&rest, study, &all);
    if (!status && rest.out.failed) status = bough_fail_memory(error, rest.out.length);
    parts->rest = rest.out.data;
    TRY(page_write(parts, text, error));
    bough_text_fini(&rest.out);
    charts_fini(&all);
    return status;
}

bough_status bough_report_html(const bough_study *study, char **text, bough_error *error) {
    return study_page_write(study, "", text, error);
}

bough_status study_page_write(const bough_study *study, const char *summary, char **text,
                              bough_error *error) {
    html_writer facts = {0}, body = {0};
    study_html_facts(&facts, study);
    html_put(&body, summary);
    study_html_notes(&body, study);
    page_parts parts = {.title = study->title ? study->title : "Results",
                        .command = study->command,
                        .facts = facts.out.data,
                        .body = body.out.data};
    bough_status status =
        facts.out.failed || body.out.failed ? bough_fail_memory(error, facts.out.length) : BOUGH_OK;
    if (!status)
        status = page_is_static() ? write_static(study, &parts, text, error)
                                  : write_scripted(study, &parts, text, error);
    bough_text_fini(&facts.out);
    bough_text_fini(&body.out);
    return status;
}
