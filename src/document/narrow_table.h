/* Tables that are wider than a line: long labels are replaced by numbers with a legend, or placed above their
 * rows; metrics that do not fit are continued in further tables below. */
#ifndef BOUGH_DOCUMENT_NARROW_TABLE_H
#define BOUGH_DOCUMENT_NARROW_TABLE_H

#include "document/text_table.h"

/* Before either of these: drops columns that are not kept where a line has no room for them, cuts long units
 * into several rows, and replaces headings by numbers, which it adds to legend. */
void narrow_table_fold(text_table *t, size_t line, bough_text *legend);

/* Writes t unchanged if it fits into `line` characters. Replaced labels are added to legend: lines of
 * "flow = flow:size=1MB", or "(1) circuit:mode=rounds" where the name alone is not unique. Tables are split
 * only between columns that do not join their left neighbour; rows without a value in a part are omitted from
 * it. */
void narrow_table_write(text_table *t, size_t line, bough_text *out, bough_text *legend);

/* For tables in which only the first row of several has labels: if they do not fit into `line` characters,
 * labels are written on a line of their own above those rows. */
void narrow_table_write_headed(const text_table *t, size_t line, bough_text *out);
/* Width of its rows then. */
size_t narrow_table_headed_line(const text_table *t);

/* Writes text, wrapped at blanks and after commas if it is wider than a line; continuation lines are
 * indented. */
void put_wrapped(bough_text *out, const char *text, size_t line);
/* The same with continuation lines that start at a column. */
void put_wrapped_at(bough_text *out, const char *text, size_t line, size_t indent);
/* The same for a bough_text, which is freed; a failed one makes out fail. */
void put_wrapped_text(bough_text *out, bough_text *text, size_t line);

#endif
