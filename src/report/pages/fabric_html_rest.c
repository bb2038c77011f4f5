/* What the script of a page shows interactively, for pages without: figures, drawings, findings, shifts, the
 * most loaded links. Every part has a bounded size. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/physical/physical.h"
#include "report/charts/chart_svg.h"
#include "report/check/check_rates.h"
#include "report/check/check_render.h"
#include "report/drawings/drawing.h"
#include "report/finding_groups.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_BY_SIDE = 8 }; /* routings */

/* ---- facts ---- */

static void put_rates(html_writer *h, const bough_check_report *report) {
    bough_text rates = {0};
    check_rates_words(&rates, report->net, &report->rates);
    if (!rates.failed) html_fact(h, "rates", rates.data);
    h->out.failed |= rates.failed;
    bough_text_fini(&rates);
}

void fabric_html_facts(html_writer *h, const bough_check_report *report) {
    const bough_net *net = report->net;
    char text[64];
    bough_text switches = {0};
    snprintf(text, sizeof text, "%" PRIu64, net->endpoints);
    html_fact(h, "endpoints", text);
    bough_text_printf(&switches, "%" PRIu64 " (", net->switches);
    for (unsigned l = 1; l <= net->levels; l++)
        bough_text_printf(&switches, "%s%" PRIu64 " %s", l > 1 ? ", " : "", report->level_switches[l],
                          l == 1   ? report->level_switches[l] == 1 ? "leaf" : "leaves"
                          : l == 2 ? "above them"
                                   : "above");
    bough_text_put(&switches, ")");
    if (!switches.failed) html_fact(h, "switches", switches.data);
    h->out.failed |= switches.failed;
    bough_text_fini(&switches);
    snprintf(text, sizeof text, "%" PRIu64, net->cables);
    html_fact(h, "cables between switches", text);
    put_rates(h, report);
    if (net->fabric) html_fact(h, "format", net->fabric->format);
    snprintf(text, sizeof text, "%" PRIu64, report->seed);
    html_fact(h, "seed", text);
}

/* ---- figures ---- */

static void put_hops(bough_text *out, const bough_check_result *r) {
    for (int k = 0; k < BOUGH_HOPS_MAX; k++)
        if (r->hops[k]) bough_text_printf(out, "%s%d: %" PRIu64, out->length ? ", " : "", k, r->hops[k]);
}

static void put_share(bough_text *out, double share) {
    if (!isnan(share)) bough_text_printf(out, "%.1f %%", 100 * share);
}

static void put_load(bough_text *out, double load) {
    char a[CHECK_NUMBER];
    bough_text_put(out, check_number(load, a));
}

static void put_link(bough_text *out, const bough_net *net, uint64_t link) {
    char name[400];
    if (link != BOUGH_NONE) bough_text_put(out, bough_link_name(net, link, name, sizeof name));
}

enum { PAIRS, HOPS, ALLTOALL, SHARE, SHIFT, SHIFT_MEAN, RANDOM, WORST, LINK, WORST_LINK, UNUSED, FIGURES };

static const char *const figure_name[FIGURES] = {
    [PAIRS] = "routed pairs",
    [HOPS] = "switches on the path: pairs",
    [ALLTOALL] = "all-to-all",
    [SHARE] = "share of the ideal, all-to-all",
    [SHIFT] = "shift, worst",
    [SHIFT_MEAN] = "shift, mean",
    [RANDOM] = "random permutation",
    [WORST] = "worst permutation",
    [LINK] = "link that takes longest, all-to-all",
    [WORST_LINK] = "most loaded link, worst permutation",
    [UNUSED] = "unused directed links",
};

