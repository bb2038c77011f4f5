#include "document/html.h"

#include "base/text/escape.h"
#include "base/text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The path at the beginning of text, or NULL; the longest where several fit. */
static const char *path_at(const html_files *files, const char *text) {
    const char *found = NULL;
    for (size_t i = 0; files && i < files->paths; i++) {
        size_t length = strlen(files->path[i]);
        if (length && strncmp(text, files->path[i], length) == 0 && (!found || length > strlen(found)))
            found = files->path[i];
    }
    return found;
}

void html_put_short(bough_text *out, const html_files *files, const char *text) {
    for (size_t i = 0; text[i];) {
        const char *path = path_at(files, text + i);
        if (!path) {
            bough_text_add(out, text + i++, 1);
            continue;
        }
        size_t length = strlen(path), from = length;
        while (from > 0 && path[from - 1] == '/') from--; /* of a directory, its last name */
        while (from > 0 && path[from - 1] != '/') from--;
        bough_text_add(out, path + from, length - from);
        i += length;
    }
}

void html_put(html_writer *h, const char *markup) {
    bough_text_put(&h->out, markup);
}

void html_text(html_writer *h, const char *text) {
    bough_text shortened = {0};
    html_put_short(&shortened, h->files, text);
    if (shortened.data) bough_text_put_xml(&h->out, shortened.data);
    h->out.failed |= shortened.failed;
    bough_text_fini(&shortened);
}

void html_textf(html_writer *h, const char *format, ...) {
    char text[1000];
    va_list list;
    va_start(list, format);
    int wanted = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    bough_show_cut(text, wanted, sizeof text);
    html_text(h, text);
}

void html_element(html_writer *h, const char *tag, const char *text) {
    bough_text_printf(&h->out, "<%s>", tag);
    html_text(h, text);
    bough_text_printf(&h->out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void html_fact(html_writer *h, const char *name, const char *text) {
    html_put(h, "<div>");
    html_element(h, "dt", name);
    html_element(h, "dd", text);
    html_put(h, "</div>\n");
}

static bool is_used(const text_table *t, size_t column) {
    return text_table_width(t, column) || text_table_rows(t) <= text_table_heads(t);
}

static void put_class(html_writer *h, const text_table *t, size_t cell, size_t column) {
    static const char *const style[] = {[TEXT_PLAIN] = "",
                                        [TEXT_BOLD] = "main",
                                        [TEXT_WARNING] = "warn",
                                        [TEXT_ERROR] = "error",
                                        [TEXT_GOOD] = "good"};
    const char *look = style[t->style[cell]], *number = t->right[column] ? "number" : "";
    if (*look || *number)
        bough_text_printf(&h->out, " class=\"%s%s%s\"", number, *look && *number ? " " : "", look);
}

/* labels: the row that has the labels of this one. */
static void put_row(html_writer *h, const text_table *t, const bool *used, size_t row, size_t labels) {
    html_put(h, "<tr>");
    for (size_t c = 0; c < t->width; c++) {
        const size_t at = (c < t->labels ? labels : row) * t->width + c;
        if (!used[c]) continue;
        html_put(h, "<td");
        put_class(h, t, at, c);
        html_put(h, ">");
        html_text(h, t->cell[at]);
        html_put(h, "</td>");
    }
    html_put(h, "</tr>\n");
}

/* As text only the first of several rows has labels. */
static bool has_labels(const text_table *t, size_t row) {
    for (size_t c = 0; c < t->labels; c++)
        if (*t->cell[row * t->width + c]) return true;
    return t->layout != TEXT_LAYOUT_HEADED;
}

/* Units stand below the headings; a column without a heading has the units of its neighbour. */
static void put_head(html_writer *h, const text_table *t, const bool *used) {
    html_put(h, "<tr>");
    for (size_t c = 0; c < t->width; c++) {
        const char *unit = t->units ? t->cell[t->width + c] : "";
        if (!used[c]) continue;
        html_put(h, "<th scope=\"col\"");
        put_class(h, t, c, c);
        html_put(h, ">");
        html_text(h, !*t->cell[c] && t->close[c] ? "unit" : t->cell[c]);
        if (*unit) {
            html_put(h, "<br/><span class=\"note\">");
            html_text(h, unit);
            html_put(h, "</span>");
        }
        html_put(h, "</th>");
    }
    html_put(h, "</tr>\n");
}

enum { SHORT = 26 }; /* rows that are shown in full height */

void html_table(html_writer *h, text_table *t, const char *caption) {
    bool used[sizeof t->right] = {0};
    for (size_t c = 0; c < t->width && !t->failed; c++) used[c] = is_used(t, c);
    html_put(h, t->cells <= SHORT * t->width ? "<div class=\"scroll short\" " : "<div class=\"scroll\" ");
    html_put(h, "tabindex=\"0\" role=\"group\" aria-label=\"");
    html_text(h, caption);
    html_put(h, "\">\n<table>\n<caption class=\"unseen\">");
    html_text(h, caption);
    html_put(h, "</caption>\n<thead>");
    if (!t->failed && t->width) put_head(h, t, used);
    html_put(h, "</thead>\n<tbody>\n");
    for (size_t r = text_table_heads(t), labels = r; !t->failed && r < text_table_rows(t); r++) {
        if (has_labels(t, r)) labels = r;
        put_row(h, t, used, r, labels);
    }
    html_put(h, "</tbody>\n</table>\n</div>\n");
    h->out.failed |= t->failed;
    text_table_fini(t);
}
