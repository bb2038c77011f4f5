/* Text in aligned columns. */
#ifndef BOUGH_REPORT_TABLES_COLUMNS_H
#define BOUGH_REPORT_TABLES_COLUMNS_H

#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. Cells are added row by row, the first row is the heading. A column is aligned to the right
 * when its heading says so. Texts are shown as bough_text_put_shown does it. */
typedef struct columns {
    size_t width; /* columns in a row; set by columns_end_row of the first row */
    char **cell;
    size_t cells, capacity;
    bool right[64];
    bool joins[64]; /* belongs to the column on its left */
    bool failed;
} columns;

void columns_add(columns *t, const char *text);
/* A heading: its column is aligned to the right or left. */
void columns_head(columns *t, const char *text, bool right);
/* Fills the row up with empty cells. */
void columns_end_row(columns *t);
/* The same, of a column that is never parted from the one on its left. */
void columns_head_joined(columns *t, const char *text, bool right);
#define COLUMNS_GAP 2
/* Characters of a column; 0 when nothing stands below its heading. */
size_t columns_width(const columns *t, size_t column);
/* Characters of the widest line. */
size_t columns_line(const columns *t);
/* Writes all rows; a column without any text below its heading is left out. */
void columns_write(const columns *t, bough_text *out);
void columns_fini(columns *t);

#endif
