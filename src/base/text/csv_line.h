/* Lines of comma-separated values. */
#ifndef BOUGH_BASE_TEXT_CSV_LINE_H
#define BOUGH_BASE_TEXT_CSV_LINE_H

#include "bough/status.h"

#include <stddef.h>

/* Cuts [line, end) into cells of `size` characters each, one after another from `cell` on, trimmed of blanks
 * and quotes; within quotes commas are text and "" is a quote. What is too long for its cell is cut off.
 * Errors: INVALID (without a place) beyond `most` cells, or where a quote does not end. */
bough_status csv_cut(const char *line, const char *end, char *cell, size_t size, int most, int *cells,
                     bough_error *error);

#endif
