#include "document/document.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void document_fini(document *d) {
    for (size_t i = 0; i < d->items; i++) {
        document_item *item = &d->item[i];
        FREE_ALL(item->label, item->text, item->about, item->where, item->more);
        text_table_fini(&item->table);
    }
    free(d->item);
    bough_text_fini(&d->line);
    *d = (document){0};
}

static char *copy_of(document *d, const char *text) {
    char *copy = text ? bough_strdup(text) : NULL;
    d->failed |= text && !copy;
    return copy;
}

/* The new item; after a failed allocation one that nobody writes. */
static document_item *add(document *d, document_kind kind, const char *label, const char *text) {
    if (bough_grow(&d->item, &d->capacity, d->items + 1, sizeof *d->item, NULL)) {
        d->failed = true;
        return NULL;
    }
    document_item *item = &d->item[d->items++];
    *item = (document_item){.kind = kind, .details = d->details, .share = NAN};
    item->label = copy_of(d, label);
    item->text = copy_of(d, text);
    return item;
}

void document_section(document *d, const char *id, const char *title) {
    add(d, DOCUMENT_SECTION, id, title);
}

void document_fold(document *d) {
    if (d->items) d->item[d->items - 1].folded = true;
}

/* ---- lines ---- */

void document_begin(document *d, document_kind kind, const char *label) {
    add(d, kind, label, NULL);
    d->line.length = 0;
    bough_text_put(&d->line, "");
}

void document_put(document *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_text_vprintf(&d->line, format, args);
    va_end(args);
}

void document_end(document *d) {
    d->failed |= d->line.failed;
    if (d->failed) return;
    d->item[d->items - 1].text = copy_of(d, d->line.data);
}

void document_style(document *d, text_style style) {
    if (d->items) d->item[d->items - 1].style = style;
}

#define PUT_LINE(d, kind, label, format)                                                                     \
    do {                                                                                                     \
        va_list args;                                                                                        \
        document_begin(d, kind, label);                                                                      \
        va_start(args, format);                                                                              \
        bough_text_vprintf(&(d)->line, format, args);                                                        \
        va_end(args);                                                                                        \
        document_end(d);                                                                                     \
    } while (0)

void document_heading(document *d, const char *label, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_HEADING, label, format);
}

void document_fact(document *d, const char *label, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_FACT, label, format);
}

void document_short(document *d, const char *label, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_SHORT, label, format);
}

void document_card(document *d, const char *label, const char *answer, const char *about, bool said) {
    document_item *item = add(d, DOCUMENT_CARD, label, answer);
    if (!item) return;
    item->about = copy_of(d, about);
    item->said = said;
}

void document_item_of_list(document *d, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_ITEM, NULL, format);
}

void document_list(document *d, bough_text *lines) {
    d->failed |= lines->failed;
    for (const char *at = lines->data ? lines->data : ""; *at; at += strspn(at, "\n")) {
        const size_t length = strcspn(at, "\n");
        if (length) document_item_of_list(d, "%.*s", (int)length, at);
        at += length;
    }
    bough_text_fini(lines);
}

void document_line(document *d, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_LINE, NULL, format);
}

void document_note(document *d, const char *format, ...) {
    PUT_LINE(d, DOCUMENT_NOTE, NULL, format);
}

/* ---- the others ---- */

void document_long_table(document *d, text_table *table, const char *caption, size_t first,
                         bough_text *more) {
    document_item *item = add(d, DOCUMENT_TABLE, NULL, caption);
    char *words = more ? bough_text_take(more) : NULL;
    d->failed |= table->failed || (more && !words);
    if (item) {
        item->table = *table;
        item->first = first;
        item->more = words;
        *table = (text_table){0};
    } else {
        text_table_fini(table);
        free(words);
    }
}

void document_table(document *d, text_table *table, const char *caption) {
    document_long_table(d, table, caption, 0, NULL);
}

void document_find(document *d, const document_finding *finding) {
    document_item *item = add(d, DOCUMENT_FINDING, finding->kind, finding->text);
    if (!item) return;
    item->style = finding->severity;
    item->said = finding->said;
    item->about = copy_of(d, finding->about);
    item->where = copy_of(d, finding->where);
}

void document_command(document *d, const char *command, const char *purpose) {
    add(d, DOCUMENT_COMMAND, purpose, command);
}

void document_bar(document *d, const char *group, const char *name, double share, const char *value) {
    document_item *item = add(d, DOCUMENT_BAR, group, name);
    if (!item) return;
    item->share = share;
    item->about = copy_of(d, value);
}

void document_figure(document *d, const char *caption, bough_text *markup) {
    document_item *item = add(d, DOCUMENT_FIGURE, NULL, caption);
    char *taken = bough_text_take(markup);
    d->failed |= !taken;
    if (item)
        item->more = taken;
    else
        free(taken);
}

static bool is_alike(const document_item *a, const document_item *b) {
    return a->kind == b->kind && a->style == b->style && strcmp(a->label, b->label) == 0 &&
           strcmp(a->about, b->about) == 0;
}

size_t document_alike_before(const document *d, size_t at, size_t most) {
    size_t count = 0;
    for (size_t i = at; i-- > 0 && d->item[i].kind == DOCUMENT_FINDING && count < most;)
        count += is_alike(&d->item[i], &d->item[at]);
    return count;
}

size_t document_alike_from(const document *d, size_t at) {
    size_t count = 0;
    for (size_t i = at; i < d->items && d->item[i].kind == DOCUMENT_FINDING; i++)
        count += is_alike(&d->item[i], &d->item[at]);
    return count;
}

size_t document_findings(const document *d, text_style severity) {
    size_t count = 0;
    for (size_t i = 0; i < d->items; i++)
        count += d->item[i].kind == DOCUMENT_FINDING && d->item[i].style == severity;
    return count;
}

const char *document_severity(text_style severity) {
    return severity == TEXT_ERROR ? "error" : severity == TEXT_WARNING ? "warning" : "remark";
}
