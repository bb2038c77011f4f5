/* A section is a chapter that can be folded where it is not for the first screen; neighbours of one kind
 * share an element: facts a list, findings a table, bars an axis. */
#include "document/document_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    KIND_MOST = 50,  /* findings of each kind and severity */
    ROWS_MOST = 500, /* rows of a table that can be opened */
    CARDS_MOST = 12
};

static const char *const style_class[] = {[TEXT_PLAIN] = "",
                                          [TEXT_BOLD] = "",
                                          [TEXT_WARNING] = "warn",
                                          [TEXT_ERROR] = "error",
                                          [TEXT_GOOD] = "good"};

/* The first item from `at` on that is of another kind. */
static size_t end_of(const document *d, size_t at) {
    size_t end = at + 1;
    while (end < d->items && d->item[end].kind == d->item[at].kind) end++;
    return end;
}

/* ---- facts ---- */

static void put_facts(html_writer *h, const document *d, size_t at, size_t end) {
    html_put(h, "<dl class=\"rows\">\n");
    for (size_t i = at; i < end; i++) {
        const document_item *fact = &d->item[i];
        if (*fact->label || i == at) {
            bough_text_printf(&h->out, "<dt class=\"%s\">", style_class[fact->style]);
            html_text(h, fact->label);
            html_put(h, "</dt>\n");
        }
        html_element(h, "dd", fact->text);
    }
    html_put(h, "</dl>\n");
}

static void put_shorts(html_writer *h, const document *d, size_t at, size_t end) {
    html_put(h, "<p class=\"facts\">\n");
    for (size_t i = at; i < end; i++) {
        const document_item *item = &d->item[i];
        if (!*item->label && !*item->text) continue;
        html_put(h, "<span>");
        if (*item->label) html_element(h, "strong", item->label);
        html_text(h, item->text);
        html_put(h, "</span>\n");
    }
    html_put(h, "</p>\n");
}

static void put_list(html_writer *h, const document *d, size_t at, size_t end) {
    html_put(h, "<ul class=\"items\">\n");
    for (size_t i = at; i < end; i++) html_element(h, "li", d->item[i].text);
    html_put(h, "</ul>\n");
}

/* ---- cards ---- */

static void begin_card(html_writer *h, const document_item *item) {
    bough_text_printf(&h->out, "<div class=\"card %s\"><strong>", style_class[item->style]);
    html_text(h, item->label);
    html_put(h, "</strong> ");
}

static void put_card(html_writer *h, const document_item *card) {
    begin_card(h, card);
    html_put(h, "<span class=\"answer\">");
    html_text(h, card->text);
    html_put(h, "</span> ");
    html_text(h, card->about);
    html_put(h, "</div>\n");
}

/* A fact with those that continue it. Returns their number. */
static size_t put_fact_card(html_writer *h, const document *d, size_t at, size_t end) {
    size_t next = at;
    begin_card(h, &d->item[at]);
    do {
        html_text(h, d->item[next].text);
        if (++next < end && !*d->item[next].label) html_put(h, "<br/>\n");
    } while (next < end && !*d->item[next].label);
    html_put(h, "</div>\n");
    return next - at;
}

static bool is_marked(const document_item *fact) {
    return fact->kind == DOCUMENT_FACT && fact->style != TEXT_PLAIN && *fact->label;
}

/* Cards, and the marked facts behind them; then the other facts. */
static size_t put_summary(html_writer *h, const document *d, size_t at) {
    size_t cards = end_of(d, at), end = cards;
    if (end < d->items && d->item[end].kind == DOCUMENT_FACT) end = end_of(d, end);
    html_put(h, "<div class=\"cards\">\n");
    for (size_t i = at; i < cards && i < at + CARDS_MOST; i++) put_card(h, &d->item[i]);
    for (size_t i = cards; i < end;) i += is_marked(&d->item[i]) ? put_fact_card(h, d, i, end) : 1;
    html_put(h, "</div>\n");
    if (cards - at > CARDS_MOST) {
        html_put(h, "<p class=\"note\">");
        html_textf(h, "%zu more are left out.", cards - at - CARDS_MOST);
        html_put(h, "</p>\n");
    }
    for (size_t i = cards, first; i < end;) {
        for (first = i; i < end && !is_marked(&d->item[i]);) i++;
        if (i > first) put_facts(h, d, first, i);
        for (i++; i < end && !*d->item[i].label;) i++;
    }
    return end;
}

