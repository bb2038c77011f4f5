/* The order of what a check says. */
#include "fabric/check/check_document.h"

#include "base/status/try.h"
#include "base/text/escape.h"
#include "fabric/check/check_rates.h"
#include "fabric/check/check_words.h"
#include "fabric/check/finding_groups.h"
#include "network/physical/physical.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 };

/* ---- the fabric ---- */

static void put_network(const check_view *w) {
    const bough_check_report *report = w->report;
    const bough_net *net = report->net;
    if (net->fabric)
        document_fact(w->doc, "fabric", "%s (%s)", net->fabric->source, net->fabric->format);
    else
        document_fact(w->doc, "network", "%s", net->spec);
    document_fact(w->doc, "endpoints", "%" PRIu64, net->endpoints);
    document_begin(w->doc, DOCUMENT_FACT, "switches");
    document_put(w->doc, "%" PRIu64, net->switches);
    if (net->levels) document_put(w->doc, " in %u level%s:", net->levels, net->levels == 1 ? "" : "s");
    for (unsigned l = 1; l <= net->levels; l++)
        document_put(w->doc, "%s %" PRIu64 "%s", l > 1 ? "," : "", report->level_switches[l],
                     l == 1   ? report->level_switches[l] == 1 ? " leaf" : " leaves"
                     : l == 2 ? " above them"
                              : " above");
    if (report->lone_switches) document_put(w->doc, "; %" PRIu64 " without a cable", report->lone_switches);
    document_end(w->doc);
    document_fact(w->doc, "cables", "%" PRIu64 " between switches", net->cables);
    check_planes_describe(w, &report->planes);
}

static void put_rates(const check_view *w) {
    const bough_check_report *report = w->report;
    const bough_rate_class *hosts = report->rates.kinds ? report->rates.kind : NULL;
    char rate[CHECK_NUMBER];
    if (hosts && hosts->level) hosts = NULL;
    document_begin(w->doc, DOCUMENT_FACT, "rates");
    check_rates_words(&w->doc->line, report->net, &report->rates);
    document_end(w->doc);
    document_begin(w->doc, DOCUMENT_FACT, "ideal");
    document_put(w->doc, "every host sends at %s Gb/s%s",
                 check_number((double)report->rates.nominal / 1e9, rate),
                 report->rates.equal   ? ""
                 : hosts && hosts->tie ? ", the faster of the most common host rates"
                                       : ", the most common host rate");
    if (report->wiring_score < 0.9995)
        document_put(w->doc, "; the wiring limits all-to-all to %.1f %% of that", 100 * report->wiring_score);
    if (report->wiring_repaired > report->wiring_score + 5e-4)
        document_put(w->doc, ", to %.1f %% with slow cables at their nominal rate",
                     100 * report->wiring_repaired);
    document_end(w->doc);
}

/* ---- what weakens it ---- */

static void put_headline(void *view, const char *label, const char *sentence) {
    const check_view *w = view;
    document_fact(w->doc, label, "%s", sentence);
    document_style(w->doc, TEXT_WARNING);
}

static void put_slow(const check_view *w) {
    const bough_link_rates *r = &w->report->rates;
    char name[400], rate[CHECK_NUMBER], nominal[CHECK_NUMBER];
    size_t shown = 0;
    for (size_t i = 0; i < r->slows; i++) {
        const bough_slow_cable *slow = &r->slow[i];
        if (!slow->single || shown++ >= SHOWN) continue;
        document_fact(w->doc, shown > 1 ? "" : "slow cables", "%s: %s Gb/s instead of %s Gb/s",
                      check_cable_name(w->report->net, slow->link, name, sizeof name),
                      check_number((double)slow->rate / 1e9, rate),
                      check_number((double)slow->nominal / 1e9, nominal));
        document_style(w->doc, TEXT_WARNING);
    }
    if (shown > SHOWN) document_fact(w->doc, "", "and %zu more", shown - SHOWN);
}

