/* Tables with one column per answer and a line for each metric and index, like tables in papers. Used if a
 * study plots metrics with indices and has the methods as its series. */
#ifndef BOUGH_REPORT_TABLES_METHOD_COLUMNS_H
#define BOUGH_REPORT_TABLES_METHOD_COLUMNS_H

#include "report/tables/table_labels.h"

/* True if every point has the same answers, and these do not fit in one line. */
bool method_columns_fits(const bough_study *study);
/* Columns are headed by the specs of their methods if these are the same at all points and the table is then
 * not wider than a line (returns true), else by numbers. */
bool method_columns_make(text_table *t, const table_labels *labels, size_t line);
/* What numbers and marks mean: "(1) data:table5.csv", "(2) circuit: 4 trials (few)". */
void method_columns_legend(bough_text *out, const table_labels *labels, bool named, size_t line);

#endif
