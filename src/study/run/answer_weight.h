/* Estimates of work before anything has run: for the order of answers, the progress, and shards. */
#ifndef BOUGH_STUDY_RUN_ANSWER_WEIGHT_H
#define BOUGH_STUDY_RUN_ANSWER_WEIGHT_H

#include "study/study.h"

/* Work of an answer in arbitrary units, estimated by its memory. */
double answer_weight(const bough_answer *answer, double trials);
/* The number of trials of a random answer. */
double effort_guess(const bough_effort *effort);
/* The work of all answers of a point. */
double point_weight(const bough_study_point *point, double trials);
/* All points, by descending weight; points of equal weight in their order. */
bough_status points_by_weight(const bough_study *study, double trials, size_t *order, bough_error *error);

#endif
