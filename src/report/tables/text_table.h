/* Text in aligned columns. */
#ifndef BOUGH_REPORT_TABLES_TEXT_TABLE_H
#define BOUGH_REPORT_TABLES_TEXT_TABLE_H

#include "base/text/text.h"

/* Zero-initialise. Cells are added row by row; the first row is the heading. The heading determines the
 * alignment of its column. Texts are written by bough_text_put_shown. */
typedef struct text_table {
    size_t width; /* columns per row; set by text_table_end_row of the first row */
    char **cell;
    size_t cells, capacity;
    size_t labels, tail; /* columns at the left that label a row, and at the right that every part of a
                            split table repeats */
    bool right[64];
    bool joins[64]; /* belongs to the column to its left */
    bool failed;
} text_table;

void text_table_add(text_table *t, const char *text);
/* Adds a heading; its column is aligned to the right or left. */
void text_table_head(text_table *t, const char *text, bool right);
/* The same for a column that is never separated from the one to its left. */
void text_table_head_joined(text_table *t, const char *text, bool right);
/* Fills the row with empty cells. */
void text_table_end_row(text_table *t);
#define TEXT_TABLE_GAP 2
/* Width of a column; 0 if there is no text below its heading. */
size_t text_table_width(const text_table *t, size_t column);
/* Width of the widest line. */
size_t text_table_line(const text_table *t);
/* Writes all rows; a column without text below its heading is omitted. */
void text_table_write(const text_table *t, bough_text *out);
void text_table_fini(text_table *t);

#endif
