#include "sim/schedule_rows.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

double schedule_seconds(uint64_t picoseconds) {
    return (double)picoseconds / 1e12;
}

bough_status schedule_ask(bough_source *source, bool *is_schedule, bough_source_report *report,
                          bough_error *error) {
    *report = (bough_source_report){0};
    *is_schedule = source->report != NULL;
    if (!source->report) return BOUGH_OK;
    source->report(source, report);
    return report->status ? bough_fail(error, report->status, NULL, "%s", report->text) : BOUGH_OK;
}

static void write_note(const bough_source_report *r, bough_rows *rows) {
    if (r->left)
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " operations never ended: %s", r->left, r->text);
    else
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " messages were never received: %s", r->lost,
                 r->text);
}

bough_status schedule_rows(const bough_workload *w, const bough_source_report *r, uint64_t end,
                           bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (r->left || r->lost) {
        if (rows->outcome == BOUGH_RUN_OK) rows->outcome = BOUGH_RUN_PARTIAL;
        if (!rows->note[0]) write_note(r, rows);
    } else if (w->payload && end) {
        double algo = (double)w->payload / (double)end * 1e3; /* bytes/ps to GB/s */
        status = bough_rows_add(rows, BOUGH_METRIC_ALGO_BANDWIDTH, BOUGH_NO_ROW_INDEX, algo, error);
        if (!status && w->bus_factor > 0)
            status = bough_rows_add(rows, BOUGH_METRIC_BUS_BANDWIDTH, BOUGH_NO_ROW_INDEX,
                                    algo * w->bus_factor, error);
    }
    return status;
}

static void name_jobs(const bough_workload *w, bough_rows *rows) {
    size_t length = 0;
    for (uint32_t j = 0; j < w->jobs && length < sizeof rows->note; j++) {
        int more = snprintf(rows->note + length, sizeof rows->note - length, "%s%" PRIu32 " %s",
                            j ? ", " : "jobs: ", j, w->job[j].name);
        length += more > 0 ? (size_t)more : 0;
    }
}

bough_status schedule_job_rows(const bough_workload *w, const uint64_t *time, const uint64_t *alone,
                               bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t j = 0; j < w->jobs && !status; j++)
        status = bough_rows_add(rows, BOUGH_METRIC_JOB_TIME, j, schedule_seconds(time[j]), error);
    for (uint32_t j = 0; j < w->jobs && alone && !status; j++)
        if (alone[j])
            status =
                bough_rows_add(rows, BOUGH_METRIC_JOB_SLOWDOWN, j, (double)time[j] / (double)alone[j], error);
    if (!rows->note[0]) name_jobs(w, rows);
    return status;
}
