/* The routings of a check: how good each is, which is better, and in the details what they load. */
#include "document/document.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"
#include "fabric/check/routing_comparison.h"
#include "network/hosts.h"
#include "network/physical/physical.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const text_style rating_style[] = {[BOUGH_RATING_NONE] = TEXT_PLAIN,
                                          [BOUGH_RATING_GOOD] = TEXT_GOOD,
                                          [BOUGH_RATING_USABLE] = TEXT_WARNING,
                                          [BOUGH_RATING_BAD] = TEXT_ERROR};

/* ---- a line for each ---- */

static const char *share_words(double share, char buffer[CHECK_NUMBER]) {
    if (isnan(share)) return "-";
    snprintf(buffer, CHECK_NUMBER, "%.1f %%", 100 * share);
    return buffer;
}

static void add_worst(text_table *t, const bough_check_report *report, const bough_routing_report *part) {
    char a[CHECK_NUMBER], text[CHECK_NUMBER + 16] = "-";
    if (part->worst_known)
        snprintf(text, sizeof text, "%s %s", check_number(part->worst.load, a),
                 check_flows(part->worst.load));
    else if (check_worst_bounded(report, part))
        snprintf(text, sizeof text, "%s or more", check_number(part->worst_least, a));
    text_table_add(t, text);
}

static void add_routing(const check_view *w, text_table *t, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    const bough_check_result *r = &part->result;
    char text[CHECK_NUMBER];
    text_table_add(t, w->name[i]);
    t->now = rating_style[part->rating.word];
    text_table_add(t, bough_rating_name(part->rating.word));
    t->now = TEXT_PLAIN;
    text_table_add(t, share_words(r->alltoall_score, text));
    text_table_add(t, share_words(part->rating.of_tables, text));
    text_table_add(t, share_words(r->shift_score, text));
    text_table_add(t, share_words(r->random.count ? r->random_score : NAN, text));
    add_worst(t, w->report, part);
    snprintf(text, sizeof text, "cycle of %" PRIu64 " links", r->cycle);
    text_table_add(t, r->cycle ? text : "none");
    text_table_end_row(t);
}

enum { CARDS_SHOWN = 6 };

void check_ratings_describe(const check_view *w) {
    for (size_t i = 0; i < w->report->parts && i < CARDS_SHOWN; i++) {
        const bough_routing_report *part = &w->report->part[i];
        char about[160] = "", share[CHECK_NUMBER];
        if (!isnan(part->result.alltoall_score) && part->rating.reason != BOUGH_RATING_UNROUTED)
            snprintf(about, sizeof about, "all-to-all at %s of the ideal%s",
                     share_words(part->result.alltoall_score, share),
                     part->result.cycle ? "; deadlock is possible on one lane" : "");
        if (part->rating.reason == BOUGH_RATING_UNROUTED)
            snprintf(about, sizeof about, "%" PRIu64 " of %" PRIu64 " pairs are not routed",
                     part->result.pairs - part->result.routed, part->result.pairs);
        document_card(w->doc, w->name[i], bough_rating_name(part->rating.word), about, true);
        document_style(w->doc, rating_style[part->rating.word]);
    }
}

enum { PLANES_SHOWN = 8 };
enum { LIMITS_SHOWN = 2 }; /* of so many routings the link that limits each is named */

/* Hosts and cables to other switches that a leaf switch has left. */
static void put_leaf(const check_view *w, uint64_t node) {
    const bough_net *net = w->report->net;
    uint64_t hosts = 0, cables = 0;
    char name[300];
    for (uint64_t l = 0; l < net->links; l++) {
        if (bough_link_start(net, l) != node || !bough_link_works(net, l)) continue;
        if (bough_is_switch(net, net->ops->link_end(net, l).node))
            cables++;
        else
            hosts++;
    }
    if (hosts)
        document_put(w->doc, "; %s has %" PRIu64 " host%s and %" PRIu64 " cable%s to other switches",
                     bough_node_name(net, node, name, sizeof name), hosts, hosts == 1 ? "" : "s", cables,
                     cables == 1 ? "" : "s");
}

