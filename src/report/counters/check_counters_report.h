/* Measured counters, in the report of a check. */
#ifndef BOUGH_REPORT_COUNTERS_CHECK_COUNTERS_REPORT_H
#define BOUGH_REPORT_COUNTERS_CHECK_COUNTERS_REPORT_H

#include "base/json/json_writer.h"
#include "report/check/check_writer.h"

/* Nothing where none were asked for. */
void check_counters_text(check_writer *w);
void check_put_counters(json_writer *w, const bough_check_report *report);
/* The traffic of all counted links as lines of --links; the method is `counters`. */
bough_status check_counters_csv(bough_text *out, const bough_check_report *report, bough_error *error);

#endif
