/* Placements of jobs, and Slurm's file beside the fabric. */
#include "report/check/check_render.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- placements ---- */

static const char *searched(const bough_check_placement *p) {
    if (p->given) return p->exact ? "of all rows of hosts" : "of the rows that were tried";
    if (p->exact) return "of all subsets of the free hosts";
    return p->ideal ? "no placement is faster" : "a better one may exist";
}

static void add_placed(text_table *t, const bough_check_report *report, const bough_check_placement *p,
                       const bough_placed *placed) {
    const bool asked = placed == &p->asked, enters = placed->link != BOUGH_NONE;
    char text[1000];
    if (!placed->hosts) return;
    text_table_add(t, p->traffic);
    text_table_add(t, fabric_routing_name(report, p->part, text, sizeof text));
    text_table_add(t, asked ? "given" : p->given ? "best contiguous" : "best");
    text_table_add(t, placed->hosts);
    snprintf(text, sizeof text, "%" PRIu64, placed->leaves);
    text_table_add(t, text);
    text_table_add(t, enters ? check_ratio(placed->ratio, text) : "-");
    text_table_add(t, enters ? bough_link_name(report->net, placed->link, text, sizeof text)
                             : "nothing enters the network");
    text_table_add(t, enters ? check_number(placed->load, text) : "-");
    char remark[200], ratio[CHECK_NUMBER];
    snprintf(remark, sizeof remark, "%s", asked ? "" : searched(p));
    if (placed->lost > 0) snprintf(remark, sizeof remark, "%.6g messages do not arrive", placed->lost);
    if (!placed->named)
        snprintf(text, sizeof text, "%s%sranks in this order; %s in that of names", remark,
                 *remark ? "; " : "", check_ratio(placed->by_name, ratio));
    text_table_add(t, placed->named ? remark : text);
    text_table_end_row(t);
}

void fabric_html_placements(html_writer *h, const bough_check_report *report) {
    text_table t = {0};
    if (!report->placements) return;
    html_begin_section(h, "placements", "Placements");
    text_table_head(&t, "traffic", false);
    text_table_head(&t, "routing", false);
    text_table_head(&t, "placement", false);
    text_table_head(&t, "hosts", false);
    text_table_head(&t, "leaves", true);
    text_table_head(&t, "times as long", true);
    text_table_head(&t, "the link that takes longest", false);
    text_table_head(&t, report->placement[0].bytes ? "bytes on it" : "flows on it", true);
    text_table_head(&t, "remark", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->placements; i++) {
        const bough_check_placement *p = &report->placement[i];
        if (p->given) add_placed(&t, report, p, &p->asked);
        add_placed(&t, report, p, &p->best);
    }
    html_table(h, &t, "Placements");
    html_put(
        h,
        "<p class=\"note\">Times as long: the time of the link that takes longest over that of the slowest "
        "cable of a host; 1 is ideal.</p>\n");
    html_end_section(h);
}

/* ---- Slurm's file ---- */

static void add_count(text_table *t, const char *what, uint64_t count, uint64_t of) {
    char text[64];
    text_table_add(t, what);
    snprintf(text, sizeof text, "%" PRIu64, count);
    text_table_add(t, text);
    snprintf(text, sizeof text, "%" PRIu64, of);
    text_table_add(t, text);
    text_table_end_row(t);
}

void fabric_html_slurm(html_writer *h, const bough_check_report *report) {
    const bough_check_slurm *s = &report->slurm;
    text_table t = {0};
    if (!s->file) return;
    html_begin_section(h, "slurm", "Slurm's file");
    html_element(h, "p", s->file);
    text_table_head(&t, "", false);
    text_table_head(&t, "number", true);
    text_table_head(&t, "of", true);
    text_table_end_row(&t);
    add_count(&t, "hosts below their leaf", s->right, s->hosts);
    add_count(&t, "hosts below another leaf", s->moved, s->hosts);
    add_count(&t, "hosts that the file lacks", s->missing, s->hosts);
    add_count(&t, "nodes that the fabric lacks", s->unknown, s->nodes);
    add_count(&t, "nodes listed twice", s->twice, s->nodes);
    add_count(&t, "leaves that match a line", s->leaves_matched, s->leaves);
    add_count(&t, "lines of leaves that match", s->leaves_matched, s->leaf_lines);
    add_count(&t, "lines above leaves that match a level", s->upper_matched, s->upper_lines);
    html_table(h, &t, "The fabric and Slurm's file");
    html_end_section(h);
}
