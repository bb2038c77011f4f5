/* What the execution core needs of the store. */
#ifndef BOUGH_STUDY_STORE_H
#define BOUGH_STUDY_STORE_H

#include "study/tally.h"

/* Feeds the tally with the trials that the store holds of an answer, in order, until the tally is done or
 * there are no more. */
bough_status store_replay(bough_store *store, size_t point, size_t answer, tally *t, bough_error *error);
/* Adds one trial; `trial` is the number of those that the store holds already. Commits about twice a second.
 */
bough_status store_append(bough_store *store, size_t point, size_t answer, uint64_t trial,
                          const bough_rows *rows, bough_error *error);
/* Commits what is still open. */
bough_status store_commit(bough_store *store, bough_error *error);

#endif
