/* Tables with one column per answer and a line for each metric and index, like tables in papers. Used if a
 * study plots metrics with indices and has the methods as its series. */
#ifndef BOUGH_REPORT_TABLES_METHOD_COLUMNS_H
#define BOUGH_REPORT_TABLES_METHOD_COLUMNS_H

#include "report/tables/table_labels.h"

/* True if every point has the same answers, and these do not fit in one line. */
bool method_columns_fits(const bough_study *study);
void method_columns_make(text_table *t, const table_labels *labels);
/* Legend of the columns: "(1) data:table5.csv". */
void method_columns_legend(bough_text *out, const bough_study *study);

#endif