static void put_figure(bough_text *out, const bough_check_report *report, const bough_routing_report *part,
                       int figure) {
    const bough_check_result *r = &part->result;
    bool random = r->random.count > 0;
    char a[CHECK_INTERVAL];
    if (figure == PAIRS) bough_text_printf(out, "%" PRIu64 " of %" PRIu64, r->routed, r->pairs);
    if (figure == UNUSED) bough_text_printf(out, "%" PRIu64, r->unused_links);
    if (!r->routed) return; /* no loads */
    if (figure == HOPS) put_hops(out, r);
    if (figure == ALLTOALL) put_load(out, r->alltoall_max);
    if (figure == SHARE) put_share(out, r->alltoall_share);
    if (figure == SHIFT) put_load(out, r->shift_max);
    if (figure == SHIFT && r->shift_worst_k) bough_text_printf(out, " (k = %" PRIu64 ")", r->shift_worst_k);
    if (figure == SHIFT_MEAN) put_load(out, r->shift_mean);
    if (figure == RANDOM && random)
        bough_text_put(out, check_interval(r->random.mean, bough_stats_ci95(&r->random), CHECK_SIGN_HTML, a));
    if (figure == WORST && part->worst_known) put_load(out, part->worst.load);
    if (figure == WORST && check_worst_bounded(report, part)) {
        bough_text_put(out, "at least ");
        put_load(out, part->worst_least);
    }
    if (figure == LINK && r->alltoall_max > 0) put_link(out, report->net, r->alltoall_limit);
    if (figure == WORST_LINK && part->worst_known) put_link(out, report->net, part->worst.link);
}

static void add_figure(text_table *t, const bough_check_report *report, size_t part, int figure) {
    bough_text text = {0};
    bough_text_put(&text, "");
    put_figure(&text, report, &report->part[part], figure);
    text_table_add(t, text.failed ? "" : text.data);
    t->failed |= text.failed;
    bough_text_fini(&text);
}

/* Routings side by side. */
static text_table list_figures(const bough_check_report *report) {
    text_table t = {0};
    char name[1000];
    text_table_head(&t, "figure", false);
    for (size_t i = 0; i < report->parts; i++)
        text_table_head(&t, fabric_routing_name(report, i, name, sizeof name), false);
    text_table_end_row(&t);
    for (int f = 0; f < FIGURES; f++) {
        text_table_add(&t, figure_name[f]);
        for (size_t i = 0; i < report->parts; i++) add_figure(&t, report, i, f);
        text_table_end_row(&t);
    }
    return t;
}

/* Routings one below the other. */
static text_table list_routings(const bough_check_report *report) {
    text_table t = {0};
    char name[1000];
    text_table_head(&t, "routing", false);
    for (int f = 0; f < FIGURES; f++) text_table_head(&t, figure_name[f], f != LINK && f != WORST_LINK);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->parts; i++) {
        text_table_add(&t, fabric_routing_name(report, i, name, sizeof name));
        for (int f = 0; f < FIGURES; f++) add_figure(&t, report, i, f);
        text_table_end_row(&t);
    }
    return t;
}

static void put_figures(html_writer *h, const bough_check_report *report) {
    text_table t = report->parts <= SIDE_BY_SIDE ? list_figures(report) : list_routings(report);
    html_begin_section(h, "figures", "Figures");
    html_put(h, "<p class=\"note\">Flows on the most loaded directed link, endpoint links included.</p>\n");
    html_table(h, &t, "Flows on the most loaded link, routing by routing");
    html_end_section(h);
}

/* ---- drawings ---- */

static bough_status put_drawing(html_writer *h, const bough_check_report *report, size_t i,
                                bough_error *error) {
    const bough_check_result *r = &report->part[i].result;
    bough_text svg = {0}, caption = {0};
    drawing d = {0};
    char name[1000];
    bough_status status =
        drawing_make(report->net, &(drawing_options){.load = r->load, .expected = r->expected}, &d, error);
    TRY(drawing_svg_inline(&d, &svg, error));
    if (!status) {
        html_put(h, "<figure class=\"net\">\n<figcaption>");
        if (d.loads) html_text(h, fabric_routing_name(report, i, name, sizeof name));
        html_put(h, "<br/><span class=\"note\">");
        html_text(h, d.caption);
        html_put(h, "</span></figcaption>\n<div class=\"scroll drawn\" tabindex=\"0\" role=\"group\" "
                    "aria-label=\"Drawing of the network\">\n");
        bough_text_join(&h->out, &svg);
        html_put(h, "</div>\n</figure>\n");
    }
    bough_text_fini(&svg);
    bough_text_fini(&caption);
    drawing_fini(&d);
    return status;
}

