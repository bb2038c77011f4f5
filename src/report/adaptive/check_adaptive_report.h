/* Adaptive routing in the text and the JSON of a check. */
#ifndef BOUGH_REPORT_ADAPTIVE_CHECK_ADAPTIVE_REPORT_H
#define BOUGH_REPORT_ADAPTIVE_CHECK_ADAPTIVE_REPORT_H

#include "base/json/json_writer.h"
#include "fabric/check/check.h"
#include "report/check/check_writer.h"

/* Whether any routing of the report is adaptive over known groups. */
bool check_adaptive_known(const bough_check_report *report);
/* What is assumed of one routing, if it is adaptive: lines of its part. */
void check_adaptive_text(check_writer *w, const bough_check_adaptive *adaptive);
/* Single failures, of all parts that have some. */
void check_adaptive_failures_text(check_writer *w);
/* "adaptive", of a result, if it is. */
void check_put_adaptive(json_writer *w, const bough_net *net, const bough_check_adaptive *adaptive);

#endif
