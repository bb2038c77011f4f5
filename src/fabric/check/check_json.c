/* The JSON of a check; its names are a contract (docs/json.md). */
#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"
#include "network/faults/faults.h"
#include "network/network_object.h"

#include <math.h>
#include <stdio.h>

static void put_findings(json_writer *w, const bough_findings *findings) {
    for (size_t i = 0; findings && i < findings->count; i++) {
        const bough_finding *f = &findings->item[i];
        json_begin_object(w, NULL, true);
        json_put_text(w, "severity", check_severity(f->severity));
        json_put_text(w, "kind", f->kind);
        json_put_text(w, "where", f->where);
        json_put_text(w, "text", f->text);
        json_end_object(w);
    }
}

void check_put_findings(json_writer *w, const bough_check_report *report, finding_subject subject,
                        size_t part) {
    const finding_group group = finding_group_of(report, subject, part);
    json_begin_array(w, "findings", false);
    put_findings(w, group.list[0]);
    put_findings(w, group.list[1]);
    json_end_array(w);
}

void check_put_link(json_writer *w, const char *key, const bough_net *net, uint64_t link) {
    char name[300];
    json_put_text(w, key, link != BOUGH_NONE ? bough_link_name(net, link, name, sizeof name) : NULL);
}

/* ---- one routing ---- */

static void put_pairs(json_writer *w, const bough_check_result *r) {
    char key[16];
    json_put_whole(w, "pairs", (int64_t)r->pairs);
    json_put_whole(w, "routed", (int64_t)r->routed);
    json_put_whole(w, "no_route", (int64_t)r->no_entry);
    json_put_whole(w, "wrong_adapter", (int64_t)r->wrong_adapter);
    json_put_whole(w, "loops", (int64_t)r->loops);
    json_begin_object(w, "hops", true);
    for (int h = 0; h < BOUGH_HOPS_MAX; h++) {
        snprintf(key, sizeof key, "%d", h);
        if (r->hops[h]) json_put_whole(w, key, (int64_t)r->hops[h]);
    }
    json_end_object(w);
}

static void put_loads(json_writer *w, const bough_net *net, const bough_check_result *r) {
    json_put_flag(w, "expected", r->expected);
    json_put_real(w, "alltoall_max", r->alltoall_max);
    check_put_link(w, "alltoall_link", net, r->alltoall_max > 0 ? r->alltoall_link : BOUGH_NONE);
    json_put_real(w, "alltoall_share", r->alltoall_share);
    json_put_real(w, "shift_max", r->shift_max);
    json_put_real(w, "shift_mean", r->shift_mean);
    json_put_whole(w, "shift_worst_k", (int64_t)r->shift_worst_k);
    json_put_real(w, "shift_share_mean", r->shift_share_mean);
    if (!r->random.count) return;
    json_put_real(w, "random_mean", r->random.mean);
    json_put_real(w, "random_ci95", bough_stats_ci95(&r->random));
    json_put_whole(w, "random_trials", (int64_t)r->random.count);
    if (r->random.count && !isnan(r->random_share)) json_put_real(w, "random_share", r->random_share);
}

static void put_worst(json_writer *w, const bough_net *net, const bough_adversary_result *worst) {
    json_put_real(w, "worst_permutation", worst->load);
    check_put_link(w, "worst_permutation_link", net, worst->link);
    if (worst->expected) return;
    json_put_whole(w, "worst_permutation_counted", (int64_t)worst->counted);
    if (worst->routed == worst->pairs)
        json_put_whole(w, "worst_permutation_bound", (int64_t)worst->bound);
    else
        json_put_text(w, "worst_permutation_bound", NULL);
}

static void put_statement(json_writer *w, const bough_verdict *v) {
    const unsigned has = bough_verdict_fields(v->kind);
    json_begin_object(w, NULL, true);
    json_put_text(w, "kind", bough_verdict_name(v->kind));
    json_put_text(w, "severity", check_severity(v->severity));
    if (has & BOUGH_VERDICT_HAS_COUNT) json_put_whole(w, "count", (int64_t)v->count);
    if (has & BOUGH_VERDICT_HAS_PAIRS) json_put_whole(w, "pairs", (int64_t)v->pairs);
    if (has & BOUGH_VERDICT_HAS_LOAD) json_put_real(w, "load", v->load);
    if (has & BOUGH_VERDICT_HAS_MEAN) json_put_real(w, "mean", v->mean);
    if (has & BOUGH_VERDICT_HAS_SHARE) json_put_real(w, "share", v->share);
    if (has & BOUGH_VERDICT_HAS_RATIO) json_put_real(w, "ratio", v->ratio);
    if (has & BOUGH_VERDICT_HAS_EXPECTED) json_put_flag(w, "expected", v->expected);
    json_end_object(w);
}

static void put_result(json_writer *w, const bough_check_report *report, const bough_routing_report *part) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "routing", part->routing->spec);
    check_put_rating(w, report, part);
    put_pairs(w, &part->result);
    put_loads(w, report->net, &part->result);
    check_put_scores(w, report, &part->result);
    if (part->worst_known)
        put_worst(w, report->net, &part->worst);
    else if (check_worst_bounded(report, part))
        json_put_real(w, "worst_permutation_least", part->worst_least);
    json_put_whole(w, "unused_links", (int64_t)part->result.unused_links);
    check_put_failures(w, report->net, &part->failures);
    check_put_adaptive(w, report->net, &part->adaptive);
    json_begin_array(w, "verdict", false);
    for (size_t i = 0; i < part->verdicts; i++) put_statement(w, &part->verdict[i]);
    json_end_array(w);
    check_put_findings(w, report, FINDINGS_OF_ROUTING, (size_t)(part - report->part));
    json_end_object(w);
}

/* ---- the report ---- */

static void put_network(json_writer *w, const bough_check_report *report) {
    const bough_net *net = report->net;
    network_object_begin(w, net, network_object_spec(net));
    json_begin_array(w, "switches_by_level", true);
    for (unsigned l = 1; l <= net->levels; l++) json_put_whole(w, NULL, (int64_t)report->level_switches[l]);
    json_end_array(w);
    json_end_object(w);
    if (!net->faults) return;
    json_begin_object(w, "faults", true);
    json_put_text(w, "spec", net->faults->spec);
    json_end_object(w);
}

void check_put_report(json_writer *w, const bough_check_report *report) {
    json_begin_document(w);
    put_network(w, report);
    json_put_whole(w, "seed", (int64_t)report->seed);
    check_put_summary(w, report);
    check_put_planes(w, report->net, &report->planes);
    json_begin_array(w, "results", false);
    for (size_t i = 0; i < report->parts; i++) put_result(w, report, &report->part[i]);
    json_end_array(w);
    if (report->jobs) check_put_jobs(w, report);
    if (report->against.asked) check_put_against(w, report);
    check_put_placements(w, report);
    check_put_expected(w, report);
    check_put_slurm(w, &report->slurm);
    check_put_counters(w, report);
    check_put_findings(w, report, FINDINGS_OF_WIRING, 0);
    json_end_document(w);
}
