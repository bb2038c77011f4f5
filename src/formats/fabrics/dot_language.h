/* Tokenizer for the subset of the dot language (Graphviz) in files of ORCS and PTM. */
#ifndef BOUGH_FORMATS_FABRICS_DOT_LANGUAGE_H
#define BOUGH_FORMATS_FABRICS_DOT_LANGUAGE_H

#include "base/text/scanner.h"

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
    scanner in;            /* at: what follows the token, over all lines */
    bough_dot_token token; /* the last one read */
} bough_dot;

/* Starts at the first line that was not read. */
bough_dot bough_dot_start(const scanner *s);
/* Reads the next token. Errors: INVALID for an unterminated quoted text. */
bough_status bough_dot_next(bough_dot *dot);
/* Returns whether the token is this word or sign (not quoted). */
bool bough_dot_is(const bough_dot *dot, const char *text);
/* Returns whether the token is a name: a word or a quoted text. */
bool bough_dot_named(const bough_dot *dot);
/* Reports INVALID at the line of the token. */
bough_status bough_dot_fail(const bough_dot *dot, const char *what);

#endif
