#include "document/narrow_table.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODED_MAX = 48, CODED_LEAST = 12, COLUMNS = 64, INDENT = 4 };

/* ---- columns without room ---- */

static bool fits(const text_table *t, size_t line) {
    const bool headed = t->layout != TEXT_LAYOUT_PARTS && t->labels;
    return text_table_line(t) <= line || (headed && narrow_table_headed_line(t) <= line);
}

/* The row's cells of columns that are to stand behind its last label. */
static void add_labelled(text_table *to, const text_table *t, size_t row) {
    const size_t at = row * t->width + t->labels - 1;
    bough_text text = {0};
    bough_text_put(&text, t->cell[at]);
    to->now = (text_style)t->style[at];
    for (size_t c = t->labels; c < t->width && *t->cell[at] && row >= text_table_heads(t); c++) {
        const size_t cell = row * t->width + c;
        if (t->room[c] != TEXT_ROOM_LABELLED || !*t->cell[cell]) continue;
        bough_text_printf(&text, " (%s)", t->cell[cell]);
        to->now = (text_style)t->style[cell];
    }
    to->failed |= text.failed;
    if (!text.failed) text_table_add(to, text.data);
    to->now = TEXT_PLAIN;
    bough_text_fini(&text);
}

static void drop(text_table *t, text_room room) {
    text_table kept = *t;
    size_t dropped = 0, tail = 0;
    for (size_t c = t->labels; c < t->width; c++) dropped += t->room[c] == room;
    for (size_t c = t->width - t->tail; c < t->width; c++) tail += t->room[c] == room;
    if (!dropped) return;
    kept = (text_table){.units = t->units, .labels = t->labels, .tail = t->tail - tail};
    kept.layout = t->layout, kept.numbered = t->numbered, kept.colours = t->colours;
    for (size_t r = 0; r < text_table_rows(t) && !kept.failed; r++) {
        for (size_t c = 0; c < t->width; c++) {
            const bool label = room == TEXT_ROOM_LABELLED && r && c + 1 == t->labels;
            if (label) add_labelled(&kept, t, r);
            if (!label && t->room[c] != room) text_table_copy(&kept, t, r, c);
        }
        text_table_end_row(&kept);
    }
    kept.failed |= t->failed;
    text_table_fini(t);
    *t = kept;
}

enum { UNIT_ROWS = 4, UNIT_WIDTH = 12, UNIT_TEXT = 40 };

/* Cuts "flits/cycle/endpoint" after slashes and blanks into lines of a column with a short heading. Returns
 * their number. */
static size_t cut_unit(const char *unit, size_t width, char line[UNIT_ROWS][UNIT_TEXT]) {
    size_t lines = 0, most = width > UNIT_WIDTH ? width : UNIT_WIDTH;
    while (*unit && lines < UNIT_ROWS) {
        size_t length = 0;
        while (unit[length]) {
            size_t next = length + strcspn(unit + length, "/ ");
            next += unit[next] != 0;
            if (length && (next > most && lines + 1 < UNIT_ROWS)) break;
            length = next;
        }
        int shown = (int)length - (length > 0 && unit[length - 1] == ' ');
        snprintf(line[lines++], UNIT_TEXT, "%.*s", shown, unit);
        unit += length;
    }
    return lines;
}

static void cut_units(text_table *t) {
    char line[COLUMNS][UNIT_ROWS][UNIT_TEXT] = {0};
    size_t most = 0;
    if (t->units != 1 || t->width > COLUMNS || t->failed) return;
    for (size_t c = 0; c < t->width; c++) {
        const size_t lines = cut_unit(t->cell[t->width + c], strlen(t->cell[c]), line[c]);
        if (lines > most) most = lines;
    }
    text_table cut = {.units = most, .labels = t->labels, .tail = t->tail, .layout = t->layout};
    cut.numbered = t->numbered, cut.colours = t->colours;
    for (size_t r = 0; r < text_table_rows(t); r++) {
        for (size_t k = 0; r == 1 && k < most; k++)
            for (size_t c = 0; c < t->width; c++) text_table_add(&cut, line[c][k]);
        for (size_t c = 0; r != 1 && c < t->width; c++) text_table_copy(&cut, t, r, c);
        text_table_end_row(&cut);
    }
    text_table_fini(t);
    *t = cut;
}

static void number_heads(text_table *t, size_t line, bough_text *legend) {
    for (size_t c = t->labels; c < t->width - t->tail && !t->failed; c++) {
        char number[32];
        bough_text entry = {0};
        snprintf(number, sizeof number, "(%zu)", c - t->labels + 1);
        bough_text_printf(&entry, "%s %s", number, t->cell[c]);
        put_wrapped_text(legend, &entry, line);
        char *copy = bough_strdup(number);
        if (!copy) t->failed = true;
        if (!copy) return;
        free(t->cell[c]);
        t->cell[c] = copy;
    }
}

void narrow_table_fold(text_table *t, size_t line, bough_text *legend) {
    if (t->failed) return;
    cut_units(t);
    if (!fits(t, line)) drop(t, TEXT_ROOM_SPARE);
    if (!fits(t, line)) drop(t, TEXT_ROOM_LABELLED);
    if (t->numbered && text_table_line(t) > line)
        number_heads(t, line, legend);
    else
        t->numbered = false;
}