static void put_single_point(const check_view *w, size_t i) {
    const bough_net *net = w->report->net;
    const bough_single_points *s = &w->report->single;
    const bough_single_point *p = &s->item[i];
    const bool cable = p->link != BOUGH_NONE;
    char name[400];
    document_fact(w->doc, i ? "" : "weak points", "%s %s alone joins %" PRIu64 " of %" PRIu64 " pairs%s",
                  cable ? "cable" : "switch",
                  cable ? check_cable_name(net, p->link, name, sizeof name)
                        : bough_node_name(net, p->node, name, sizeof name),
                  p->pairs, s->pairs, p->own ? ", beside those of its own hosts" : "");
    document_style(w->doc, TEXT_WARNING);
}

static void put_single(const check_view *w) {
    const bough_single_points *s = &w->report->single;
    if (s->unknown)
        document_fact(w->doc, "weak points", "not looked for, as %s", s->unknown);
    else if (!s->count)
        document_fact(
            w->doc, "weak points",
            "none in the cabling: the loss of one cable or switch disconnects only its own endpoints");
    for (size_t i = 0; i < s->count && i < SHOWN; i++) put_single_point(w, i);
    if (s->count > SHOWN)
        document_fact(w->doc, "", "and %zu more; in all %zu cable%s and %zu switch%s", s->count - SHOWN,
                      s->cables, s->cables == 1 ? "" : "s", s->switches, s->switches == 1 ? "" : "es");
}

static bool any_finding(const bough_check_report *report) {
    return findings_count(report, BOUGH_ERROR) || findings_count(report, BOUGH_WARN) ||
           findings_count(report, BOUGH_INFO);
}

static void put_findings_card(const check_view *w) {
    const uint64_t errors = findings_count(w->report, BOUGH_ERROR),
                   warnings = findings_count(w->report, BOUGH_WARN);
    char answer[80];
    snprintf(answer, sizeof answer, "%" PRIu64 " error%s, %" PRIu64 " warning%s", errors,
             errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    document_card(w->doc, "findings", answer, "", true);
    document_style(w->doc, errors ? TEXT_ERROR : warnings ? TEXT_WARNING : TEXT_GOOD);
}

static void put_summary(const check_view *w) {
    document_section(w->doc, "summary", "Summary");
    check_ratings_describe(w);
    put_findings_card(w);
    check_old_fabric_card(w);
    check_expect_card(w);
    check_job_cards(w);
    put_network(w);
    put_rates(w);
    if (!check_headlines(w->report, w->name, put_headline, (void *)w)) w->doc->failed = true;
    put_slow(w);
    put_single(w);
    if (!any_finding(w->report)) document_fact(w->doc, "findings", "none");
}

/* ---- findings ---- */

/* A finding about a whole routing is at its spec. */
static const char *place_of(const check_view *w, const bough_finding *f) {
    for (size_t i = 0; i < w->report->parts; i++)
        if (strcmp(f->where, w->report->part[i].routing->spec) == 0) return w->name[i];
    return f->where;
}

/* Whether the summary has a line of its own for findings of this kind. */
static bool is_said(const char *kind) {
    static const char *const said[] = {"missing-cable", "missing-rail", "single-point", "slow-cable"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strcmp(kind, said[i]) == 0) return true;
    return false;
}

static void put_findings(const check_view *w, const finding_group *group, bough_severity severity) {
    static const text_style style[] = {
        [BOUGH_INFO] = TEXT_PLAIN, [BOUGH_WARN] = TEXT_WARNING, [BOUGH_ERROR] = TEXT_ERROR};
    const char *about = group->subject == FINDINGS_OF_ROUTING ? w->name[group->part] : group->name;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; group->list[k] && i < group->list[k]->count; i++) {
            const bough_finding *f = &group->list[k]->item[i];
            if (f->severity != severity) continue;
            document_find(w->doc, &(document_finding){style[severity], about, place_of(w, f), f->text,
                                                      f->kind, is_said(f->kind)});
        }
}

/* The worst come first. */
static void describe_findings(const check_view *w) {
    finding_group group;
    if (!any_finding(w->report)) return;
    document_section(w->doc, "findings", "Findings");
    if (!findings_count(w->report, BOUGH_ERROR)) document_fold(w->doc); /* errors have to be seen */
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO; severity--)
        for (size_t i = 0; finding_group_at(w->report, i, &group); i++)
            put_findings(w, &group, (bough_severity)severity);
}