/* The link that limits all-to-all, and the leaf switch at its lower end. */
static void put_limit(const check_view *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    const uint64_t start = bough_link_start(net, r->alltoall_limit),
                   end = net->ops->link_end(net, r->alltoall_limit).node;
    char name[400], load[CHECK_NUMBER];
    document_put(w->doc, "%s%s, %s %s of all-to-all", w->report->parts > 1 ? "limited by " : "",
                 bough_link_name(net, r->alltoall_limit, name, sizeof name),
                 check_number(r->load[r->alltoall_limit], load), check_flows(r->load[r->alltoall_limit]));
    if (bough_is_switch(net, start) && bough_is_switch(net, end))
        put_leaf(w, net->ops->node_level(net, start) < net->ops->node_level(net, end) ? start : end);
}

/* Both directions of a cable are one number; BOUGH_NONE: no slow cable limits the routing. */
static uint64_t slow_cable_of(const bough_net *net, const bough_routing_report *part) {
    if (!part->rating.slow_cable || part->rating.reason != BOUGH_RATING_ALLTOALL) return BOUGH_NONE;
    return check_cable(net, part->result.alltoall_limit);
}

/* Once for all routings that the same slow cable limits. */
static void put_slow(const check_view *w, size_t first) {
    const bough_net *net = w->report->net;
    const uint64_t cable = slow_cable_of(net, &w->report->part[first]);
    char name[400];
    for (size_t i = 0; i < first; i++)
        if (slow_cable_of(net, &w->report->part[i]) == cable) return;
    document_begin(w->doc, DOCUMENT_FACT, "limit");
    if (w->report->parts == 1) {
        check_slow_phrase(&w->doc->line, w->report, &w->report->part[0]);
    } else {
        document_put(w->doc, "the slow cable %s limits all-to-all; if all cables had their nominal rate:",
                     check_cable_name(net, cable, name, sizeof name));
        for (size_t i = first; i < w->report->parts; i++)
            if (slow_cable_of(net, &w->report->part[i]) == cable)
                document_put(w->doc, "%s %s %.1f %%", i == first ? "" : ",", w->name[i],
                             100 * w->report->part[i].result.alltoall_repaired);
    }
    document_end(w->doc);
}

/* What stands in no column: that a routing chooses, why it is not rated, what limits it. */
static void put_note(const check_view *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    const bool limited = w->report->parts <= LIMITS_SHOWN && part->result.alltoall_score < 0.9995 &&
                         part->result.alltoall_limit != BOUGH_NONE;
    if (part->result.expected)
        document_fact(w->doc, w->name[i], "%schooses at run time: expected values; single runs are slower",
                      w->report->assumed ? "assumed, as no tables were given (--lft, --routing); " : "");
    if (part->rating.reason != BOUGH_RATING_ALLTOALL) {
        document_begin(w->doc, DOCUMENT_FACT, w->name[i]);
        check_rating_reason(&w->doc->line, w->report, part);
        if (part->rating.reason == BOUGH_RATING_UNROUTED && part->result.routed)
            document_put(w->doc, "; the row has the figures of the others");
        document_end(w->doc);
    } else if (part->rating.slow_cable) {
        put_slow(w, i);
    } else if (limited) {
        document_begin(w->doc, DOCUMENT_FACT, w->report->parts > 1 ? w->name[i] : "limit");
        put_limit(w, &part->result);
        document_end(w->doc);
    }
}

/* Where planes differ, what each reaches: the row has the worst. */
static void put_planes(const check_view *w, size_t i) {
    const bough_check_report *report = w->report;
    const bough_planes *planes = &report->planes;
    double score[BOUGH_PLANES_MAX], least = INFINITY, most = 0;
    if (planes->count < 2 || !report->part[i].result.load) return;
    bough_check_plane_scores(&report->part[i].result, report->net, &report->rates, planes, score);
    for (size_t k = 0; k < planes->count; k++) {
        least = fmin(least, score[k]);
        most = fmax(most, score[k]);
    }
    if (most - least < 5e-4) return;
    document_begin(w->doc, DOCUMENT_FACT, report->parts > 1 ? w->name[i] : "planes");
    document_put(w->doc, "all-to-all");
    for (size_t k = 0; k < planes->count && k < PLANES_SHOWN; k++)
        document_put(w->doc, "%s %.1f %% in plane %zu", k ? "," : "", 100 * score[k], k + 1);
    if (planes->count > PLANES_SHOWN) document_put(w->doc, ", ...");
    document_end(w->doc);
}

