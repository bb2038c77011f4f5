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
