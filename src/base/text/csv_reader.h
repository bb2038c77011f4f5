/* Reads comma-separated values (RFC 4180), row by row. Quoted cells may contain commas, line ends, and "" for
 * a quote; blanks around cells are dropped. Lines end in LF or CRLF, a byte order mark is skipped, and so are
 * empty lines and lines that begin with #.
 *
 *     csv_reader csv = {.in.error = error};
 *     csv_open(&csv, piece->name, piece->data, piece->size);
 *     while (!(status = csv_row(&csv)) && csv.cells) ... csv.cell[0] ...
 *     csv_close(&csv); */
#ifndef BOUGH_BASE_TEXT_CSV_READER_H
#define BOUGH_BASE_TEXT_CSV_READER_H

#include "base/text/scanner.h"

/* A cell in its text, without quotes and the blanks around it. In a quoted cell "" stands for one quote. */
typedef struct csv_cell {
    const char *text;
    size_t length;
    bool quoted;
} csv_cell;

/* Reads the next cell of a line [*at, end). *at moves behind the comma, or becomes NULL at the end of the
 * line. Returns NULL, or the reason why the cell is invalid. Allocates nothing: for what only looks at a
 * line. */
const char *csv_next(const char **at, const char *end, csv_cell *cell);

/* Drops blanks at the end also within quotes. */
csv_cell csv_trimmed(csv_cell cell);
/* Compares without regard to upper and lower case. */
bool csv_is(const csv_cell *cell, const char *word);

enum { CSV_NAMES = 16 };

/* Zero-initialise but for in.error, which may be NULL. */
typedef struct csv_reader {
    scanner in;      /* error; and of the current row: its first line, at .. stop without the line end */
    char **cell;     /* [cells], with quotes resolved; valid until the next row */
    size_t cells;    /* 0: the end */
    csv_cell *found; /* [cells]: the same, where they stand in the file */
    /* after csv_header: */
    const char *named[CSV_NAMES];  /* the cells of the row by name; "": there is no such column */
    unsigned char name[CSV_NAMES]; /* which name the cell at a position has */
    size_t columns;                /* 0: before csv_header */
    /* private */
    uint32_t next;
    char *scratch;
    size_t found_capacity, cell_capacity, room;
} csv_reader;

/* Starts a file, also after another one. Borrows everything. */
void csv_open(csv_reader *reader, const char *file, const char *data, size_t size);
/* Goes on at another place of the file, in this line. */
void csv_move(csv_reader *reader, const char *at, uint32_t line);
/* Moves to the next row. Errors: INVALID with file, line and column; NO_MEMORY. */
bough_status csv_row(csv_reader *reader);
/* Takes the row for the names of the columns, in any order. Returns the position of the first cell that is
 * not one of them, or the name of an earlier cell (*again); the number of cells: all are good. */
size_t csv_header(csv_reader *reader, const char *const *name, size_t names, bool *again);
/* Returns whether there is a column of a name. */
bool csv_has(const csv_reader *reader, size_t name);
void csv_close(csv_reader *reader);

#endif