/* ---- tables ---- */

static void put_rows(html_writer *h, const document_item *item, size_t most) {
    text_table t = {0};
    const size_t heads = text_table_heads(&item->table), rows = text_table_rows(&item->table);
    for (size_t r = 0; r < rows && r < heads + most; r++) {
        for (size_t c = 0; c < item->table.width; c++) text_table_copy(&t, &item->table, r, c);
        text_table_end_row(&t);
    }
    t.units = item->table.units, t.labels = item->table.labels, t.layout = item->table.layout;
    html_table(h, &t, item->text);
}

static void put_table(html_writer *h, const document_item *item) {
    const size_t rows = text_table_rows(&item->table) - text_table_heads(&item->table);
    put_rows(h, item, item->first ? item->first : rows);
    if (!item->first || rows <= item->first) return;
    if (item->first >= ROWS_MOST) {
        html_element(h, "p class=\"note\"", item->more);
        return;
    }
    html_put(h, "<details><summary>");
    if (rows > ROWS_MOST)
        html_textf(h, "The first %d of %zu rows; --json has all", ROWS_MOST, rows);
    else
        html_textf(h, "All %zu rows", rows);
    html_put(h, "</summary>\n");
    put_rows(h, item, ROWS_MOST);
    html_put(h, "</details>\n");
}

/* ---- findings ---- */

static const char *severity_mark(text_style severity) {
    return severity == TEXT_ERROR     ? "\xe2\x9c\x96\xc2\xa0"
                                        "error"
           : severity == TEXT_WARNING ? "\xe2\x96\xb2\xc2\xa0"
                                        "warning"
                                      : "\xe2\x80\xa2\xc2\xa0"
                                        "remark";
}

static void add_finding(text_table *t, const document_item *f, size_t more) {
    char text[80];
    snprintf(text, sizeof text, "%zu more of this kind; --findings 0 prints them", more);
    t->now = f->style;
    text_table_add(t, severity_mark(f->style));
    t->now = TEXT_PLAIN;
    text_table_add(t, f->about);
    text_table_add(t, more ? "" : f->where);
    text_table_add(t, more ? text : f->text);
    text_table_add(t, f->label);
    text_table_end_row(t);
}

static void put_findings(html_writer *h, const document *d, size_t at, size_t end) {
    static const char *const head[] = {"severity", "about", "where", "what", "kind"};
    text_table t = {0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], false);
    text_table_end_row(&t);
    for (size_t i = at; i < end; i++) {
        const size_t before = document_alike_before(d, i, KIND_MOST + 1);
        if (before < KIND_MOST) add_finding(&t, &d->item[i], 0);
        if (before == KIND_MOST) add_finding(&t, &d->item[i], document_alike_from(d, i));
    }
    html_table(h, &t, "Findings");
}

/* ---- bars ---- */

/* The field is so many percent wide. */
enum { FIELD = 104 };

static void put_bar(html_writer *h, const document_item *bar, size_t colour) {
    html_put(h, "<div class=\"bar\"><span class=\"name\">");
    html_text(h, bar->text);
    html_put(h, "</span><svg width=\"100%\" height=\"20\" aria-hidden=\"true\">");
    if (!isnan(bar->share))
        bough_text_printf(&h->out, "<rect class=\"fill%zu\" y=\"3\" width=\"%.2f%%\" height=\"14\"/>",
                          colour % 8, 100 * bar->share * 100 / FIELD);
    for (int tick = 0; tick <= 100; tick += 25)
        bough_text_printf(&h->out, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"20\"/>",
                          tick == 100 ? "nominal" : "tick", 100.0 * tick / FIELD, 100.0 * tick / FIELD);
    html_put(h, "</svg><span class=\"value\">");
    html_text(h, bar->about);
    html_put(h, "</span></div>\n");
}

