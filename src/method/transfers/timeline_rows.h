/* Records of trials of schedules (traffic/timeline), and the rows that come from them: the critical path and
 * exposed communication. */
#ifndef BOUGH_METHOD_TRANSFERS_TIMELINE_ROWS_H
#define BOUGH_METHOD_TRANSFERS_TIMELINE_ROWS_H

#include "method/method.h"
#include "traffic/timeline/timeline.h"

/* A parameter of methods that run schedules. */
#define TIMELINE_PARAM                                                                                       \
    {                                                                                                        \
        "critical",                                                                                          \
            "schedules: report the critical path by cause, label and link, and exposed communication",       \
            BOUGH_FLAG, "0"                                                                                  \
    }

/* When a run is opened: refuses critical=1 without ranks, and adds the memory of a record to run->bytes.
 * Errors: UNSUPPORTED. */
bough_status timeline_rows_open(bough_run *run, bool critical, bough_error *error);

/* The record of a trial: that of the caller of the run, one of its own for critical=1, or NULL. Errors:
 * TOO_LARGE, NO_MEMORY. */
bough_status timeline_rows_begin(const bough_run *run, bool critical, timeline **out, bough_error *error);
/* ends: the schedule completes. Adds nothing without critical=1. Errors: NO_MEMORY, FAILED. */
bough_status timeline_rows_add(const bough_run *run, const timeline *timeline, bool ends, bough_rows *rows,
                               bough_error *error);
void timeline_rows_end(const bough_run *run, timeline *timeline);

#endif
