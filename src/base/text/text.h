/* A growing string, and numbers as text. */
#ifndef BOUGH_BASE_TEXT_TEXT_H
#define BOUGH_BASE_TEXT_TEXT_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. data is NUL-terminated once anything was added; failed stays set after an allocation
 * failure, so that only the last step needs a check. */
typedef struct bough_text {
    char *data;
    size_t length, capacity;
    bool failed;
} bough_text;

void bough_text_add(bough_text *text, const char *bytes, size_t length);
void bough_text_put(bough_text *text, const char *string);
void bough_text_printf(bough_text *text, const char *format, ...) BOUGH_PRINTF(2, 3);
/* "value" with \" and \\ inside, as spec strings want it. */
void bough_text_put_quoted(bough_text *text, const char *value);
/* Adds another text, which is freed; one that failed makes this one fail. */
void bough_text_join(bough_text *text, bough_text *other);
/* "a, b, c". */
void bough_text_put_list(bough_text *text, const char *const *item, size_t count);
/* Takes over a string on the heap; NULL gives a failed text. */
bough_text bough_text_own(char *string);
/* Moves the string out (to be freed by the caller); NULL after a failed allocation. */
char *bough_text_take(bough_text *text);
void bough_text_fini(bough_text *text);

/* bough_fail with a reason that was put together as a text, which is freed; NO_MEMORY when it is not whole.
 */
bough_status bough_fail_text(bough_error *error, bough_status status, const char *place, bough_text *reason);

/* The shortest decimal that reads back as value: "0.1", "6.97", "1e+20"; "nan" and "inf" too. */
char *bough_format_real(double value, char *buffer, size_t size);

#endif
