/* What a store keeps of a study: the question, a line end, the view, each JSON. What is read can be shown
 * without results, and is the same when it is written and read again. */
#include "report/charts/chart.h"
#include "report/report.h"
#include "study/store/study_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(bough_study *study) {
    const bough_study_options options = {.check_only = true};
    charts all = {0};
    char *text = NULL;
    bough_error error = {0};
    if (bough_study_run(study, &options, &error)) abort();
    if (bough_report_csv(study, &text, &error) == BOUGH_OK) free(text);
    text = NULL;
    if (bough_report_json(study, false, &text, &error) == BOUGH_OK) free(text);
    text = NULL;
    if (bough_report_table(study, NULL, &text, &error) == BOUGH_OK) free(text);
    if (charts_make(study, &all, &error) && !*error.reason) abort();
    charts_fini(&all);
}

static void round_trip(const bough_study *study) {
    bough_study again = {0};
    bough_error error = {0};
    char difference[256], *question = question_write(study), *view = view_write(study);
    if (!question || !view) abort();
    if (question_read(question, &again, &error) || view_read(view, &again, &error)) abort();
    if (question_differs(&again, study, difference, sizeof difference)) abort();
    bough_study_fini(&again);
    free(question);
    free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bough_study study = {0};
    bough_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    char *view = strchr(text, '\n');
    if (view) *view++ = 0;
    bough_status status = question_read(text, &study, &error);
    if (!status && view) status = view_read(view, &study, &error);
    if (status && !*error.reason) abort();
    if (!status && view) {
        round_trip(&study);
        show(&study);
    }
    bough_study_fini(&study);
    free(text);
    return 0;
}
