/* What the execution core needs of the store. */
#ifndef BOUGH_STUDY_STORE_STORE_H
#define BOUGH_STUDY_STORE_STORE_H

#include "study/run/tally.h"

/* Feeds the tally with the trials that the store holds of an answer, from t->trials on, in order, until the
 * tally is done or the next one is not there. */
bough_status store_replay(bough_store *store, size_t point, size_t answer, tally *t, bough_error *error);
/* The first trial of an answer at `trial` or after it that the store held when it was opened; 0: none. Those
 * in between were lost. */
uint64_t store_next(const bough_store *store, size_t point, size_t answer, uint64_t trial);
/* Adds one trial, which the store does not hold; those before it are there. Commits about twice a second. */
bough_status store_append(bough_store *store, size_t point, size_t answer, uint64_t trial,
                          const bough_rows *rows, bough_error *error);
/* Commits what is still open. */
bough_status store_commit(bough_store *store, bough_error *error);

#endif
