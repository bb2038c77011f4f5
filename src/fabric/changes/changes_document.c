/* The comparison with the fabric before a change. */
#include "fabric/changes/change_counts.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINKS_SHOWN = 6 };

/* "3 gone, 1 new", or "the same" */
static void put_counts(bough_text *out, const change_counts *all) {
    const size_t from = out->length;
    for (const change_count *c = all->of; c < all->of + COUNTS_MAX && c->key; c++)
        if (c->words && c->value)
            bough_text_printf(out, "%s%" PRIu64 " %s", out->length > from ? ", " : "", c->value, c->words);
    if (out->length == from) bough_text_put(out, "the same");
}

static void add_parts(text_table *t, const char *what, change_counts all) {
    char text[32];
    bough_text changes = {0};
    text_table_add(t, what);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%" PRIu64, all.of[i].value);
        text_table_add(t, text);
    }
    put_counts(&changes, &all);
    text_table_add(t, changes.failed ? "" : changes.data);
    t->failed |= changes.failed;
    bough_text_fini(&changes);
    text_table_end_row(t);
}

static void add_load(text_table *t, const char *what, double before, double now) {
    char text[CHECK_NUMBER];
    text_table_add(t, what);
    text_table_add(t, check_number(before, text));
    text_table_add(t, check_number(now, text));
    snprintf(text, sizeof text, "%+.1f %%", 100 * (now / before - 1));
    text_table_add(t, !(before > 0) ? "" : fabs(now - before) > 1e-9 * before ? text : "the same");
    text_table_end_row(t);
}

/* The time of a pattern as its speed, which rates and loads decide. */
static void add_share(text_table *t, const char *what, double before, double now) {
    if (isnan(before) || isnan(now)) return;
    add_load(t, what, 100 * before, 100 * now);
}

static void put_table(const check_view *w) {
    const bough_check_against *a = &w->report->against;
    const bough_check_result *now = &w->report->part[0].result, *before = &a->changes.before;
    text_table t = {.labels = 1};
    text_table_head(&t, "", false);
    text_table_head(&t, "before", true);
    text_table_head(&t, "now", true);
    text_table_head(&t, "change", false);
    text_table_end_row(&t);
    add_parts(&t, "hosts", change_count_nodes(&a->fabric.host));
    add_parts(&t, "switches", change_count_nodes(&a->fabric.other));
    add_parts(&t, "cables to hosts", change_count_cables(&a->fabric.access));
    add_parts(&t, "cables between switches", change_count_cables(&a->fabric.inner));
    if (a->routed) {
        add_load(&t, "all-to-all, flows on a link", before->alltoall_max, now->alltoall_max);
        add_load(&t, "worst shift", before->shift_max, now->shift_max);
        add_load(&t, "shifts, mean", before->shift_mean, now->shift_mean);
        add_share(&t, "all-to-all, % of the ideal", before->alltoall_score, now->alltoall_score);
        add_share(&t, "shifts, % of the ideal", before->shift_score, now->shift_score);
    }
    document_table(w->doc, &t, "Before and now");
}

static void put_paths(const check_view *w) {
    const bough_routing_changes *r = &w->report->against.changes;
    const change_counts pairs = change_count_pairs(r);
    if (!r->paths) return;
    document_begin(w->doc, DOCUMENT_LINE, NULL);
    document_put(w->doc, "%" PRIu64 " pairs of %" PRIu64 " endpoints in both: ", r->pairs, r->endpoints);
    put_counts(&w->doc->line, &pairs);
    if (r->longer || r->shorter)
        document_put(w->doc, "; of another way %" PRIu64 " longer, %" PRIu64 " shorter", r->longer,
                     r->shorter);
    document_end(w->doc);
}

static void put_links(const check_view *w) {
    const bough_routing_changes *r = &w->report->against.changes;
    text_table t = {.labels = 1};
    bough_text more = {0};
    char text[CHECK_NUMBER], name[300];
    if (!r->links) return;
    document_line(
        w->doc, "%zu links between the same ports carry other flows of all-to-all; the largest differences:",
        r->links);
    text_table_head(&t, "link", false);
    text_table_head(&t, "before", true);
    text_table_head(&t, "now", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < r->links; i++) {
        text_table_add(&t, bough_link_name(w->report->net, r->link[i].link, name, sizeof name));
        text_table_add(&t, check_number(r->link[i].before, text));
        text_table_add(&t, check_number(r->link[i].now, text));
        text_table_end_row(&t);
    }
    bough_text_printf(&more, "... and %zu more (--json has all)",
                      r->links > LINKS_SHOWN ? r->links - LINKS_SHOWN : 0);
    document_long_table(w->doc, &t, "Links whose loads differ most", LINKS_SHOWN, &more);
}

/* What takes longer, else the first thing that is worse; NULL: nothing is. */
static const bough_finding *reason_of(const bough_findings *findings) {
    const bough_finding *first = NULL;
    for (size_t i = 0; i < findings->count; i++) {
        const bough_finding *f = &findings->item[i];
        if (f->severity == BOUGH_INFO) continue;
        if (strcmp(f->kind, "longer-time") == 0) return f;
        if (!first || f->severity > first->severity) first = f;
    }
    return first;
}

static const char *verdict_of(const bough_findings *findings, text_style *style) {
    const bough_finding *reason = reason_of(findings);
    *style = !reason ? TEXT_GOOD : reason->severity == BOUGH_ERROR ? TEXT_ERROR : TEXT_WARNING;
    return reason ? "worse" : findings->count ? "nothing is worse" : "nothing has changed";
}

static void put_verdict(const check_view *w, const bough_findings *findings) {
    const bough_finding *reason = reason_of(findings);
    text_style style;
    uint64_t others = 0;
    document_begin(w->doc, DOCUMENT_FACT, "verdict");
    document_put(w->doc, "%s", verdict_of(findings, &style));
    for (size_t i = 0; i < findings->count; i++) others += findings->item[i].severity != BOUGH_INFO;
    if (reason) document_put(w->doc, ": %s: %s", reason->where, reason->text);
    if (others > 1) document_put(w->doc, " (and %" PRIu64 " other%s)", others - 1, others == 2 ? "" : "s");
    document_end(w->doc);
    document_style(w->doc, style);
}

void check_old_fabric_card(const check_view *w) {
    const bough_check_against *a = &w->report->against;
    const bough_finding *reason = reason_of(&a->findings);
    text_style style;
    if (!a->asked) return;
    document_card(w->doc, "against before", verdict_of(&a->findings, &style), reason ? reason->text : "",
                  true);
    document_style(w->doc, style);
}

void check_old_fabric_describe(const check_view *w) {
    const bough_check_against *a = &w->report->against;
    if (!a->asked) return;
    document_section(w->doc, "against", "Compared with before");
    document_heading(w->doc, "against", "%s%s%s", a->old->fabric->source, a->routing ? ", " : "",
                     a->routing ? a->routing->spec : "");
    put_verdict(w, &a->findings);
    put_table(w);
    if (a->routed)
        put_paths(w);
    else
        document_fact(w->doc, "routing", "not compared: %s", a->why);
    if (a->routed) put_links(w);
}
