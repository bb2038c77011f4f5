/* Simulations and their results. */
#include "api/api_question.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "extension/owned_registry.h"
#include "method/rows.h"
#include "report/report.h"
#include "study/study_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_place {
    size_t point, answer, cell;
} row_place;

/* The premises of an answer, joined. */
typedef struct answer_text {
    size_t point, answer;
    char *premises;
} answer_text;

typedef struct comparison_place {
    size_t point, comparison;
} comparison_place;

struct bough_results {
    handle handle;
    bough_study study;
    bool single;              /* of one point, not of a study file */
    bough_registry *registry; /* kept */
    row_place *row;           /* [rows], ascending */
    size_t rows;
    answer_text *text; /* of answers with premises, ascending */
    size_t texts, text_capacity;
    comparison_place *compared; /* [comparisons] */
    size_t comparisons;
};

/* ---- running ---- */

static bough_status list_rows(bough_results *r, bough_error *error) {
    size_t count = 0;
    for (size_t p = 0; p < r->study.points; p++)
        for (size_t a = 0; a < r->study.point[p].answers; a++) count += r->study.point[p].answer[a].cells;
    bough_status status = bough_alloc(&r->row, count, sizeof *r->row, error);
    for (size_t p = 0; p < r->study.points && !status; p++)
        for (size_t a = 0; a < r->study.point[p].answers; a++)
            for (size_t c = 0; c < r->study.point[p].answer[a].cells; c++)
                r->row[r->rows++] = (row_place){p, a, c};
    return status;
}

static bough_status add_premises(bough_results *r, size_t point, size_t answer, bough_error *error) {
    const bough_answer *a = &r->study.point[point].answer[answer];
    bough_text text = {0};
    char *premises = NULL;
    if (!a->premises) return BOUGH_OK;
    for (size_t i = 0; i < a->premises; i++) bough_text_printf(&text, "%s%s", i ? "; " : "", a->premise[i]);
    bough_status status = bough_text_finish(&text, &premises, error);
    TRY(bough_grow(&r->text, &r->text_capacity, r->texts + 1, sizeof *r->text, error));
    if (status)
        free(premises);
    else
        r->text[r->texts++] = (answer_text){point, answer, premises};
    return status;
}

static bough_status list_premises(bough_results *r, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t p = 0; p < r->study.points; p++)
        for (size_t a = 0; a < r->study.point[p].answers; a++) TRY(add_premises(r, p, a, error));
    return status;
}

static const char *premises_of(const bough_results *r, size_t point, size_t answer) {
    size_t low = 0, high = r->texts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const answer_text *t = &r->text[middle];
        if (t->point < point || (t->point == point && t->answer < answer))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < r->texts && r->text[low].point == point && r->text[low].answer == answer;
    return found ? r->text[low].premises : "";
}

static bough_status list_comparisons(bough_results *r, bough_error *error) {
    size_t count = 0;
    for (size_t p = 0; p < r->study.points; p++) count += r->study.point[p].comparisons;
    bough_status status = bough_alloc(&r->compared, count, sizeof *r->compared, error);
    for (size_t p = 0; p < r->study.points && !status; p++)
        for (size_t i = 0; i < r->study.point[p].comparisons; i++)
            r->compared[r->comparisons++] = (comparison_place){p, i};
    return status;
}

/* "TRAFFIC on NETWORK", for the page. */
static bough_status put_title(bough_study *study, bough_error *error) {
    const bough_study_point *p = &study->point[0];
    bough_text title = {0};
    bough_text_printf(&title, "%s%s%s", p->traffic.spec ? p->traffic.spec : "", p->traffic.spec ? " on " : "",
                      p->network.spec);
    return bough_text_keep(&title, &study->memory, &study->title, error);
}

static bough_status run(const char *directory, api_run *control, bough_study *study, bough_error *error) {
    bough_study_options options = {.threads = control->control.threads,
                                   .stop = control->stop,
                                   .progress = api_progress,
                                   .context = control};
    study->threads = options.threads ? options.threads : bough_default_threads();
    bough_status status = bough_study_resolve(study, error);
    if (!status && directory) status = bough_store_open(directory, study, &options.store, error);
    TRY(bough_study_run(study, &options, error));
    if (options.store) bough_store_close(options.store);
    return status;
}

