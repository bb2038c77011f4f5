/* Interface of the store for the execution core. */
#ifndef BOUGH_STUDY_STORE_STORE_H
#define BOUGH_STUDY_STORE_STORE_H

#include "study/run/answer_stats.h"

/* One answer of one point of a study. */
typedef struct answer_place {
    size_t point, answer;
} answer_place;

/* Adds the stored trials of an answer to its statistics, from t->trials on, in order, until these are done or
 * a trial is missing. */
bough_status store_replay(bough_store *store, answer_place place, answer_stats *t, bough_error *error);
/* The first trial of an answer at or after `trial` that was stored when the store was opened; 0: none. Those
 * in between were lost. */
uint64_t store_next(const bough_store *store, answer_place place, uint64_t trial);
/* Adds one trial that is not stored yet; its predecessors must be. Commits about twice a second. */
bough_status store_append(bough_store *store, answer_place place, uint64_t trial, const bough_rows *rows,
                          bough_error *error);
/* Commits pending trials. */
bough_status store_commit(bough_store *store, bough_error *error);

#endif
