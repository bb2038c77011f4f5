/* What methods answer about schedules, whatever carries the messages. */
#ifndef BOUGH_METHOD_SCHEDULE_ROWS_H
#define BOUGH_METHOD_SCHEDULE_ROWS_H

#include "bough/method.h"
#include "traffic/schedules/ranks.h"

/* Asks a source what its run came to. False: it is no schedule. Errors: the source's. */
bough_status schedule_ask(bough_source *source, bool *is_schedule, bough_source_report *report,
                          bough_error *error);
/* Bandwidths of a collective (payload), and what was left: outcome and note. workload: NULL: a list of
 * messages. end: ps. */
bough_status schedule_rows(const bough_workload *workload, const bough_source_report *report, uint64_t end,
                           bough_rows *rows, bough_error *error);
/* Where the time of a rank's CPUs went, by label; the labels' names in the note. Nothing without labels. */
bough_status schedule_label_rows(const bough_schedule *schedule, const ranks_totals *totals, bough_rows *rows,
                                 bough_error *error);
/* A sum over ranks as seconds of one. */
double schedule_share(ranks_sum sum, uint32_t ranks);
/* Of every job its time (ps) and, where alone is not NULL, its slowdown; their names in the note. */
bough_status schedule_job_rows(const bough_workload *workload, const uint64_t *time, const uint64_t *alone,
                               bough_rows *rows, bough_error *error);
/* Picoseconds as seconds: the number nearest to the decimal fraction. */
double schedule_seconds(uint64_t picoseconds);

#endif
