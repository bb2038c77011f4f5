/* Placements of jobs, in the report of a check. */
#ifndef BOUGH_REPORT_PLACEMENT_CHECK_PLACEMENT_REPORT_H
#define BOUGH_REPORT_PLACEMENT_CHECK_PLACEMENT_REPORT_H

#include "base/json/json_writer.h"
#include "report/check/check_writer.h"

/* Nothing where none was asked for. */
void check_placements_text(check_writer *w);
void check_put_placements(json_writer *w, const bough_check_report *report);

#endif
