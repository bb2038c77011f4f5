#include "report/tables/table_fit.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODED_MAX = 48, CODED_LEAST = 12, COLUMNS = 64, INDENT = 4 };

static size_t rows_of(const columns *t) {
    return t->width ? t->cells / t->width : 0;
}

/* ---- numbers in place of labels ---- */

/* The distinct texts of a column, at most CODED_MAX; 0 if there are more. */
static size_t find_texts(const columns *t, size_t column, const char *text[CODED_MAX]) {
    size_t count = 0;
    for (size_t r = 1; r < rows_of(t); r++) {
        const char *cell = t->cell[r * t->width + column];
        size_t k = 0;
        while (k < count && strcmp(text[k], cell) != 0) k++;
        if (!*cell || k < count) continue;
        if (count == CODED_MAX) return 0;
        text[count++] = cell;
    }
    return count;
}

/* The widest label that numbers would shorten considerably. */
static size_t widest_label(const columns *t, size_t labels, const bool *coded) {
    const char *text[CODED_MAX];
    size_t best = labels, width = CODED_LEAST;
    for (size_t c = 0; c < labels; c++) {
        if (coded[c] || columns_width(t, c) <= width || !find_texts(t, c, text)) continue;
        best = c;
        width = columns_width(t, c);
    }
    return best;
}

/* Numbers continue from one column to the next, so that each has one meaning. */
static void code_column(columns *t, size_t column, size_t *number, bough_text *legend) {
    const char *text[CODED_MAX];
    char *name[CODED_MAX] = {0}, code[24];
    size_t count = find_texts(t, column, text);
    for (size_t k = 0; k < count; k++) {
        name[k] = bough_strdup(text[k]);
        if (!name[k]) t->failed = true;
    }
    for (size_t k = 0; k < count && !t->failed; k++) {
        snprintf(code, sizeof code, "(%zu)", *number + k + 1);
        bough_text line = {0};
        bough_text_printf(&line, "%s %s", code, name[k]);
        narrow_put_text(legend, &line, 80);
        for (size_t r = 1; r < rows_of(t); r++) {
            char **cell = &t->cell[r * t->width + column];
            if (strcmp(*cell, name[k]) != 0) continue;
            char *copy = bough_strdup(code);
            if (!copy) {
                t->failed = true;
                break;
            }
            free(*cell);
            *cell = copy;
        }
    }
    for (size_t k = 0; k < count; k++) free(name[k]);
    *number += count;
}

/* ---- split tables ---- */

typedef struct parts {
    size_t first[COLUMNS + 1], count; /* part i has columns first[i] .. first[i+1]-1 of the middle */
    bool fit;
} parts;

/* Greedily, by whole groups of columns. */
static parts cut(const columns *t, size_t labels, size_t tail, size_t line) {
    parts p = {.fit = true};
    size_t fixed = 0, used = 0;
    for (size_t c = 0; c < t->width; c++)
        if (c < labels || c >= tail) fixed += columns_width(t, c) ? columns_width(t, c) + COLUMNS_GAP : 0;
    for (size_t c = labels, next; c < tail; c = next) {
        size_t group = 0;
        for (next = c; next < tail && (next == c || t->joins[next]); next++)
            group += columns_width(t, next) ? columns_width(t, next) + COLUMNS_GAP : 0;
        if (p.count == 0 || fixed + used + group > line + COLUMNS_GAP) {
            p.first[p.count++] = c;
            used = 0;
        }
        used += group;
        if (fixed + used > line + COLUMNS_GAP) p.fit = false;
    }
    p.first[p.count] = tail;
    return p;
}

static void add_part(const columns *t, size_t labels, size_t tail, size_t from, size_t to, columns *part) {
    for (size_t r = 0; r < rows_of(t); r++) {
        char **row = &t->cell[r * t->width];
        bool any = r == 0;
        for (size_t c = from; c < to; c++) any |= row[c][0] != 0;
        if (!any) continue;
        for (size_t c = 0; c < t->width; c++) {
            if (c >= labels && c < tail && (c < from || c >= to)) continue;
            if (r == 0)
                columns_head(part, row[c], t->right[c]);
            else
                columns_add(part, row[c]);
        }
        columns_end_row(part);
    }
}

