/* The tally of one answer: takes trials in order, updates the statistics of each metric and index, and
 * evaluates the stopping rule. The result does not depend on whether trials come from a running method or
 * from the store. */
#ifndef BOUGH_STUDY_RUN_TALLY_H
#define BOUGH_STUDY_RUN_TALLY_H

#include "bough/study.h"

typedef struct tally_cell {
    bough_cell base;
    /* values by trial for comparisons, NAN if a trial has none; only without an index, only if requested */
    double *column, *weight; /* weight: NULL if all trials count equally */
    size_t count, capacity, weights;
} tally_cell;

typedef struct tally {
    bough_effort effort;
    bough_metric_id headline;
    bool keep; /* enables columns */
    bool exact, done;
    uint64_t trials, next; /* next: number of trials at which the rule is evaluated again */
    bough_outcome outcome;
    char note[BOUGH_NOTE_MAX];
    tally_cell *cell;
    size_t cells, capacity;
    uint32_t *slot; /* hash of (metric, index) -> cell + 1 */
    size_t slots;
} tally;

void tally_init(tally *t, const bough_answer *answer, const bough_effort *effort, bool keep_columns);
void tally_fini(tally *t);
/* Adds the next trial. Must not be called once done. O(rows). */
bough_status tally_add(tally *t, const bough_rows *rows, bough_error *error);
/* Moves the cells to the answer, in the order of their first appearance by metric, ascending by index. */
bough_status tally_finish(tally *t, bough_answer *answer, bough_error *error);
/* Estimates the number of trials that the rule requires. */
uint64_t tally_expected(const tally *t);

/* All comparisons of a point: methods with the first method under the same routing, and routings with the
 * first routing under the same method. tallies: one per answer, with columns. */
bough_status tally_compare(const tally *tallies, bough_study_point *point, bough_error *error);

#endif
