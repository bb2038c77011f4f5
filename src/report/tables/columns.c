#include "report/tables/columns.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, GAP = COLUMNS_GAP };

/* Counts characters, not bytes: UTF-8 continuation bytes have no width. */
static size_t text_width(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void columns_add(columns *t, const char *text) {
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

void columns_head(columns *t, const char *text, bool right) {
    if (t->cells < COLUMNS_MAX) t->right[t->cells] = right;
    columns_add(t, text);
}

void columns_head_joined(columns *t, const char *text, bool right) {
    if (t->cells < COLUMNS_MAX) t->joins[t->cells] = true;
    columns_head(t, text, right);
}

void columns_end_row(columns *t) {
    if (!t->width) t->width = t->cells < COLUMNS_MAX ? t->cells : COLUMNS_MAX;
    while (!t->failed && t->width && t->cells % t->width) columns_add(t, "");
}

size_t columns_width(const columns *t, size_t column) {
    size_t widest = 0;
    for (size_t i = t->width + column; i < t->cells; i += t->width) {
        size_t w = text_width(t->cell[i]);
        if (w > widest) widest = w;
    }
    if (!widest || column >= t->cells) return 0;
    size_t head = text_width(t->cell[column]);
    return widest > head ? widest : head;
}

size_t columns_line(const columns *t) {
    size_t line = 0;
    for (size_t c = 0; c < t->width; c++) {
        size_t w = columns_width(t, c);
        if (w) line += w + (line ? GAP : 0);
    }
    return line;
}

static void put_blanks(bough_text *out, size_t count) {
    while (count--) bough_text_add(out, " ", 1);
}

void columns_write(const columns *t, bough_text *out) {
    size_t width[COLUMNS_MAX];
    for (size_t c = 0; c < t->width; c++) width[c] = columns_width(t, c);
    for (size_t row = 0; t->width && row < t->cells / t->width; row++) {
        size_t pending = 0; /* blanks that are written only if text follows */
        bool first = true;
        for (size_t c = 0; c < t->width; c++) {
            if (!width[c]) continue;
            const char *text = t->cell[row * t->width + c];
            size_t fill = width[c] - text_width(text);
            pending += first ? 0 : GAP;
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

void columns_fini(columns *t) {
    for (size_t i = 0; i < t->cells; i++) free(t->cell[i]);
    free(t->cell);
    *t = (columns){0};
}
