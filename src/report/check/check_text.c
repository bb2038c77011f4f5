/* A check as text. */
#include "base/text/escape.h"
#include "bough/report.h"
#include "report/check/check_render.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_network(bough_text *out, const bough_check_report *report) {
    const bough_net *net = report->net;
    const uint64_t lone = report->lone_switches;
    if (net->fabric)
        bough_text_put_line(out, "fabric      %s (%s)", net->fabric->source, net->fabric->format);
    else
        bough_text_put_line(out, "network     %s", net->spec);
    bough_text_printf(out, "endpoints   %" PRIu64 "\n", net->endpoints);
    bough_text_printf(out, "switches    %" PRIu64 " in %u level%s:", net->switches, net->levels,
                      net->levels == 1 ? "" : "s");
    for (unsigned l = 1; l <= net->levels; l++)
        bough_text_printf(out, "%s %" PRIu64 "%s", l > 1 ? "," : "", report->level_switches[l],
                          l == 1   ? " with hosts"
                          : l == 2 ? " above them"
                                   : " above");
    if (lone) bough_text_printf(out, "; %" PRIu64 " without a cable", lone);
    bough_text_printf(out, "\ncables      %" PRIu64 " between switches\n", net->cables);
}

static void print_hops(bough_text *out, const bough_check_result *r) {
    const char *separator = "";
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            bough_text_printf(out, "%s%d: %" PRIu64, separator, h, r->hops[h]);
            separator = ", ";
        }
    bough_text_printf(out, "\n");
}

static void print_share(bough_text *out, double share) {
    if (!isnan(share)) bough_text_printf(out, ", %.1f %% of the ideal", 100 * share);
}

static void print_worst(bough_text *out, const bough_net *net, const bough_adversary_result *w) {
    char link[300], a[32];
    bough_text_printf(out, "worst permutation      %s %s%s on one link; no permutation causes more\n",
                      check_number(w->load, a, sizeof a), check_flows(w->load),
                      w->expected ? " expected" : "");
    if (w->link == BOUGH_NONE) return;
    bough_text_printf(out, "            %s\n", bough_link_name(net, w->link, link, sizeof link));
    if (w->expected)
        bough_text_printf(out,
                          "            (the heaviest matching of the shares of the pairs that use it)\n");
    else
        bough_text_printf(
            out,
            "            (a largest matching of the pairs that use it; counting settles %" PRIu64
            " of %" PRIu64 " links)\n",
            net->links - w->open, net->links);
}

static void print_part(bough_text *out, const bough_net *net, const bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    char link[300], a[32], b[32];
    bough_text_put(out, "\n");
    bough_text_put_line(out, "routing     %s%s", part->routing->spec,
                        r->expected ? " (chooses at run time: loads are expected values)" : "");
    if (r->pairs && !r->routed) {
        bough_text_printf(
            out, "pairs       0 of %" PRIu64 " routed (tables of another fabric? the findings say more)\n",
            r->pairs);
        return;
    }
    bough_text_printf(out, "pairs       %" PRIu64 " of %" PRIu64 " routed%s\n", r->routed, r->pairs,
                      r->routed < r->pairs ? "; the loads below are theirs" : "");
    bough_text_printf(out, "switches on the path   ");
    print_hops(out, r);
    bough_text_printf(out, "all-to-all  %s %s on the most loaded link",
                      check_number(r->alltoall_max, a, sizeof a), check_flows(r->alltoall_max));
    print_share(out, r->alltoall_share);
    if (r->alltoall_max > 0)
        bough_text_printf(out, "\n            %s", bough_link_name(net, r->alltoall_link, link, sizeof link));
    if (r->alltoall_limit != r->alltoall_link)
        bough_text_printf(out, "\n            takes longest: %s, %s %s at %g Gb/s",
                          bough_link_name(net, r->alltoall_limit, link, sizeof link),
                          check_number(r->load[r->alltoall_limit], a, sizeof a),
                          check_flows(r->load[r->alltoall_limit]),
                          (double)net->ops->link_rate(net, r->alltoall_limit) / 1e9);
    bough_text_printf(out, "\nshifts      %s %s at most", check_number(r->shift_max, a, sizeof a),
                      check_flows(r->shift_max));
    if (r->shift_worst_k) bough_text_printf(out, " (first at k = %" PRIu64 ")", r->shift_worst_k);
    bough_text_printf(out, ", %s on average", check_number(r->shift_mean, b, sizeof b));
    print_share(out, r->shift_share_mean);
    bough_text_printf(out, "\n");
    if (r->random.count) {
        bough_text_printf(out, "random      %s +- %.2g flows on the most loaded link of a random permutation",
                          check_number(r->random.mean, a, sizeof a),
                          r->random.count > 1 ? bough_stats_ci95(&r->random) : 0.0);
        if (r->random_share.count) print_share(out, r->random_share.mean);
        bough_text_printf(out, "\n");
    }
    if (part->worst_known) print_worst(out, net, &part->worst);
    bough_text_printf(out, "unused      %" PRIu64 " of %" PRIu64 " directed links\n", r->unused_links,
                      net->links);
}

