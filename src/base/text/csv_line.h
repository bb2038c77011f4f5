/* Lines of comma-separated values. */
#ifndef BOUGH_BASE_TEXT_CSV_LINE_H
#define BOUGH_BASE_TEXT_CSV_LINE_H

#include "bough/status.h"

#include <stddef.h>

/* Splits [line, end) into cells of `size` characters each, stored consecutively from `cell` and trimmed of
 * blanks and quotes. Within quotes commas are text and "" is a quote. Long cells are truncated. Errors:
 * INVALID (without a place) for more than `most` cells, or a missing closing quote. */
bough_status csv_cut(const char *line, const char *end, char *cell, size_t size, int most, int *cells,
                     bough_error *error);

#endif