static bough_status put_drawings(html_writer *h, const bough_check_report *report, bough_error *error) {
    bool loads = report->net->nodes <= DRAWING_COUNTED;
    size_t drawings = !loads                                 ? 1
                      : report->parts < FABRIC_HTML_DRAWINGS ? report->parts
                                                             : FABRIC_HTML_DRAWINGS;
    bough_status status = BOUGH_OK;
    html_begin_section(h, "network", "Network");
    html_put(h, "<p class=\"note\">Colour and width: flows under all-to-all on the most "
                "loaded link of a line.</p>\n");
    for (size_t i = 0; i < drawings && !status; i++) status = put_drawing(h, report, i, error);
    if (loads && drawings < report->parts) {
        html_put(h, "<p class=\"note\">");
        html_textf(h, "The other %zu routings are not drawn.", report->parts - drawings);
        html_put(h, "</p>\n");
    }
    html_end_section(h);
    return status;
}

/* ---- findings ---- */

/* Those of one severity; of each kind so many, and a row that counts the rest. */
static void add_findings(text_table *t, const bough_findings *list, const char *about,
                         bough_severity severity) {
    char text[64];
    for (size_t i = 0; list && i < list->count; i++) {
        const bough_finding *f = &list->item[i];
        size_t before = 0, alike = 0;
        if (f->severity != severity) continue;
        for (size_t k = 0; k < list->count; k++) {
            bool same = list->item[k].severity == severity && strcmp(list->item[k].kind, f->kind) == 0;
            before += same && k < i;
            alike += same;
        }
        if (before > FABRIC_HTML_FINDINGS) continue;
        text_table_add(t, severity == BOUGH_ERROR  ? "\xe2\x9c\x96\xc2\xa0"
                                                     "error"
                          : severity == BOUGH_WARN ? "\xe2\x96\xb2\xc2\xa0"
                                                     "warning"
                                                   : "\xe2\x80\xa2\xc2\xa0"
                                                     "remark");
        text_table_add(t, about);
        snprintf(text, sizeof text, "%zu more of this kind; bough check --findings 0 prints them",
                 alike - FABRIC_HTML_FINDINGS);
        text_table_add(t, before < FABRIC_HTML_FINDINGS ? f->where : "");
        text_table_add(t, before < FABRIC_HTML_FINDINGS ? f->text : text);
        text_table_add(t, f->kind);
        text_table_end_row(t);
    }
}

static void put_findings(html_writer *h, const bough_check_report *report) {
    static const char *const head[] = {"severity", "about", "where", "what", "kind"};
    finding_group group;
    text_table t = {0};
    char name[1000];
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], false);
    text_table_end_row(&t);
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO; severity--) {
        for (size_t i = 0; finding_group_at(report, i, &group); i++) {
            const char *about = group.name;
            if (group.subject == FINDINGS_OF_ROUTING)
                about = fabric_routing_name(report, group.part, name, sizeof name);
            add_findings(&t, group.list[0], about, (bough_severity)severity);
            add_findings(&t, group.list[1], about, (bough_severity)severity);
        }
    }
    if (t.cells > t.width) {
        html_begin_section(h, "findings", "Findings");
        html_table(h, &t, "Findings");
        html_end_section(h);
    }
    h->out.failed |= t.failed;
    text_table_fini(&t);
}

/* ---- shifts ---- */

/* The largest load of each of so many runs of shifts: peaks stay. */
static size_t thin_out(const bough_check_result *r, chart_point *point) {
    uint64_t shifts = r->endpoints - 1, run = (shifts + FABRIC_HTML_POINTS - 1) / FABRIC_HTML_POINTS;
    size_t points = 0;
    for (uint64_t k = 1; k <= shifts; k += run) {
        uint64_t at = k;
        for (uint64_t i = k; i < k + run && i <= shifts; i++)
            if (r->shift[i] > r->shift[at]) at = i;
        point[points++] = (chart_point){.x = (double)at, .mean = r->shift[at], .ci95 = NAN, .label = ""};
    }
    return points;
}