static bool all_worst_known(const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        if (!report->part[i].worst_known) return false;
    return true;
}

static void print_comparison(bough_text *out, const bough_check_report *report) {
    char a[32], b[32], c[32], d[32], spec[35];
    bool worst = all_worst_known(report);
    bough_text_printf(out, "\n%-34s %10s %8s %6s %7s %8s%s\n", "routing", "routed", "alltoall", "shift",
                      "mean", "random", worst ? "  worst" : "");
    for (size_t i = 0; i < report->parts; i++) {
        const bough_check_result *r = &report->part[i].result;
        size_t from = out->length;
        bough_text_printf(out, "%-34s %10" PRIu64 " %8s %6s %7s %8s",
                          check_spec_end(report->part[i].routing->spec, 34, spec), r->routed,
                          check_number(r->alltoall_max, a, sizeof a), check_number(r->shift_max, b, sizeof b),
                          check_number(r->shift_mean, c, sizeof c),
                          r->random.count ? check_number(r->random.mean, d, sizeof d) : "-");
        if (worst) bough_text_printf(out, " %6s", check_number(report->part[i].worst.load, a, sizeof a));
        bough_text_show(out, from);
        bough_text_put(out, "\n");
    }
    bough_text_printf(out, "(flows on the most loaded link; routed pairs of %" PRIu64 ")\n",
                      report->part[0].result.pairs);
}

/* Of the same kind and severity as the at-th. */
static uint64_t count_alike(const bough_findings *list, size_t from, size_t to, size_t at) {
    const bough_finding *f = &list->item[at];
    uint64_t count = 0;
    for (size_t i = from; i < to; i++)
        count += list->item[i].severity == f->severity && strcmp(list->item[i].kind, f->kind) == 0;
    return count;
}

/* One line, or for the first of its kind beyond `shown` (0: all) how many more there are. */
static void print_finding(bough_text *out, const bough_findings *list, size_t at, uint64_t shown) {
    const bough_finding *f = &list->item[at];
    uint64_t before = shown ? count_alike(list, 0, at, at) : 0;
    if (!shown || before < shown)
        bough_text_printf(out, "  %-5s  %s: %s (%s)\n", check_severity(f->severity), f->where, f->text,
                          f->kind);
    else if (before == shown)
        bough_text_printf(out, "         ... and %" PRIu64 " more (%s)\n",
                          count_alike(list, 0, list->count, at) - shown, f->kind);
}

static void print_severity(bough_text *out, const bough_findings *list, bough_severity severity,
                           uint64_t shown) {
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i].severity == severity) print_finding(out, list, i, shown);
}

/* Findings of two lists, the second may be NULL: worst first, at most `shown` of each kind and severity. */
static void print_findings(bough_text *out, const char *title, const bough_findings *a,
                           const bough_findings *b, uint64_t shown) {
    if (!a->count && !(b && b->count)) return;
    bough_text_put(out, "\n");
    bough_text_put_line(out, "findings%s%s", *title ? " of " : "", title);
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO; severity--) {
        print_severity(out, a, severity, shown);
        if (b) print_severity(out, b, severity, shown);
    }
}

static void print_verdict(bough_text *out, const bough_routing_report *part) {
    for (size_t i = 0; i < part->verdicts; i++) {
        bough_text_put(out, "  ");
        check_sentence(out, &part->verdict[i], "\n  ");
        bough_text_put(out, "\n");
    }
}

static void print_all(bough_text *out, const bough_check_report *report, uint64_t shown) {
    const bough_net *net = report->net;
    print_network(out, report);
    check_summary_text(out, report);
    for (size_t i = 0; i < report->parts; i++) print_part(out, report->net, &report->part[i]);
    if (report->parts > 1) print_comparison(out, report);
    check_failures_text(out, report);
    check_jobs_text(out, report);
    check_old_fabric_text(out, report);
    if (net->fabric)
        print_findings(out, "", &net->fabric->findings, &report->wiring, shown);
    else
        print_findings(out, "", &report->wiring, NULL, shown);
    for (size_t i = 0; i < report->parts; i++) {
        const bough_routing *routing = report->part[i].routing;
        print_findings(out, routing->spec, &routing->findings, &report->part[i].findings, shown);
    }
    print_findings(out, "the comparison", &report->against.findings, NULL, shown);
    for (size_t i = 0; i < report->parts; i++) {
        bough_text_put(out, "\n");
        bough_text_put_line(out, "verdict     %s", report->part[i].routing->spec);
        print_verdict(out, &report->part[i]);
    }
    bough_text_printf(
        out,
        "\nNot looked at: adaptive routing, service levels and virtual lanes (deadlocks are those of "
        "one), cable errors,\n"
        "and traffic other than all-to-all, %s.\n",
        all_worst_known(report) ? "shifts, random permutations and the worst one"
                                : "shifts and random permutations");
}

bough_status bough_report_check_text(const bough_check_report *report, uint64_t shown, char **text,
                                     bough_error *error) {
    bough_text out = {0};
    print_all(&out, report, shown);
    return bough_text_finish(&out, text, error);
}
