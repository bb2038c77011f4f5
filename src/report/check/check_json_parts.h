/* The parts of the JSON of a check. */
#ifndef BOUGH_REPORT_CHECK_CHECK_JSON_PARTS_H
#define BOUGH_REPORT_CHECK_CHECK_JSON_PARTS_H

#include "base/json/json_writer.h"
#include "bough/check.h"

/* The elements of an array of findings. */
void check_put_findings(json_writer *w, const bough_findings *findings);
/* The name of a link; null: BOUGH_NONE. */
void check_put_link(json_writer *w, const char *key, const bough_net *net, uint64_t link);
/* "failures", "without", "degradation": those that there are. */
void check_put_failures(json_writer *w, const bough_net *net, const bough_check_failures *failures);
void check_put_jobs(json_writer *w, const bough_check_report *report);
void check_put_against(json_writer *w, const bough_check_report *report);

#endif
