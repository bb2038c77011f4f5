/* Text in aligned columns. */
#ifndef BOUGH_REPORT_TABLES_COLUMNS_H
#define BOUGH_REPORT_TABLES_COLUMNS_H

#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. Cells are added row by row; the first row is the heading. The heading determines the
 * alignment of its column. Texts are written by bough_text_put_shown. */
typedef struct columns {
    size_t width; /* columns per row; set by columns_end_row of the first row */
    char **cell;
    size_t cells, capacity;
    bool right[64];
    bool joins[64]; /* belongs to the column to its left */
    bool failed;
} columns;

void columns_add(columns *t, const char *text);
/* Adds a heading; its column is aligned to the right or left. */
void columns_head(columns *t, const char *text, bool right);
/* Fills the row with empty cells. */
void columns_end_row(columns *t);
/* The same for a column that is never separated from the one to its left. */
void columns_head_joined(columns *t, const char *text, bool right);
#define COLUMNS_GAP 2
/* Width of a column; 0 if there is no text below its heading. */
size_t columns_width(const columns *t, size_t column);
/* Width of the widest line. */
size_t columns_line(const columns *t);
/* Writes all rows; a column without text below its heading is omitted. */
void columns_write(const columns *t, bough_text *out);
void columns_fini(columns *t);

#endif