static void put_table(const check_view *w) {
    static const char *const head[] = {"all-to-all", "of best", "shifts", "random", "worst"};
    const bough_check_report *report = w->report;
    text_table t = {.labels = 1};
    text_table_head(&t, "routing", false);
    text_table_head(&t, "rating", false);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], true);
    text_table_head(&t, "deadlock", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->parts; i++) add_routing(w, &t, i);
    document_table(w->doc, &t, "Routings");
    if (!isnan(report->tables_score))
        document_note(
            w->doc,
            "shares of the ideal; of best: all-to-all as a share of the %.1f %% that forwarding tables can "
            "reach at most, which the rating uses; worst: flows on one link under the worst permutation, "
            "fewer are better",
            100 * report->tables_score);
}

const char *check_measure_words(bough_measure measure) {
    static const char *const words[] = {"all-to-all", "shifts", "random permutations",
                                        "the worst permutation"};
    return words[measure];
}

/* ---- bars ---- */

/* Shares of the nominal speed of a host that are left when all hosts send at once; 1: nothing but the hosts'
 * own links limits. */
enum { ALLTOALL, SHIFTS, RANDOM, WORST, MEASURES };

static const char *const title[MEASURES] = {
    [ALLTOALL] = "All-to-all",
    [SHIFTS] = "Shift permutations, mean",
    [RANDOM] = "Random permutations, mean",
    [WORST] = "Worst permutation: a flow on its most loaded link",
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

static bool is_known(const bough_check_report *report, int measure) {
    bool known = false;
    for (size_t i = 0; i < report->parts; i++)
        known |= !isnan(share_of(report, &report->part[i], measure)) ||
                 (measure == ALLTOALL && report->part[i].result.pairs);
    return known;
}

static void put_bar(const check_view *w, size_t i, int measure) {
    const bough_routing_report *part = &w->report->part[i];
    const double share = share_of(w->report, part, measure);
    char value[CHECK_NUMBER];
    document_bar(w->doc, title[measure], w->name[i], share,
                 !isnan(share)                              ? share_words(share, value)
                 : part->result.routed < part->result.pairs ? "pairs are not routed"
                                                            : "not computed");
}

/* Where endpoints are switches too, there is no link of their own to compare with. */
static void describe_bars(const check_view *w) {
    const bough_net *net = w->report->net;
    if (net->endpoints < 2 || (net->ops->node_roles(net, 0) & BOUGH_SWITCH)) return;
    for (int m = 0; m < MEASURES; m++)
        for (size_t i = 0; i < w->report->parts && is_known(w->report, m); i++) put_bar(w, i, m);
}

void check_routings_describe(const check_view *w) {
    document_section(w->doc, "routings", w->report->parts > 1 ? "Routings" : "Routing");
    put_table(w);
    for (size_t i = 0; i < w->report->parts; i++) {
        put_note(w, i);
        put_planes(w, i);
    }
    if (w->report->parts > 1) {
        document_begin(w->doc, DOCUMENT_FACT, "comparison");
        routing_comparison_put(&w->doc->line, &(routing_words){w->report, w->name, CHECK_SIGN});
        document_end(w->doc);
    }
    document_fact(w->doc, "scale",
                  "good from %g %%, usable from %g %% of the all-to-all that forwarding tables can reach",
                  100 * BOUGH_RATING_GOOD_FROM, 100 * BOUGH_RATING_USABLE_FROM);
    describe_bars(w);
}

/* ---- details ---- */

static void put_hops(const check_view *w, const bough_check_result *r) {
    const char *separator = "";
    document_begin(w->doc, DOCUMENT_FACT, "paths");
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            document_put(w->doc, "%s%d switch%s: %" PRIu64, separator, h, h == 1 ? "" : "es", r->hops[h]);
            separator = ", ";
        }
    document_end(w->doc);
}

