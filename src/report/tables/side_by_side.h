/* Tables with one column per answer and a line for each metric and index, like tables in papers. Used if a
 * study plots metrics with indices and has the methods as its series. */
#ifndef BOUGH_REPORT_TABLES_SIDE_BY_SIDE_H
#define BOUGH_REPORT_TABLES_SIDE_BY_SIDE_H

#include "bough/study.h"
#include "report/tables/columns.h"

/* First columns of a point: axes that vary, and whether network and traffic do. */
typedef struct across_labels {
    const bool *axis; /* of the first 32 */
    bool network, traffic;
} across_labels;

/* True if every point has the same answers, and these do not fit in one line. */
bool across_fits(const bough_study *study);
void across_make(columns *t, const bough_study *study, const across_labels *labels);
/* Legend of the columns: "(1) data:table5.csv". */
void across_legend(bough_text *out, const bough_study *study);

#endif
