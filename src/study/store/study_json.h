/* A study without its results, as JSON: what the store keeps of it. */
#ifndef BOUGH_STUDY_STORE_STUDY_JSON_H
#define BOUGH_STUDY_STORE_STUDY_JSON_H

#include "bough/study.h"

/* What is asked: points, answers, seed. Two studies with the same question share results. Heap strings; NULL
 * with errno 0 where a spec is not UTF-8, with ENOMEM where there is no memory. */
char *question_write(const bough_study *study);
bough_status question_read(const char *json, bough_study *study, bough_error *error);
/* How much of it, and how to show it: title, trials, precision, plot. */
char *view_write(const bough_study *study);
bough_status view_read(const char *json, bough_study *study, bough_error *error);

/* "seed 1, now 2": the first difference between the questions of two resolved studies; false when there is
 * none. */
bool question_differs(const bough_study *old, const bough_study *now, char *difference, size_t size);

#endif
