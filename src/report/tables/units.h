/* Below a table: in which unit its metrics are. */
#ifndef BOUGH_REPORT_TABLES_UNITS_H
#define BOUGH_REPORT_TABLES_UNITS_H

#include "base/text/text.h"
#include "bough/study.h"

/* A line for each unit, "s: completion_time, fct", of what the answers have: of study->plot alone, or of all
 * metrics. Left out are those that are in no unit, or named after theirs (rounds). */
void units_put(bough_text *out, const bough_study *study, bool plotted);

#endif
