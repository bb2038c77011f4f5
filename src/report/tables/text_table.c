#include "report/tables/text_table.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64 };

/* Counts characters, not bytes: UTF-8 continuation bytes have no width. */
static size_t text_width(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void text_table_add(text_table *t, const char *text) {
    if (t->failed || bough_grow(&t->cell, &t->capacity, t->cells + 1, sizeof *t->cell, NULL)) {
        t->failed = true;
        return;
    }
    char *shown = bough_strdup(text);
    if (!shown) {
        t->failed = true;
        return;
    }
    shown[bough_show_line(shown, strlen(shown))] = 0;
    t->cell[t->cells++] = shown;
}

void text_table_head(text_table *t, const char *text, bool right) {
    if (t->cells < COLUMNS_MAX) t->right[t->cells] = right;
    text_table_add(t, text);
}

void text_table_head_joined(text_table *t, const char *text, bool right) {
    if (t->cells < COLUMNS_MAX) t->joins[t->cells] = true;
    text_table_head(t, text, right);
}

void text_table_end_row(text_table *t) {
    if (!t->width) t->width = t->cells < COLUMNS_MAX ? t->cells : COLUMNS_MAX;
    while (!t->failed && t->width && t->cells % t->width) text_table_add(t, "");
}

size_t text_table_width(const text_table *t, size_t column) {
    size_t widest = 0;
    for (size_t i = t->width + column; i < t->cells; i += t->width) {
        size_t w = text_width(t->cell[i]);
        if (w > widest) widest = w;
    }
    if (!widest || column >= t->cells) return 0;
    size_t head = text_width(t->cell[column]);
    return widest > head ? widest : head;
}

size_t text_table_line(const text_table *t) {
    size_t line = 0;
    for (size_t c = 0; c < t->width; c++) {
        size_t w = text_table_width(t, c);
        if (w) line += w + (line ? TEXT_TABLE_GAP : 0);
    }
    return line;
}

static void put_blanks(bough_text *out, size_t count) {
    while (count--) bough_text_add(out, " ", 1);
}

void text_table_write(const text_table *t, bough_text *out) {
    size_t width[COLUMNS_MAX];
    for (size_t c = 0; c < t->width; c++) width[c] = text_table_width(t, c);
    for (size_t row = 0; t->width && row < t->cells / t->width; row++) {
        size_t pending = 0; /* blanks that are written only if text follows */
        bool first = true;
        for (size_t c = 0; c < t->width; c++) {
            if (!width[c]) continue;
            const char *text = t->cell[row * t->width + c];
            size_t fill = width[c] - text_width(text);
            pending += first ? 0 : TEXT_TABLE_GAP;
            first = false;
            if (!*text) {
                pending += width[c];
                continue;
            }
            put_blanks(out, pending + (t->right[c] ? fill : 0));
            bough_text_put(out, text);
            pending = t->right[c] ? 0 : fill;
        }
        bough_text_put(out, "\n");
    }
    if (t->failed) out->failed = true;
}

void text_table_fini(text_table *t) {
    for (size_t i = 0; i < t->cells; i++) free(t->cell[i]);
    free(t->cell);
    *t = (text_table){0};
}
