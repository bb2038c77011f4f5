#include "network/files/line_scanner.h"

#include "base/files/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bough_status bough_scan_start(bough_scan *scan, const char *name, const char *data, size_t size,
                              bough_error *error) {
    *scan = (bough_scan){.name = name};
    return bough_scan_more(scan, data, size, error);
}

bough_status bough_scan_more(bough_scan *scan, const char *data, size_t size, bough_error *error) {
    scan->cursor = data;
    scan->end = data + size;
    const char *zero = size ? memchr(data, 0, size) : NULL;
    if (!zero) return BOUGH_OK;
    while (scan->cursor <= zero && bough_scan_line(scan)) {
    }
    return bough_scan_fail(scan, error, "contains a NUL byte; expected a text file");
}

bool bough_scan_line(bough_scan *scan) {
    size_t length;
    const char *line = bough_next_line(&scan->cursor, scan->end, &length);
    if (!line) return false;
    scan->at = line;
    scan->stop = line + length;
    scan->line++;
    scan->open = scan->cursor == scan->end && scan->end[-1] != '\n';
    return true;
}

static size_t left(const bough_scan *scan) {
    return (size_t)(scan->stop - scan->at);
}

bool bough_scan_ends(const bough_scan *scan, const char *text) {
    size_t length = strlen(text);
    return left(scan) >= length && memcmp(scan->stop - length, text, length) == 0;
}

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

bool bough_scan_blanks(bough_scan *scan) {
    const char *start = scan->at;
    while (scan->at < scan->stop && blank(*scan->at)) scan->at++;
    return scan->at > start;
}

bool bough_scan_done(bough_scan *scan) {
    bough_scan_blanks(scan);
    return scan->at == scan->stop;
}

bool bough_scan_word(bough_scan *scan, bough_slice *word) {
    word->text = scan->at;
    while (scan->at < scan->stop && !blank(*scan->at)) scan->at++;
    word->length = (size_t)(scan->at - word->text);
    return word->length > 0;
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

bool bough_scan_number(bough_scan *scan, uint64_t *value) {
    const char *at = scan->at;
    unsigned base = 10;
    if (scan->stop - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16) {
        base = 16;
        at += 2;
    }
    const char *end = digits(at, scan->stop, base, value);
    if (end == at) return false;
    scan->at = end;
    return true;
}

bool bough_scan_hex(bough_scan *scan, uint64_t *value) {
    const char *end = digits(scan->at, scan->stop, 16, value);
    if (end == scan->at || end - scan->at > 16) return false;
    scan->at = end;
    return true;
}

bool bough_scan_quoted(bough_scan *scan, char quote, bough_slice *content) {
    if (scan->at == scan->stop || *scan->at != quote) return false;
    const char *last = scan->stop - 1;
    while (*last != quote) last--;
    if (last == scan->at) return false;
    content->text = scan->at + 1;
    content->length = (size_t)(last - content->text);
    scan->at = last + 1;
    return true;
}

bool bough_scan_is_count(const bough_scan *scan, const char *word) {
    bough_scan s = *scan;
    uint64_t number;
    return bough_scan_text(&s, word) && bough_scan_blanks(&s) && bough_scan_number(&s, &number);
}

bool bough_scan_complaint(const bough_scan *scan) {
    if (bough_scan_starts(scan, "SubnGet() failed")) return true;
    static const char *const marks[] = {"ibwarn:", "iberror:", "ibpanic:"};
    /* The mark is at the start of the line or follows the name of the tool. */
    size_t length = left(scan) < 256 ? left(scan) : 256;
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        size_t size = strlen(marks[m]);
        for (size_t i = 0; i + size <= length; i++)
            if (memcmp(scan->at + i, marks[m], size) == 0) return true;
    }
    return false;
}

char *bough_place(char *buffer, size_t size, const char *name, uint64_t line) {
    char number[24] = "";
    if (line) snprintf(number, sizeof number, ":%" PRIu64, line);
    size_t length = strlen(name), room = size - 1 - strlen(number);
    if (length <= room)
        snprintf(buffer, size, "%s%s", name, number);
    else
        snprintf(buffer, size, "...%s%s", name + (length - (room - 3)), number);
    return buffer;
}

bough_status bough_scan_fail(const bough_scan *scan, bough_error *error, const char *format, ...) {
    char place[256], reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return bough_fail(error, BOUGH_INVALID, bough_place(place, sizeof place, scan->name, scan->line), "%s%s",
                      reason, scan->open ? "; the file ends within this line" : "");
}
