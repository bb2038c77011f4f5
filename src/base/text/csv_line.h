/* Lines of comma-separated values (RFC 4180, within a line). */
#ifndef BOUGH_BASE_TEXT_CSV_LINE_H
#define BOUGH_BASE_TEXT_CSV_LINE_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A cell in its line, without quotes and the blanks around it. In a quoted cell "" stands for one quote. */
typedef struct csv_cell {
    const char *text;
    size_t length;
    bool quoted;
} csv_cell;

/* Reads the next cell of [*at, end). *at moves behind the comma, or becomes NULL at the end of the line.
 * Returns NULL, or the reason why the cell is invalid. */
const char *csv_next(const char **at, const char *end, csv_cell *cell);

/* Copies a cell with its quotes resolved into a buffer of `size` bytes and ends it with NUL; what does not
 * fit is left out. Returns the length of the whole. */
size_t csv_copy(const csv_cell *cell, char *to, size_t size);

/* A buffer of `most` cells of `size` bytes each, one after another. */
typedef struct csv_cells {
    char *text;
    size_t size;
    int most, count;
} csv_cells;

/* Splits [line, end) into cells as csv_copy writes them. Errors: INVALID (without a place) beyond `most`
 * cells, or for an invalid cell. */
bough_status csv_cut(const char *line, const char *end, csv_cells *cells, bough_error *error);

#endif
