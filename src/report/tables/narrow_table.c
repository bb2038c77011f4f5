#include "report/tables/narrow_table.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODED_MAX = 48, CODED_LEAST = 12, COLUMNS = 64, INDENT = 4 };

static size_t rows_of(const text_table *t) {
    return t->width ? t->cells / t->width : 0;
}

/* ---- numbers in place of labels ---- */

/* The distinct texts of a column, at most CODED_MAX; 0 if there are more. */
static size_t find_texts(const text_table *t, size_t column, const char *text[CODED_MAX]) {
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
static size_t widest_label(const text_table *t, const bool *coded) {
    const char *text[CODED_MAX];
    size_t best = t->labels, width = CODED_LEAST;
    for (size_t c = 0; c < t->labels; c++) {
        if (coded[c] || text_table_width(t, c) <= width || !find_texts(t, c, text)) continue;
        best = c;
        width = text_table_width(t, c);
    }
    return best;
}

/* Numbers continue from one column to the next, so that each has one meaning. */
static void code_column(text_table *t, size_t column, size_t *number, bough_text *legend) {
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
        put_wrapped_text(legend, &line, 80);
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

static bool in_every_part(const text_table *t, size_t column) {
    return column < t->labels || column >= t->width - t->tail;
}

static size_t width_with_gap(const text_table *t, size_t column) {
    size_t width = text_table_width(t, column);
    return width ? width + TEXT_TABLE_GAP : 0;
}

/* Greedily, by whole groups of columns. */
static parts split(const text_table *t, size_t line) {
    parts p = {.fit = true};
    size_t fixed = 0, used = 0, end = t->width - t->tail;
    for (size_t c = 0; c < t->width; c++)
        if (in_every_part(t, c)) fixed += width_with_gap(t, c);
    for (size_t c = t->labels, next; c < end; c = next) {
        size_t group = 0;
        for (next = c; next < end && (next == c || t->joins[next]); next++) group += width_with_gap(t, next);
        if (p.count == 0 || fixed + used + group > line + TEXT_TABLE_GAP) {
            p.first[p.count++] = c;
            used = 0;
        }
        used += group;
        if (fixed + used > line + TEXT_TABLE_GAP) p.fit = false;
    }
    p.first[p.count] = end;
    return p;
}

static void add_part(const text_table *t, size_t from, size_t to, text_table *part) {
    for (size_t r = 0; r < rows_of(t); r++) {
        char **row = &t->cell[r * t->width];
        bool any = r == 0;
        for (size_t c = from; c < to; c++) any |= row[c][0] != 0;
        if (!any) continue;
        for (size_t c = 0; c < t->width; c++) {
            if (!in_every_part(t, c) && (c < from || c >= to)) continue;
            if (r == 0)
                text_table_head(part, row[c], t->right[c]);
            else
                text_table_add(part, row[c]);
        }
        text_table_end_row(part);
    }
}

void narrow_table_write(text_table *t, size_t line, bough_text *out, bough_text *legend) {
    bool coded[COLUMNS] = {0};
    size_t number = 0, column;
    if (t->failed) out->failed = true;
    if (t->failed) return;
    if (text_table_line(t) <= line || t->width <= t->labels + t->tail || t->width > COLUMNS) {
        text_table_write(t, out);
        return;
    }
    parts whole = split(t, line);
    text_table plain = {.labels = t->labels, .tail = t->tail}; /* in case numbers do not help */
    add_part(t, t->labels, t->width - t->tail, &plain);
    while (text_table_line(t) > line && (column = widest_label(t, coded)) < t->labels) {
        code_column(t, column, &number, legend);
        coded[column] = true;
    }
    parts p = split(t, line);
    bool keep = whole.fit && p.count > 1 && whole.count <= p.count + 1;
    if (keep && legend->data) legend->length = 0, legend->data[0] = 0;
    const text_table *from = keep ? &plain : t;
    if (keep) p = whole;
    for (size_t i = 0; i < p.count; i++) {
        text_table part = {0};
        add_part(from, p.first[i], p.first[i + 1], &part);
        if (part.width && part.cells > part.width) {
            if (i) bough_text_put(out, "\n");
            text_table_write(&part, out);
        }
        if (part.failed) out->failed = true;
        text_table_fini(&part);
    }
    if (plain.failed || t->failed) out->failed = true;
    text_table_fini(&plain);
}

/* ---- labels above their rows ---- */

void narrow_table_write_headed(const text_table *t, size_t line, bough_text *out) {
    if (t->failed || text_table_line(t) <= line || t->labels == 0) {
        text_table_write(t, out);
        return;
    }
    text_table rest = {0}; /* without labels */
    for (size_t r = 0; r < rows_of(t); r++) {
        for (size_t c = t->labels; c < t->width; c++)
            if (r == 0)
                text_table_head(&rest, t->cell[c], t->right[c]);
            else
                text_table_add(&rest, t->cell[r * t->width + c]);
        text_table_end_row(&rest);
    }
    bough_text body = {0};
    text_table_write(&rest, &body);
    char *lines = bough_text_take(&body);
    const char *at = lines ? lines : "";
    for (size_t r = 0; r < rows_of(t) && *at; r++) {
        bough_text head = {0};
        for (size_t c = 0; c < t->labels && r; c++)
            if (t->cell[r * t->width + c][0])
                bough_text_printf(&head, "%s%s", head.length ? "  " : "", t->cell[r * t->width + c]);
        put_wrapped_text(out, &head, line);
        size_t length = strcspn(at, "\n");
        bough_text_printf(out, "%*s%.*s\n", length ? INDENT : 0, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (!lines) out->failed = true;
    free(lines);
    text_table_fini(&rest);
}

/* ---- long lines ---- */

/* Length of the first line of a text: at most `most` characters, except that words are not broken. */
static size_t line_length(const char *text, size_t most) {
    size_t length = strlen(text);
    if (length <= most) return length;
    for (length = most; length > 0; length--)
        if (text[length - 1] == ' ' || text[length - 1] == ',') return length;
    length = most + strcspn(text + most, " ,"); /* one long word */
    return length + (text[length] != 0);
}

static void put_lines(bough_text *out, const char *text, size_t line) {
    bool first = true;
    while (*text) {
        size_t end = line_length(text, first ? line : line - INDENT), shown = end;
        while (shown > 0 && text[shown - 1] == ' ') shown--;
        bough_text_printf(out, "%*s%.*s\n", first ? 0 : INDENT, "", (int)shown, text);
        text += end;
        first = false;
    }
}

void put_wrapped(bough_text *out, const char *text, size_t line) {
    bough_text copy = {0};
    bough_text_put(&copy, text);
    put_wrapped_text(out, &copy, line);
}

void put_wrapped_text(bough_text *out, bough_text *text, size_t line) {
    bough_text_show(text, 0);
    if (text->failed)
        out->failed = true;
    else if (text->length)
        put_lines(out, text->data, line);
    bough_text_fini(text);
}
