/* What the texts of a check are made of. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_WORDS_H
#define BOUGH_FABRIC_CHECK_CHECK_WORDS_H

#include "base/text/text.h"
#include "fabric/check/check.h"

/* Why a routing is rated as it is; no full stop. */
void check_rating_reason(bough_text *out, const bough_check_report *report, const bough_routing_report *part);
/* Its end: what a slow cable costs a routing that it limits. */
void check_slow_phrase(bough_text *out, const bough_check_report *report, const bough_routing_report *part);
/* Whether messages can wait for each other on one virtual lane; no full stop. */
void check_deadlock_phrase(bough_text *out, const bough_check_result *result);
/* What a reader has to know first beside ratings, the comparison and single points of failure: parts without
 * which all-to-all is faster, missing cables, many slow hosts. Each is visited with a label
 * ("faster") and a sentence without a full stop. name: [parts], of the routings. False: no memory. */
typedef void check_headline_visit(void *context, const char *label, const char *sentence);
bool check_headlines(const bough_check_report *report, const char *const *name, check_headline_visit *visit,
                     void *context);
const char *check_measure_words(bough_measure measure); /* "all-to-all" */

/* Whether a lower bound is all that is known of the worst permutation, as looking for it takes long. */
bool check_worst_bounded(const bough_check_report *report, const bough_routing_report *part);

/* Numbers as in tables of results (method/quantity.h): whole ones in full, others with four digits,
 * "-" for NAN. Return buffer. */
enum { CHECK_NUMBER = 48, CHECK_INTERVAL = 2 * CHECK_NUMBER + 8 };
const char *check_number(double value, char buffer[CHECK_NUMBER]);
/* "3.26 +- 0.11", with one of these signs; the number alone if there is no interval. */
#define CHECK_SIGN " +- "
const char *check_interval(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]);
/* How many times, or how many percent: three digits; large ones to the nearest whole number. */
const char *check_ratio(double value, char buffer[CHECK_NUMBER]);
/* "20.21 us" */
const char *check_seconds(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]);
const char *check_flows(double count); /* "flow", "flows" */
const char *check_severity(bough_severity severity);
bool check_job_ends(const bough_check_job_row *row);
/* A cable as one number, whichever of its links is asked about: the lower one. */
uint64_t check_cable(const bough_net *net, uint64_t link);
/* "leaf1/19 - spine2/3", for a link that is half of a cable; else the name of the link; returns buffer. */
const char *check_cable_name(const bough_net *net, uint64_t link, char *buffer, size_t size);
/* What stands under `rerouted`: "routing computed anew" or "tables repaired locally". */
const char *failure_answer(bool anew);
/* Of a cable, a link or a switch; returns buffer. */
const char *failure_name(const bough_net *net, const bough_failure *failure, char *buffer, size_t size);

/* Whether any routing of the report is adaptive over known groups. */
bool check_adaptive_known(const bough_check_report *report);
/* The worst permutation of every routing is known. */
bool check_worst_known(const bough_check_report *report);

/* What no figure of a check is about: a sentence, "Not checked: ...". Returns buffer. */
enum { CHECK_NOT_LOOKED_AT_MAX = 320 };
const char *check_not_looked_at(const bough_check_report *report, char buffer[CHECK_NOT_LOOKED_AT_MAX]);

#endif
