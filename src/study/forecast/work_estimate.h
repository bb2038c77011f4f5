/* Estimates of work before anything has run: for the order of answers, progress, shards and announcements. A
 * forecast of a study (bough_study_forecast) times trials, and uses these for the trials that it does not
 * time. */
#ifndef BOUGH_STUDY_FORECAST_WORK_ESTIMATE_H
#define BOUGH_STUDY_FORECAST_WORK_ESTIMATE_H

#include "study/study.h"
#include "traffic/traffic.h"

/* The effort of jobs, whose time is asked as a part of another question. */
#define JOB_EFFORT ((bough_effort){100, 0.01, BOUGH_METRIC_COUNT})

/* Work of an answer in arbitrary units, estimated by its memory. */
double answer_weight(const bough_answer *answer, double trials);
/* The number of trials of a random answer. */
double effort_guess(const bough_effort *effort);
/* The work of all answers of a point. */
double point_weight(const bough_study_point *point, double trials);
/* All points, by descending weight; points of equal weight in their order. */
bough_status points_by_weight(const bough_study *study, double trials, size_t *order, bough_error *error);

/* Longer work is announced; seconds. */
#define FORECAST_SAID_S 60

/* CPU seconds of a batch or schedule under `flow`, about: right within a factor of three or so. */
double job_seconds(const bough_traffic *job, const bough_effort *effort);

#endif
