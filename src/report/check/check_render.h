/* What the texts of a check are made of. */
#ifndef BOUGH_REPORT_CHECK_CHECK_RENDER_H
#define BOUGH_REPORT_CHECK_CHECK_RENDER_H

#include "base/text/text.h"
#include "bough/check.h"

/* One statement of a verdict as a sentence with its full stop. line_break: stands where a long one is broken;
 * " " keeps it on one line. */
void check_sentence(bough_text *out, const bough_verdict *verdict, const char *line_break);

/* Rates, ratings, the comparison and the weak points: the first lines after those of the network. */
void check_summary_text(bough_text *out, const bough_check_report *report);
/* Why a routing is rated as it is; no full stop. line_break: as above. */
void check_rating_reason(bough_text *out, const bough_check_report *report, const bough_routing_report *part,
                         const char *line_break);
/* Whether messages can wait for each other on one virtual lane; no full stop. */
void check_deadlock_phrase(bough_text *out, const bough_check_result *result);
/* Which of several routings is better, for what, and by how much; no full stop. */
void check_better_sentence(bough_text *out, const bough_check_report *report);
const char *check_measure_words(bough_measure measure); /* "all-to-all" */
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
/* "leaf1/19 - spine2/3", for a link that is half of a cable; else the name of the link; returns buffer. */
const char *check_cable_name(const bough_net *net, uint64_t link, char *buffer, size_t size);
/* Of a cable, a link or a switch; returns buffer. */
const char *failure_name(const bough_net *net, const bough_failure *failure, char *buffer, size_t size);

/* What no figure of a check is about; a sentence. */
#define CHECK_NOT_LOOKED_AT                                                                                  \
    "Adaptive routing, service levels and virtual lanes (deadlocks are those of one), cable errors, and "    \
    "other traffic than all-to-all, shifts and permutations."

#endif
