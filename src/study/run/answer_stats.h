/* The statistics of one answer while it runs: takes trials in order, updates those of each metric and index,
 * and evaluates the stopping rule. The result does not depend on whether trials come from a running method or
 * from the store. */
#ifndef BOUGH_STUDY_RUN_ANSWER_STATS_H
#define BOUGH_STUDY_RUN_ANSWER_STATS_H

#include "study/run/value_counts.h"
#include "study/study.h"

typedef struct stats_cell {
    bough_cell base;
    /* values by trial for comparisons, NAN if a trial has none; only without an index, only if requested */
    double *column, *weight; /* weight: NULL if all trials count equally */
    size_t count, capacity, weights;
    bool counted; /* a statistic of the study asks for its values */
    value_counts values;
} stats_cell;

typedef struct answer_stats {
    bough_effort effort;
    bough_metric_id headline;
    bool keep;                              /* enables columns */
    const bough_trial_statistic *statistic; /* enable counts of values; borrowed, may be set after init */
    size_t statistics;
    bool exact, done;
    uint64_t trials, next; /* next: number of trials at which the rule is evaluated again */
    bough_outcome outcome; /* the worst of the trials */
    uint64_t with_outcome; /* trials with it */
    char note[BOUGH_NOTE_MAX];
    stats_cell *cell;
    size_t cells, capacity;
    uint32_t *slot; /* hash of (metric, index) -> cell + 1 */
    size_t slots;
} answer_stats;

void answer_stats_init(answer_stats *t, const bough_answer *answer, const bough_effort *effort,
                       bool keep_columns);
void answer_stats_fini(answer_stats *t);
/* Adds the next trial. Must not be called once done. O(rows). */
bough_status answer_stats_add(answer_stats *t, const bough_rows *rows, bough_error *error);
/* Moves the cells to the answer, in the order of their first appearance by metric, ascending by index. */
bough_status answer_stats_finish(answer_stats *t, bough_answer *answer, bough_error *error);
/* The cell of a metric without an index, or NULL. */
stats_cell *answer_stats_find(const answer_stats *t, bough_metric_id metric);
/* Estimates the number of trials that the rule requires. */
uint64_t answer_stats_expected(const answer_stats *t);

/* All comparisons of a point: methods with the first method under the same routing, and routings with the
 * first routing under the same method. stats: one per answer, with columns. */
bough_status answers_compare(const answer_stats *stats, bough_study_point *point, bough_error *error);

/* All statistics of a point that the study asks for. */
bough_status answers_measure(answer_stats *stats, const bough_study *study, bough_study_point *point,
                             bough_error *error);

/* Copies the premises that the answer does not list yet. */
bough_status answer_add_premises(arena *memory, bough_answer *answer, char *const *premise, size_t count,
                                 bough_error *error);

#endif
