/* Regular expressions of users: those of PCRE2, with limits, so that none runs for ever. */
#ifndef BOUGH_BASE_TEXT_REGULAR_EXPRESSION_H
#define BOUGH_BASE_TEXT_REGULAR_EXPRESSION_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an expression. */
#define BOUGH_PATTERN_MAX ((size_t)1 << 16)

typedef struct bough_pattern bough_pattern;

/* whole: the expression has to match all of a name, not a part of it. A dot is one character of UTF-8.
 * Errors: INVALID, with the expression, where it is none, is longer than BOUGH_PATTERN_MAX, or is no UTF-8.
 */
bough_status bough_pattern_create(const char *text, bool whole, bough_pattern **pattern, bough_error *error);
/* Bytes of name that are no UTF-8 count as '?', as they are shown. Not for two threads at a time. Errors:
 * INVALID where the search was given up because it took too many steps: then nobody knows whether it matches.
 */
bough_status bough_pattern_match(bough_pattern *pattern, const char *name, bool *matches, bough_error *error);
void bough_pattern_destroy(bough_pattern *pattern);

#endif
