/* Tables that are wider than a line: long labels are replaced by numbers with a legend, or placed above their
 * rows; metrics that do not fit are continued in further tables below. */
#ifndef BOUGH_REPORT_TABLES_TABLE_FIT_H
#define BOUGH_REPORT_TABLES_TABLE_FIT_H

#include "report/tables/columns.h"

/* labels: number of label columns. Writes t unchanged if it fits into `line` characters. Replaced labels are
 * added to legend: "(1) circuit:mode=rounds" lines. Tables are split only between columns that do not join
 * their left neighbour; columns from `tail` on are repeated in every part, and rows without a value in a part
 * are omitted from it. */
void narrow_write(columns *t, size_t labels, size_t tail, size_t line, bough_text *out, bough_text *legend);

/* For tables in which only the first row of several has labels: if they do not fit into `line` characters,
 * labels are written on a line of their own above those rows. */
void narrow_write_headed(const columns *t, size_t labels, size_t line, bough_text *out);

/* Writes text, wrapped at blanks and after commas if it is wider than a line; continuation lines are
 * indented. */
void narrow_put(bough_text *out, const char *text, size_t line);
/* The same for a bough_text, which is freed; a failed one makes out fail. */
void narrow_put_text(bough_text *out, bough_text *text, size_t line);

#endif
