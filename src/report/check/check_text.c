/* A check as text. */
#include "base/text/escape.h"
#include "network/hosts.h"
#include "network/physical/physical.h"
#include "report/adaptive/check_adaptive_report.h"
#include "report/check/check_render.h"
#include "report/check/check_writer.h"
#include "report/counters/check_counters_report.h"
#include "report/expect/check_expect_report.h"
#include "report/finding_groups.h"
#include "report/placement/check_placement_report.h"
#include "report/placement/check_slurm_report.h"
#include "report/planes/check_planes_report.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_network(check_writer *w) {
    const bough_check_report *report = w->report;
    const bough_net *net = report->net;
    if (net->fabric)
        check_line(w, "fabric", "%s (%s)", net->fabric->source, net->fabric->format);
    else
        check_line(w, "network", "%s", net->spec);
    check_line(w, "endpoints", "%" PRIu64, net->endpoints);
    check_begin(w, "switches");
    check_put(w, "%" PRIu64 " in %u level%s:", net->switches, net->levels, net->levels == 1 ? "" : "s");
    for (unsigned l = 1; l <= net->levels; l++)
        check_put(w, "%s %" PRIu64 "%s", l > 1 ? "," : "", report->level_switches[l],
                  l == 1   ? report->level_switches[l] == 1 ? " leaf" : " leaves"
                  : l == 2 ? " above them"
                           : " above");
    if (report->lone_switches) check_put(w, "; %" PRIu64 " without a cable", report->lone_switches);
    check_end(w);
    check_line(w, "cables", "%" PRIu64 " between switches", net->cables);
    check_planes_text(w, &report->planes);
}

static void print_hops(check_writer *w, const bough_check_result *r) {
    const char *separator = "";
    check_begin(w, "switches on the path   ");
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            check_put(w, "%s%d: %" PRIu64, separator, h, r->hops[h]);
            separator = ", ";
        }
    check_end(w);
}

static void put_share(check_writer *w, double share) {
    if (!isnan(share)) check_put(w, ", %.1f %% of the ideal", 100 * share);
}

static void print_worst(check_writer *w, const bough_adversary_result *worst) {
    const bough_net *net = w->report->net;
    char link[300], a[CHECK_NUMBER];
    check_line(w, "worst permutation      ", "%s %s%s on one link; no permutation causes more",
               check_number(worst->load, a), check_flows(worst->load), worst->expected ? " expected" : "");
    if (worst->link == BOUGH_NONE) return;
    check_line(w, "", "%s", bough_link_name(net, worst->link, link, sizeof link));
    if (worst->expected)
        check_line(w, "", "(the heaviest matching of the shares of the pairs that use it)");
    else
        check_line(w, "",
                   "(a largest matching of the pairs that use it; a counting bound decides %" PRIu64
                   " of %" PRIu64 " links)",
                   net->links - worst->open, net->links);
}

static void print_alltoall(check_writer *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    char link[300], a[CHECK_NUMBER], rate[CHECK_NUMBER];
    check_begin(w, "all-to-all");
    check_put(w, "%s %s on the most loaded link", check_number(r->alltoall_max, a),
              check_flows(r->alltoall_max));
    put_share(w, r->alltoall_share);
    check_end(w);
    if (r->alltoall_max > 0)
        check_line(w, "", "%s", bough_link_name(net, r->alltoall_link, link, sizeof link));
    if (r->alltoall_limit != r->alltoall_link)
        check_line(w, "", "takes longest: %s, %s %s at %s Gb/s",
                   bough_link_name(net, r->alltoall_limit, link, sizeof link),
                   check_number(r->load[r->alltoall_limit], a), check_flows(r->load[r->alltoall_limit]),
                   check_number((double)bough_net_link_rate(net, r->alltoall_limit) / 1e9, rate));
}

static void print_shifts(check_writer *w, const bough_check_result *r) {
    const bough_net *net = w->report->net;
    char a[CHECK_NUMBER];
    check_begin(w, "shifts");
    check_put(w, "%s %s at most", check_number(r->shift_max, a), check_flows(r->shift_max));
    if (r->shift_worst_k) check_put(w, " (first at k = %" PRIu64 ")", r->shift_worst_k);
    check_put(w, ", %s on average", check_number(r->shift_mean, a));
    put_share(w, r->shift_share_mean);
    if (net->hosts && net->hosts->order) check_put(w, "; hosts in the order of %s", net->hosts->order);
    check_end(w);
}

