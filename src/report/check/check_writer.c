#include "report/check/check_writer.h"

#include "report/tables/narrow_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

void check_begin_at(check_writer *w, size_t indent) {
    w->line.length = 0;
    w->indent = indent;
    w->mark_length = 0;
}

void check_begin(check_writer *w, const char *label) {
    check_begin_at(w, CHECK_LABEL);
    bough_text_printf(&w->line, "%-*s", CHECK_LABEL, label);
}

void check_put(check_writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_text_vprintf(&w->line, format, args);
    va_end(args);
}

void check_put_styled(check_writer *w, text_style style, const char *word) {
    w->mark = w->line.length;
    w->mark_length = strlen(word);
    w->style = style;
    bough_text_put(&w->line, word);
}

/* Style of a part of the first line: of words that stand near its begin, so that they are in it. */
static void put_marked(check_writer *w, bough_text *lines) {
    size_t end = w->mark + w->mark_length;
    bool whole = lines->data && end <= lines->length &&
                 memcmp(lines->data + w->mark, w->line.data + w->mark, w->mark_length) == 0;
    if (!whole || !w->options.colours || !w->mark_length) {
        bough_text_join(&w->out, lines);
        return;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)w->mark_length, lines->data + w->mark);
    bough_text_add(&w->out, lines->data, w->mark);
    text_style_put(&w->out, w->style, word);
    bough_text_put(&w->out, lines->data + end);
    bough_text_fini(lines);
}

void check_end(check_writer *w) {
    bough_text lines = {0};
    if (w->line.failed)
        w->out.failed = true;
    else
        put_wrapped_at(&lines, w->line.data, w->options.width, w->indent);
    if (lines.failed) w->out.failed = true;
    put_marked(w, &lines);
}

void check_line(check_writer *w, const char *label, const char *format, ...) {
    va_list args;
    check_begin(w, label);
    va_start(args, format);
    bough_text_vprintf(&w->line, format, args);
    va_end(args);
    check_end(w);
}

void check_line_at(check_writer *w, size_t indent, const char *format, ...) {
    va_list args;
    check_begin_at(w, indent);
    bough_text_printf(&w->line, "%*s", (int)indent, "");
    va_start(args, format);
    bough_text_vprintf(&w->line, format, args);
    va_end(args);
    check_end(w);
}

void check_empty_line(check_writer *w) {
    bough_text_put(&w->out, "\n");
}

void check_heading(check_writer *w, const char *label, const char *format, ...) {
    va_list args;
    check_empty_line(w);
    check_begin_at(w, *label ? CHECK_LABEL : 4);
    check_put_styled(w, TEXT_BOLD, label);
    size_t used = strlen(label);
    check_put(w, "%*s", used && used < CHECK_LABEL ? (int)(CHECK_LABEL - used) : 0, "");
    va_start(args, format);
    bough_text_vprintf(&w->line, format, args);
    va_end(args);
    check_end(w);
}

/* ---- tables ---- */

static void put_indented(check_writer *w, bough_text *text, size_t indent) {
    if (text->failed) w->out.failed = true;
    for (const char *at = text->data ? text->data : ""; *at;) {
        size_t length = strcspn(at, "\n");
        bough_text_printf(&w->out, "%*s%.*s\n", length ? (int)indent : 0, "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    bough_text_fini(text);
}

void check_table(check_writer *w, text_table *table, size_t indent) {
    bough_text text = {0};
    table->colours = w->options.colours;
    narrow_table_write_headed(table, w->options.width - indent, &text);
    if (table->failed) text.failed = true;
    put_indented(w, &text, indent);
    text_table_fini(table);
}

void check_split_table(check_writer *w, text_table *table, size_t indent) {
    bough_text text = {0}, legend = {0};
    table->colours = w->options.colours;
    narrow_table_write(table, w->options.width - indent, &text, &legend);
    put_indented(w, &text, indent);
    put_indented(w, &legend, indent);
    text_table_fini(table);
}
