/* Lines begin with a label of LABEL characters or, below a heading, at INDENT; what does not fit continues
 * below. */
#include "base/text/escape.h"
#include "document/document.h"
#include "document/narrow_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 12, INDENT = 2, SEVERITY = 9 };

typedef struct text_writer {
    const document *d;
    const document_text_options *options;
    bough_text *out;
    size_t indent; /* of what stands below the last heading */
} text_writer;

/* Frees a text and prints it folded, with its first characters in a style. */
static void put_line(text_writer *w, bough_text *line, size_t indent, const char *styled, text_style style) {
    bough_text lines = {0};
    const size_t length = strlen(styled);
    if (line->failed)
        lines.failed = true;
    else
        put_wrapped_at(&lines, line->data, w->options->width, indent);
    const size_t blanks = lines.data ? strspn(lines.data, " ") : 0;
    if (w->options->colours && style && length && lines.length > blanks + length &&
        memcmp(lines.data + blanks, styled, length) == 0) {
        bough_text_add(w->out, lines.data, blanks);
        text_style_put(w->out, style, styled);
        bough_text_put(w->out, lines.data + blanks + length);
        w->out->failed |= lines.failed;
        bough_text_fini(&lines);
    } else {
        bough_text_join(w->out, &lines);
    }
    bough_text_fini(line);
}

static void put_labelled(text_writer *w, const char *label, const char *text, text_style style) {
    bough_text line = {0};
    const size_t used = strlen(label);
    if (used < LABEL)
        bough_text_printf(&line, "%-*s%s", LABEL, label, text);
    else
        bough_text_printf(&line, "%s: %s", label, text);
    put_line(w, &line, LABEL, label, style);
}

/* Whether a document says something before this item, since the last empty line. */
static bool is_first(const text_writer *w) {
    const bough_text *out = w->out;
    return out->failed || out->length < 2 ||
           (out->data[out->length - 1] == '\n' && out->data[out->length - 2] == '\n');
}

static void put_gap(text_writer *w) {
    if (!is_first(w)) bough_text_put(w->out, "\n");
}

static void put_heading(text_writer *w, const document_item *item) {
    put_gap(w);
    if (*item->label)
        put_labelled(w, item->label, item->text, TEXT_BOLD);
    else
        put_wrapped_at(w->out, item->text, w->options->width, 4);
    w->indent = INDENT;
}

/* Items of one line; they are not broken where it ends. */
static size_t put_shorts(text_writer *w, size_t at) {
    bough_text line = {0};
    size_t end = at;
    for (; end < w->d->items && w->d->item[end].kind == DOCUMENT_SHORT; end++) {
        const document_item *item = &w->d->item[end];
        const size_t length = strlen(item->label) + strlen(item->text) + (*item->label != 0);
        if (line.length && (!length || line.length + 3 + length > w->options->width))
            put_wrapped_text(w->out, &line, w->options->width);
        if (!length) continue;
        bough_text_printf(&line, "%s%s%s%s", line.length ? "   " : "", item->label, *item->label ? " " : "",
                          item->text);
    }
    if (line.length || line.failed) put_wrapped_text(w->out, &line, w->options->width);
    return end;
}

/* Cards stand apart from what is above them. */
static void put_card(text_writer *w, const document_item *card) {
    const document_item *before = card;
    bough_text line = {0};
    if (card->said) return;
    while (before > w->d->item && before[-1].kind == DOCUMENT_CARD && before[-1].said) before--;
    if (before > w->d->item && before[-1].kind != DOCUMENT_CARD) put_gap(w);
    bough_text_printf(&line, "%s: %s%s%s", card->label, card->text, *card->about ? " " : "", card->about);
    put_line(w, &line, 4, card->label, card->style);
}

/* What stands below a table of the same section is apart from it. */
static void put_gap_below(text_writer *w, const document_item *item) {
    if (item > w->d->item && item[-1].kind == DOCUMENT_TABLE && !w->indent) put_gap(w);
}