static void print_random(check_writer *w, const bough_check_result *r) {
    char load[CHECK_INTERVAL];
    if (!r->random.count) return;
    check_begin(w, "random");
    check_put(w, "%s %s on the most loaded link of a random permutation",
              check_interval(r->random.mean, bough_stats_ci95(&r->random), CHECK_SIGN, load),
              r->random.m2 > 0 ? "flows" : check_flows(r->random.mean));
    put_share(w, r->random_share);
    check_end(w);
}

static void print_least(check_writer *w, const bough_routing_report *part) {
    char a[CHECK_NUMBER];
    if (!check_worst_bounded(w->report, part)) return;
    check_line(w, "worst", "at least %s %s: a lower bound, by an example (--worst finds the worst)",
               check_number(part->worst_least, a), check_flows(part->worst_least));
}

static void print_part(check_writer *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    const bough_check_result *r = &part->result;
    check_heading(w, "routing", "%s%s", w->name[i],
                  r->expected ? " (chooses at run time: loads are expected values)" : "");
    if (r->pairs && !r->routed) {
        check_line(w, "pairs", "0 of %" PRIu64 " routed (tables of another fabric? the findings say more)",
                   r->pairs);
        return;
    }
    check_line(w, "pairs", "%" PRIu64 " of %" PRIu64 " routed%s", r->routed, r->pairs,
               r->routed < r->pairs ? "; the loads below are theirs" : "");
    print_hops(w, r);
    print_alltoall(w, r);
    print_shifts(w, r);
    print_random(w, r);
    if (part->worst_known)
        print_worst(w, &part->worst);
    else
        print_least(w, part);
    check_line(w, "unused", "%" PRIu64 " of %" PRIu64 " directed links", r->unused_links,
               w->report->net->links);
    check_adaptive_text(w, &part->adaptive);
}

static void print_comparison(check_writer *w) {
    static const char *const head[] = {"routed", "alltoall", "shift", "mean", "random"};
    const bough_check_report *report = w->report;
    const bool worst = check_worst_known(report);
    char a[CHECK_NUMBER];
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
    check_empty_line(w);
    check_table(w, &t, 0);
    check_line_at(w, 0, "(flows on the most loaded link; routed pairs of %" PRIu64 ")",
                  report->part[0].result.pairs);
}

/* ---- findings ---- */

/* Whether both have the same kind and severity. */
static bool is_alike(const bough_finding *a, const bough_finding *b) {
    return a->severity == b->severity && strcmp(a->kind, b->kind) == 0;
}

/* How many before the at-th are like it, at most `most`: where many are alike, these are near, and a list of
 * any length is printed in linear time. */
static uint64_t count_before(const bough_findings *list, size_t at, uint64_t most) {
    uint64_t count = 0;
    for (size_t i = at; i-- > 0 && count < most;) count += is_alike(&list->item[i], &list->item[at]);
    return count;
}

static uint64_t count_from(const bough_findings *list, size_t at) {
    uint64_t count = 0;
    for (size_t i = at; i < list->count; i++) count += is_alike(&list->item[i], &list->item[at]);
    return count;
}

/* A finding about a whole routing is at its spec. */
static const char *place_of(const check_writer *w, const bough_finding *f) {
    for (size_t i = 0; i < w->report->parts; i++)
        if (strcmp(f->where, w->report->part[i].routing->spec) == 0) return w->name[i];
    return f->where;
}

/* Whether one screen has a line of its own for findings of this kind. */
static bool has_line(const char *kind) {
    return strcmp(kind, "missing-cable") == 0 || strcmp(kind, "single-point") == 0;
}

