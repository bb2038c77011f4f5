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

void html_lines(html_writer *h, bough_text *lines) {
    h->out.failed |= lines->failed;
    for (char *at = lines->data; at && *at;) {
        size_t length = strcspn(at, "\n");
        bool more = at[length] != 0;
        at[length] = 0;
        if (length) html_element(h, "p", at);
        at += length + more;
    }
    bough_text_fini(lines);
}

void html_begin_section(html_writer *h, const char *id, const char *title) {
    bough_text_printf(&h->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
    html_text(h, title);
    html_put(h, "</h2>\n");
}

void html_end_section(html_writer *h) {
    html_put(h, "</section>\n");
}

void html_fact(html_writer *h, const char *name, const char *text) {
    html_put(h, "<div>");
    html_element(h, "dt", name);
    html_element(h, "dd", text);
    html_put(h, "</div>\n");
}

static bool is_used(const text_table *t, size_t column) {
    for (size_t i = t->width + column; i < t->cells; i += t->width)
        if (*t->cell[i]) return true;
    return t->cells == t->width;
}

static const char *cell_class(const text_table *t, size_t cell, size_t column) {
    if (t->right[column]) return " class=\"number\"";
    return t->style[cell] == TEXT_GOOD      ? " class=\"good\""
           : t->style[cell] == TEXT_WARNING ? " class=\"warn\""
           : t->style[cell] == TEXT_ERROR   ? " class=\"error\""
                                            : "";
}

static void put_row(html_writer *h, const text_table *t, const bool *used, size_t from) {
    const char *element = from ? "td" : "th", *scope = from ? "" : " scope=\"col\"";
    html_put(h, "<tr>");
    for (size_t c = 0; c < t->width; c++) {
        if (!used[c]) continue;
        bough_text_printf(&h->out, "<%s%s%s>", element, scope, cell_class(t, from + c, c));
        html_text(h, t->cell[from + c]);
        bough_text_printf(&h->out, "</%s>", element);
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
    for (size_t i = 0; !t->failed && i + t->width <= t->cells && t->width; i += t->width) {
        put_row(h, t, used, i);
        if (i == 0) html_put(h, "</thead>\n<tbody>\n");
    }
    html_put(h, "</tbody>\n</table>\n</div>\n");
    h->out.failed |= t->failed;
    text_table_fini(t);
}
