/* Points merged along the innermost axis, as `pool:` of a study file asks for. */
#ifndef BOUGH_REPORT_TABLES_POOLED_RESULTS_H
#define BOUGH_REPORT_TABLES_POOLED_RESULTS_H

#include "bough/study.h"

/* A study with one point for each group of neighbours that differ in nothing but the last axis. The mean of a
 * metric is that of all trials of the group, or of the things they are means of. Trials of one point share
 * what the axis draws (a set of faults), so a point is one value of the interval, by the number of its trials
 * or things (a sample of clusters: W. G. Cochran, Sampling Techniques, 1977, chapter 9A). A method that gives
 * the same numbers at every point of a group does not look at that axis: its trials count once, as they are
 * the same ones. Comparisons are left out. To be given to bough_study_fini. */
bough_status pool_study(const bough_study *study, bough_study *pooled, bough_error *error);

#endif
