/* Interface of the store for the execution core. */
#ifndef BOUGH_STUDY_STORE_STORE_H
#define BOUGH_STUDY_STORE_STORE_H

#include "study/run/tally.h"

/* Feeds the tally with the stored trials of an answer, from t->trials on, in order, until the tally is done
 * or a trial is missing. */
bough_status store_replay(bough_store *store, size_t point, size_t answer, tally *t, bough_error *error);
/* The first trial of an answer at or after `trial` that was stored when the store was opened; 0: none. Those
 * in between were lost. */
uint64_t store_next(const bough_store *store, size_t point, size_t answer, uint64_t trial);
/* Adds one trial that is not stored yet; its predecessors must be. Commits about twice a second. */
bough_status store_append(bough_store *store, size_t point, size_t answer, uint64_t trial,
                          const bough_rows *rows, bough_error *error);
/* Commits pending trials. */
bough_status store_commit(bough_store *store, bough_error *error);

#endif
