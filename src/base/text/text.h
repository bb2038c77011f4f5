/* A growing string, and numbers as text. */
#ifndef BOUGH_BASE_TEXT_TEXT_H
#define BOUGH_BASE_TEXT_TEXT_H

#include "base/memory/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing string. Zero-initialise. data is NUL-terminated once anything was added; failed stays set after
 * an allocation failure, so only the last step needs a check. */
typedef struct bough_text {
    char *data;
    size_t length, capacity;
    bool failed;
} bough_text;

void bough_text_add(bough_text *text, const char *bytes, size_t length);
void bough_text_put(bough_text *text, const char *string);
void bough_text_printf(bough_text *text, const char *format, ...) BOUGH_PRINTF(2, 3);
void bough_text_vprintf(bough_text *text, const char *format, va_list args) BOUGH_PRINTF(2, 0);
/* Appends "value" with \" and \\ inside, as in spec strings. */
void bough_text_put_quoted(bough_text *text, const char *value);
/* Appends another text and frees it; its failure makes this one fail. */
void bough_text_join(bough_text *text, bough_text *other);
/* Appends "a, b, c". */
void bough_text_put_list(bough_text *text, const char *const *item, size_t count);
/* Takes ownership of a heap string; NULL gives a failed text. */
bough_text bough_text_own(char *string);
/* Returns the string, which the caller frees; NULL after a failed allocation. */
char *bough_text_take(bough_text *text);
/* The same as a status: *string is set, or NO_MEMORY. */
bough_status bough_text_finish(bough_text *text, char **string, bough_error *error);
/* The same, with the string in an arena. */
bough_status bough_text_keep(bough_text *text, arena *a, char **string, bough_error *error);
void bough_text_fini(bough_text *text);

/* bough_fail with the text as reason; frees the text. NO_MEMORY if the text is incomplete. */
bough_status bough_fail_text(bough_error *error, bough_status status, const char *place, bough_text *reason);

/* The end of a noun behind its number: "%" PRIu64 " host%s", n, bough_s(n). */
static inline const char *bough_s(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Formats the shortest decimal that reads back as value: "0.1", "6.97", "1e+20"; also "nan" and "inf". */
char *bough_format_real(double value, char *buffer, size_t size);
/* "1 min 20 s", "3.1 h"; returns buffer (32 characters suffice). */
char *bough_format_seconds(double seconds, char *buffer, size_t size);

#endif
