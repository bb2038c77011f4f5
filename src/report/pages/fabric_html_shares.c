/* Bars of the share of the nominal speed of a host that is left when all hosts send at once. 100 %: nothing
 * but the hosts' own links limits. */
#include "network/physical/physical.h"
#include "report/pages/fabric_html.h"

#include <math.h>
#include <stdio.h>

enum { ALLTOALL, SHIFTS, RANDOM, WORST, MEASURES };

static const char *const title[MEASURES] = {
    [ALLTOALL] = "All-to-all",
    [SHIFTS] = "Shift permutations, mean",
    [RANDOM] = "Random permutations, mean",
    [WORST] = "Worst permutation",
};

/* A flow on the most loaded link, which may be slower or faster than a host's. */
static double share_of_worst(const bough_check_report *report, const bough_routing_report *part) {
    const bough_adversary_result *worst = &part->worst;
    const bough_link_rates *rates = &report->rates;
    double faster = 1;
    if (!part->worst_known || !(worst->load > 0) || worst->link == BOUGH_NONE) return NAN;
    if (!rates->equal)
        faster = (double)bough_net_link_rate(report->net, worst->link) / (double)rates->nominal;
    return fmin(faster / worst->load, 1);
}

static double share_of(const bough_check_report *report, const bough_routing_report *part, int measure) {
    const bough_check_result *r = &part->result;
    if (r->routed < r->pairs || !r->pairs) return NAN;
    switch (measure) {
    case ALLTOALL:
        return r->alltoall_score;
    case SHIFTS:
        return r->shift_score;
    case RANDOM:
        return r->random.count ? r->random_score : NAN;
    default:
        return share_of_worst(report, part);
    }
}

static const char *why_not(const bough_routing_report *part) {
    return part->result.routed < part->result.pairs ? "pairs are not routed" : "not computed";
}

/* The field is 104 % wide. */
enum { FIELD = 104 };

static void put_bar(html_writer *h, const bough_check_report *report, size_t i, int measure) {
    const bough_routing_report *part = &report->part[i];
    double share = share_of(report, part, measure);
    char name[1000], value[64];
    if (isnan(share))
        snprintf(value, sizeof value, "%s", why_not(part));
    else
        snprintf(value, sizeof value, "%.1f %%", 100 * share);
    html_put(h, "<div class=\"bar\"><span class=\"name\">");
    html_text(h, fabric_routing_name(report, i, name, sizeof name));
    html_put(h, "</span><svg width=\"100%\" height=\"20\" aria-hidden=\"true\">");
    if (!isnan(share))
        bough_text_printf(&h->out, "<rect class=\"fill%zu\" y=\"3\" width=\"%.2f%%\" height=\"14\"/>", i % 8,
                          100 * share * 100 / FIELD);
    for (int tick = 0; tick <= 100; tick += 25)
        bough_text_printf(&h->out, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"20\"/>",
                          tick == 100 ? "nominal" : "tick", 100.0 * tick / FIELD, 100.0 * tick / FIELD);
    html_put(h, "</svg><span class=\"value\">");
    html_text(h, value);
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

static bool is_known(const bough_check_report *report, int measure) {
    bool known = false;
    for (size_t i = 0; i < report->parts; i++)
        known |= !isnan(share_of(report, &report->part[i], measure)) ||
                 (measure == ALLTOALL && report->part[i].result.pairs);
    return known;
}

static void put_notes(html_writer *h, const bough_check_report *report) {
    bool expected = false;
    for (size_t i = 0; i < report->parts; i++) expected |= report->part[i].result.expected;
    html_put(
        h, "<p class=\"note\">The line at the right is 100 %: every host sends at the nominal rate of hosts. "
           "Worst permutation: a flow on its most loaded link.");
    if (report->wiring_score < 0.9995)
        html_textf(h, " The wiring allows %.1f %% for all-to-all under any routing.",
                   100 * report->wiring_score);
    if (expected)
        html_put(
            h,
            " Where a routing chooses at run time the shares are those of expected loads; single runs have "
            "less.");
    html_put(h, "</p>\n");
}

void fabric_html_shares(html_writer *h, const bough_check_report *report) {
    const bough_net *net = report->net;
    /* where endpoints are switches too, there is no link of their own to compare with */
    if (net->endpoints < 2 || (net->ops->node_roles(net, 0) & BOUGH_SWITCH)) return;
    html_put(h, "<h3>Share of the nominal speed of a host</h3>\n<div class=\"bars\">\n");
    for (int m = 0; m < MEASURES; m++) {
        if (!is_known(report, m)) continue;
        html_element(h, "h4", title[m]);
        for (size_t i = 0; i < report->parts; i++) put_bar(h, report, i, m);
    }
    put_axis(h);
    html_put(h, "</div>\n");
    put_notes(h, report);
}
