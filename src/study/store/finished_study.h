/* The results of a study that was run before, where nothing can be written. */
#ifndef BOUGH_STUDY_STORE_FINISHED_STUDY_H
#define BOUGH_STUDY_STORE_FINISHED_STUDY_H

#include "bough/study.h"

/* Whether directory holds a store that this process may read but cannot go on with: no file can be made
 * beside it. */
bool study_is_sealed(const char *directory);
/* Replaces a resolved study by what such a store has of it, as bough_store_load gives it. Errors: those of
 * bough_store_load; INVALID when it asks something else, or with another precision or number of trials; IO
 * when answers are missing, which nobody can add there. */
bough_status study_take_finished(const char *directory, bough_study *study, bough_error *error);

#endif
