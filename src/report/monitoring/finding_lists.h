/* All findings of a check, list by list. */
#ifndef BOUGH_REPORT_MONITORING_FINDING_LISTS_H
#define BOUGH_REPORT_MONITORING_FINDING_LISTS_H

#include "bough/check.h"

/* The i-th list, in the order of the text: of the file, the wiring, each routing, the comparison with an old
 * fabric. NULL: that part has no list. False: there is no i-th list. */
bool finding_lists_at(const bough_check_report *report, size_t i, const bough_findings **list);
/* Findings of a severity, in all lists. */
uint64_t finding_lists_count(const bough_check_report *report, bough_severity severity);

#endif
