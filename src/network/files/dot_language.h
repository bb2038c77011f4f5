/* Tokenizer for the subset of the dot language (Graphviz) in files of ORCS and PTM. */
#ifndef BOUGH_NETWORK_FILES_DOT_LANGUAGE_H
#define BOUGH_NETWORK_FILES_DOT_LANGUAGE_H

#include "network/files/line_scanner.h"

typedef enum bough_dot_kind {
    BOUGH_DOT_END,
    BOUGH_DOT_WORD,
    BOUGH_DOT_TEXT, /* content of a quoted text */
    BOUGH_DOT_ARROW,
    BOUGH_DOT_SIGN /* one character */
} bough_dot_kind;

typedef struct bough_dot_token {
    bough_dot_kind kind;
    bough_slice text;
    uint32_t line;
} bough_dot_token;

typedef struct bough_dot {
    const char *name; /* file name, for messages */
    const char *at, *stop;
    uint32_t line;
    bough_dot_token token; /* the last token read */
} bough_dot;

/* Reads the next token. Errors: INVALID for an unterminated quoted text. */
bough_status bough_dot_next(bough_dot *dot, bough_error *error);
/* Returns whether the token is this word or sign (not quoted). */
bool bough_dot_is(const bough_dot *dot, const char *text);
/* Returns whether the token is a name: a word or a quoted text. */
bool bough_dot_named(const bough_dot *dot);
/* Reports INVALID at a line. */
bough_status bough_dot_fail(const bough_dot *dot, uint32_t line, bough_error *error, const char *what);

#endif
