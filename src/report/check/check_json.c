/* The JSON of a check; its names are a contract (docs/json.md). */
#include "base/json/json_build.h"
#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "bough/faults.h"
#include "bough/report.h"
#include "report/check/check_json_parts.h"
#include "report/tables/network_object.h"

#include <math.h>
#include <stdio.h>

static const char *const severity_name[] = {"info", "warn", "error"};

json_t *check_whole(uint64_t value) {
    return json_integer((json_int_t)value);
}

/* null, never NaN; whole numbers as integers. */
static json_t *real(double value) {
    if (value == floor(value) && fabs(value) < 0x1p53) return json_integer((json_int_t)value);
    return bough_json_real(value);
}

void check_add_findings(json_t **array, const bough_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const bough_finding *f = &findings->item[i];
        json_t *one = json_object();
        bough_json_put(&one, "severity", json_string(severity_name[f->severity]));
        bough_json_put(&one, "kind", bough_json_string(f->kind));
        bough_json_put(&one, "where", bough_json_string(f->where));
        bough_json_put(&one, "text", bough_json_string(f->text));
        bough_json_append(array, one);
    }
}

static void add_worst(json_t **o, const bough_net *net, const bough_adversary_result *w) {
    char link[300];
    bough_json_put(o, "worst_permutation", real(w->load));
    bough_json_put(o, "worst_permutation_link",
                   w->link != BOUGH_NONE ? bough_json_string(bough_link_name(net, w->link, link, sizeof link))
                                         : json_null());
    if (w->expected) return;
    bough_json_put(o, "worst_permutation_counted", check_whole(w->counted));
    bough_json_put(o, "worst_permutation_bound", w->routed == w->pairs ? check_whole(w->bound) : json_null());
}

static void add_result(json_t **o, const bough_net *net, const bough_routing_report *part, bool worst) {
    const bough_check_result *r = &part->result;
    char key[16], link[300];
    json_t *hops = json_object();
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            snprintf(key, sizeof key, "%d", h);
            bough_json_put(&hops, key, check_whole(r->hops[h]));
        }
    bough_json_put(o, "routing", bough_json_string(part->routing->spec));
    bough_json_put(o, "pairs", check_whole(r->pairs));
    bough_json_put(o, "routed", check_whole(r->routed));
    bough_json_put(o, "no_route", check_whole(r->no_entry));
    bough_json_put(o, "wrong_adapter", check_whole(r->wrong_adapter));
    bough_json_put(o, "loops", check_whole(r->loops));
    bough_json_put(o, "hops", hops);
    bough_json_put(o, "expected", json_boolean(r->expected));
    bough_json_put(o, "alltoall_max", real(r->alltoall_max));
    bough_json_put(o, "alltoall_link",
                   r->alltoall_max > 0
                       ? bough_json_string(bough_link_name(net, r->alltoall_link, link, sizeof link))
                       : json_null());
    bough_json_put(o, "alltoall_share", real(r->alltoall_share));
    bough_json_put(o, "shift_max", real(r->shift_max));
    bough_json_put(o, "shift_mean", real(r->shift_mean));
    bough_json_put(o, "shift_worst_k", check_whole(r->shift_worst_k));
    bough_json_put(o, "shift_share_mean", real(r->shift_share_mean));
    if (r->random.count) {
        bough_json_put(o, "random_mean", real(r->random.mean));
        bough_json_put(o, "random_ci95", real(bough_stats_ci95(&r->random)));
        bough_json_put(o, "random_trials", check_whole(r->random.count));
        if (r->random_share.count) bough_json_put(o, "random_share", real(r->random_share.mean));
    }
    if (worst) add_worst(o, net, &part->worst);
    bough_json_put(o, "unused_links", check_whole(r->unused_links));
    check_failures_json(o, net, &part->failures);
}

