/* The comparison with the fabric before a change, as text. */
#include "report/check/check_changes.h"
#include "report/check/check_render.h"
#include "report/check/check_writer.h"

#include <inttypes.h>
#include <math.h>

enum { LINKS_SHOWN = 6 };

enum { LABEL = 19 }; /* of the lines of this part */

static void begin(check_writer *w, const char *label) {
    check_begin_at(w, LABEL);
    check_put(w, "  %-*s", LABEL - 2, label);
}

/* ": 3 gone, 1 new"; false where all are 0. */
static bool put_counts(check_writer *w, const change_counts *all) {
    const char *separator = ": ";
    for (const change_count *c = all->of; c < all->of + COUNTS_MAX && c->key; c++) {
        if (!c->words || !c->value) continue;
        check_put(w, "%s%" PRIu64 " %s", separator, c->value, c->words);
        separator = ", ";
    }
    return *separator == ',';
}

static void print_parts(check_writer *w, const char *what, change_counts all) {
    begin(w, what);
    check_put(w, "%" PRIu64 " before, %" PRIu64 " now", all.of[0].value, all.of[1].value);
    if (!put_counts(w, &all)) check_put(w, ": the same");
    check_end(w);
}

static void print_load(check_writer *w, const char *what, double before, double now) {
    char a[CHECK_NUMBER], b[CHECK_NUMBER];
    begin(w, what);
    check_put(w, "%s before, %s now", check_number(before, a), check_number(now, b));
    if (before > 0 && fabs(now - before) > 1e-9 * before)
        check_put(w, " (%+.1f %%)", 100 * (now / before - 1));
    check_end(w);
}

static void print_links(check_writer *w, const bough_check_against *a) {
    const bough_routing_changes *r = &a->changes;
    text_table t = {0};
    char text[CHECK_NUMBER], name[300];
    if (!r->links) return;
    check_line_at(w, 2,
                  "%zu links between the same ports have other loads; the largest differences:", r->links);
    text_table_head(&t, "before", true);
    text_table_head(&t, "now", true);
    text_table_head(&t, "link", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < r->links && i < LINKS_SHOWN; i++) {
        text_table_add(&t, check_number(r->link[i].before, text));
        text_table_add(&t, check_number(r->link[i].now, text));
        text_table_add(&t, bough_link_name(w->report->net, r->link[i].link, name, sizeof name));
        text_table_end_row(&t);
    }
    check_table(w, &t, 4);
}

static void print_routing(check_writer *w, const bough_check_against *a, const bough_check_result *after) {
    const bough_routing_changes *r = &a->changes;
    const change_counts pairs = change_count_pairs(r);
    if (!a->routed) {
        begin(w, "routing");
        check_put(w, "not compared: %s", a->why);
        check_end(w);
        return;
    }
    if (r->paths) {
        begin(w, "paths");
        check_put(w, "%" PRIu64 " pairs of %" PRIu64 " endpoints in both", r->pairs, r->endpoints);
        put_counts(w, &pairs);
        check_end(w);
    }
    if (r->paths && (r->longer || r->shorter)) {
        begin(w, "");
        check_put(w, "of another way %" PRIu64 " longer, %" PRIu64 " shorter", r->longer, r->shorter);
        check_end(w);
    }
    print_load(w, "all-to-all", r->before.alltoall_max, after->alltoall_max);
    print_load(w, "worst shift", r->before.shift_max, after->shift_max);
    print_load(w, "shifts, mean", r->before.shift_mean, after->shift_mean);
    print_links(w, a);
}

static void print_verdict(check_writer *w, const bough_check_against *a) {
    uint64_t count[3] = {0};
    for (size_t i = 0; i < a->findings.count; i++) count[a->findings.item[i].severity]++;
    if (!a->findings.count) {
        check_line_at(w, 2, "nothing has changed");
        return;
    }
    begin(w, "verdict");
    if (count[BOUGH_ERROR])
        check_put(w, "worse: pairs are lost");
    else if (count[BOUGH_WARN])
        check_put(w, "worse: %" PRIu64 " warning%s among the findings", count[BOUGH_WARN],
                  count[BOUGH_WARN] == 1 ? "" : "s");
    else
        check_put(w, "nothing is worse");
    check_end(w);
}

void check_old_fabric_text(check_writer *w) {
    const bough_check_against *a = &w->report->against;
    if (!a->asked) return;
    check_heading(w, "against", "%s%s%s", a->old->fabric->source, a->routing ? ", " : "",
                  a->routing ? a->routing->spec : "");
    print_parts(w, "hosts", change_count_nodes(&a->fabric.host));
    print_parts(w, "switches", change_count_nodes(&a->fabric.other));
    print_parts(w, "cables to hosts", change_count_cables(&a->fabric.access));
    print_parts(w, "cables between", change_count_cables(&a->fabric.inner));
    print_routing(w, a, &w->report->part[0].result);
    print_verdict(w, a);
}
