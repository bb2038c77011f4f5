/* A study without its results as JSON, for the store. */
#ifndef BOUGH_STUDY_STORE_STUDY_JSON_H
#define BOUGH_STUDY_STORE_STUDY_JSON_H

#include "study/study.h"

/* The question: points, answers, seed. Two studies with the same question share results. Heap strings; NULL
 * with errno 0 if a spec is not UTF-8, with ENOMEM if memory runs out. */
char *question_write(const bough_study *study);
bough_status question_read(const char *json, bough_study *study, bough_error *error);
/* The extent and presentation: title, trials, precision, plot. Read after the question, whose axes it names.
 */
char *view_write(const bough_study *study);
bough_status view_read(const char *json, bough_study *study, bough_error *error);

/* "seed 1, now 2": the first difference between the questions of two resolved studies; false if there is
 * none. */
bool question_differs(const bough_study *old, const bough_study *now, char *difference, size_t size);

#endif
