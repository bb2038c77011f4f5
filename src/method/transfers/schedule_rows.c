#include "method/transfers/schedule_rows.h"

#include "base/status/try.h"
#include "method/rows.h"

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

/* Puts who waits for whom before the note, which may say why. */
static void note_waiting(const bough_workload *w, const bough_source_report *r, bough_rows *rows) {
    char reason[BOUGH_NOTE_MAX];
    memcpy(reason, rows->note, sizeof reason);
    rows->note[0] = 0;
    if (w)
        rows_note_append(rows, "%" PRIu64 " of %" PRIu32 " ranks never finish; the first: %s", r->waiting,
                         w->schedule->ranks, r->text);
    else
        rows_note_append(rows, "%" PRIu64 " message%s never sent: %s", r->waiting,
                         r->waiting == 1 ? " is" : "s are", r->text);
    if (reason[0]) rows_note_append(rows, "; %s", reason);
}

/* Rates of a training step. */
static bough_status add_step_rates(const bough_schedule *s, uint64_t end, bough_rows *rows,
                                   bough_error *error) {
    double seconds = schedule_seconds(end), rate = s->flops / seconds / s->ranks;
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_TOKEN_RATE, BOUGH_NO_ROW_INDEX, s->tokens / seconds, error);
    TRY(bough_rows_add(rows, BOUGH_METRIC_GPU_RATE, BOUGH_NO_ROW_INDEX, rate / 1e12, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_MFU, BOUGH_NO_ROW_INDEX, rate / s->peak, error));
    return status;
}

bough_status schedule_rows(const bough_workload *w, const bough_source_report *r, uint64_t end,
                           bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    bool simulated = rows->outcome == BOUGH_RUN_OK || rows->outcome == BOUGH_RUN_PARTIAL;
    if (r->waiting && simulated) {
        rows->outcome = BOUGH_RUN_HANGS;
        note_waiting(w, r, rows);
    } else if (r->lost) {
        if (rows->outcome == BOUGH_RUN_OK) rows->outcome = BOUGH_RUN_PARTIAL;
        if (!rows->note[0])
            rows_note_append(rows, "%" PRIu64 " message%s never received: %s", r->lost,
                             r->lost == 1 ? " was" : "s were", r->text);
    } else if (!r->left && !r->lost && w && w->payload && end) {
        double algo = (double)w->payload / (double)end * 1e3; /* bytes/ps to GB/s */
        status = bough_rows_add(rows, BOUGH_METRIC_ALGO_BANDWIDTH, BOUGH_NO_ROW_INDEX, algo, error);
        if (!status && w->bus_factor > 0)
            status = bough_rows_add(rows, BOUGH_METRIC_BUS_BANDWIDTH, BOUGH_NO_ROW_INDEX,
                                    algo * w->bus_factor, error);
    } else if (!r->left && !r->lost && w && w->schedule->peak > 0 && end) {
        status = add_step_rates(w->schedule, end, rows, error);
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
                                schedule_share(time->compute, bough_schedule_hosts(s)), error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_LABEL_OVERHEAD, label,
                           schedule_share(time->overhead, bough_schedule_hosts(s)), error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_LABEL_WAIT, label,
                           schedule_share(time->wait, bough_schedule_hosts(s)), error));
        index_name_put(rows->note, "label", label, label ? s->labels[label] : "the rest");
    }
    return status;
}

/* Names the jobs that hang, before the note, which says why. */
static void name_hanging_jobs(const bough_workload *w, const uint64_t *time, bough_rows *rows) {
    enum { ROOM = 96 }; /* for the names */
    char reason[BOUGH_NOTE_MAX];
    bool some = false;
    memcpy(reason, rows->note, sizeof reason);
    rows->note[0] = 0;
    rows_note_append(rows, "jobs that never end: ");
    for (uint32_t j = 0; j < w->jobs && strlen(rows->note) + 1 < sizeof rows->note; j++) {
        if (time[j] != BOUGH_NONE) continue;
        if (strlen(rows->note) > ROOM) {
            rows_note_append(rows, ", ...");
            break;
        }
        rows_note_append(rows, "%s%" PRIu32 " %s", some ? ", " : "", j, w->job[j].name);
        some = true;
    }
    if (reason[0]) rows_note_append(rows, "; %s", reason);
}

bough_status schedule_job_rows(const bough_workload *w, const uint64_t *time, const uint64_t *alone,
                               bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t j = 0; j < w->jobs && !status; j++)
        if (time[j] != BOUGH_NONE)
            status = bough_rows_add(rows, BOUGH_METRIC_JOB_TIME, j, schedule_seconds(time[j]), error);
    for (uint32_t j = 0; j < w->jobs && alone && !status; j++)
        if (alone[j] && alone[j] != BOUGH_NONE && time[j] != BOUGH_NONE)
            status =
                bough_rows_add(rows, BOUGH_METRIC_JOB_SLOWDOWN, j, (double)time[j] / (double)alone[j], error);
    if (w->jobs && rows->outcome == BOUGH_RUN_HANGS) name_hanging_jobs(w, time, rows);
    for (uint32_t j = 0; j < w->jobs && !status; j++) index_name_put(rows->note, "job", j, w->job[j].name);
    return status;
}
