/* Bars of the share of the nominal speed of a host that is left when all hosts send at once. 100 %: nothing
 * but the hosts' own links limits. Where rates are not known, all links count as equally fast. */
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

/* The rate of the slowest link of a host, 0: not known. */
static double host_rate(const bough_net *net) {
    double slowest = 0;
    if (!net->ops->link_rate || !(net->capabilities & BOUGH_HAS_RATES)) return 0;
    for (uint64_t l = 0; l < net->links; l++) {
        if (bough_link_start(net, l) >= net->endpoints || !bough_link_alive(net, l)) continue;
        double rate = (double)net->ops->link_rate(net, l);
        if (slowest == 0 || rate < slowest) slowest = rate;
    }
    return slowest;
}

static double share_of_worst(const bough_check_report *report, const bough_routing_report *part) {
    double host = host_rate(report->net), load = part->worst.load;
    if (!part->worst_known || !(load > 0) || part->worst.link == BOUGH_NONE) return NAN;
    double rate = host > 0 ? (double)report->net->ops->link_rate(report->net, part->worst.link) / host : 1;
    return fmin(rate / load, 1);
}

static double mean_inverse(const bough_check_result *r) {
    double sum = 0;
    for (uint64_t k = 1; k < r->endpoints; k++) {
        if (!(r->shift[k] > 0)) return NAN;
        sum += 1 / fmax(r->shift[k], 1);
    }
    return sum / (double)(r->endpoints - 1);
}

static double share_of(const bough_check_report *report, const bough_routing_report *part, int measure) {
    const bough_check_result *r = &part->result;
    bool rates = !isnan(r->alltoall_share);
    double own = (double)(r->endpoints - 1);
    if (r->routed < r->pairs || !r->pairs) return NAN;
    switch (measure) {
    case ALLTOALL:
        return rates ? r->alltoall_share : r->alltoall_max > 0 ? fmin(own / r->alltoall_max, 1) : NAN;
    case SHIFTS:
        return rates ? r->shift_share_mean : r->shift ? mean_inverse(r) : NAN;
    case RANDOM:
        if (rates) return r->random_share.count ? r->random_share.mean : NAN;
        return r->random.count ? fmin(1 / r->random.mean, 1) : NAN;
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
    bool rates = true, expected = false;
    for (size_t i = 0; i < report->parts; i++) {
        rates &= !isnan(report->part[i].result.alltoall_share);
        expected |= report->part[i].result.expected;
    }
    html_put(
        h, "<p class=\"note\">The line at the right is 100 %: every host sends at the full speed of its own "
           "link. Worst permutation: a flow on its most loaded link.");
    if (!rates) html_put(h, " Link rates are not known; all links are taken to be equally fast.");
    if (expected)
        html_put(h,
                 " Where a routing chooses at run time the shares are those of expected loads; single runs "
                 "have less.");
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
