#include "fabric/check/check_document.h"

#include "base/text/text.h"
#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>

/* ---- text ---- */

static void put_placed(const check_view *w, const char *label, const bough_check_placement *p,
                       const bough_placed *placed) {
    char load[CHECK_NUMBER], ratio[CHECK_NUMBER], link[300];
    document_fact(w->doc, label, "%s, on %" PRIu64 " %s", placed->hosts, placed->leaves,
                  placed->leaves == 1 ? "leaf" : "leaves");
    if (placed->link == BOUGH_NONE) {
        document_fact(w->doc, "", "nothing enters the network");
        return;
    }
    document_begin(w->doc, DOCUMENT_FACT, "");
    if (placed->ratio <= 1 + 1e-9)
        document_put(w->doc, "as fast as the cables of the hosts");
    else
        document_put(w->doc, "%s times as long as the cables of the hosts take",
                     check_ratio(placed->ratio, ratio));
    document_put(w->doc, ": %s %s on %s", check_number(placed->load, load),
                 p->bytes ? "bytes" : check_flows(placed->load),
                 bough_link_name(w->report->net, placed->link, link, sizeof link));
    if (placed->limits > 1) document_put(w->doc, " and %" PRIu64 " more", placed->limits - 1);
    if (placed->lost > 0)
        document_put(w->doc, "; %s messages do not arrive", check_number(placed->lost, load));
    document_end(w->doc);
    if (!placed->named)
        document_fact(
            w->doc, "",
            "with the ranks in this order; %s times as long in the order of names, which is Slurm's "
            "unless a SLURM_HOSTFILE says otherwise",
            check_ratio(placed->by_name, ratio));
}

static void put_search(const check_view *w, const bough_check_placement *p) {
    document_begin(w->doc, DOCUMENT_FACT, "");
    if (p->given && p->exact)
        document_put(w->doc, "the best of all %" PRIu64 " rows of hosts, in the order of the leaves",
                     p->possible);
    else if (p->given)
        document_put(w->doc,
                     "the best of %" PRIu64 " of %" PRIu64
                     " rows of hosts, those that start with a leaf first",
                     p->tried, p->possible);
    else if (p->exact)
        document_put(w->doc, "exact: the best of all subsets of the %" PRIu64 " free hosts", p->free);
    else if (!p->ideal)
        document_put(w->doc,
                     "bounded: the best of %" PRIu64 " placements of %" PRIu64
                     " free hosts (rows, few leaves, spread)",
                     p->tried, p->free);
    else
        document_put(w->doc, "no placement is faster; %" PRIu64 " were tried", p->tried);
    document_end(w->doc);
}

static void put_placement(const check_view *w, const bough_check_placement *p) {
    document_heading(w->doc, "placement", "%" PRIu64 " host%s, %s, under %s%s", p->hosts, bough_s(p->hosts),
                     p->traffic, w->name[p->part],
                     w->report->part[p->part].result.expected ? " (expected loads)" : "");
    if (p->ranks != p->hosts)
        document_fact(w->doc, "", "%" PRIu64 " endpoint%s", p->ranks, bough_s(p->ranks));
    if (p->given) put_placed(w, "given", p, &p->asked);
    if (!p->best.hosts) return;
    put_placed(w, p->given ? "contiguous" : "best", p, &p->best);
    put_search(w, p);
}

void check_placements_describe(const check_view *w) {
    if (!w->report->placements) return;
    document_section(w->doc, "placements", "Placements");
    for (size_t i = 0; i < w->report->placements; i++) put_placement(w, &w->report->placement[i]);
}

/* ---- JSON ---- */

static void put_object(json_writer *w, const char *key, const bough_net *net, const bough_placed *placed) {
    if (!placed->hosts) return;
    json_begin_object(w, key, true);
    json_put_text(w, "hosts", placed->hosts);
    json_put_whole(w, "leaves", (int64_t)placed->leaves);
    json_put_real(w, "load", placed->load);
    check_put_link(w, "link", net, placed->link);
    json_put_whole(w, "limits", (int64_t)placed->limits);
    json_put_real(w, "ratio", placed->ratio);
    json_put_real(w, "ratio_by_name", placed->by_name);
    json_put_real(w, "lost", placed->lost);
    json_end_object(w);
}

void check_put_placements(json_writer *w, const bough_check_report *report) {
    if (!report->placements) return;
    json_begin_array(w, "placements", false);
    for (size_t i = 0; i < report->placements; i++) {
        const bough_check_placement *p = &report->placement[i];
        json_begin_object(w, NULL, false);
        json_put_text(w, "routing", report->part[p->part].routing->spec);
        json_put_text(w, "traffic", p->traffic);
        json_put_text(w, "unit", p->bytes ? "bytes" : "flows");
        json_put_whole(w, "hosts", (int64_t)p->hosts);
        json_put_whole(w, "endpoints", (int64_t)p->ranks);
        json_put_whole(w, "free", (int64_t)p->free);
        put_object(w, "given", report->net, &p->asked);
        put_object(w, "best", report->net, &p->best);
        json_put_whole(w, "tried", (int64_t)p->tried);
        json_put_flag(w, "exact", p->exact);
        json_put_flag(w, "ideal", p->ideal);
        json_end_object(w);
    }
    json_end_array(w);
}
