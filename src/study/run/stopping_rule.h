/* When an answer has enough trials. */
#ifndef BOUGH_STUDY_RUN_STOPPING_RULE_H
#define BOUGH_STUDY_RUN_STOPPING_RULE_H

#include "study/study.h"

/* True if `trials` are all that effort allows, or if the 95 % interval of the watched metric is at most
 * effort->precision of its mean. watched: NULL if the answer has no metric. */
bool stopping_rule_met(const bough_effort *effort, const bough_stats *watched, uint64_t trials);

/* The number of trials at which to evaluate the rule again: half as many more, at most effort->trials. */
uint64_t stopping_rule_next(const bough_effort *effort, uint64_t trials);

#endif
