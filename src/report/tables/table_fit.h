/* Tables that are wider than a line: long labels become numbers with a legend, or stand above their rows;
 * metrics that do not fit side by side come in several tables one below the other. */
#ifndef BOUGH_REPORT_TABLES_TABLE_FIT_H
#define BOUGH_REPORT_TABLES_TABLE_FIT_H

#include "report/tables/columns.h"

/* labels: how many columns say what a row is about. Writes t as it is where it fits into line characters.
 * What replaced labels is added to legend: "(1) circuit:mode=rounds" lines. Tables are split only between
 * columns that do not join their left neighbour; columns from tail on stand in every part, and rows without a
 * value in a part are left out of it. */
void narrow_write(columns *t, size_t labels, size_t tail, size_t line, bough_text *out, bough_text *legend);

/* For tables in which only the first row of several has labels: where they do not fit into line characters
 * labels stand in a line of their own above those rows. */
void narrow_write_headed(const columns *t, size_t labels, size_t line, bough_text *out);

/* text, broken at blanks and after commas where it is wider than a line; what follows is indented. */
void narrow_put(bough_text *out, const char *text, size_t line);
/* The same for a text, which is freed; one that failed makes out fail. */
void narrow_put_text(bough_text *out, bough_text *text, size_t line);

#endif