/* ---- numbers in place of labels ---- */

/* The distinct texts of a column, at most CODED_MAX; 0 if there are more. */
static size_t find_texts(const text_table *t, size_t column, const char *text[CODED_MAX]) {
    size_t count = 0;
    for (size_t r = text_table_heads(t); r < text_table_rows(t); r++) {
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

/* Lines of "(1) circuit:mode=rounds", at most `line` wide. */
typedef struct narrow_legend {
    bough_text text;
    size_t line;
} narrow_legend;

/* The name before its parameters if no other text has it. */
static bool short_name(const char *const *text, size_t count, size_t k, char *code, size_t size) {
    size_t length = strcspn(text[k], ":");
    if (length == 0 || length + 1 > size) return false;
    for (size_t i = 0; i < count; i++)
        if (i != k && strcspn(text[i], ":") == length && strncmp(text[i], text[k], length) == 0) return false;
    snprintf(code, size, "%.*s", (int)length, text[k]);
    return true;
}

static void replace_texts(text_table *t, size_t column, const char *name, const char *code) {
    for (size_t r = text_table_heads(t); r < text_table_rows(t) && !t->failed; r++) {
        char **cell = &t->cell[r * t->width + column];
        if (strcmp(*cell, name) != 0) continue;
        char *copy = bough_strdup(code);
        if (!copy) t->failed = true;
        if (!copy) return;
        free(*cell);
        *cell = copy;
    }
}

/* Numbers continue from one column to the next, so that each has one meaning. */
static void code_column(text_table *t, size_t column, size_t *number, narrow_legend *legend) {
    const char *text[CODED_MAX];
    char *name[CODED_MAX] = {0}, code[40];
    size_t count = find_texts(t, column, text);
    for (size_t k = 0; k < count; k++) {
        name[k] = bough_strdup(text[k]);
        if (!name[k]) t->failed = true;
    }
    for (size_t k = 0; k < count && !t->failed; k++) {
        bough_text line = {0};
        bool named = short_name((const char *const *)name, count, k, code, sizeof code);
        if (!named) snprintf(code, sizeof code, "(%zu)", ++*number);
        if (strcmp(code, name[k]) == 0) continue;
        bough_text_printf(&line, named ? "%s = %s" : "%s %s", code, name[k]);
        put_wrapped_text(&legend->text, &line, legend->line);
        replace_texts(t, column, name[k], code);
    }
    for (size_t k = 0; k < count; k++) free(name[k]);
}

/* ---- split tables ---- */

typedef struct parts {
    size_t first[COLUMNS + 1], count; /* part i has columns first[i] .. first[i+1]-1 of the middle */
    bool fit;
} parts;

static bool in_every_part(const text_table *t, size_t column) {
    return column < t->labels || column >= t->width - t->tail;
}

/* Greedily, by whole groups of columns. */
static parts split(const text_table *t, size_t line) {
    parts p = {.fit = true};
    size_t fixed = 0, used = 0, end = t->width - t->tail;
    for (size_t c = 0; c < t->width; c++)
        if (in_every_part(t, c)) fixed += text_table_width_with_gap(t, c);
    for (size_t c = t->labels, next; c < end; c = next) {
        size_t group = 0;
        for (next = c; next < end && (next == c || t->joins[next]); next++)
            group += text_table_width_with_gap(t, next);
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

/* Rows without a value in these columns are left out. */
static void add_part(const text_table *t, size_t from, size_t to, text_table *part) {
    part->units = t->units;
    part->colours = t->colours;
    for (size_t r = 0; r < text_table_rows(t); r++) {
        bool any = r < text_table_heads(t);
        for (size_t c = from; c < to; c++) any |= t->cell[r * t->width + c][0] != 0;
        for (size_t c = 0; c < t->width && any; c++)
            if (in_every_part(t, c) || (c >= from && c < to)) text_table_copy(part, t, r, c);
        if (any) text_table_end_row(part);
    }
}

static void write_parts(const text_table *t, const parts *p, bough_text *out) {
    for (size_t i = 0; i < p->count; i++) {
        text_table part = {0};
        add_part(t, p->first[i], p->first[i + 1], &part);
        if (text_table_rows(&part) > text_table_heads(&part)) {
            if (i) bough_text_put(out, "\n");
            text_table_write(&part, out);
        }
        if (part.failed) out->failed = true;
        text_table_fini(&part);
    }
}

void narrow_table_write(text_table *t, size_t line, bough_text *out, bough_text *legend) {
    bool coded[COLUMNS] = {0};
    size_t number = t->numbered ? t->width - t->labels - t->tail : 0, column; /* headings have those */
    if (t->failed) out->failed = true;
    if (t->failed) return;
    if (text_table_line(t) <= line || t->width <= t->labels + t->tail || t->width > COLUMNS) {
        text_table_write(t, out);
        return;
    }
    parts whole = split(t, line);
    narrow_legend codes = {.line = line};
    text_table plain = {.labels = t->labels, .tail = t->tail}; /* in case numbers do not help */
    add_part(t, t->labels, t->width - t->tail, &plain);
    while (text_table_line(t) > line && (column = widest_label(t, coded)) < t->labels) {
        code_column(t, column, &number, &codes);
        coded[column] = true;
    }
    parts p = split(t, line);
    bool keep = whole.fit && p.count > 1 && whole.count <= p.count + 1;
    write_parts(keep ? &plain : t, keep ? &whole : &p, out);
    if (keep)
        bough_text_fini(&codes.text);
    else
        bough_text_join(legend, &codes.text);
    if (plain.failed || t->failed) out->failed = true;
    text_table_fini(&plain);
}

/* ---- labels above their rows ---- */

static void put_labels(const text_table *t, size_t row, size_t line, bough_text *out) {
    bough_text head = {0}, whole = {0};
    text_style style = TEXT_PLAIN;
    for (size_t c = 0; c < t->labels; c++) {
        size_t at = row * t->width + c;
        if (!t->cell[at][0]) continue;
        bough_text_printf(&head, "%s%s", head.length ? "  " : "", t->cell[at]);
        if (t->style[at]) style = (text_style)t->style[at];
    }
    put_wrapped_text(&whole, &head, line);
    if (!whole.failed && whole.length && t->colours && style) {
        whole.data[--whole.length] = 0; /* the style ends before the line end */
        text_style_put(out, style, whole.data);
        bough_text_put(out, "\n");
        bough_text_fini(&whole);
    } else {
        bough_text_join(out, &whole);
    }
}

size_t narrow_table_headed_line(const text_table *t) {
    size_t line = INDENT;
    bool first = true;
    for (size_t c = t->labels; c < t->width; c++) {
        size_t with_gap = text_table_width_with_gap(t, c);
        line += first ? text_table_width(t, c) : with_gap;
        first = first && !with_gap;
    }
    return line;
}

void narrow_table_write_headed(const text_table *t, size_t line, bough_text *out) {
    if (t->failed || text_table_line(t) <= line || t->labels == 0) {
        text_table_write(t, out);
        return;
    }
    text_table rest = {.colours = t->colours}; /* without labels */
    for (size_t r = 0; r < text_table_rows(t); r++) {
        for (size_t c = t->labels; c < t->width; c++) text_table_copy(&rest, t, r, c);
        text_table_end_row(&rest);
    }
    bough_text body = {0};
    text_table_write(&rest, &body);
    char *lines = bough_text_take(&body);
    const char *at = lines ? lines : "";
    for (size_t r = 0; r < text_table_rows(t) && *at; r++) {
        if (r) put_labels(t, r, line, out);
        size_t length = strcspn(at, "\n");
        bough_text_printf(out, "%*s%.*s\n", length ? INDENT : 0, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (!lines) out->failed = true;
    free(lines);
    text_table_fini(&rest);
}

/* ---- long lines ---- */

/* The last of the characters `at` in a text of `most` characters, after leading blanks; 0: none. */
static size_t last_of(const char *text, size_t most, char at) {
    size_t lead = strspn(text, " ");
    while (most > lead && text[most - 1] != at) most--;
    return most > lead ? most : 0;
}

/* Length of the first line of a text: at most `most` characters, except that words are not broken. Specs are
 * broken after a comma if they are longer than most of a line. */
static size_t line_length(const char *text, size_t most) {
    size_t length = strlen(text);
    if (length <= most || text[most] == ' ') return length < most ? length : most;
    size_t blank = last_of(text, most, ' '), comma = last_of(text, most, ',');
    if (blank > most / 3 || (blank && !comma)) return blank;
    if (comma) return comma;
    length = most + strcspn(text + most, " ,"); /* one long word */
    return length + (text[length] != 0);
}

static void put_lines(bough_text *out, const char *text, size_t line, size_t indent) {
    size_t least = indent + 20; /* characters of a line that is too narrow */
    if (line < least) line = least;
    bool first = true;
    while (*text) {
        size_t end = line_length(text, first ? line : line - indent), shown = end;
        while (shown > 0 && text[shown - 1] == ' ') shown--;
        bough_text_printf(out, "%*s%.*s\n", first ? 0 : (int)indent, "", (int)shown, text);
        text += end;
        while (*text == ' ') text++;
        first = false;
    }
}

void put_wrapped(bough_text *out, const char *text, size_t line) {
    put_wrapped_at(out, text, line, INDENT);
}

void put_wrapped_at(bough_text *out, const char *text, size_t line, size_t indent) {
    bough_text copy = {0};
    bough_text_put(&copy, text);
    bough_text_show(&copy, 0);
    if (copy.failed)
        out->failed = true;
    else if (copy.length)
        put_lines(out, copy.data, line, indent);
    bough_text_fini(&copy);
}

void put_wrapped_text(bough_text *out, bough_text *text, size_t line) {
    bough_text_show(text, 0);
    if (text->failed)
        out->failed = true;
    else if (text->length)
        put_lines(out, text->data, line, INDENT);
    bough_text_fini(text);
}