/* One line, or for the first of its kind beyond those shown how many more there are. */
static void print_finding(check_writer *w, const bough_findings *list, size_t at) {
    static const text_style style[] = {
        [BOUGH_INFO] = TEXT_PLAIN, [BOUGH_WARN] = TEXT_WARNING, [BOUGH_ERROR] = TEXT_ERROR};
    enum { WHERE = 9 }; /* column */
    const bough_finding *f = &list->item[at];
    if (w->options.brief && has_line(f->kind)) return;
    uint64_t shown = w->options.findings, before = shown ? count_before(list, at, shown + 1) : 0;
    const char *severity = check_severity(f->severity);
    if (!shown || before < shown) {
        check_begin_at(w, WHERE);
        check_put(w, "  ");
        check_put_styled(w, style[f->severity], severity);
        check_put(w, "%*s%s: %s (%s)", (int)(WHERE - 2 - strlen(severity)), "", place_of(w, f), f->text,
                  f->kind);
        check_end(w);
    } else if (before == shown) {
        check_line_at(w, WHERE, "... and %" PRIu64 " more (%s)", count_from(list, at), f->kind);
    }
}

static void print_severity(check_writer *w, const bough_findings *list, bough_severity severity) {
    for (size_t i = 0; list && i < list->count; i++)
        if (list->item[i].severity == severity) print_finding(w, list, i);
}

/* The worst come first. */
static void print_findings(check_writer *w, const finding_group *group) {
    const bool wiring = group->subject == FINDINGS_OF_WIRING;
    if (!finding_group_size(group)) return;
    check_heading(w, wiring ? "findings" : "findings of ", "%s",
                  wiring                                  ? ""
                  : group->subject == FINDINGS_OF_ROUTING ? w->name[group->part]
                                                          : group->name);
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO; severity--) {
        print_severity(w, group->list[0], severity);
        print_severity(w, group->list[1], severity);
    }
}

static void print_all_findings(check_writer *w) {
    finding_group group;
    for (size_t i = 0; finding_group_at(w->report, i, &group); i++) print_findings(w, &group);
}

/* ---- the whole ---- */

static void print_verdict(check_writer *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    check_heading(w, "verdict", "%s", w->name[i]);
    for (size_t k = 0; k < part->verdicts; k++) {
        check_begin_at(w, 4);
        check_put(w, "  ");
        check_sentence(&w->line, &part->verdict[k]);
        check_end(w);
    }
}

/* ---- one screen ---- */

/* "37.3 %" */
static void add_share(text_table *t, double share) {
    char text[32] = "-";
    if (!isnan(share)) snprintf(text, sizeof text, "%.1f %%", 100 * share);
    text_table_add(t, text);
}

static void add_flows(text_table *t, const bough_check_report *report, const bough_routing_report *part) {
    char a[CHECK_NUMBER], text[CHECK_NUMBER + 16] = "-";
    if (part->worst_known)
        snprintf(text, sizeof text, "%s %s", check_number(part->worst.load, a),
                 check_flows(part->worst.load));
    else if (check_worst_bounded(report, part))
        snprintf(text, sizeof text, "%s or more", check_number(part->worst_least, a));
    text_table_add(t, text);
}

/* A line for each routing: how good it is, as shares of the ideal. */
static void print_routings(check_writer *w) {
    static const char *const head[] = {"all-to-all", "of tables", "shifts", "random"};
    const bough_check_report *report = w->report;
    text_table t = {.labels = 1, .colours = w->options.colours};
    char text[48];
    text_table_head(&t, "routing", false);
    text_table_head(&t, "rating", false);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], true);
    text_table_head(&t, "worst", true);
    text_table_head(&t, "deadlock", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->parts; i++) {
        const bough_routing_report *part = &report->part[i];
        const bough_check_result *r = &part->result;
        text_table_add(&t, w->name[i]);
        t.now = check_rating_style[part->rating.word];
        text_table_add(&t, bough_rating_name(part->rating.word));
        t.now = TEXT_PLAIN;
        add_share(&t, r->alltoall_score);
        add_share(&t, part->rating.of_tables);
        add_share(&t, r->shift_score);
        add_share(&t, r->random.count ? r->random_score : NAN);
        add_flows(&t, report, part);
        snprintf(text, sizeof text, "cycle of %" PRIu64 " links", r->cycle);
        text_table_add(&t, r->cycle ? text : "none");
        text_table_end_row(&t);
    }
    check_empty_line(w);
    check_table(w, &t, 0);
    if (!isnan(report->tables_score))
        check_line_at(
            w, 0,
            "(shares of the ideal, and of the %.1f %% that tables can reach; worst: on one link, under one "
            "permutation)",
            100 * report->tables_score);
    for (size_t i = 0; i < report->parts; i++) check_rating_note(w, i);
}