static void put_share(const check_view *w, double share) {
    if (!isnan(share)) document_put(w->doc, ", %.1f %% of the ideal", 100 * share);
}

static void put_worst(const check_view *w, const bough_adversary_result *worst) {
    const bough_net *net = w->report->net;
    char link[300], a[CHECK_NUMBER];
    document_fact(w->doc, "worst", "%s %s%s on one link; no permutation causes more",
                  check_number(worst->load, a), check_flows(worst->load), worst->expected ? " expected" : "");
    if (worst->link == BOUGH_NONE) return;
    document_fact(w->doc, "", "%s", bough_link_name(net, worst->link, link, sizeof link));
    if (worst->expected)
        document_fact(w->doc, "", "(the heaviest matching of the shares of the pairs that use it)");
    else
        document_fact(w->doc, "",
                      "(a largest matching of the pairs that use it; a counting bound decides %" PRIu64
                      " of %" PRIu64 " links)",
                      net->links - worst->open, net->links);
}

static void put_alltoall(const check_view *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    char link[300], a[CHECK_NUMBER], rate[CHECK_NUMBER];
    document_begin(w->doc, DOCUMENT_FACT, "all-to-all");
    document_put(w->doc, "%s %s on the most loaded link", check_number(r->alltoall_max, a),
                 check_flows(r->alltoall_max));
    put_share(w, r->alltoall_share);
    document_end(w->doc);
    if (r->alltoall_max > 0)
        document_fact(w->doc, "", "%s", bough_link_name(net, r->alltoall_link, link, sizeof link));
    if (r->alltoall_limit != r->alltoall_link)
        document_fact(w->doc, "", "takes longest: %s, %s %s at %s Gb/s",
                      bough_link_name(net, r->alltoall_limit, link, sizeof link),
                      check_number(r->load[r->alltoall_limit], a), check_flows(r->load[r->alltoall_limit]),
                      check_number((double)bough_net_link_rate(net, r->alltoall_limit) / 1e9, rate));
}

static void put_shifts(const check_view *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    char a[CHECK_NUMBER];
    document_begin(w->doc, DOCUMENT_FACT, "shifts");
    document_put(w->doc, "%s %s at most", check_number(r->shift_max, a), check_flows(r->shift_max));
    if (r->shift_worst_k) document_put(w->doc, " (first at k = %" PRIu64 ")", r->shift_worst_k);
    document_put(w->doc, ", %s on average", check_number(r->shift_mean, a));
    put_share(w, r->shift_share_mean);
    if (net->hosts && net->hosts->order)
        document_put(w->doc, "; hosts in the order of %s", net->hosts->order);
    document_end(w->doc);
}

static void put_random(const check_view *w, const bough_check_result *r) {
    char load[CHECK_INTERVAL];
    if (!r->random.count) return;
    document_begin(w->doc, DOCUMENT_FACT, "random");
    document_put(w->doc, "%s %s on the most loaded link of a random permutation",
                 check_interval(r->random.mean, bough_stats_ci95(&r->random), CHECK_SIGN, load),
                 r->random.m2 > 0 ? "flows" : check_flows(r->random.mean));
    put_share(w, r->random_share);
    document_end(w->doc);
}

static void put_least(const check_view *w, const bough_routing_report *part) {
    char a[CHECK_NUMBER];
    if (!check_worst_bounded(w->report, part)) return;
    document_fact(w->doc, "worst", "at least %s %s: a lower bound, by an example (--worst finds the worst)",
                  check_number(part->worst_least, a), check_flows(part->worst_least));
}

enum { LINKS = 10 }; /* of a routing */

/* Of all-to-all, in flows over bit/s. */
static double time_of(const bough_net *net, const double *load, uint64_t link) {
    return load[link] / (double)bough_net_link_rate(net, link);
}

/* The links between switches that take longest first, in `link`; returns their number. */
static size_t find_slowest(const bough_net *net, const double *load, uint64_t *link) {
    size_t count = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        size_t at = count < LINKS ? count : LINKS;
        if (bough_link_start(net, l) < net->endpoints || net->ops->link_end(net, l).node < net->endpoints)
            continue;
        const double time = time_of(net, load, l);
        if (!(time > 0) || (at == LINKS && !(time > time_of(net, load, link[at - 1])))) continue;
        if (at < LINKS) count = ++at;
        for (at--; at > 0 && time > time_of(net, load, link[at - 1]); at--) link[at] = link[at - 1];
        link[at] = l;
    }
    return count;
}