/* ---- what to do next ---- */

static bool holds(const bough_findings *findings, const char *kind) {
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->item[i].kind, kind) == 0) return true;
    return false;
}

static bool has_finding(const bough_check_report *report, const char *kind) {
    return holds(&report->wiring, kind);
}

/* The network of the question, without its faults, as a shell takes it. */
static void put_command(const check_view *w, const char *verb, const char *options, const char *purpose) {
    const bough_net *net = w->report->whole;
    const bool plain = net->fabric && !strchr(net->spec, ','); /* a file without options */
    bough_text command = {0};
    bough_text_printf(&command, "bough %s ", verb);
    bough_text_put_word(&command, plain ? net->fabric->source : net->spec);
    bough_text_put(&command, options);
    w->doc->failed |= command.failed;
    if (!command.failed) document_command(w->doc, command.data, purpose);
    bough_text_fini(&command);
}

/* Whether single cables are missing or slow. */
static bool is_broken(const bough_check_report *report) {
    for (size_t i = 0; i < report->rates.slows; i++)
        if (report->rates.slow[i].single) return true;
    return has_finding(report, "missing-cable") || has_finding(report, "missing-rail");
}

/* Whether tables send to ports that have no cable. */
static bool has_dead_ports(const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        if (holds(&report->part[i].routing->findings, "dead-port")) return true;
    return false;
}

static void put_next(const check_view *w) {
    const bough_check_report *report = w->report;
    char purpose[120], text[CHECK_NOT_LOOKED_AT_MAX];
    double best = 0;
    bool failures = false;
    for (size_t i = 0; i < report->parts; i++) {
        if (report->part[i].rating.of_tables > best) best = report->part[i].rating.of_tables;
        failures |= report->part[i].failures.lists > 0;
    }
    document_section(w->doc, "next", "What to do next");
    if (has_dead_ports(report)) {
        document_fact(
            w->doc, "next",
            "tables send to ports without a cable: if they are older than the fabric file, dump both "
            "again; else let the subnet manager reroute");
        document_style(w->doc, TEXT_BOLD);
    }
    if (is_broken(report)) {
        document_fact(w->doc, "next", "repair the cables named above, then check again");
        document_style(w->doc, TEXT_BOLD);
    }
    if (best < BOUGH_RATING_GOOD_FROM && report->tables_score > 0) {
        snprintf(purpose, sizeof purpose,
                 "computes tables for these cables, which can reach %.1f %% of the ideal, as a file",
                 100 * report->tables_score);
        put_command(w, "tune", " -o tuned.lfts", purpose);
    }
    if (has_finding(report, "missing-cable") && !report->expected.basis)
        put_command(w, "check", " --expect regular", "lists the cables that differ from a regular tree");
    else if (!failures && report->net->fabric)
        put_command(w, "check", " --faults each:switch", "shows what each dead switch costs");
    document_line(w->doc, "%s", check_not_looked_at(report, text));
}

/* ---- the whole ---- */

static bough_status describe(const check_view *w, bough_error *error) {
    bough_status status = BOUGH_OK;
    put_summary(w);
    describe_findings(w);
    check_routings_describe(w);
    check_expect_describe(w);
    check_slurm_describe(w);
    check_failures_describe(w);
    check_adaptive_failures_describe(w);
    check_jobs_describe(w);
    check_placements_describe(w);
    check_old_fabric_describe(w);
    check_counters_describe(w);
    put_next(w);
    if (w->figures) status = w->figures->network(w, error);
    w->doc->details = true;
    check_details_describe(w);
    if (w->figures) TRY(w->figures->shifts(w, error));
    return status;
}

bough_status check_document_make(const bough_check_report *report, const check_figures *figures, document *d,
                                 bough_error *error) {
    char **name = check_names_make(report);
    if (!name) return bough_fail_memory(error, report->parts);
    bough_status status = describe(&(check_view){d, report, (const char *const *)name, figures}, error);
    free(name);
    if (!status && d->failed) status = bough_fail_memory(error, d->items);
    return status;
}