static void put_shift_curve(html_writer *h, const bough_check_report *report, size_t i, chart_point *point) {
    const bough_check_result *r = &report->part[i].result;
    char name[1000];
    bough_text title = {0};
    page_put_short(&title, h->page, fabric_routing_name(report, i, name, sizeof name));
    h->out.failed |= title.failed;
    if (!title.failed && title.data) {
        chart_series series = {
            .name = "", .style = (unsigned)i, .point = point, .points = thin_out(r, point)};
        chart_svg(&(chart){.title = title.data,
                           .x_title = "k: endpoint e sends to e + k",
                           .y_title = "flows on the most loaded link",
                           .series = &series,
                           .count = 1},
                  &h->out);
    }
    bough_text_fini(&title);
}

static bough_status put_shifts(html_writer *h, const bough_check_report *report, bough_error *error) {
    chart_point *point;
    if (report->net->endpoints < 3) return BOUGH_OK;
    bough_status status = bough_alloc(&point, FABRIC_HTML_POINTS + 1, sizeof *point, error);
    if (status) return status;
    html_begin_section(h, "shifts", "Shifts");
    html_put(h, "<p class=\"note\">Flows on the most loaded link of every shift permutation.");
    if (report->net->endpoints > FABRIC_HTML_POINTS + 1)
        html_put(h, " A point is the largest of several shifts.");
    html_put(h, "</p>\n<div class=\"charts\">\n");
    for (size_t i = 0; i < report->parts; i++)
        if (report->part[i].result.shift && report->part[i].result.routed)
            put_shift_curve(h, report, i, point);
    html_put(h, "</div>\n");
    html_end_section(h);
    free(point);
    return BOUGH_OK;
}

/* ---- links ---- */

/* Of all-to-all, in flows over bit/s. */
static double time_of(const bough_net *net, const double *load, uint64_t link) {
    return load[link] / (double)bough_net_link_rate(net, link);
}

/* The links that take longest first, in `link`; returns their number. */
static size_t slowest(const bough_net *net, const double *load, uint64_t *link) {
    size_t count = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        size_t at = count < FABRIC_HTML_LINKS ? count : FABRIC_HTML_LINKS;
        if (bough_link_start(net, l) < net->endpoints || net->ops->link_end(net, l).node < net->endpoints)
            continue;
        const double time = time_of(net, load, l);
        if (!(time > 0) || (at == FABRIC_HTML_LINKS && !(time > time_of(net, load, link[at - 1])))) continue;
        if (at < FABRIC_HTML_LINKS) count = ++at;
        for (at--; at > 0 && time > time_of(net, load, link[at - 1]); at--) link[at] = link[at - 1];
        link[at] = l;
    }
    return count;
}

static void put_links(html_writer *h, const bough_check_report *report) {
    uint64_t link[FABRIC_HTML_LINKS];
    text_table t = {0};
    char text[1000];
    text_table_head(&t, "routing", false);
    text_table_head(&t, "link", false);
    text_table_head(&t, "flows under all-to-all", true);
    text_table_head(&t, "Gb/s", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->parts; i++) {
        const double *load = report->part[i].result.load;
        size_t links = load ? slowest(report->net, load, link) : 0;
        for (size_t k = 0; k < links; k++) {
            text_table_add(&t, fabric_routing_name(report, i, text, sizeof text));
            text_table_add(&t, bough_link_name(report->net, link[k], text, sizeof text));
            text_table_add(&t, check_number(load[link[k]], text));
            text_table_add_number(&t, 4, (double)bough_net_link_rate(report->net, link[k]) / 1e9);
            text_table_end_row(&t);
        }
    }
    if (t.cells > t.width) {
        html_begin_section(h, "loads", "Links between switches that take longest");
        html_table(h, &t, "The links between switches that take longest under all-to-all");
        html_end_section(h);
    }
    h->out.failed |= t.failed;
    text_table_fini(&t);
}

bough_status fabric_html_rest(html_writer *h, const bough_check_report *report, bough_error *error) {
    put_figures(h, report);
    bough_status status = put_drawings(h, report, error);
    put_findings(h, report);
    TRY(put_shifts(h, report, error));
    put_links(h, report);
    return status;
}
