#include "report/placement/check_placement_report.h"

#include "report/check/check_json_parts.h"
#include "report/check/check_render.h"

#include <inttypes.h>

/* ---- text ---- */

static void put_placed(check_writer *w, const char *label, const bough_check_placement *p,
                       const bough_placed *placed) {
    char load[CHECK_NUMBER], ratio[CHECK_NUMBER], link[300];
    check_line(w, label, "%s, on %" PRIu64 " %s", placed->hosts, placed->leaves,
               placed->leaves == 1 ? "leaf" : "leaves");
    if (placed->link == BOUGH_NONE) {
        check_line(w, "", "nothing enters the network");
        return;
    }
    check_begin(w, "");
    if (placed->ratio <= 1 + 1e-9)
        check_put(w, "as fast as the cables of the hosts");
    else
        check_put(w, "%s times as long as the cables of the hosts take", check_ratio(placed->ratio, ratio));
    check_put(w, ": %s %s on %s", check_number(placed->load, load),
              p->bytes ? "bytes" : check_flows(placed->load),
              bough_link_name(w->report->net, placed->link, link, sizeof link));
    if (placed->limits > 1) check_put(w, " and %" PRIu64 " more", placed->limits - 1);
    if (placed->lost > 0) check_put(w, "; %s messages do not arrive", check_number(placed->lost, load));
    check_end(w);
    if (!placed->named)
        check_line(w, "",
                   "with the ranks in this order; %s times as long in the order of names, which is Slurm's "
                   "unless a SLURM_HOSTFILE says otherwise",
                   check_ratio(placed->by_name, ratio));
}

static void put_search(check_writer *w, const bough_check_placement *p) {
    check_begin(w, "");
    if (p->given && p->exact)
        check_put(w, "the best of all %" PRIu64 " rows of hosts, in the order of the leaves", p->possible);
    else if (p->given)
        check_put(w,
                  "the best of %" PRIu64 " of %" PRIu64 " rows of hosts, those that start with a leaf first",
                  p->tried, p->possible);
    else if (p->exact)
        check_put(w, "exact: the best of all subsets of the %" PRIu64 " free hosts", p->free);
    else if (!p->ideal)
        check_put(w,
                  "bounded: the best of %" PRIu64 " placements of %" PRIu64
                  " free hosts (rows, few leaves, spread)",
                  p->tried, p->free);
    else
        check_put(w, "no placement is faster; %" PRIu64 " were tried", p->tried);
    check_end(w);
}

static void print_placement(check_writer *w, const bough_check_placement *p) {
    check_heading(w, "placement", "%" PRIu64 " hosts, %s, under %s%s", p->hosts, p->traffic, w->name[p->part],
                  w->report->part[p->part].result.expected ? " (expected loads)" : "");
    if (p->ranks != p->hosts) check_line(w, "", "%" PRIu64 " endpoints", p->ranks);
    if (p->given) put_placed(w, "given", p, &p->asked);
    if (!p->best.hosts) return;
    put_placed(w, p->given ? "contiguous" : "best", p, &p->best);
    put_search(w, p);
}

void check_placements_text(check_writer *w) {
    for (size_t i = 0; i < w->report->placements; i++) print_placement(w, &w->report->placement[i]);
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
