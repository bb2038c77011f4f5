/* Reading a text file line by line and a line piece by piece, with the place for messages. */
#ifndef BOUGH_NETWORK_FILES_LINE_SCANNER_H
#define BOUGH_NETWORK_FILES_LINE_SCANNER_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest LID that names a port; those above are multicast groups. */
#define BOUGH_LID_MAX  0xBFFF
#define BOUGH_PORT_MAX 254

typedef struct bough_scan {
    const char *name;         /* of the file, for messages */
    const char *cursor, *end; /* the lines that were not read yet */
    const char *at, *stop;    /* what is left of this line */
    uint32_t line;            /* number of this line, from 1 */
    bool open;                /* this is the last line and nothing ends it: the file may be cut off */
} bough_scan;

/* Starts before the first line. Errors: INVALID with the line of the first NUL byte, if there is one. */
bough_status bough_scan_start(bough_scan *scan, const char *name, const char *data, size_t size,
                              bough_error *error);
/* To the next line; false at the end of the file. */
bool bough_scan_line(bough_scan *scan);

/* These move past what they found; where they find nothing they return false and stay. */
bool bough_scan_text(bough_scan *scan, const char *text);
bool bough_scan_blanks(bough_scan *scan);
bool bough_scan_word(bough_scan *scan, const char **word, size_t *length);
/* Decimal, or hexadecimal after 0x; UINT64_MAX where it does not fit. */
bool bough_scan_number(bough_scan *scan, uint64_t *value);
/* 1 to 16 hexadecimal digits, without 0x. */
bool bough_scan_hex(bough_scan *scan, uint64_t *value);
/* From here, a quote, to the last quote of the line: descriptions may hold quotes themselves. */
bool bough_scan_quoted(bough_scan *scan, char quote, const char **text, size_t *length);

/* Whether only blanks are left of the line. */
bool bough_scan_done(bough_scan *scan);
/* Whether what is left starts with text, and whether it ends with it. */
bool bough_scan_starts(const bough_scan *scan, const char *text);
bool bough_scan_ends(const bough_scan *scan, const char *text);
/* Whether the line is a complaint of the tool that wrote the file ("ibwarn: ..", "ibroute: iberror: .."). */
bool bough_scan_complaint(const bough_scan *scan);

/* "name:line", or name alone for line 0. A long name loses its beginning, so that the number stays. */
char *bough_place(char *buffer, size_t size, const char *name, uint64_t line);

/* INVALID at this line. */
bough_status bough_scan_fail(const bough_scan *scan, bough_error *error, const char *format, ...)
    BOUGH_PRINTF(3, 4);

#endif
