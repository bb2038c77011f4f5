/* Scanner for text files by line and token, with the position for messages. */
#ifndef BOUGH_NETWORK_FILES_LINE_SCANNER_H
#define BOUGH_NETWORK_FILES_LINE_SCANNER_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The largest unicast LID; larger ones are multicast groups. */
#define BOUGH_LID_MAX  0xBFFF
#define BOUGH_PORT_MAX 254

/* Bytes of a file, not terminated. */
typedef struct bough_slice {
    const char *text;
    size_t length;
} bough_slice;

static inline bool bough_slice_is(bough_slice slice, const char *text) {
    return strlen(text) == slice.length && memcmp(slice.text, text, slice.length) == 0;
}

typedef struct bough_scan {
    const char *name;         /* file name, for messages */
    const char *cursor, *end; /* unread lines */
    const char *at, *stop;    /* the rest of this line */
    uint32_t line;            /* number of this line, from 1 */
    bool open;                /* last line without a line end: the file may be truncated */
} bough_scan;

/* Starts before the first line. Errors: INVALID with the line of the first NUL byte, if any. */
bough_status bough_scan_start(bough_scan *scan, const char *name, const char *data, size_t size,
                              bough_error *error);
/* Goes on with more lines of the file, behind the last line. Errors: as above. */
bough_status bough_scan_more(bough_scan *scan, const char *data, size_t size, bough_error *error);
/* Moves to the next line; false at the end of the file. */
bool bough_scan_line(bough_scan *scan);

/* Returns whether the rest of the line starts with text. */
static inline bool bough_scan_starts(const bough_scan *scan, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(scan->stop - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

/* These functions skip what they match; without a match they return false and do not move. */
static inline bool bough_scan_text(bough_scan *scan, const char *text) {
    if (!bough_scan_starts(scan, text)) return false;
    scan->at += strlen(text);
    return true;
}
bool bough_scan_blanks(bough_scan *scan);
bool bough_scan_word(bough_scan *scan, bough_slice *word);
/* Decimal, or hexadecimal after 0x; UINT64_MAX on overflow. */
bool bough_scan_number(bough_scan *scan, uint64_t *value);
/* 1 to 16 hexadecimal digits, without 0x. */
bool bough_scan_hex(bough_scan *scan, uint64_t *value);
/* Matches from a quote to the last quote of the line: descriptions may contain quotes. */
bool bough_scan_quoted(bough_scan *scan, char quote, bough_slice *content);

/* Returns whether the line continues with word, blanks and a number, as in "Switch  36 ..". */
bool bough_scan_is_count(const bough_scan *scan, const char *word);
/* Returns whether only blanks remain in the line. */
bool bough_scan_done(bough_scan *scan);
/* Returns whether the rest of the line ends with text. */
bool bough_scan_ends(const bough_scan *scan, const char *text);
/* Returns whether the line is a message of the tool that wrote the file ("ibwarn: ..", "ibroute: iberror:
 * .."). */
bool bough_scan_complaint(const bough_scan *scan);

/* Formats "name:line", or name for line 0. Long names are truncated at the start, which keeps the number. */
char *bough_place(char *buffer, size_t size, const char *name, uint64_t line);

/* Reports INVALID at this line. */
bough_status bough_scan_fail(const bough_scan *scan, bough_error *error, const char *format, ...)
    BOUGH_PRINTF(3, 4);

#endif
