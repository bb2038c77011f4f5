/* Text in aligned columns. */
#ifndef BOUGH_DOCUMENT_TEXT_TABLE_H
#define BOUGH_DOCUMENT_TEXT_TABLE_H

#include "base/text/text.h"

/* How a cell looks in a terminal with colours. */
typedef enum text_style { TEXT_PLAIN, TEXT_BOLD, TEXT_WARNING, TEXT_ERROR, TEXT_GOOD } text_style;

enum { TEXT_TABLE_COLUMNS = 64 };

/* PARTS: each row has its labels; columns that do not fit are continued in further tables below. HEADED: only
 * the first of several rows has labels, and then they stand above it. AUTO: headed if that fits, else parts
 * with one label. */
typedef enum text_layout { TEXT_LAYOUT_AUTO, TEXT_LAYOUT_PARTS, TEXT_LAYOUT_HEADED } text_layout;

/* What becomes of a column where a line has no room: it is left out, or then stands in brackets behind the
 * last label. */
typedef enum text_room { TEXT_ROOM_KEPT, TEXT_ROOM_SPARE, TEXT_ROOM_LABELLED } text_room;

/* Zero-initialise. Cells are added row by row; the first row is the heading, which determines the alignment
 * of its column. Texts are written by bough_text_put_shown. */
typedef struct text_table {
    size_t width; /* columns per row; set by text_table_end_row of the first row */
    char **cell;
    unsigned char *style; /* of each cell: a text_style */
    size_t cells, capacity, style_capacity;
    size_t units;        /* heading rows below the first one: one with the units of columns; as text a unit
                            may need several */
    size_t labels, tail; /* columns at the left that label a row, and at the right that every part of a
                            split table repeats */
    text_layout layout;  /* as text, where it is wider than a line */
    bool numbered;       /* headings behind the labels may become numbers with a legend then */
    unsigned char room[TEXT_TABLE_COLUMNS]; /* a text_room */
    bool right[TEXT_TABLE_COLUMNS];
    bool joins[TEXT_TABLE_COLUMNS]; /* belongs to the column to its left */
    bool close[TEXT_TABLE_COLUMNS]; /* only one blank between it and that column: the unit of a number */
    text_style now;                 /* style of the cells that are added */
    bool colours;                   /* writes styles as escape sequences */
    bool failed;
} text_table;

void text_table_add(text_table *t, const char *text);
/* Adds a number with so many significant digits (0: a whole number); "-" if it is not finite. */
void text_table_add_number(text_table *t, int digits, double value);
/* Adds a heading; its column is aligned to the right or left. */
void text_table_head(text_table *t, const char *text, bool right);
/* The same for a column that is never separated from the one to its left. */
void text_table_head_joined(text_table *t, const char *text, bool right);
/* A joined column for the units of the numbers to its left, without a heading. */
void text_table_head_unit(text_table *t);
/* Of the heading that was added last. */
void text_table_room(text_table *t, text_room room);
/* Fills the row with empty cells. */
void text_table_end_row(text_table *t);
#define TEXT_TABLE_GAP 2
/* Number of rows, and of those that are headings. */
size_t text_table_rows(const text_table *t);
size_t text_table_heads(const text_table *t);
/* Width of a column; 0 if there is no text below its heading. */
size_t text_table_width(const text_table *t, size_t column);
/* The same with the gap to its left. */
size_t text_table_width_with_gap(const text_table *t, size_t column);
/* Width of the widest line. */
size_t text_table_line(const text_table *t);
/* Adds a cell of a row of another table, with its style and, in the first row, the kind of its column. */
void text_table_copy(text_table *t, const text_table *from, size_t row, size_t column);
/* Writes all rows; a column without text below its heading is omitted. */
void text_table_write(const text_table *t, bough_text *out);
void text_table_fini(text_table *t);

/* Appends text that is safe to display in a style. */
void text_style_put(bough_text *out, text_style style, const char *text);

#endif
