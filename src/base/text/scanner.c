#include "base/text/scanner.h"

#include "base/text/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

scanner scan_piece(const bough_input_piece *piece, bough_error *error) {
    return (scanner){
        .file = piece->name, .cursor = piece->data, .end = piece->data + piece->size, .error = error};
}

bough_status scan_start(scanner *s, const char *file, const char *data, size_t size, bough_error *error) {
    *s = (scanner){.file = file, .ends = true, .error = error};
    return scan_more(s, data, size);
}

bough_status scan_more(scanner *s, const char *data, size_t size) {
    s->cursor = data;
    s->end = data + size;
    const char *zero = size ? memchr(data, 0, size) : NULL;
    if (!zero) return BOUGH_OK;
    while (s->cursor <= zero && scan_line(s)) {
    }
    return scan_fail(s, "contains a NUL byte; expected a text file");
}

bool scan_line(scanner *s) {
    if (s->cursor >= s->end) return false;
    const char *stop = memchr(s->cursor, '\n', (size_t)(s->end - s->cursor));
    s->at = s->cursor;
    s->cursor = stop ? stop + 1 : s->end;
    s->stop = stop ? stop : s->end;
    if (s->line == 0) scan_text(s, "\xef\xbb\xbf"); /* byte order mark */
    if (s->stop > s->at && s->stop[-1] == '\r') s->stop--;
    s->line++;
    s->open = s->ends && !stop;
    return true;
}

static size_t left(const scanner *s) {
    return (size_t)(s->stop - s->at);
}

bool scan_ends(const scanner *s, const char *text) {
    size_t length = strlen(text);
    return left(s) >= length && memcmp(s->stop - length, text, length) == 0;
}

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

bool scan_blanks(scanner *s) {
    const char *start = s->at;
    while (s->at < s->stop && blank(*s->at)) s->at++;
    return s->at > start;
}

bool scan_done(scanner *s) {
    scan_blanks(s);
    return s->at == s->stop;
}

bool scan_word(scanner *s, bough_slice *word) {
    word->text = s->at;
    while (s->at < s->stop && !blank(*s->at)) s->at++;
    word->length = (size_t)(s->at - word->text);
    return word->length > 0;
}

bool scan_next(scanner *s, const char *blanks, char *word, size_t size) {
    size_t length = 0;
    while (s->at < s->stop && *s->at && strchr(blanks, *s->at)) s->at++;
    for (; s->at < s->stop && !(*s->at && strchr(blanks, *s->at)); s->at++)
        if (length + 1 < size) word[length++] = *s->at;
    word[length] = 0;
    return length > 0;
}

/* clang-format off */
static const uint8_t digit_plus_one[256] = {
    ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
    ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};
/* clang-format on */

/* At least the base: no digit. */
static inline unsigned digit(char c) {
    return digit_plus_one[(unsigned char)c] - 1U;
}

/* Parses digits of a base; returns their end. */
static const char *digits(const char *at, const char *stop, unsigned base, uint64_t *value) {
    uint64_t sum = 0;
    unsigned d;
    for (; at < stop && (d = digit(*at)) < base; at++)
        if (sum >> 59 == 0) /* far from overflow: no division */
            sum = sum * base + d;
        else
            sum = sum > (UINT64_MAX - d) / base ? UINT64_MAX : sum * base + d;
    *value = sum;
    return at;
}

bool scan_number(scanner *s, uint64_t *value) {
    const char *at = s->at;
    unsigned base = 10;
    if (s->stop - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16) {
        base = 16;
        at += 2;
    }
    const char *end = digits(at, s->stop, base, value);
    if (end == at) return false;
    s->at = end;
    return true;
}

bool scan_hex(scanner *s, uint64_t *value) {
    const char *end = digits(s->at, s->stop, 16, value);
    if (end == s->at || end - s->at > 16) return false;
    s->at = end;
    return true;
}

bool scan_quoted(scanner *s, char quote, bough_slice *content) {
    if (s->at == s->stop || *s->at != quote) return false;
    const char *last = s->stop - 1;
    while (*last != quote) last--;
    if (last == s->at) return false;
    content->text = s->at + 1;
    content->length = (size_t)(last - content->text);
    s->at = last + 1;
    return true;
}

/* ---- messages ---- */

static bough_status fail(const scanner *s, uint32_t line, const char *after, const char *format, va_list args)
    BOUGH_PRINTF(4, 0);

static bough_status fail(const scanner *s, uint32_t line, const char *after, const char *format,
                         va_list args) {
    char reason[sizeof s->error->reason];
    if (!s->error) return BOUGH_INVALID;
    vsnprintf(reason, sizeof reason, format, args);
    return bough_at_line(bough_fail(s->error, BOUGH_INVALID, NULL, "%s%s", reason, after), s->file, line,
                         s->error);
}

bough_status scan_fail(const scanner *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_status status = fail(s, s->line, s->open ? "; the file ends within this line" : "", format, args);
    va_end(args);
    return status;
}

bough_status scan_fail_line(const scanner *s, uint32_t line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_status status = fail(s, line, "", format, args);
    va_end(args);
    return status;
}

bough_status scan_at(const scanner *s, bough_status status) {
    return bough_at_line(status, s->file, s->line, s->error);
}

bough_status scan_whole(const scanner *s, const char *text, const char *what, uint64_t most,
                        uint64_t *value) {
    char *stop;
    if (*text < '0' || *text > '9' || (*value = strtoull(text, &stop, 10), *stop) || strlen(text) > 18)
        return scan_fail(s, "%s '%.40s' is not a whole number", what, text);
    if (*value > most) return scan_fail(s, "%s %s is too large; at most %" PRIu64, what, text, most);
    return BOUGH_OK;
}

const char *bough_shown(bough_slice slice, char *buffer, size_t size) {
    bough_copy_printable(slice.text, slice.length, buffer, size);
    return buffer;
}
