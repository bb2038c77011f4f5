/* Results made by hand, for the tests of reports. */
#ifndef TESTS_SUPPORT_RESULTS_H
#define TESTS_SUPPORT_RESULTS_H

#include "study/study.h"

#define NONE         BOUGH_NO_ROW_INDEX
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Zeroed memory and a copy of a text (NULL: NULL) that stay until the program ends: of studies by hand. */
void *made(size_t count, size_t size);
char *copied(const char *text);

bough_cell cell(bough_metric_id metric, int64_t index, size_t count, const double *value);
/* Copies the cells. */
bough_answer answer(const char *method, bool exact, size_t asked, size_t routing, const bough_cell *cells,
                    size_t count);
/* With room for four answers. */
bough_study_point point(const char *value, const char *network, const char *traffic, size_t routings);
/* Two points n = 16, 32; a random answer and an exact one. Freed with bough_study_fini. */
bough_study study_by_hand(void);

#endif
