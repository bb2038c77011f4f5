#include "method/schedule_rows.h"

#include "method/rows.h"

#include "base/status/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* what: the kind of element that the schedule consists of. */
static void write_note(const bough_source_report *r, const char *what, bough_rows *rows) {
    if (r->left)
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " %s%s never ended: %s", r->left, what,
                 r->left == 1 ? "" : "s", r->text);
    else
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " message%s never received: %s", r->lost,
                 r->lost == 1 ? " was" : "s were", r->text);
}

bough_status schedule_rows(const bough_workload *w, const bough_source_report *r, uint64_t end,
                           bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (r->left || r->lost) {
        if (rows->outcome == BOUGH_RUN_OK) rows->outcome = BOUGH_RUN_PARTIAL;
        if (!rows->note[0]) write_note(r, w ? "operation" : "message", rows);
    } else if (w && w->payload && end) {
        double algo = (double)w->payload / (double)end * 1e3; /* bytes/ps to GB/s */
        status = bough_rows_add(rows, BOUGH_METRIC_ALGO_BANDWIDTH, BOUGH_NO_ROW_INDEX, algo, error);
        if (!status && w->bus_factor > 0)
            status = bough_rows_add(rows, BOUGH_METRIC_BUS_BANDWIDTH, BOUGH_NO_ROW_INDEX,
                                    algo * w->bus_factor, error);
    }
    return status;
}

double schedule_share(ranks_sum sum, uint32_t ranks) {
    return (double)sum / 1e12 / ranks;
}

bough_status schedule_label_rows(const bough_schedule *s, const ranks_totals *t, bough_rows *rows,
                                 bough_error *error) {
    bough_status status = BOUGH_OK;
    for (int64_t label = 0; s->labels[1] && s->labels[label] && !status; label++) {
        const ranks_time *time = &t->time[label];
        if (!time->compute && !time->overhead && !time->wait) continue;
        status = bough_rows_add(rows, BOUGH_METRIC_LABEL_COMPUTE, label,
                                schedule_share(time->compute, s->ranks), error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_LABEL_OVERHEAD, label, schedule_share(time->overhead, s->ranks),
                           error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_LABEL_WAIT, label, schedule_share(time->wait, s->ranks),
                           error));
        index_name_put(rows->note, "label", label, label ? s->labels[label] : "the rest");
    }
    return status;
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
    for (uint32_t j = 0; j < w->jobs; j++) index_name_put(rows->note, "job", j, w->job[j].name);
    return status;
}
