/* The comparisons of a point with several methods or routings, below its table. */
#ifndef BOUGH_REPORT_COMPARISON_COMPARISON_TEXT_H
#define BOUGH_REPORT_COMPARISON_COMPARISON_TEXT_H

#include "base/text/text.h"
#include "report/tables/table_labels.h"

/* Writes a block for each pair of answers, of the chosen metrics, at most `line` wide:
 *
 *     loggops / flow:
 *       completion_time  13.65x            (13.30 ms against 974.8 us)
 *       latency          0.9973x +- 0.0007 (47.85 against 47.97 cycles, difference -0.128 +- 0.034)
 *       equal: messages, distance */
void comparison_text_put(bough_text *out, const bough_study_point *point, const metric_choice *choice,
                         size_t line);

#endif
