/* One trial on several threads has the rows of the trial on one thread, bit for bit. */
#ifndef TESTS_SUPPORT_THREAD_ROWS_H
#define TESTS_SUPPORT_THREAD_ROWS_H

#include "method/method.h"

void assert_same_rows(const bough_run *run, const bough_rows *have, const bough_rows *want);

typedef struct threads_question {
    const char *network, *routing, *traffic, *method;
} threads_question;

/* threads: ends with 0. Trials follow each other in one workspace, so that each finds what the one before has
 * left, with another number of threads. parallel: what the run must say of itself. */
void threads_agree(const threads_question *q, const unsigned *threads, bool parallel);

#endif
