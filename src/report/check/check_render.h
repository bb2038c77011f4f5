/* What the texts of a check are made of. */
#ifndef BOUGH_REPORT_CHECK_CHECK_RENDER_H
#define BOUGH_REPORT_CHECK_CHECK_RENDER_H

#include "base/text/text.h"
#include "bough/check.h"

/* One statement of a verdict as a sentence with its full stop. line_break: stands where a long one is broken;
 * " " keeps it on one line. */
void check_sentence(bough_text *out, const bough_verdict *verdict, const char *line_break);

void check_failures_text(bough_text *out, const bough_check_report *report);
void check_jobs_text(bough_text *out, const bough_check_report *report);
void check_old_fabric_text(bough_text *out, const bough_check_report *report);

/* Whole numbers in full, others with four digits, "-" for NAN; returns buffer (32 characters are enough). */
const char *check_number(double value, char *buffer, size_t size);
const char *check_flows(double count); /* "flow", "flows" */
const char *check_severity(bough_severity severity);
/* The end of a long spec, which tells most, after "..."; returns buffer (width + 1 characters). */
const char *check_spec_end(const char *spec, size_t width, char *buffer);
bool check_job_ends(const bough_check_job_row *row);
/* Of a cable, a link or a switch; returns buffer. */
const char *failure_name(const bough_net *net, const bough_failure *failure, char *buffer, size_t size);

/* What no figure of a check is about; a sentence. */
#define CHECK_NOT_LOOKED_AT                                                                                  \
    "Adaptive routing, service levels and virtual lanes (deadlocks are those of one), cable errors, and "    \
    "other traffic than all-to-all, shifts and permutations."

#endif
