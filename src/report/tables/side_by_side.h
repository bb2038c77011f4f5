/* Tables whose answers stand side by side, a line for each metric and index: what tables of papers look
 * like. Chosen where a study plots metrics that have indices with the methods as its series. */
#ifndef BOUGH_REPORT_TABLES_SIDE_BY_SIDE_H
#define BOUGH_REPORT_TABLES_SIDE_BY_SIDE_H

#include "bough/study.h"
#include "report/tables/columns.h"

/* What of a point all lines begin with: axes that vary, and whether network and traffic do. */
typedef struct across_labels {
    const bool *axis; /* of the first 32 */
    bool network, traffic;
} across_labels;

/* Every point has the same answers, and these would not stand in one line. */
bool across_fits(const bough_study *study);
void across_make(columns *t, const bough_study *study, const across_labels *labels);
/* "(1) data:table5.csv": which column is which. */
void across_legend(bough_text *out, const bough_study *study);

#endif
