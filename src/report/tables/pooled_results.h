/* Points merged along the innermost axis, as requested by `pool:` of a study file. */
#ifndef BOUGH_REPORT_TABLES_POOLED_RESULTS_H
#define BOUGH_REPORT_TABLES_POOLED_RESULTS_H

#include "study/study.h"

/* Creates a study with one point for each group of adjacent points that differ only in the last axis. The
 * mean of a metric is that of all trials of the group, or of the items that they average over. Trials of one
 * point share the draw of the axis (a set of faults), so a point is one value of the interval, weighted by
 * the number of its trials or items (a sample of clusters: W. G. Cochran, Sampling Techniques, 1977, chapter
 * 9A). If a method yields the same numbers at every point of a group, it ignores the axis: its trials count
 * once, because they are the same trials. Comparisons are omitted. Free with bough_study_fini. */
bough_status pool_study(const bough_study *study, bough_study *pooled, bough_error *error);

#endif