void narrow_write(columns *t, size_t labels, size_t tail, size_t line, bough_text *out, bough_text *legend) {
    bool coded[COLUMNS] = {0};
    size_t number = 0, column;
    if (t->failed) out->failed = true;
    if (t->failed) return;
    parts whole = cut(t, labels, tail, line);
    if (columns_line(t) <= line || tail <= labels || t->width > COLUMNS) {
        columns_write(t, out);
        return;
    }
    columns plain = {0}; /* the original labels, in case numbers do not help */
    add_part(t, labels, tail, labels, tail, &plain);
    while (columns_line(t) > line && (column = widest_label(t, labels, coded)) < labels) {
        code_column(t, column, &number, legend);
        coded[column] = true;
    }
    parts p = cut(t, labels, tail, line);
    bool keep = whole.fit && p.count > 1 && whole.count <= p.count + 1;
    if (keep && legend->data) legend->length = 0, legend->data[0] = 0;
    const columns *from = keep ? &plain : t;
    if (keep) p = whole;
    for (size_t i = 0; i < p.count; i++) {
        columns part = {0};
        add_part(from, labels, tail, p.first[i], p.first[i + 1], &part);
        if (part.width && part.cells > part.width) {
            if (i) bough_text_put(out, "\n");
            columns_write(&part, out);
        }
        if (part.failed) out->failed = true;
        columns_fini(&part);
    }
    if (plain.failed || t->failed) out->failed = true;
    columns_fini(&plain);
}

/* ---- labels above their rows ---- */

void narrow_write_headed(const columns *t, size_t labels, size_t line, bough_text *out) {
    if (t->failed || columns_line(t) <= line || labels == 0) {
        columns_write(t, out);
        return;
    }
    columns rest = {0}; /* without labels */
    for (size_t r = 0; r < rows_of(t); r++) {
        for (size_t c = labels; c < t->width; c++)
            if (r == 0)
                columns_head(&rest, t->cell[c], t->right[c]);
            else
                columns_add(&rest, t->cell[r * t->width + c]);
        columns_end_row(&rest);
    }
    bough_text body = {0};
    columns_write(&rest, &body);
    char *lines = bough_text_take(&body);
    const char *at = lines ? lines : "";
    for (size_t r = 0; r < rows_of(t) && *at; r++) {
        bough_text head = {0};
        for (size_t c = 0; c < labels && r; c++)
            if (t->cell[r * t->width + c][0])
                bough_text_printf(&head, "%s%s", head.length ? "  " : "", t->cell[r * t->width + c]);
        narrow_put_text(out, &head, line);
        size_t length = strcspn(at, "\n");
        bough_text_printf(out, "%*s%.*s\n", length ? INDENT : 0, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (!lines) out->failed = true;
    free(lines);
    columns_fini(&rest);
}

/* ---- long lines ---- */

static void put_lines(bough_text *out, const char *text, size_t line) {
    bool first = true;
    while (*text) {
        size_t room = first ? line : line - INDENT, end = strlen(text);
        if (end > room) {
            size_t at = room;
            while (at > 0 && text[at - 1] != ' ' && text[at - 1] != ',') at--;
            if (at == 0) { /* one long word */
                at = room;
                while (text[at] && text[at] != ' ' && text[at] != ',') at++;
                if (text[at]) at++;
            }
            end = at;
        }
        size_t shown = end;
        while (shown > 0 && text[shown - 1] == ' ') shown--;
        bough_text_printf(out, "%*s%.*s\n", first ? 0 : INDENT, "", (int)shown, text);
        text += end;
        first = false;
    }
}

void narrow_put(bough_text *out, const char *text, size_t line) {
    bough_text copy = {0};
    bough_text_put(&copy, text);
    narrow_put_text(out, &copy, line);
}

void narrow_put_text(bough_text *out, bough_text *text, size_t line) {
    bough_text_show(text, 0);
    if (text->failed)
        out->failed = true;
    else if (text->length)
        put_lines(out, text->data, line);
    bough_text_fini(text);
}
