/* The first screen in GitHub Flavored Markdown. Its own words begin each line, so that a name never does. */
#include "document/document.h"
#include "document/markdown_text.h"

#include <stdint.h>

#include <string.h>

/* One item of a list for those of one line. */
static void put_short(bough_text *out, const document *d, size_t at) {
    const document_item *item = &d->item[at], *before = at ? item - 1 : NULL;
    const bool first = !before || before->kind != DOCUMENT_SHORT || !(*before->label || *before->text);
    const bool last =
        at + 1 == d->items || item[1].kind != DOCUMENT_SHORT || !(*item[1].label || *item[1].text);
    if (!*item->label && !*item->text) return;
    bough_text_put(out, first ? "- " : ", ");
    markdown_put(out, item->label);
    bough_text_put(out, *item->label ? " " : "");
    markdown_put(out, item->text);
    if (last) bough_text_put(out, "\n");
}

static void put_card(bough_text *out, const document_item *card) {
    if (card->said) return;
    bough_text_put(out, "- ");
    markdown_put(out, card->label);
    bough_text_put(out, ": **");
    markdown_put(out, card->text);
    bough_text_put(out, "** ");
    markdown_put(out, card->about);
    bough_text_put(out, "\n");
}

static void put_fact(bough_text *out, const document_item *fact) {
    bough_text_put(out, *fact->label ? "- " : "  ");
    if (*fact->label) {
        bough_text_put(out, "**");
        markdown_put(out, fact->label);
        bough_text_put(out, "** ");
    }
    markdown_put(out, fact->text);
    bough_text_put(out, "\n");
}

/* ---- tables ---- */

static bool is_used(const text_table *t, size_t column) {
    return column == 0 || text_table_width(t, column) > 0;
}

/* A heading with its unit. */
static void put_head_cell(bough_text *out, const text_table *t, size_t column) {
    const char *unit = t->units ? t->cell[t->width + column] : "";
    markdown_put(out, t->cell[column]);
    if (!*unit) return;
    bough_text_put(out, " (");
    markdown_put(out, unit);
    bough_text_put(out, ")");
}

static void put_row(bough_text *out, const text_table *t, size_t row) {
    bough_text_put(out, "|");
    for (size_t c = 0; c < t->width; c++) {
        if (!is_used(t, c)) continue;
        bough_text_put(out, " ");
        if (row)
            markdown_put(out, t->cell[row * t->width + c]);
        else
            put_head_cell(out, t, c);
        bough_text_put(out, " |");
    }
    bough_text_put(out, "\n");
}

static void put_table(bough_text *out, const document_item *item) {
    const text_table *t = &item->table;
    const size_t rows = text_table_rows(t), most = item->first ? item->first : rows;
    bough_text_put(out, "\n");
    for (size_t r = 0; r < rows && r < text_table_heads(t) + most; r++) {
        if (r && r < text_table_heads(t)) continue;
        put_row(out, t, r);
        if (r) continue;
        bough_text_put(out, "|");
        for (size_t c = 0; c < t->width; c++)
            if (is_used(t, c)) bough_text_put(out, t->right[c] ? "---:|" : "---|");
        bough_text_put(out, "\n");
    }
    bough_text_put(out, "\n");
    if (rows <= text_table_heads(t) + most || !item->more) return;
    markdown_put(out, item->more);
    bough_text_put(out, "\n\n");
}

/* ---- findings ---- */

static void put_finding(bough_text *out, const document_item *f) {
    bough_text_put(out, "| ");
    bough_text_put(out, f->style == TEXT_ERROR ? "**error**" : document_severity(f->style));
    bough_text_put(out, " | ");
    markdown_put(out, f->where);
    bough_text_put(out, " | ");
    markdown_put(out, f->text);
    bough_text_put(out, " |\n");
}

static void put_severity(bough_text *out, const document *d, text_style severity, size_t room) {
    for (size_t i = 0; i < d->items && room; i++) {
        if (d->item[i].kind != DOCUMENT_FINDING || d->item[i].style != severity) continue;
        put_finding(out, &d->item[i]);
        room--;
    }
}

/* Of the whole document, at its first. */
static void put_findings(bough_text *out, const document *d, size_t most) {
    static const text_style severity[] = {TEXT_ERROR, TEXT_WARNING, TEXT_PLAIN};
    const char *separator = "";
    size_t count[3];
    for (int i = 0; i < 3; i++) {
        count[i] = document_findings(d, severity[i]);
        bough_text_printf(out, "%s%zu %s%s", separator, count[i], document_severity(severity[i]),
                          count[i] == 1 ? "" : "s");
        separator = ", ";
    }
    bough_text_put(out, "\n\n| severity | where | finding |\n|---|---|---|\n");
    for (int i = 0; i < 3; i++) put_severity(out, d, severity[i], most ? most : SIZE_MAX);
    separator = "\nLeft out here: ";
    for (int i = 0; i < 3; i++) {
        if (!most || count[i] <= most) continue;
        bough_text_printf(out, "%s%zu %s%s", separator, count[i] - most, document_severity(severity[i]),
                          count[i] - most == 1 ? "" : "s");
        separator = ", ";
    }
    if (*separator == ',') bough_text_put(out, ".\n");
}

/* ---- the whole ---- */

static void put_item(bough_text *out, const document *d, size_t at) {
    const document_item *item = &d->item[at];
    switch (item->kind) {
    case DOCUMENT_SECTION:
        bough_text_put(out, "\n### ");
        markdown_put(out, item->text);
        bough_text_put(out, "\n\n");
        break;
    case DOCUMENT_HEADING:
        bough_text_put(out, "\n#### ");
        markdown_put(out, item->label);
        bough_text_put(out, *item->label ? " " : "");
        markdown_put(out, item->text);
        bough_text_put(out, "\n\n");
        break;
    case DOCUMENT_FACT:
        put_fact(out, item);
        break;
    case DOCUMENT_SHORT:
        put_short(out, d, at);
        break;
    case DOCUMENT_CARD:
        put_card(out, item);
        break;
    case DOCUMENT_LINE:
    case DOCUMENT_ITEM:
        bough_text_put(out, "- ");
        markdown_put(out, item->text);
        bough_text_put(out, "\n");
        break;
    case DOCUMENT_NOTE:
        bough_text_put(out, "\n(");
        markdown_put(out, item->text);
        bough_text_put(out, ")\n\n");
        break;
    case DOCUMENT_TABLE:
        put_table(out, item);
        break;
    case DOCUMENT_COMMAND:
        bough_text_put(out, "- next: ");
        markdown_put(out, item->text);
        bough_text_put(out, " (");
        markdown_put(out, item->label);
        bough_text_put(out, ")\n");
        break;
    default:
        break;
    }
}

void document_write_markdown(const document *d, size_t findings, bough_text *out) {
    bool listed = false;
    out->failed |= d->failed;
    for (size_t i = 0; i < d->items && !out->failed; i++) {
        const bool finding = d->item[i].kind == DOCUMENT_FINDING;
        if (finding && !listed) put_findings(out, d, findings);
        listed |= finding;
        if (!finding && !d->item[i].details) put_item(out, d, i);
    }
}