bough_status bough_simulate(const bough_question *question, const bough_control *control,
                            bough_results **results, bough_error *error) {
    bough_results *r = NULL;
    api_run called;
    study_asked asked = {0};
    arena memory = {0};
    bough_status status = api_require(results, "results", __func__, error);
    if (!status) *results = NULL;
    TRY(api_require_object(question, "question", __func__, error));
    TRY(api_question_check(question, __func__, error));
    TRY(api_run_begin(&called, control, error));
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (status) return status;
    r->handle.word = HANDLE_ALIVE;
    status = api_question_names(question, &r->registry, error);
    r->study.registry = r->registry;
    r->single = !api_is_study(question);
    TRY(keys_read(r->single ? point_keys : grid_keys, &question->settings, &memory, &asked, error));
    TRY(study_asked_make(&asked, "", &r->study, error));
    if (r->single) TRY(put_title(&r->study, error));
    TRY(run(asked.store, &called, &r->study, error));
    arena_fini(&memory);
    TRY(list_rows(r, error));
    TRY(list_comparisons(r, error));
    TRY(list_premises(r, error));
    if (status)
        bough_results_destroy(r);
    else
        *results = r;
    return status;
}

/* ---- rows ---- */

size_t bough_results_count(const bough_results *results) {
    return handle_alive(results) ? results->rows : 0;
}

static const char *or_empty(const char *text) {
    return text ? text : "";
}

bough_result bough_results_get(const bough_results *results, size_t i) {
    if (!handle_alive(results) || i >= results->rows) return (bough_result){0};
    const row_place *at = &results->row[i];
    const bough_study_point *p = &results->study.point[at->point];
    const bough_answer *a = &p->answer[at->answer];
    const bough_cell *c = &a->cell[at->cell];
    return (bough_result){.point = at->point,
                          .network = or_empty(p->network.spec),
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
                          .note = index_names_at(a->note) ? a->note : "", /* names alone are no remark */
                          .premises = premises_of(results, at->point, at->answer)};
}

const char *bough_results_axis(const bough_results *results, size_t point, size_t i, const char **value) {
    if (value) *value = NULL;
    if (!handle_alive(results) || point >= results->study.points || i >= results->study.axes) return NULL;
    if (value) *value = results->study.point[point].value[i];
    return results->study.axis[i];
}

/* The row of a metric without index; the number of rows if there is none. */
static size_t find_row(const bough_results *r, size_t point, size_t answer, bough_metric_id metric) {
    const bough_answer *a = &r->study.point[point].answer[answer];
    size_t low = 0, high = r->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const row_place *at = &r->row[middle];
        if (at->point < point || (at->point == point && at->answer < answer))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t c = 0; c < a->cells; c++)
        if (a->cell[c].metric == metric && a->cell[c].index == BOUGH_NO_ROW_INDEX) return low + c;
    return r->rows;
}

int bough_results_compare(const bough_results *results, size_t i, bough_compared *compared) {
    if (!compared) return 0;
    *compared = (bough_compared){0};
    if (!handle_alive(results) || i >= results->comparisons) return 0;
    size_t point = results->compared[i].point;
    const bough_comparison *c = &results->study.point[point].comparison[results->compared[i].comparison];
    *compared = (bough_compared){find_row(results, point, c->answer, c->metric),
                                 find_row(results, point, c->against, c->metric),
                                 c->difference,
                                 c->difference_ci95,
                                 c->ratio,
                                 c->ratio_ci95,
                                 c->trials};
    return 1;
}

bough_status bough_results_text(const bough_results *results, const char *format, char **text,
                                bough_error *error) {
    bough_status status = api_require(text, "text", __func__, error);
    if (!status) *text = NULL;
    TRY(api_require_object(results, "results", __func__, error));
    TRY(api_require(format, "format", __func__, error));
    if (status) return status;
    const bough_study *study = &results->study;
    const bough_table_options table = {.single = results->single};
    if (strcmp(format, "table") == 0) return bough_report_table(study, &table, text, error);
    if (strcmp(format, "csv") == 0) return bough_report_csv(study, text, error);
    if (strcmp(format, "json") == 0) return bough_report_json(study, results->single, text, error);
    if (strcmp(format, "html") == 0) return bough_report_html(study, text, error);
    return bough_fail(error, BOUGH_INVALID, __func__, "no format '%s'; there are table, csv, json and html",
                      format);
}

void bough_results_destroy(bough_results *results) {
    if (!handle_alive(results)) return;
    bough_study_fini(&results->study);
    registry_release(results->registry);
    for (size_t i = 0; i < results->texts; i++) free(results->text[i].premises);
    FREE_ALL(results->row, results->compared, results->text);
    handle_free(results);
}
