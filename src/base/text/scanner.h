/* The reader of text files: lines with their numbers, what stands in them, and the one way to say what is
 * wrong: "FILE:LINE: what is wrong; what would be right".
 *
 *     scanner s = scan_piece(&input.piece[0], error);
 *     while (!status && scan_line(&s))
 *         if (!scan_number(&s, &value) || !scan_done(&s)) status = scan_fail(&s, "expected a number");
 *
 * Nothing is allocated or copied; time is linear in the bytes that are moved over. Tables of comma-separated
 * values have rows instead of lines: base/text/csv_reader.h. Readers of binary files and of JSON have a
 * scanner for the place alone. */
#ifndef BOUGH_BASE_TEXT_SCANNER_H
#define BOUGH_BASE_TEXT_SCANNER_H

#include "base/files/input.h"
#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a file, not terminated. */
typedef struct bough_slice {
    const char *text;
    size_t length;
} bough_slice;

static inline bool bough_slice_is(bough_slice slice, const char *text) {
    return strlen(text) == slice.length && memcmp(slice.text, text, slice.length) == 0;
}

/* A place in a text that the caller keeps. Copy it to look ahead. */
typedef struct scanner {
    const char *file;         /* its name, for messages */
    const char *cursor, *end; /* what follows this line */
    const char *at, *stop;    /* the rest of this line */
    uint32_t line;            /* number of this line, from 1; 0: the file as a whole */
    bool ends;                /* a program wrote the file: its last line has an end, or it was cut off */
    bool open;                /* it was cut off within this line, which messages say */
    bough_error *error;       /* of the caller; may be NULL */
} scanner;

/* Starts before the first line of a file. */
scanner scan_piece(const bough_input_piece *piece, bough_error *error);
/* The same for a file that a program wrote. Errors: INVALID with the line of the first NUL byte, if any. */
bough_status scan_start(scanner *s, const char *file, const char *data, size_t size, bough_error *error);
/* Goes on with more lines of the file, behind the last line. Errors: as above. */
bough_status scan_more(scanner *s, const char *data, size_t size);
/* Moves to the next line; false at the end of the file. */
bool scan_line(scanner *s);

/* Returns whether the rest of the line starts with text. */
static inline bool scan_starts(const scanner *s, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(s->stop - s->at) >= length && memcmp(s->at, text, length) == 0;
}

/* These functions skip what they match; without a match they return false and do not move. */
static inline bool scan_text(scanner *s, const char *text) {
    if (!scan_starts(s, text)) return false;
    s->at += strlen(text);
    return true;
}
bool scan_blanks(scanner *s);
bool scan_word(scanner *s, bough_slice *word);
/* Decimal, or hexadecimal after 0x; UINT64_MAX on overflow. */
bool scan_number(scanner *s, uint64_t *value);
/* 1 to 16 hexadecimal digits, without 0x. */
bool scan_hex(scanner *s, uint64_t *value);
/* Matches from a quote to the last quote of the line: descriptions may contain quotes. */
bool scan_quoted(scanner *s, char quote, bough_slice *content);

/* A scanner of a part of the text, for its number; its messages are those of this line. */
static inline scanner scan_part(const scanner *s, bough_slice part) {
    scanner inner = *s;
    inner.at = part.text;
    inner.stop = part.length ? part.text + part.length : part.text;
    return inner;
}

/* The next word between these characters, truncated to its field; false: none is left. */
bool scan_next(scanner *s, const char *blanks, char *word, size_t size);

/* Returns whether only blanks remain in the line. */
bool scan_done(scanner *s);
/* Returns whether the rest of the line ends with text. */
bool scan_ends(const scanner *s, const char *text);

/* Reports INVALID at this line. */
bough_status scan_fail(const scanner *s, const char *format, ...) BOUGH_PRINTF(2, 3);
/* The same at another line of the file. */
bough_status scan_fail_line(const scanner *s, uint32_t line, const char *format, ...) BOUGH_PRINTF(3, 4);
/* If status is a failure, sets its place to this line. Returns status. */
bough_status scan_at(const scanner *s, bough_status status);

/* scan_fail and scan_at for a reader *r with a member `in`. */
#define FAIL_HERE(...)  scan_fail(&r->in, __VA_ARGS__)
#define AT_LINE(status) scan_at(&r->in, status)

/* Reads a whole number of at most 18 digits; what: its name. Errors: INVALID at this line. */
bough_status scan_whole(const scanner *s, const char *text, const char *what, uint64_t most, uint64_t *value);

/* A slice for messages: printable, and at most 39 bytes of it. */
#define SHOWN(slice) bough_shown(slice, (char[40]){0}, 40)
const char *bough_shown(bough_slice slice, char *buffer, size_t size);

#endif
