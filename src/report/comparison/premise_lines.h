/* The premises that answers break. */
#ifndef BOUGH_REPORT_COMPARISON_PREMISE_LINES_H
#define BOUGH_REPORT_COMPARISON_PREMISE_LINES_H

#include "document/document.h"
#include "study/study.h"

/* A section with a line for each different method and sentence, and the number of points if it does not
 * concern all; nothing if there are none. */
void premises_describe(document *d, const bough_study *study);

#endif
