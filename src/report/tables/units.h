/* The units of metrics, printed below a table. */
#ifndef BOUGH_REPORT_TABLES_UNITS_H
#define BOUGH_REPORT_TABLES_UNITS_H

#include "base/text/text.h"
#include "bough/study.h"

/* Writes a line per unit, "s: completion_time, fct", for the metrics of the answers: those of study->plot, or
 * all. Metrics without a unit, or named after theirs (rounds), are omitted. */
void units_put(bough_text *out, const bough_study *study, bool plotted);

#endif
