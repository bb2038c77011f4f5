/* The diagnosis of a fabric. */
#include "api/api_question.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/report.h"
#include "extension/owned_registry.h"

#include <stdlib.h>
#include <string.h>

struct bough_diagnosis {
    handle handle;
    bough_check_report *report;
    bough_registry *registry; /* kept */
};

/* Texts of a question that live as long as the call. */
typedef struct asked {
    char *network, *against;
    const char **routing, **faults, **job;
    bough_check_question question;
} asked;

static bough_status read_numbers(const bough_question *q, bough_check_question *c, bough_error *error) {
    c->permutations = 100;
    c->seed = 1;
    bough_status status = api_number(q, "permutations", (bough_bounds){0, 1000000}, &c->permutations, error);
    TRY(api_number(q, "draws", (bough_bounds){1, 1000000}, &c->draws, error));
    TRY(api_number(q, "seed", (bough_bounds){0, INT64_MAX}, &c->seed, error));
    return status;
}

static bough_status read_worst(const bough_question *q, bough_check_worst *worst, bough_error *error) {
    static const char *const names[] = {"no", "cheap", "always"};
    const char *text = api_value(q, "worst");
    *worst = BOUGH_CHECK_WORST_CHEAP;
    if (!text) return BOUGH_OK;
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *worst = (bough_check_worst)i;
        return BOUGH_OK;
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "worst=%s must be no, cheap or always", text);
}

static bough_status read_question(const bough_question *q, asked *a, bough_error *error) {
    bough_check_question *c = &a->question;
    const char *against = api_value(q, "against");
    bough_status status = api_network_spec(c->registry, api_value(q, "network"), &a->network, error);
    if (!status && against) status = api_network_spec(c->registry, against, &a->against, error);
    TRY(api_values(q, "routing", &a->routing, &c->routings, error));
    TRY(api_values(q, "faults", &a->faults, &c->faults_count, error));
    TRY(api_values(q, "job", &a->job, &c->jobs, error));
    c->network = a->network;
    c->against = a->against;
    c->against_lft = api_value(q, "against-lft");
    c->physical = api_value(q, "physical");
    c->routing = a->routing;
    c->faults = a->faults;
    c->job = a->job;
    TRY(read_numbers(q, c, error));
    TRY(read_worst(q, &c->worst, error));
    return status;
}

bough_status bough_diagnose(const bough_question *question, const bough_control *control,
                            bough_diagnosis **diagnosis, bough_error *error) {
    bough_diagnosis *d = NULL;
    asked a = {0};
    api_run run;
    bough_status status = api_require(diagnosis, "diagnosis", __func__, error);
    if (!status) *diagnosis = NULL;
    TRY(api_require_object(question, "question", __func__, error));
    TRY(api_question_check(question, __func__, error));
    TRY(api_run_begin(&run, control, error));
    TRY(bough_alloc(&d, 1, sizeof *d, error));
    if (!status) d->handle.word = HANDLE_ALIVE;
    TRY(api_question_names(question, &d->registry, error));
    if (!status) a.question.registry = d->registry;
    TRY(read_question(question, &a, error));
    if (!status) {
        a.question.threads = run.control.threads;
        a.question.stop = run.stop;
        a.question.progress = api_progress;
        a.question.progress_context = &run;
    }
    TRY(bough_check(&a.question, &d->report, error));
    FREE_ALL(a.network, a.against, a.routing, a.faults, a.job);
    if (status)
        bough_diagnosis_destroy(d);
    else
        *diagnosis = d;
    return status;
}

int bough_diagnosis_severity(const bough_diagnosis *diagnosis) {
    return handle_alive(diagnosis) ? (int)diagnosis->report->severity : 0;
}

bough_status bough_diagnosis_text(const bough_diagnosis *diagnosis, const char *format, char **text,
                                  bough_error *error) {
    bough_status status = api_require(text, "text", __func__, error);
    if (!status) *text = NULL;
    TRY(api_require_object(diagnosis, "diagnosis", __func__, error));
    TRY(api_require(format, "format", __func__, error));
    if (status) return status;
    const bough_check_report *report = diagnosis->report;
    if (strcmp(format, "text") == 0) return bough_report_check_text(report, NULL, text, error);
    if (strcmp(format, "json") == 0) return bough_report_check_json(report, text, error);
    if (strcmp(format, "html") == 0)
        return bough_report_check_html(report, &(bough_check_page){0}, text, error);
    return bough_fail(error, BOUGH_INVALID, __func__, "no format '%s'; there are text, json and html",
                      format);
}

void bough_diagnosis_destroy(bough_diagnosis *diagnosis) {
    if (!handle_alive(diagnosis)) return;
    bough_check_report_destroy(diagnosis->report);
    registry_release(diagnosis->registry);
    handle_free(diagnosis);
}
