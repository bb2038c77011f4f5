/* Simulations and their results. */
#include "api/api_question.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/faults.h"
#include "bough/report.h"
#include "bough/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_place {
    const bough_answer *answer;
    size_t cell;
} row_place;

struct bough_results {
    bough_study study; /* of one point */
    row_place *row;    /* [rows] */
    size_t rows;
};

/* ---- the study ---- */

static bough_status copy_specs(const bough_question *q, const char *key, bough_asked **list, size_t *count,
                               bough_error *error) {
    const char **value = NULL;
    size_t found;
    bough_status status = api_values(q, key, &value, &found, error);
    if (found) TRY(bough_alloc(list, found, sizeof **list, error)); /* none: left to the study */
    for (size_t i = 0; i < found && !status; i++) {
        (*list)[i].spec = bough_strdup(value[i]);
        if (!(*list)[i].spec) status = bough_fail_memory(error, strlen(value[i]));
        *count = i + 1;
    }
    free(value);
    return status;
}

static bough_status copy_spec(const bough_question *q, const char *key, char **spec, bough_error *error) {
    const char *value = api_value(q, key);
    if (value && !(*spec = bough_strdup(value))) return bough_fail_memory(error, strlen(value));
    return BOUGH_OK;
}

static bough_status join_faults(const bough_question *q, char **spec, bough_error *error) {
    const char **value = NULL;
    size_t count;
    bough_status status = api_values(q, "faults", &value, &count, error);
    TRY(bough_faults_join(value, count, spec, error));
    free(value);
    return status;
}

/* As `bough sim`: to 1 % with at most 1000 trials, unless trials or precision say otherwise. */
static bough_status read_effort(const bough_question *q, bough_effort *effort, bough_error *error) {
    const char *precision = api_value(q, "precision");
    *effort = (bough_effort){1000, 0.01, BOUGH_METRIC_COUNT};
    if (api_value(q, "trials") || precision) *effort = (bough_effort){0, 0, BOUGH_METRIC_COUNT};
    bough_status status = precision ? bough_effort_precision(effort, precision, error) : BOUGH_OK;
    return status ? status
                  : api_number(q, "trials", (bough_bounds){1, BOUGH_TRIALS_MAX}, &effort->trials, error);
}

/* "TRAFFIC on NETWORK", for the page. */
static bough_status put_title(bough_study *study, bough_error *error) {
    const bough_study_point *p = &study->point[0];
    bough_text title = {0};
    bough_text_printf(&title, "%s%s%s", p->traffic.spec ? p->traffic.spec : "", p->traffic.spec ? " on " : "",
                      p->network.spec);
    return bough_text_finish(&title, &study->title, error);
}

static bough_status make_study(const bough_question *q, bough_study *study, bough_error *error) {
    bough_status status = bough_alloc(&study->point, 1, sizeof *study->point, error);
    if (status) return status;
    bough_study_point *p = &study->point[0];
    study->points = 1;
    study->seed = 1;
    status = api_network_spec(api_value(q, "network"), &p->network.spec, error);
    TRY(join_faults(q, &p->faults.spec, error));
    TRY(copy_spec(q, "physical", &p->physical.spec, error));
    TRY(copy_spec(q, "traffic", &p->traffic.spec, error));
    TRY(copy_specs(q, "routing", &p->routing, &p->routings, error));
    TRY(copy_specs(q, "method", &p->method, &p->methods, error));
    TRY(read_effort(q, &study->effort, error));
    TRY(api_number(q, "seed", (bough_bounds){0, INT64_MAX}, &study->seed, error));
    if (!status && !p->methods)
        status = bough_fail(error, BOUGH_INVALID, "bough_simulate", "the key 'method' is not set");
    TRY(put_title(study, error));
    return status;
}

/* ---- rows ---- */

static bough_status list_rows(bough_results *r, bough_error *error) {
    const bough_study_point *p = &r->study.point[0];
    size_t count = 0;
    for (size_t i = 0; i < p->answers; i++) count += p->answer[i].cells;
    bough_status status = bough_alloc(&r->row, count, sizeof *r->row, error);
    for (size_t i = 0; i < p->answers && !status; i++)
        for (size_t c = 0; c < p->answer[i].cells; c++) r->row[r->rows++] = (row_place){&p->answer[i], c};
    return status;
}

bough_status bough_simulate(const bough_question *question, const bough_control *control,
                            bough_results **results, bough_error *error) {
    bough_results *r = NULL;
    api_run run;
    bough_status status = api_require(results, "results", __func__, error);
    if (!status) *results = NULL;
    TRY(api_require(question, "question", __func__, error));
    TRY(api_question_check(question, __func__, error));
    TRY(api_run_begin(&run, control, error));
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (status) return status;
    status = make_study(question, &r->study, error);
    TRY(bough_study_resolve(&r->study, error));
    const bough_study_options options = {
        .threads = run.control.threads, .stop = run.stop, .progress = api_progress, .context = &run};
    TRY(bough_study_run(&r->study, &options, error));
    TRY(list_rows(r, error));
    if (status)
        bough_results_destroy(r);
    else
        *results = r;
    return status;
}

size_t bough_results_count(const bough_results *results) {
    return results ? results->rows : 0;
}

static const char *or_empty(const char *text) {
    return text ? text : "";
}

bough_result bough_results_get(const bough_results *results, size_t i) {
    if (!results || i >= results->rows) return (bough_result){0};
    const bough_study_point *p = &results->study.point[0];
    const bough_answer *a = results->row[i].answer;
    const bough_cell *c = &a->cell[results->row[i].cell];
    return (bough_result){.network = or_empty(p->network.spec),
                          .faults = or_empty(p->faults.spec),
                          .routing = a->routed ? or_empty(p->routing[a->routing].spec) : "",
                          .traffic = or_empty(p->traffic.spec),
                          .method = a->method,
                          .metric = bough_metrics[c->metric].name,
                          .unit = bough_metrics[c->metric].unit,
                          .index = c->index == BOUGH_NO_ROW_INDEX ? -1 : c->index,
                          .mean = c->stats.mean,
                          .ci95 = bough_cell_ci95(a, c),
                          .min = c->stats.min,
                          .max = c->stats.max,
                          .trials = c->stats.count,
                          .exact = a->exact,
                          .status = bough_outcome_name(a->outcome),
                          .note = a->note};
}

bough_status bough_results_text(const bough_results *results, const char *format, char **text,
                                bough_error *error) {
    static const bough_table_options table = {.single = true};
    bough_status status = api_require(text, "text", __func__, error);
    if (!status) *text = NULL;
    TRY(api_require(results, "results", __func__, error));
    TRY(api_require(format, "format", __func__, error));
    if (status) return status;
    const bough_study *study = &results->study;
    if (strcmp(format, "table") == 0) return bough_report_table(study, &table, text, error);
    if (strcmp(format, "csv") == 0) return bough_report_csv(study, text, error);
    if (strcmp(format, "json") == 0) return bough_report_json(study, true, text, error);
    if (strcmp(format, "html") == 0) return bough_report_html(study, text, error);
    return bough_fail(error, BOUGH_INVALID, __func__, "no format '%s'; there are table, csv, json and html",
                      format);
}

void bough_results_destroy(bough_results *results) {
    if (!results) return;
    bough_study_fini(&results->study);
    FREE_ALL(results->row, results);
}
