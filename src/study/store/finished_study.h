/* The results of a finished study in a directory that is not writable. */
#ifndef BOUGH_STUDY_STORE_FINISHED_STUDY_H
#define BOUGH_STUDY_STORE_FINISHED_STUDY_H

#include "study/study.h"

/* True if directory contains a store that this process can read but not continue, because it cannot create
 * files next to it. */
bool study_is_sealed(const char *directory);
/* Replaces a resolved study by its results in such a store, as bough_store_load returns them. Errors: those
 * of bough_store_load; INVALID if the question, the precision or the number of trials differs; IO if answers
 * are missing, which cannot be added. */
bough_status study_take_finished(const char *directory, bough_study *study, bough_error *error);

typedef struct answer_count {
    size_t all, complete;
} answer_count;
answer_count study_count_answers(const bough_study *study);

/* The same trials and precision. */
bool study_same_effort(const bough_effort *a, const bough_effort *b);

#endif
