/* The premises that answers break, as lines of text. */
#ifndef BOUGH_REPORT_COMPARISON_PREMISE_LINES_H
#define BOUGH_REPORT_COMPARISON_PREMISE_LINES_H

#include "base/text/text.h"
#include "study/study.h"

enum { PREMISE_LINES_MAX = 12 };

/* "queueing: assumes ...", one for each different method and sentence. */
typedef struct premise_lines {
    char *text[PREMISE_LINES_MAX];
    uint64_t points[PREMISE_LINES_MAX]; /* number of points that it concerns */
    size_t count;
    uint64_t more; /* broken premises beyond these lines */
} premise_lines;
bough_status premise_lines_make(const bough_study *study, premise_lines *lines, bough_error *error);
void premise_lines_fini(premise_lines *lines);

/* Writes the lines, with the number of points if they do not concern all, and an empty line after them;
 * nothing if there are none. */
void premise_lines_put(bough_text *out, const bough_study *study);

#endif