static void put_list_item(text_writer *w, const document_item *item) {
    bough_text line = {0};
    put_gap_below(w, item);
    bough_text_printf(&line, "%*s%s", (int)w->indent, "", item->text);
    put_line(w, &line, w->indent + 4, "", TEXT_PLAIN);
}

static void put_paragraph(text_writer *w, const document_item *item) {
    bough_text line = {0};
    const bool note = item->kind == DOCUMENT_NOTE;
    const size_t indent = w->indent + (note || !w->indent ? 0 : 2);
    bough_text_printf(&line, note ? "%*s(%s)" : "%*s%s", (int)w->indent, "", item->text);
    put_line(w, &line, indent, "", TEXT_PLAIN);
}

/* ---- tables ---- */

static void put_indented(text_writer *w, bough_text *text) {
    w->out->failed |= text->failed;
    for (const char *at = text->data ? text->data : ""; *at;) {
        const size_t length = strcspn(at, "\n");
        bough_text_printf(w->out, "%*s%.*s\n", length ? (int)w->indent : 0, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    bough_text_fini(text);
}

/* The first rows; all: 0. */
static text_table first_rows(const text_table *from, size_t rows) {
    text_table t = {.labels = from->labels, .tail = from->tail, .units = from->units, .layout = from->layout};
    t.numbered = from->numbered;
    const size_t heads = text_table_heads(from), all = text_table_rows(from);
    for (size_t r = 0; r < all && (!rows || r < heads + rows); r++) {
        for (size_t c = 0; c < from->width; c++) text_table_copy(&t, from, r, c);
        text_table_end_row(&t);
    }
    return t;
}

static size_t rows_shown(const text_writer *w, const document_item *item) {
    return item->first && w->options->findings ? item->first : 0;
}

/* Wide tables have their labels above each row, or continue in further ones below. */
static void put_table(text_writer *w, const document_item *item) {
    bough_text text = {0}, legend = {0};
    const size_t shown = rows_shown(w, item), width = w->options->width - w->indent;
    text_table t = first_rows(&item->table, shown);
    t.colours = w->options->colours;
    w->out->failed |= t.failed;
    if (!w->indent) put_gap(w);
    narrow_table_fold(&t, width, &legend);
    const bool fits = text_table_line(&t) <= width || narrow_table_headed_line(&t) <= width;
    if (t.layout == TEXT_LAYOUT_HEADED || (t.layout == TEXT_LAYOUT_AUTO && t.labels && fits)) {
        narrow_table_write_headed(&t, width, &text);
    } else {
        if (t.layout == TEXT_LAYOUT_AUTO) t.labels = 1;
        narrow_table_write(&t, width, &text, &legend);
    }
    put_indented(w, &text);
    if (legend.length && t.layout != TEXT_LAYOUT_AUTO) put_gap(w);
    put_indented(w, &legend);
    text_table_fini(&t);
    if (shown && text_table_rows(&item->table) > text_table_heads(&item->table) + shown && item->more) {
        bough_text line = {0};
        bough_text_printf(&line, "%*s%s", (int)w->indent, "", item->more);
        put_line(w, &line, w->indent, "", TEXT_PLAIN);
    }
}

/* ---- findings ---- */

/* One line, or for the first of its kind beyond those shown how many more there are. */
static void put_finding(text_writer *w, size_t at) {
    static const char *const words[] = {
        [TEXT_PLAIN] = "info", [TEXT_WARNING] = "warn", [TEXT_ERROR] = "error"};
    const document_item *f = &w->d->item[at];
    const size_t shown = w->options->findings,
                 before = shown ? document_alike_before(w->d, at, shown + 1) : 0;
    bough_text line = {0};
    if (w->options->brief && (f->said || f->style == TEXT_PLAIN)) return;
    if (shown && before > shown) return;
    if (shown && before == shown)
        bough_text_printf(&line, "%*s... and %zu more (%s)", SEVERITY, "", document_alike_from(w->d, at),
                          f->label);
    else
        bough_text_printf(&line, "  %-*s%s: %s (%s)", SEVERITY - 2, words[f->style], f->where, f->text,
                          f->label);
    put_line(w, &line, SEVERITY, words[f->style], f->style);
}

/* ---- the whole ---- */

/* Of the next word of a command line; quotes may hold blanks. */
static size_t word_length(const char *at) {
    size_t length = 0;
    for (bool quoted = false; at[length] && (quoted || at[length] != ' '); length++) {
        if (!quoted && at[length] == '\\' && at[length + 1])
            length++; /* a quote in a word: '\'' */
        else
            quoted ^= at[length] == '\'';
    }
    return length;
}

/* A word, or an option with its value. */
static size_t part_length(const char *at) {
    size_t length = word_length(at);
    if (strncmp(at, "--", 2) == 0 && at[length] && at[length + 1] != '-')
        length += 1 + word_length(at + length + 1);
    return length;
}

/* Lines that can be copied: each but the last ends in a backslash. */
static void put_command_line(text_writer *w, const char *command) {
    size_t column = LABEL;
    bough_text shown = {0};
    bough_text_put_shown(&shown, command);
    w->out->failed |= shown.failed;
    text_style_put(w->out, w->options->colours ? TEXT_BOLD : TEXT_PLAIN, "next");
    bough_text_printf(w->out, "%*s", LABEL - (int)strlen("next"), "");
    for (const char *at = shown.data ? shown.data : ""; *at;) {
        const size_t length = part_length(at), end = at[length] ? 2 : 0;
        if (at > shown.data && column + 1 + length + end > w->options->width) {
            bough_text_printf(w->out, " \\\n%*s", LABEL + 2, "");
            column = LABEL + 2;
        } else if (at > shown.data) {
            bough_text_put(w->out, " ");
            column++;
        }
        bough_text_printf(w->out, "%.*s", (int)length, at);
        column += length;
        at += length + (at[length] == ' ');
    }
    bough_text_put(w->out, "\n");
    bough_text_fini(&shown);
}

static void put_command(text_writer *w, const document_item *item) {
    bough_text purpose = {0};
    put_command_line(w, item->text);
    bough_text_printf(&purpose, "%*s%s", LABEL + 2, "", item->label);
    put_line(w, &purpose, LABEL + 2, "", TEXT_PLAIN);
}

static void put_item(text_writer *w, size_t i) {
    const document_item *item = &w->d->item[i];
    switch (item->kind) {
    case DOCUMENT_SECTION:
        w->indent = 0;
        put_gap(w);
        break;
    case DOCUMENT_HEADING:
        put_heading(w, item);
        break;
    case DOCUMENT_FACT:
        put_labelled(w, item->label, item->text, item->style);
        break;
    case DOCUMENT_CARD:
        put_card(w, item);
        break;
    case DOCUMENT_ITEM:
        put_list_item(w, item);
        break;
    case DOCUMENT_LINE:
    case DOCUMENT_NOTE:
        put_paragraph(w, item);
        break;
    case DOCUMENT_TABLE:
        put_table(w, item);
        break;
    case DOCUMENT_FINDING:
        put_finding(w, i);
        break;
    case DOCUMENT_COMMAND:
        put_command(w, item);
        break;
    case DOCUMENT_SHORT:
    case DOCUMENT_BAR:
    case DOCUMENT_FIGURE:
        break;
    }
}

void document_write_text(const document *d, const document_text_options *options, bough_text *out) {
    text_writer w = {.d = d, .options = options, .out = out};
    out->failed |= d->failed;
    bough_text_put(out, "");
    for (size_t i = 0; i < d->items && !out->failed; i++) {
        if (options->brief && d->item[i].details) continue;
        if (d->item[i].kind == DOCUMENT_SHORT)
            i = put_shorts(&w, i) - 1;
        else
            put_item(&w, i);
    }
}
