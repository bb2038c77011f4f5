#include "document/text_table.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts characters, not bytes: UTF-8 continuation bytes have no width. */
static size_t text_width(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void text_table_add(text_table *t, const char *text) {
    if (t->failed || bough_grow(&t->cell, &t->capacity, t->cells + 1, sizeof *t->cell, NULL) ||
        bough_grow(&t->style, &t->style_capacity, t->cells + 1, sizeof *t->style, NULL)) {
        t->failed = true;
        return;
    }
    char *shown = bough_strdup(text);
    if (!shown) {
        t->failed = true;
        return;
    }
    shown[bough_show_line(shown, strlen(shown))] = 0;
    t->style[t->cells] = (unsigned char)t->now;
    t->cell[t->cells++] = shown;
}

void text_table_add_number(text_table *t, int digits, double value) {
    char text[64];
    if (digits)
        snprintf(text, sizeof text, "%.*g", digits, value);
    else
        snprintf(text, sizeof text, "%.0f", value);
    text_table_add(t, isfinite(value) ? text : "-");
}

void text_table_head(text_table *t, const char *text, bool right) {
    if (t->cells < TEXT_TABLE_COLUMNS) t->right[t->cells] = right;
    text_table_add(t, text);
}

void text_table_head_joined(text_table *t, const char *text, bool right) {
    if (t->cells < TEXT_TABLE_COLUMNS) t->joins[t->cells] = true;
    text_table_head(t, text, right);
}

void text_table_head_unit(text_table *t) {
    if (t->cells < TEXT_TABLE_COLUMNS) t->close[t->cells] = true;
    text_table_head_joined(t, "", false);
}

void text_table_room(text_table *t, text_room room) {
    if (t->cells && t->cells <= TEXT_TABLE_COLUMNS) t->room[t->cells - 1] = (unsigned char)room;
}

void text_table_end_row(text_table *t) {
    if (!t->width) t->width = t->cells < TEXT_TABLE_COLUMNS ? t->cells : TEXT_TABLE_COLUMNS;
    while (!t->failed && t->width && t->cells % t->width) text_table_add(t, "");
}

size_t text_table_rows(const text_table *t) {
    return t->width ? t->cells / t->width : 0;
}

size_t text_table_heads(const text_table *t) {
    return 1 + t->units;
}

size_t text_table_width(const text_table *t, size_t column) {
    size_t widest = 0, heads = text_table_heads(t), rows = text_table_rows(t);
    for (size_t r = heads; r < rows; r++) {
        size_t w = text_width(t->cell[r * t->width + column]);
        if (w > widest) widest = w;
    }
    for (size_t r = 0; r < heads && r < rows && widest; r++) {
        size_t w = text_width(t->cell[r * t->width + column]);
        if (w > widest) widest = w;
    }
    return widest;
}

static size_t gap(const text_table *t, size_t column) {
    return t->close[column] ? 1 : TEXT_TABLE_GAP;
}

size_t text_table_width_with_gap(const text_table *t, size_t column) {
    size_t width = text_table_width(t, column);
    return width ? width + gap(t, column) : 0;
}

size_t text_table_line(const text_table *t) {
    size_t line = 0;
    for (size_t c = 0; c < t->width; c++) {
        size_t w = text_table_width(t, c);
        if (w) line += w + (line ? gap(t, c) : 0);
    }
    return line;
}

void text_table_copy(text_table *t, const text_table *from, size_t row, size_t column) {
    size_t at = row * from->width + column, to = t->cells;
    if (row == 0 && to < TEXT_TABLE_COLUMNS) {
        t->right[to] = from->right[column];
        t->joins[to] = from->joins[column];
        t->close[to] = from->close[column];
        t->room[to] = from->room[column];
    }
    t->now = (text_style)from->style[at];
    text_table_add(t, from->cell[at]);
    t->now = TEXT_PLAIN;
}

static void put_blanks(bough_text *out, size_t count) {
    while (count--) bough_text_add(out, " ", 1);
}

void text_style_put(bough_text *out, text_style style, const char *text) {
    static const char *const code[] = {"", "\033[1m", "\033[33m", "\033[31m", "\033[32m"};
    bough_text_put(out, code[style]);
    bough_text_put(out, text);
    if (style != TEXT_PLAIN) bough_text_put(out, "\033[0m");
}

static void put_row(const text_table *t, size_t row, const size_t *width, bough_text *out) {
    size_t pending = 0; /* blanks that are written only if text follows */
    bool first = true;
    for (size_t c = 0; c < t->width; c++) {
        if (!width[c]) continue;
        size_t at = row * t->width + c;
        const char *text = t->cell[at];
        size_t fill = width[c] - text_width(text);
        pending += first ? 0 : gap(t, c);
        first = false;
        if (!*text) {
            pending += width[c];
            continue;
        }
        put_blanks(out, pending + (t->right[c] ? fill : 0));
        text_style_put(out, t->colours ? (text_style)t->style[at] : TEXT_PLAIN, text);
        pending = t->right[c] ? 0 : fill;
    }
    bough_text_put(out, "\n");
}

static bool has_text(const text_table *t, size_t row, const size_t *width) {
    for (size_t c = 0; c < t->width; c++)
        if (width[c] && t->cell[row * t->width + c][0]) return true;
    return false;
}

void text_table_write(const text_table *t, bough_text *out) {
    size_t width[TEXT_TABLE_COLUMNS];
    for (size_t c = 0; c < t->width; c++) width[c] = text_table_width(t, c);
    for (size_t row = 0; row < text_table_rows(t); row++)
        if (row == 0 || row >= text_table_heads(t) || has_text(t, row, width)) put_row(t, row, width, out);
    if (t->failed) out->failed = true;
}

void text_table_fini(text_table *t) {
    for (size_t i = 0; i < t->cells; i++) free(t->cell[i]);
    free(t->cell);
    free(t->style);
    *t = (text_table){0};
}
