/* What a study asks of the distribution over trials (quantiles, fractions above limits), below its table. */
#ifndef BOUGH_REPORT_COMPARISON_STATISTIC_LINES_H
#define BOUGH_REPORT_COMPARISON_STATISTIC_LINES_H

#include "base/json/json_writer.h"
#include "document/document.h"
#include "report/tables/table_labels.h"

/* A section with a table, with a line for each value:
 *
 *     method               metric  of trials                     value  95 % interval     trials
 *     circuit:mode=rounds  rounds  99 %                              8  8 .. 9            1000
 *                          rounds  above 224.9 (bound:eps=0.01)      0  at most 0.003682  0 of 1000
 *
 * pooled: points are merged, which only says where the values are. */
void statistics_describe(document *d, const table_labels *labels, bool pooled);
/* "quantiles" and "above" of a point, where the study asks for them. */
void statistic_lines_json(json_writer *w, const bough_study *study, const bough_study_point *point);

#endif
