#include "base/text/escape.h"

#include "base/text/terminal_text.h"
#include "base/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* ---- terminal text ---- */

static size_t show(char *text, size_t length, const char *keep) {
    size_t used = 0;
    uint32_t code;
    for (size_t i = 0, step; i < length; i += step) {
        step = bough_utf8_read(text + i, length - i, &code);
        bool kept = step && (!bough_utf8_is_hidden(code) || (code && code < 0x80 && strchr(keep, (int)code)));
        if (kept)
            memmove(text + used, text + i, step);
        else
            text[used] = '?';
        used += kept ? step : 1;
        if (!step) step = 1;
    }
    return used;
}

size_t bough_show_line(char *text, size_t length) {
    return show(text, length, "");
}

size_t bough_show_lines(char *text, size_t length) {
    return show(text, length, "\n\t");
}

void bough_show_cut(char *buffer, int wanted, size_t size) {
    size_t length = wanted < 0              ? 0
                    : (size_t)wanted < size ? (size_t)wanted
                                            : bough_utf8_whole(buffer, size - 1);
    buffer[bough_show_line(buffer, length)] = 0;
}

void bough_text_show(bough_text *t, size_t from) {
    if (t->failed || from >= t->length) return;
    t->length = from + bough_show_line(t->data + from, t->length - from);
    t->data[t->length] = 0;
}

void bough_text_put_shown(bough_text *t, const char *string) {
    size_t from = t->length;
    bough_text_put(t, string);
    bough_text_show(t, from);
}

/* ---- JSON ---- */

static void put_escape(bough_text *t, uint32_t code) {
    static const char letter[] = "btn.fr"; /* for codes 8 to 13 except 11 */
    if (code >= 8 && code <= 13 && code != 11) {
        bough_text_printf(t, "\\%c", letter[code - 8]);
        return;
    }
    if (code < 0x10000) {
        bough_text_printf(t, "\\u%04x", (unsigned)code);
        return;
    }
    code -= 0x10000;
    bough_text_printf(t, "\\u%04x\\u%04x", 0xd800u + (unsigned)(code >> 10),
                      0xdc00u + (unsigned)(code & 0x3ff));
}

void bough_text_put_json(bough_text *t, const char *string) {
    size_t left = strlen(string), plain = 0; /* plain: preceding bytes that were not yet added */
    uint32_t code;
    bough_text_put(t, "\"");
    for (size_t step; left; string += step, left -= step) {
        step = bough_utf8_read(string, left, &code);
        bool escape = step && bough_utf8_is_hidden(code);
        bool slash = step == 1 && strchr("\"\\", (int)code);
        if (step && !escape && !slash) {
            plain += step;
            continue;
        }
        bough_text_add(t, string - plain, plain);
        plain = 0;
        if (slash) bough_text_put(t, "\\");
        if (slash) bough_text_add(t, string, 1);
        if (escape) put_escape(t, code);
        if (!step) bough_text_put(t, REPLACEMENT);
        if (!step) step = 1;
    }
    bough_text_add(t, string - plain, plain);
    bough_text_put(t, "\"");
}

/* ---- XML and HTML ---- */

static const char *entity(uint32_t code) {
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return bough_utf8_is_control(code) && code != '\n' && code != '\t' ? REPLACEMENT : NULL;
    }
}

void bough_text_put_xml(bough_text *t, const char *string) {
    const size_t length = strlen(string);
    uint32_t code;
    for (size_t i = 0, step; i < length; i += step) {
        step = bough_utf8_read(string + i, length - i, &code);
        const char *instead = step ? entity(code) : REPLACEMENT;
        if (instead)
            bough_text_put(t, instead);
        else
            bough_text_add(t, string + i, step);
        if (!step) step = 1;
    }
}

/* ---- CSV ---- */

static bool is_terminal_line(const char *cell) {
    const scanner line = {.at = cell, .stop = cell + strlen(cell)};
    return terminal_noise(&line);
}

static void put_cell(bough_text *t, const char *cell, const char *before) {
    /* some readers, including bough, ignore lines with #, and bough those of a terminal */
    bool plain = !cell[strcspn(cell, ",\"\r\n#")] && !is_terminal_line(cell);
    if (!plain) bough_text_put(t, "\"");
    bough_text_put(t, before);
    for (; *cell; cell++) {
        if (*cell == '"') bough_text_put(t, "\"");
        bough_text_add(t, cell, 1);
    }
    if (!plain) bough_text_put(t, "\"");
}

void bough_text_put_csv(bough_text *t, const char *cell) {
    put_cell(t, cell, "");
}

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return *text && !*end && !text[strspn(text, "+-.0123456789eE")]; /* excludes blanks and "-inf" */
}

void bough_text_put_csv_safe(bough_text *t, const char *cell) {
    bool formula = *cell && strchr("=+-@\t\r", *cell) && !is_number(cell);
    put_cell(t, cell, formula ? "'" : "");
}

/* ---- Graphviz ---- */

/* A label is parsed twice: \ starts an escape, & an HTML entity. */
static void put_dot(bough_text *t, const char *character, size_t size, uint32_t code) {
    if (size == 0 || bough_utf8_is_control(code))
        bough_text_put(t, REPLACEMENT);
    else if (code == '&')
        bough_text_put(t, "&amp;");
    else if (code == '"' || code == '\\')
        bough_text_printf(t, "\\%c", (int)code);
    else
        bough_text_add(t, character, size);
}

void bough_text_put_dot(bough_text *t, const char *label) {
    uint32_t code = 0;
    bough_text_put(t, "\"");
    for (size_t left = strlen(label), step; left; label += step, left -= step) {
        step = bough_utf8_read(label, left, &code);
        put_dot(t, label, step, code);
        if (!step) step = 1;
    }
    bough_text_put(t, "\"");
}

void bough_text_put_word(bough_text *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
    if (*word && !word[strspn(word, plain)]) {
        bough_text_put(out, word);
        return;
    }
    bough_text_put(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            bough_text_put(out, "'\\''");
        else
            bough_text_add(out, word, 1);
    bough_text_put(out, "'");
}
