/* The comparison with the fabric before a change. */
#include "report/check/check_changes.h"
#include "report/check/check_render.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add_counts(text_table *t, const char *what, change_counts all) {
    char text[64];
    bough_text changes = {0};
    text_table_add(t, what);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%" PRIu64, all.of[i].value);
        text_table_add(t, text);
    }
    bough_text_put(&changes, "");
    for (const change_count *c = all.of; c < all.of + COUNTS_MAX && c->key; c++)
        if (c->words && c->value)
            bough_text_printf(&changes, "%s%" PRIu64 " %s", changes.length ? ", " : "", c->value, c->words);
    text_table_add(t, changes.failed ? "" : changes.length ? changes.data : "the same");
    t->failed |= changes.failed;
    bough_text_fini(&changes);
    text_table_end_row(t);
}

static void add_load(text_table *t, const char *what, double before, double now) {
    char text[64];
    text_table_add(t, what);
    text_table_add(t, check_number(before, text));
    text_table_add(t, check_number(now, text));
    snprintf(text, sizeof text, "%+.1f %%", 100 * (now / before - 1));
    text_table_add(t, !(before > 0) ? "" : fabs(now - before) > 1e-9 * before ? text : "the same");
    text_table_end_row(t);
}

static void put_paths(html_writer *h, const bough_routing_changes *r) {
    const change_counts pairs = change_count_pairs(r);
    const char *separator = ": ";
    html_put(h, "<p>");
    html_textf(h, "%" PRIu64 " pairs of %" PRIu64 " endpoints in both", r->pairs, r->endpoints);
    for (const change_count *c = pairs.of; c < pairs.of + COUNTS_MAX && c->key; c++) {
        if (!c->words || !c->value) continue;
        html_textf(h, "%s%" PRIu64 " %s", separator, c->value, c->words);
        separator = ", ";
    }
    if (r->longer || r->shorter)
        html_textf(h, "; of another way %" PRIu64 " longer, %" PRIu64 " shorter", r->longer, r->shorter);
    html_put(h, ".</p>\n");
}

static void put_links(html_writer *h, const bough_check_report *report) {
    const bough_routing_changes *r = &report->against.changes;
    text_table t = {0};
    char text[400], number[CHECK_NUMBER];
    if (!r->links) return;
    html_put(h, "<p>");
    html_textf(h, "%zu links between the same ports have other loads; the largest differences:", r->links);
    html_put(h, "</p>\n");
    text_table_head(&t, "link", false);
    text_table_head(&t, "flows before", true);
    text_table_head(&t, "now", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < r->links && i < FABRIC_HTML_LINKS; i++) {
        text_table_add(&t, bough_link_name(report->net, r->link[i].link, text, sizeof text));
        text_table_add(&t, check_number(r->link[i].before, number));
        text_table_add(&t, check_number(r->link[i].now, number));
        text_table_end_row(&t);
    }
    html_table(h, &t, "Links whose loads differ most");
}

static void put_verdict(html_writer *h, const bough_findings *findings) {
    uint64_t count[3] = {0};
    for (size_t i = 0; i < findings->count; i++) count[findings->item[i].severity]++;
    if (!findings->count)
        html_put(h, "<p class=\"rating good\">Nothing has changed.</p>\n");
    else if (count[BOUGH_ERROR])
        html_put(h, "<p class=\"rating bad\">Worse: pairs are lost.</p>\n");
    else if (count[BOUGH_WARN])
        html_put(h, "<p class=\"rating usable\">Worse: there are warnings among the findings of the "
                    "comparison.</p>\n");
    else
        html_put(h, "<p class=\"rating good\">Nothing is worse.</p>\n");
}

void fabric_html_against(html_writer *h, const bough_check_report *report) {
    const bough_check_against *a = &report->against;
    const bough_check_result *now = &report->part[0].result, *before = &a->changes.before;
    text_table t = {0};
    if (!a->asked) return;
    html_begin_section(h, "against", "Compared with before");
    html_put(h, "<p>Against ");
    html_text(h, a->old->fabric->source);
    if (a->routing) html_put(h, ", ");
    if (a->routing) html_text(h, a->routing->spec);
    html_put(h, ".</p>\n");
    put_verdict(h, &a->findings);
    text_table_head(&t, "", false);
    text_table_head(&t, "before", true);
    text_table_head(&t, "now", true);
    text_table_head(&t, "change", false);
    text_table_end_row(&t);
    add_counts(&t, "hosts", change_count_nodes(&a->fabric.host));
    add_counts(&t, "switches", change_count_nodes(&a->fabric.other));
    add_counts(&t, "cables to hosts", change_count_cables(&a->fabric.access));
    add_counts(&t, "cables between switches", change_count_cables(&a->fabric.inner));
    if (a->routed) {
        add_load(&t, "all-to-all, flows on the most loaded link", before->alltoall_max, now->alltoall_max);
        add_load(&t, "worst shift", before->shift_max, now->shift_max);
        add_load(&t, "shifts, mean", before->shift_mean, now->shift_mean);
    }
    html_table(h, &t, "Before and now");
    if (a->routed && a->changes.paths) put_paths(h, &a->changes);
    if (a->routed)
        put_links(h, report);
    else
        html_element(h, "p", a->why);
    html_end_section(h);
}
