/* Regular expressions in user input: PCRE2 with limits on run time. */
#ifndef BOUGH_BASE_TEXT_REGULAR_EXPRESSION_H
#define BOUGH_BASE_TEXT_REGULAR_EXPRESSION_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an expression. */
#define BOUGH_PATTERN_MAX ((size_t)1 << 16)

typedef struct bough_pattern bough_pattern;

/* whole: the expression must match the whole name, not a part of it. A dot matches one UTF-8 character.
 * Errors: INVALID with the expression if it is invalid, longer than BOUGH_PATTERN_MAX, or not UTF-8. */
bough_status bough_pattern_create(const char *text, bool whole, bough_pattern **pattern, bough_error *error);
/* Bytes of name that are not UTF-8 match as '?', as displayed. Not thread-safe. Errors: INVALID if the search
 * exceeded the limit of steps, so the result is unknown. */
bough_status bough_pattern_match(bough_pattern *pattern, const char *name, bool *matches, bough_error *error);
void bough_pattern_destroy(bough_pattern *pattern);

#endif
