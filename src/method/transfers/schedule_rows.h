/* Results of methods that run schedules, whatever carries the messages. */
#ifndef BOUGH_METHOD_TRANSFERS_SCHEDULE_ROWS_H
#define BOUGH_METHOD_TRANSFERS_SCHEDULE_ROWS_H

#include "method/method.h"
#include "traffic/schedules/ranks.h"

/* Requests the report of a source after a run. *is_schedule is false if the source is not a schedule. Errors:
 * those of the source. */
bough_status schedule_ask(bough_source *source, bool *is_schedule, bough_source_report *report,
                          bough_error *error);
/* Adds the bandwidths of a collective (from its payload). If the schedule never completes, sets the outcome
 * to HANGS unless it has another cause, and says in the note who waits for whom; the caller adds no times.
 * workload: NULL for a list of messages. end: ps. */
bough_status schedule_rows(const bough_workload *workload, const bough_source_report *report, uint64_t end,
                           bough_rows *rows, bough_error *error);
/* Adds, by label, how the CPU time of a rank was spent, and lists the names of the labels in the note. Adds
 * nothing if there are no labels. */
bough_status schedule_label_rows(const bough_schedule *schedule, const ranks_totals *totals, bough_rows *rows,
                                 bough_error *error);
/* Mean over ranks, in seconds. */
double schedule_share(ranks_sum sum, uint32_t ranks);
/* Adds the time (ps; BOUGH_NONE: it never ends) of every job and, unless `alone` is NULL, its slowdown; lists
 * the jobs in the note. */
bough_status schedule_job_rows(const bough_workload *workload, const uint64_t *time, const uint64_t *alone,
                               bough_rows *rows, bough_error *error);
/* Converts picoseconds to seconds: the double nearest to the decimal fraction. */
double schedule_seconds(uint64_t picoseconds);

#endif
