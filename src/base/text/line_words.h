/* Words and whole numbers of the lines of a text file. */
#ifndef BOUGH_BASE_TEXT_LINE_WORDS_H
#define BOUGH_BASE_TEXT_LINE_WORDS_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { WORD = 64 };

/* Reads the next word of [*at, end), separated by `blanks`, truncated to its field; false if none is left.
 * *at moves behind it. The line contains no NUL. */
bool word_next(const char **at, const char *end, const char *blanks, char word[WORD]);

/* what: name of the number in messages. Errors: INVALID (without a place). */
bough_status word_number(const char *text, const char *what, uint64_t most, uint64_t *value,
                         bough_error *error);

#endif
