#include "fabric/check/check_document.h"

#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 10 };

bool check_adaptive_known(const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        if (report->part[i].adaptive.known) return true;
    return false;
}

static double mean_links(const bough_adaptive_counts *c) {
    return c->entries ? (double)c->links / (double)c->entries : 0;
}

void check_adaptive_describe(const check_view *w, const bough_check_adaptive *a) {
    static const char *const rule[] = {
        [BOUGH_ADAPTIVE_MINIMAL] = "all links on shortest paths to the destination's switch",
        [BOUGH_ADAPTIVE_SAME_SWITCH] = "all links to the switch to which the table leads",
        [BOUGH_ADAPTIVE_FILE] = "those of the file"};
    const bough_adaptive_counts *c = &a->counts;
    char mean[CHECK_NUMBER];
    if (!a->known) return;
    document_fact(w->doc, "adaptive",
                  "groups: %s; every packet takes each link of its group with equal probability",
                  rule[a->groups]);
    document_fact(w->doc, "",
                  "%" PRIu64 " of %" PRIu64 " entries (switch and address) have a choice, of up to %" PRIu64
                  " links; %s links an entry on average",
                  c->choices, c->entries, c->largest, check_number(mean_links(c), mean));
}

/* ---- single failures ---- */

static const char *name_of(const bough_net *net, const bough_adaptive_failure *f, char *name, size_t size) {
    return failure_name(net, &(bough_failure){.link = f->link, .node = f->node}, name, size);
}

static void add_row(text_table *t, const bough_net *net, const bough_adaptive_failure *f) {
    char name[400], text[CHECK_NUMBER];
    text_table_add(t, name_of(net, f, name, sizeof name));
    text_table_add(t, check_number((double)f->lost, text));
    text_table_add(t, check_number((double)f->own, text));
    snprintf(text, sizeof text, "%.1f %%", 100 * f->packets);
    text_table_add(t, f->lost ? text : "-");
    snprintf(text, sizeof text, "%.3f", f->slowdown);
    text_table_add(t, isnan(f->slowdown) ? "-" : text);
    text_table_add(t, check_number(f->alltoall, text));
    text_table_end_row(t);
}

static void describe_list(const check_view *w, const bough_check_adaptive *a,
                          const bough_adaptive_list *list) {
    static const char *const heads[] = {"lossy", "own", "packets", "slowdown", "alltoall"};
    const bool cable = strcmp(list->what, "cable") == 0;
    char whole[CHECK_NUMBER];
    text_table t = {.labels = 1};
    bough_text more = {0};
    document_heading(w->doc, "", "each:%s  %zu %s, one dead at a time", list->spec + strlen("each:what="),
                     list->count,
                     list->count == 1 ? list->what
                     : cable          ? "cables"
                                      : "switches");
    document_line(w->doc, "groups as they are, without the links that died: %zu of %zu lose no packet%s",
                  list->whole, list->count, cable ? "" : " of other hosts");
    document_line(w->doc, "whole fabric: all-to-all %s on the most loaded link (expected), %" PRIu64 " pairs",
                  check_number(a->alltoall, whole), a->pairs);
    text_table_head(&t, list->what, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) text_table_head(&t, heads[i], true);
    text_table_end_row(&t);
    for (size_t i = 0; i < list->count; i++) add_row(&t, w->report->net, &list->item[i]);
    bough_text_printf(&more, "%zu more (--json has all)", list->count > ROWS ? list->count - ROWS : 0);
    document_long_table(w->doc, &t, "Single failures, the worst first", ROWS, &more);
    document_note(w->doc,
                  "lossy: pairs of which packets are lost, until the groups are made anew; own: of these, "
                  "pairs of hosts of the switch; packets: the share of their packets that is lost");
}

void check_adaptive_failures_describe(const check_view *w) {
    for (size_t i = 0; i < w->report->parts; i++) {
        const bough_check_adaptive *a = &w->report->part[i].adaptive;
        if (!a->lists) continue;
        document_heading(w->doc, "failures", "%s", w->name[i]);
        for (size_t k = 0; k < a->lists; k++) describe_list(w, a, &a->list[k]);
    }
}

/* ---- JSON ---- */

static void put_failure(json_writer *w, const bough_net *net, const bough_adaptive_failure *f) {
    char name[400];
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", name_of(net, f, name, sizeof name));
    json_put_whole(w, "lossy_pairs", (int64_t)f->lost);
    json_put_whole(w, "own_pairs", (int64_t)f->own);
    json_put_real(w, "lost_packets", f->packets);
    json_put_real(w, "slowdown", f->slowdown);
    json_put_real(w, "alltoall_max", f->alltoall);
    json_end_object(w);
}

static void put_list(json_writer *w, const bough_net *net, const bough_adaptive_list *list) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "spec", list->spec);
    json_put_text(w, "what", list->what);
    json_put_whole(w, "lossless", (int64_t)list->whole);
    json_begin_array(w, "items", false);
    for (size_t i = 0; i < list->count; i++) put_failure(w, net, &list->item[i]);
    json_end_array(w);
    json_end_object(w);
}

void check_put_adaptive(json_writer *w, const bough_net *net, const bough_check_adaptive *a) {
    if (!a->known) return;
    json_begin_object(w, "adaptive", false);
    json_put_text(w, "groups", bough_adaptive_name(a->groups));
    json_put_whole(w, "entries", (int64_t)a->counts.entries);
    json_put_whole(w, "choices", (int64_t)a->counts.choices);
    json_put_whole(w, "largest", (int64_t)a->counts.largest);
    json_put_real(w, "links_mean", mean_links(&a->counts));
    if (a->lists) {
        json_put_real(w, "alltoall_max", a->alltoall);
        json_begin_array(w, "failures", false);
        for (size_t i = 0; i < a->lists; i++) put_list(w, net, &a->list[i]);
        json_end_array(w);
    }
    json_end_object(w);
}
