/* Regular expressions of users: POSIX extended ones. */
#ifndef BOUGH_BASE_PATTERN_H
#define BOUGH_BASE_PATTERN_H

#include "bough/status.h"

#include <regex.h>
#include <stdbool.h>

/* Only whether it matches will be asked (whole: all of a text); to be freed by regfree. Errors: INVALID, with
 * the text, where it is no expression, looks back (\1), or becomes more than 2000 characters longer when what
 * repeats is written out, as the C library does: (((a+)+)+)+ doubles with every sign. */
bough_status bough_pattern_make(const char *text, bool whole, regex_t *pattern, bough_error *error);

#endif