/* Errors and warnings that no line above has. */
static void print_problems(check_writer *w) {
    finding_group group;
    for (size_t i = 0; finding_group_at(w->report, i, &group); i++)
        for (int severity = BOUGH_ERROR; severity >= BOUGH_WARN; severity--)
            for (int list = 0; list < 2; list++) print_severity(w, group.list[list], severity);
}

static bool any_finding(const bough_check_report *report, const char *kind) {
    for (size_t i = 0; i < report->wiring.count; i++)
        if (strcmp(report->wiring.item[i].kind, kind) == 0) return true;
    return false;
}

/* The network of the question, without its faults, as a shell takes it. */
static void put_command(check_writer *w, const char *verb, const char *options) {
    const bough_net *net = w->report->whole;
    const bool plain = net->fabric && !strchr(net->spec, ','); /* a file without options */
    const char *name = plain ? net->fabric->source : net->spec;
    check_begin(w, "next");
    check_put(w, "bough %s ", verb);
    bough_text_put_word(&w->line, name);
    check_put(w, "%s", options);
    check_end(w);
}

/* Commands that answer what a reader asks next. */
static void print_next(check_writer *w) {
    const bough_check_report *report = w->report;
    double best = 0;
    bool failures = false;
    for (size_t i = 0; i < report->parts; i++) {
        if (report->part[i].rating.of_tables > best) best = report->part[i].rating.of_tables;
        failures |= report->part[i].failures.lists > 0;
    }
    check_empty_line(w);
    if (best < BOUGH_RATING_GOOD_FROM && report->tables_score > 0) {
        put_command(w, "tune", "");
        check_line(w, "", "  for tables that reach up to %.1f %% of the ideal", 100 * report->tables_score);
    }
    if (any_finding(report, "missing-cable") && !report->expected.basis) {
        put_command(w, "check", " --expect regular");
        check_line(w, "", "  for the cables that differ from a regular tree");
    } else if (!failures && report->net->fabric) {
        put_command(w, "check", " --faults each:switch");
        check_line(w, "", "  for what each dead switch costs");
    }
    check_line(w, "", "--details prints loads, all findings and a verdict in sentences; --html FILE draws");
}

static void print_screen(check_writer *w) {
    print_network(w);
    check_facts_text(w);
    check_weak_text(w);
    print_problems(w);
    print_routings(w);
    check_scale_text(w);
    check_better_text(w);
    check_expect_text(w);
    check_slurm_text(w);
    check_failures_text(w);
    check_adaptive_failures_text(w);
    check_jobs_text(w);
    check_placements_text(w);
    check_old_fabric_text(w);
    check_counters_text(w);
    print_next(w);
    char text[CHECK_NOT_LOOKED_AT_MAX];
    check_line_at(w, 0, "%s", check_not_looked_at(w->report, text));
}

static void print_all(check_writer *w) {
    const size_t parts = w->report->parts;
    print_network(w);
    check_summary_text(w);
    check_expect_text(w);
    check_slurm_text(w);
    for (size_t i = 0; i < parts; i++) print_part(w, i);
    if (parts > 1) print_comparison(w);
    check_failures_text(w);
    check_adaptive_failures_text(w);
    check_jobs_text(w);
    check_placements_text(w);
    check_old_fabric_text(w);
    check_counters_text(w);
    print_all_findings(w);
    for (size_t i = 0; i < parts; i++) print_verdict(w, i);
    check_empty_line(w);
    char text[CHECK_NOT_LOOKED_AT_MAX];
    check_line_at(w, 0, "%s", check_not_looked_at(w->report, text));
}

bough_status bough_report_check_text(const bough_check_report *report,
                                     const bough_check_text_options *options, char **text,
                                     bough_error *error) {
    enum { WIDTH = 80 };
    check_writer w = {.report = report};
    char **name = check_names_make(report);
    if (options) w.options = *options;
    if (!w.options.width) w.options.width = WIDTH;
    w.name = (const char *const *)name;
    if (name && w.options.brief)
        print_screen(&w);
    else if (name)
        print_all(&w);
    else
        w.out.failed = true;
    bough_text_fini(&w.line);
    free(name);
    return bough_text_finish(&w.out, text, error);
}
