#include "formats/fabrics/dot_language.h"

#include <string.h>

bough_dot bough_dot_start(const scanner *s) {
    bough_dot dot = {.in = *s};
    dot.in.at = s->cursor;
    dot.in.stop = s->end;
    dot.in.line = s->line + 1;
    return dot;
}

bough_status bough_dot_fail(const bough_dot *dot, const char *what) {
    return scan_fail_line(&dot->in, dot->token.line, "%s", what);
}

static bool word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

static void skip_blanks(bough_dot *dot) {
    for (; dot->in.at < dot->in.stop; dot->in.at++) {
        bool comment =
            *dot->in.at == '#' || (dot->in.stop - dot->in.at > 1 && memcmp(dot->in.at, "//", 2) == 0);
        if (comment)
            while (dot->in.at + 1 < dot->in.stop && dot->in.at[1] != '\n') dot->in.at++;
        else if (*dot->in.at == '\n')
            dot->in.line++;
        else if (*dot->in.at != ' ' && *dot->in.at != '\t' && *dot->in.at != '\r')
            return;
    }
}

static bough_status read_text(bough_dot *dot) {
    dot->token.kind = BOUGH_DOT_TEXT;
    dot->token.text.text = ++dot->in.at;
    for (; dot->in.at < dot->in.stop; dot->in.at++) {
        if (*dot->in.at == '"') {
            dot->token.text.length = (size_t)(dot->in.at++ - dot->token.text.text);
            return BOUGH_OK;
        }
        if (*dot->in.at == '\\' && dot->in.stop - dot->in.at > 1) dot->in.at++;
        if (*dot->in.at == '\n') dot->in.line++;
    }
    return bough_dot_fail(dot, "unterminated quoted text; the file may be truncated");
}

bough_status bough_dot_next(bough_dot *dot) {
    skip_blanks(dot);
    dot->token = (bough_dot_token){.kind = BOUGH_DOT_SIGN, .text.text = dot->in.at, .line = dot->in.line};
    if (dot->in.at == dot->in.stop) {
        dot->token.kind = BOUGH_DOT_END;
    } else if (*dot->in.at == '"') {
        return read_text(dot);
    } else if (word_character(*dot->in.at)) {
        dot->token.kind = BOUGH_DOT_WORD;
        while (dot->in.at < dot->in.stop && word_character(*dot->in.at)) dot->in.at++;
    } else if (dot->in.stop - dot->in.at > 1 && memcmp(dot->in.at, "->", 2) == 0) {
        dot->token.kind = BOUGH_DOT_ARROW;
        dot->in.at += 2;
    } else {
        dot->in.at++;
    }
    dot->token.text.length = (size_t)(dot->in.at - dot->token.text.text);
    return BOUGH_OK;
}

bool bough_dot_is(const bough_dot *dot, const char *text) {
    return dot->token.kind != BOUGH_DOT_TEXT && bough_slice_is(dot->token.text, text);
}

bool bough_dot_named(const bough_dot *dot) {
    return dot->token.kind == BOUGH_DOT_WORD || dot->token.kind == BOUGH_DOT_TEXT;
}
