/* Forwarding tables with smaller loads. */
#include "api/api_arguments.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "extension/network_handle.h"
#include "fabric/tune/tune.h"
#include "report/report.h"
#include "traffic/traffic.h"

#include <string.h>

static bough_status check_texts(const char *const *text, size_t count, const char *name, bough_error *error) {
    bough_status status = count ? api_require(text, name, "bough_network_tune", error) : BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = api_require(text[i], name, "bough_network_tune", error);
    return status;
}

static bough_status read_objective(const bough_tuning *t, bough_tune_question *q, bough_error *error) {
    if (t->jobs && t->objective)
        return bough_fail(error, BOUGH_INVALID, "bough_network_tune",
                          "objective and job are mutually exclusive: jobs are an objective");
    q->objective = t->jobs ? BOUGH_TUNE_JOBS : BOUGH_TUNE_ALLTOALL;
    return t->objective ? bough_tune_objective_find(t->objective, &q->objective, error) : BOUGH_OK;
}

static bough_status write_report(const bough_tune_report *report, bough_tuning *t, bough_error *error) {
    const bough_table_format *format = bough_table_formats;
    bough_text text = {0};
    while (strcmp(format->name, "lfts") != 0) format++;
    bough_status status = format->write(report->routing, &text, error);
    if (!status)
        status = bough_text_finish(&text, &t->tables, error);
    else
        bough_text_fini(&text);
    TRY(bough_tune_report_json(report, &t->report, error));
    if (!status) return BOUGH_OK;
    bough_free(t->tables);
    t->tables = NULL;
    return status;
}

static bough_status ask(const bough_network *network, api_run *run, bough_tuning *t, bough_error *error) {
    bough_tune_job *job = NULL;
    bough_tune_report *report = NULL;
    bough_tune_question q = {.net = network->net,
                             .routing = t->routing,
                             .routings = t->routings,
                             .seed = t->seed ? t->seed : 1,
                             .effort = t->effort,
                             .stop = run->stop,
                             .progress = api_progress,
                             .progress_context = run};
    bough_status status = read_objective(t, &q, error);
    TRY(bough_alloc(&job, t->jobs, sizeof *job, error));
    for (size_t i = 0; i < t->jobs && !status; i++) job[i] = (bough_tune_job){t->job[i], 1};
    q.job = job;
    q.jobs = t->jobs;
    TRY(bough_tune(&q, &report, error));
    TRY(write_report(report, t, error));
    bough_tune_report_destroy(report);
    FREE_ALL(job);
    return status;
}

bough_status bough_network_tune(const bough_network *network, const bough_control *control,
                                bough_tuning *tuning, bough_error *error) {
    api_run run;
    bough_status status = api_require_object(network, "network", __func__, error);
    TRY(api_require(tuning, "tuning", __func__, error));
    TRY(api_require_size(tuning->size, sizeof *tuning, "bough_tuning", error));
    if (status) return status;
    tuning->report = tuning->tables = NULL;
    if (!(tuning->effort >= 0 && tuning->effort <= 1e6))
        return bough_fail(error, BOUGH_INVALID, __func__,
                          "effort %g is out of range; it must lie between 0 and 1e6", tuning->effort);
    status = check_texts(tuning->routing, tuning->routings, "routing", error);
    TRY(check_texts(tuning->job, tuning->jobs, "job", error));
    TRY(api_run_begin(&run, control, error));
    return status ? status : ask(network, &run, tuning, error);
}