static void put_links(const check_view *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    uint64_t link[LINKS];
    text_table t = {.labels = 1};
    char text[400];
    const size_t links = r->load ? find_slowest(net, r->load, link) : 0;
    if (!links) return;
    text_table_head(&t, "links between switches that take longest", false);
    text_table_head(&t, "flows", true);
    text_table_head(&t, "Gb/s", true);
    text_table_end_row(&t);
    for (size_t k = 0; k < links; k++) {
        text_table_add(&t, bough_link_name(net, link[k], text, sizeof text));
        text_table_add(&t, check_number(r->load[link[k]], text));
        text_table_add_number(&t, 4, (double)bough_net_link_rate(net, link[k]) / 1e9);
        text_table_end_row(&t);
    }
    document_table(w->doc, &t, "Links between switches that take longest under all-to-all");
}

static void put_rating(const check_view *w, const bough_routing_report *part) {
    document_begin(w->doc, DOCUMENT_FACT, "rating");
    document_put(w->doc, "%s: ", bough_rating_name(part->rating.word));
    check_rating_reason(&w->doc->line, w->report, part);
    document_put(w->doc, "; ");
    check_deadlock_phrase(&w->doc->line, &part->result);
    document_end(w->doc);
    document_style(w->doc, rating_style[part->rating.word]);
}

static void put_part(const check_view *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    const bough_check_result *r = &part->result;
    document_heading(w->doc, "routing", "%s%s", w->name[i],
                     r->expected ? " (chooses at run time: loads are expected values)" : "");
    if (r->pairs && !r->routed) {
        document_fact(w->doc, "pairs",
                      "0 of %" PRIu64 " routed (tables of another fabric? the findings say more)", r->pairs);
        return;
    }
    put_rating(w, part);
    document_fact(w->doc, "pairs", "%" PRIu64 " of %" PRIu64 " routed%s", r->routed, r->pairs,
                  r->routed < r->pairs ? "; the loads below are theirs" : "");
    put_hops(w, r);
    put_alltoall(w, r);
    put_shifts(w, r);
    put_random(w, r);
    if (part->worst_known)
        put_worst(w, &part->worst);
    else
        put_least(w, part);
    document_fact(w->doc, "unused", "%" PRIu64 " of %" PRIu64 " directed links", r->unused_links,
                  w->report->net->links);
    check_adaptive_describe(w, &part->adaptive);
    put_links(w, r);
}

static void put_loads(const check_view *w) {
    static const char *const head[] = {"routed", "all-to-all", "shift", "mean", "random"};
    const bough_check_report *report = w->report;
    const bool worst = check_worst_known(report);
    char a[CHECK_INTERVAL];
    text_table t = {.labels = 1};
    text_table_head(&t, "routing", false);
    for (int i = 0; i < 5; i++) text_table_head(&t, head[i], true);
    if (worst) text_table_head(&t, "worst", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->parts; i++) {
        const bough_check_result *r = &report->part[i].result;
        text_table_add(&t, w->name[i]);
        text_table_add(&t, check_number((double)r->routed, a));
        text_table_add(&t, check_number(r->alltoall_max, a));
        text_table_add(&t, check_number(r->shift_max, a));
        text_table_add(&t, check_number(r->shift_mean, a));
        text_table_add(&t, r->random.count ? check_number(r->random.mean, a) : "-");
        if (worst) text_table_add(&t, check_number(report->part[i].worst.load, a));
        text_table_end_row(&t);
    }
    document_table(w->doc, &t, "Flows on the most loaded link, routing by routing");
    document_note(w->doc,
                  "flows on the most loaded directed link, those of endpoints included; routed pairs of "
                  "%" PRIu64,
                  report->part[0].result.pairs);
}

void check_details_describe(const check_view *w) {
    document_section(w->doc, "figures", "Loads");
    put_loads(w);
    for (size_t i = 0; i < w->report->parts; i++) put_part(w, i);
}
