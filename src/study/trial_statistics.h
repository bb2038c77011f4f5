/* The keys `quantiles` and `above` of a study. */
#ifndef BOUGH_STUDY_TRIAL_STATISTICS_H
#define BOUGH_STUDY_TRIAL_STATISTICS_H

#include "study/study.h"

/* The metric that the first `length` characters name. Errors: INVALID, "KEY: no metric 'lateny'; ...". */
bough_status trial_statistic_metric(const char *key, const char *text, size_t length, bough_metric_id *metric,
                                    bough_error *error);
/* Adds the statistics of another study. */
bough_status trial_statistics_copy(bough_study *study, const bough_study *from, bough_error *error);
/* Adds a statistic, of which the method belongs to the study now, also on errors. What is there already stays
 * once. */
bough_status trial_statistics_add(bough_study *study, bough_trial_statistic statistic, bough_error *error);
/* Checks that every point has the exact methods that limits name. */
bough_status trial_statistics_check(const bough_study *study, bough_error *error);
/* Whether an answer is one that gives a limit. */
bool trial_statistic_limits(const bough_trial_statistic *statistic, const bough_answer *answer);

#endif
