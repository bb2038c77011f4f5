/* The JSON of `bough check`; its names are a contract. */
#include "cli/check/check_print.h"

#include "base/json/json_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const severity_name[] = {"info", "warn", "error"};

/* null, never NaN; whole numbers as integers. */
static json_t *real(double value) {
    if (value == floor(value) && fabs(value) < 0x1p53) return json_integer((json_int_t)value);
    return bough_json_real(value);
}

static void add_findings(json_t **array, const bough_findings *findings) {
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
    bough_json_put(o, "worst_permutation_counted", json_integer((json_int_t)w->counted));
    bough_json_put(o, "worst_permutation_bound",
                   w->routed == w->pairs ? json_integer((json_int_t)w->bound) : json_null());
}

static void add_result(json_t **o, const bough_net *net, const check_part *part, bool worst) {
    const bough_check_result *r = &part->result;
    char key[16], link[300];
    json_t *hops = json_object();
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            snprintf(key, sizeof key, "%d", h);
            bough_json_put(&hops, key, json_integer((json_int_t)r->hops[h]));
        }
    bough_json_put(o, "routing", bough_json_string(part->routing->spec));
    bough_json_put(o, "pairs", json_integer((json_int_t)r->pairs));
    bough_json_put(o, "routed", json_integer((json_int_t)r->routed));
    bough_json_put(o, "no_route", json_integer((json_int_t)r->no_entry));
    bough_json_put(o, "wrong_adapter", json_integer((json_int_t)r->wrong_adapter));
    bough_json_put(o, "loops", json_integer((json_int_t)r->loops));
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
    bough_json_put(o, "shift_worst_k", json_integer((json_int_t)r->shift_worst_k));
    bough_json_put(o, "shift_share_mean", real(r->shift_share_mean));
    if (r->random.count) {
        bough_json_put(o, "random_mean", real(r->random.mean));
        bough_json_put(o, "random_ci95", real(bough_stats_ci95(&r->random)));
        bough_json_put(o, "random_trials", json_integer((json_int_t)r->random.count));
        if (r->random_share.count) bough_json_put(o, "random_share", real(r->random_share.mean));
    }
    if (worst) add_worst(o, net, &part->worst);
    bough_json_put(o, "unused_links", json_integer((json_int_t)r->unused_links));
    check_failures_json(o, net, &part->failures);
}

bough_status check_print_json(const check_report *report, bough_error *error) {
    const bough_net *net = report->net;
    json_t *root = json_object(), *findings = json_array(), *levels = json_array();
    uint64_t per_level[CHECK_LEVELS];
    check_count_levels(net, per_level);
    for (unsigned l = 1; l <= net->levels; l++)
        bough_json_append(&levels, json_integer((json_int_t)per_level[l]));
    bough_json_put(&root, "bough", json_string(BOUGH_VERSION));
    bough_json_put(&root, "schema", json_integer(1));
    bough_json_put(&root, "fabric", bough_json_string(net->fabric ? net->fabric->source : net->spec));
    if (net->fabric) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016" PRIx64, net->fabric->hash);
        bough_json_put(&root, "fabric_hash", json_string(hash));
    }
    bough_json_put(&root, "endpoints", json_integer((json_int_t)net->endpoints));
    bough_json_put(&root, "switches", json_integer((json_int_t)net->switches));
    bough_json_put(&root, "switches_by_level", levels);
    bough_json_put(&root, "cables", json_integer((json_int_t)net->cables));
    bough_json_put(&root, "seed", json_integer((json_int_t)report->seed));
    if (net->fabric) add_findings(&findings, &net->fabric->findings);
    add_findings(&findings, &report->wiring);
    if (report->parts == 1) {
        add_result(&root, net, &report->part[0], report->worst_asked);
        add_findings(&findings, &report->part[0].routing->findings);
        add_findings(&findings, &report->part[0].findings);
    } else {
        json_t *results = json_array();
        for (size_t i = 0; i < report->parts; i++) {
            json_t *one = json_object(), *own = json_array();
            add_result(&one, net, &report->part[i], report->worst_asked);
            add_findings(&own, &report->part[i].routing->findings);
            add_findings(&own, &report->part[i].findings);
            bough_json_put(&one, "findings", own);
            bough_json_append(&results, one);
        }
        bough_json_put(&root, "results", results);
    }
    if (report->jobs.done) bough_json_put(&root, "jobs", check_jobs_json(&report->jobs, report->routings));
    if (report->against.asked) {
        json_t *against = check_against_json(&report->against, net, &report->part[0].result),
               *own = json_array();
        add_findings(&own, &report->against.findings);
        bough_json_put(&against, "findings", own);
        bough_json_put(&root, "against", against);
    }
    bough_json_put(&root, "findings", findings);
    return cli_print_json(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12), error);
}
