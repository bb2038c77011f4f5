#include "network/files/dot_language.h"

#include <string.h>

bough_status bough_dot_fail(const bough_dot *dot, uint32_t line, bough_error *error, const char *what) {
    char place[256];
    return bough_fail(error, BOUGH_INVALID, bough_place(place, sizeof place, dot->name, line), "%s", what);
}

static bool word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

static void skip_blanks(bough_dot *dot) {
    for (; dot->at < dot->stop; dot->at++) {
        bool comment = *dot->at == '#' || (dot->stop - dot->at > 1 && memcmp(dot->at, "//", 2) == 0);
        if (comment)
            while (dot->at + 1 < dot->stop && dot->at[1] != '\n') dot->at++;
        else if (*dot->at == '\n')
            dot->line++;
        else if (*dot->at != ' ' && *dot->at != '\t' && *dot->at != '\r')
            return;
    }
}

static bough_status read_text(bough_dot *dot, bough_error *error) {
    dot->token.kind = BOUGH_DOT_TEXT;
    dot->token.text.text = ++dot->at;
    for (; dot->at < dot->stop; dot->at++) {
        if (*dot->at == '"') {
            dot->token.text.length = (size_t)(dot->at++ - dot->token.text.text);
            return BOUGH_OK;
        }
        if (*dot->at == '\\' && dot->stop - dot->at > 1) dot->at++;
        if (*dot->at == '\n') dot->line++;
    }
    return bough_dot_fail(dot, dot->token.line, error, "unterminated quoted text; the file may be truncated");
}

bough_status bough_dot_next(bough_dot *dot, bough_error *error) {
    skip_blanks(dot);
    dot->token = (bough_dot_token){.kind = BOUGH_DOT_SIGN, .text.text = dot->at, .line = dot->line};
    if (dot->at == dot->stop) {
        dot->token.kind = BOUGH_DOT_END;
    } else if (*dot->at == '"') {
        return read_text(dot, error);
    } else if (word_character(*dot->at)) {
        dot->token.kind = BOUGH_DOT_WORD;
        while (dot->at < dot->stop && word_character(*dot->at)) dot->at++;
    } else if (dot->stop - dot->at > 1 && memcmp(dot->at, "->", 2) == 0) {
        dot->token.kind = BOUGH_DOT_ARROW;
        dot->at += 2;
    } else {
        dot->at++;
    }
    dot->token.text.length = (size_t)(dot->at - dot->token.text.text);
    return BOUGH_OK;
}

bool bough_dot_is(const bough_dot *dot, const char *text) {
    return dot->token.kind != BOUGH_DOT_TEXT && bough_slice_is(dot->token.text, text);
}

bool bough_dot_named(const bough_dot *dot) {
    return dot->token.kind == BOUGH_DOT_WORD || dot->token.kind == BOUGH_DOT_TEXT;
}
