/* The diagnosis of a fabric. */
#include "api/api_question.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "fabric/check/check_keys.h"
#include "report/report.h"

#include <string.h>

struct bough_diagnosis {
    handle handle;
    bough_check_report *report;
    bough_registry *registry; /* kept */
};

bough_status bough_diagnose(const bough_question *question, const bough_control *control,
                            bough_diagnosis **diagnosis, bough_error *error) {
    bough_diagnosis *d = NULL;
    check_asked a = {0};
    api_run run;
    bough_status status = api_require(diagnosis, "diagnosis", __func__, error);
    if (!status) *diagnosis = NULL;
    TRY(api_require_object(question, "question", __func__, error));
    TRY(api_question_check(question, __func__, error));
    TRY(api_run_begin(&run, control, error));
    TRY(bough_alloc(&d, 1, sizeof *d, error));
    if (!status) d->handle.word = HANDLE_ALIVE;
    TRY(api_question_names(question, &d->registry, error));
    if (!status) {
        a.question.registry = d->registry;
        a.question.threads = run.control.threads;
        a.question.stop = run.stop;
        a.question.progress = api_progress;
        a.question.progress_context = &run;
    }
    TRY(check_asked_read(&question->settings, &a, error));
    TRY(bough_check(&a.question, &d->report, error));
    arena_fini(&a.memory);
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