static void put_axis(html_writer *h) {
    html_put(h, "<div class=\"bar\"><span class=\"name\"></span><svg width=\"100%\" height=\"16\" "
                "aria-hidden=\"true\">");
    for (int tick = 0; tick <= 100; tick += 25)
        bough_text_printf(&h->out, "<text x=\"%.2f%%\" y=\"12\">%d%s</text>", 100.0 * tick / FIELD, tick,
                          tick == 100 ? " %" : "");
    html_put(h, "</svg></div>\n");
}

static void put_bars(html_writer *h, const document *d, size_t at, size_t end) {
    size_t colour = 0;
    html_put(h, "<div class=\"bars\">\n");
    for (size_t i = at; i < end; i++) {
        const bool begins = i == at || strcmp(d->item[i].label, d->item[i - 1].label) != 0;
        if (begins) html_element(h, "h3", d->item[i].label);
        colour = begins ? 0 : colour + 1;
        put_bar(h, &d->item[i], colour);
    }
    put_axis(h);
    html_put(h, "</div>\n");
}

/* ---- the whole ---- */

static bool is_folded(const document_item *section) {
    return section->details || section->folded;
}

/* What is for the first screen is printed on paper. */
static void begin_section(html_writer *h, const document_item *section) {
    static const char *const kind[] = {"printed", "printed folded", "folded"};
    bough_text_printf(&h->out, "<section class=\"%s\" aria-labelledby=\"%s\">\n%s<h2 id=\"%s\">",
                      kind[section->details ? 2 : section->folded], section->label,
                      is_folded(section) ? "<details><summary>" : "", section->label);
    html_text(h, section->text);
    html_put(h, is_folded(section) ? "</h2></summary>\n" : "</h2>\n");
}

static void end_section(html_writer *h, const document_item *section) {
    if (section) html_put(h, is_folded(section) ? "</details>\n</section>\n" : "</section>\n");
}

static void put_one(html_writer *h, const document_item *item) {
    switch (item->kind) {
    case DOCUMENT_HEADING:
        html_put(h, "<h3>");
        html_textf(h, *item->label ? "%s " : "%s", item->label);
        html_text(h, item->text);
        html_put(h, "</h3>\n");
        break;
    case DOCUMENT_LINE:
        html_element(h, "p", item->text);
        break;
    case DOCUMENT_NOTE:
        html_element(h, "p class=\"note\"", item->text);
        break;
    case DOCUMENT_COMMAND:
        html_put(h, "<p class=\"next\">Next: <code>");
        html_text(h, item->text);
        html_put(h, "</code> ");
        html_text(h, item->label);
        html_put(h, "</p>\n");
        break;
    case DOCUMENT_TABLE:
        put_table(h, item);
        break;
    case DOCUMENT_FIGURE:
        if (*item->text) html_element(h, "h3", item->text);
        bough_text_put(&h->out, item->more);
        break;
    default:
        break;
    }
}

static size_t put_group(html_writer *h, const document *d, size_t at) {
    const size_t end = end_of(d, at);
    switch (d->item[at].kind) {
    case DOCUMENT_FACT:
        put_facts(h, d, at, end);
        return end;
    case DOCUMENT_SHORT:
        put_shorts(h, d, at, end);
        return end;
    case DOCUMENT_CARD:
        return put_summary(h, d, at);
    case DOCUMENT_ITEM:
        put_list(h, d, at, end);
        return end;
    case DOCUMENT_FINDING:
        put_findings(h, d, at, end);
        return end;
    case DOCUMENT_BAR:
        put_bars(h, d, at, end);
        return end;
    default:
        put_one(h, &d->item[at]);
        return at + 1;
    }
}

void document_write_html(const document *d, html_writer *h) {
    const document_item *open = NULL;
    h->out.failed |= d->failed;
    for (size_t i = 0; i < d->items && !h->out.failed;) {
        if (d->item[i].kind != DOCUMENT_SECTION) {
            i = put_group(h, d, i);
            continue;
        }
        end_section(h, open);
        open = &d->item[i++];
        begin_section(h, open);
    }
    end_section(h, open);
}
