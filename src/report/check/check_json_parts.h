/* The parts of the JSON of a check (base/json/json_build.h). */
#ifndef BOUGH_REPORT_CHECK_CHECK_JSON_PARTS_H
#define BOUGH_REPORT_CHECK_CHECK_JSON_PARTS_H

#include "bough/check.h"

#include <jansson.h>

json_t *check_whole(uint64_t value);
void check_add_findings(json_t **array, const bough_findings *findings);
/* "failures", "without", "degradation": those that there are. */
void check_failures_json(json_t **object, const bough_net *net, const bough_check_failures *failures);
json_t *check_jobs_json(const bough_check_report *report);
json_t *check_against_json(const bough_check_report *report);

#endif