static json_t *levels_array(const bough_check_report *report) {
    json_t *levels = json_array();
    for (unsigned l = 1; l <= report->net->levels; l++)
        bough_json_append(&levels, check_whole(report->level_switches[l]));
    return levels;
}

static json_t *check_network(const bough_check_report *report) {
    json_t *network = network_object(report->net);
    bough_json_put(&network, "switches_by_level", levels_array(report));
    return network;
}

static json_t *statement_object(const bough_verdict *v) {
    json_t *o = json_object();
    const unsigned has = bough_verdict_fields(v->kind);
    const struct {
        unsigned flag;
        const char *key;
        double value;
    } number[] = {
        {BOUGH_VERDICT_HAS_COUNT, "count", (double)v->count},
        {BOUGH_VERDICT_HAS_PAIRS, "pairs", (double)v->pairs},
        {BOUGH_VERDICT_HAS_LOAD, "load", v->load},
        {BOUGH_VERDICT_HAS_MEAN, "mean", v->mean},
        {BOUGH_VERDICT_HAS_SHARE, "share", v->share},
        {BOUGH_VERDICT_HAS_RATIO, "ratio", v->ratio},
    };
    bough_json_put(&o, "kind", json_string(bough_verdict_name(v->kind)));
    bough_json_put(&o, "severity", json_string(severity_name[v->severity]));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (has & number[i].flag) bough_json_put(&o, number[i].key, real(number[i].value));
    if (has & BOUGH_VERDICT_HAS_EXPECTED) bough_json_put(&o, "expected", json_boolean(v->expected));
    return o;
}

static json_t *verdict_array(const bough_routing_report *part) {
    json_t *verdict = json_array();
    for (size_t i = 0; i < part->verdicts; i++)
        bough_json_append(&verdict, statement_object(&part->verdict[i]));
    return verdict;
}

static void add_part_findings(json_t **array, const bough_routing_report *part) {
    check_add_findings(array, &part->routing->findings);
    check_add_findings(array, &part->findings);
}

static json_t *results_array(const bough_check_report *report) {
    const bool worst = report->worst == BOUGH_CHECK_WORST_ALWAYS;
    json_t *results = json_array();
    for (size_t i = 0; i < report->parts; i++) {
        json_t *one = json_object(), *own = json_array();
        add_result(&one, report->net, &report->part[i], worst);
        add_part_findings(&own, &report->part[i]);
        bough_json_put(&one, "verdict", verdict_array(&report->part[i]));
        bough_json_put(&one, "findings", own);
        bough_json_append(&results, one);
    }
    return results;
}

bough_status bough_report_check_json(const bough_check_report *report, char **text, bough_error *error) {
    json_t *root = json_object(), *findings = json_array();
    bough_json_put(&root, "bough", json_string(BOUGH_VERSION));
    bough_json_put(&root, "schema", json_integer(BOUGH_JSON_SCHEMA));
    bough_json_put(&root, "network", check_network(report));
    if (report->net->faults) {
        json_t *faults = json_object();
        bough_json_put(&faults, "spec", bough_json_string(report->net->faults->spec));
        bough_json_put(&root, "faults", faults);
    }
    bough_json_put(&root, "seed", check_whole(report->seed));
    if (report->net->fabric) check_add_findings(&findings, &report->net->fabric->findings);
    check_add_findings(&findings, &report->wiring);
    bough_json_put(&root, "results", results_array(report));
    if (report->jobs) bough_json_put(&root, "jobs", check_jobs_json(report));
    if (report->against.asked) bough_json_put(&root, "against", check_against_json(report));
    bough_json_put(&root, "findings", findings);
    bough_text made = bough_text_own(bough_json_text(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)));
    bough_text out = {.failed = made.failed};
    if (!made.failed) bough_text_put_made_json(&out, made.data);
    bough_text_put(&out, "\n");
    bough_text_fini(&made);
    size_t length = out.length;
    *text = bough_text_take(&out);
    return *text ? BOUGH_OK : bough_fail_memory(error, length);
}
