/* Files that methods write: two answers of a study must not write the same one. */
#ifndef BOUGH_STUDY_RUN_OUTPUT_FILES_H
#define BOUGH_STUDY_RUN_OUTPUT_FILES_H

#include "study/study.h"

/* Zero-initialise. */
typedef struct output_book {
    struct output *item;
    size_t count, capacity;
} output_book;

/* Records the files that an answer's method writes. */
bough_status outputs_note(output_book *book, const bough_run *run, size_t point, size_t answer,
                          bough_error *error);
/* Errors: INVALID with the second of two points that name the same file. */
bough_status outputs_check(output_book *book, const bough_study *study, bough_error *error);
void outputs_fini(output_book *book);

#endif
