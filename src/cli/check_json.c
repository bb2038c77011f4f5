/* The JSON of `bough check`; its names are a contract. */
#include "cli/check_print.h"

#include "cli/network.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const severity_name[] = {"info", "warn", "error"};

/* null, never NaN; whole numbers as integers. */
static json_t *real(double value) {
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) < 0x1p53) return json_integer((json_int_t)value);
    return json_real(value);
}

static void add_findings(json_t *array, const bough_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const bough_finding *f = &findings->item[i];
        json_t *one = json_object();
        json_object_set_new(one, "severity", json_string(severity_name[f->severity]));
        json_object_set_new(one, "kind", cli_json_text(f->kind));
        json_object_set_new(one, "where", cli_json_text(f->where));
        json_object_set_new(one, "text", cli_json_text(f->text));
        json_array_append_new(array, one);
    }
}

static void add_worst(json_t *o, const bough_net *net, const bough_adversary_result *w) {
    char link[300];
    json_object_set_new(o, "worst_permutation", real(w->load));
    json_object_set_new(o, "worst_permutation_link",
                        w->link != BOUGH_NONE
                            ? cli_json_text(bough_link_name(net, w->link, link, sizeof link))
                            : json_null());
    if (w->expected) return;
    json_object_set_new(o, "worst_permutation_counted", json_integer((json_int_t)w->counted));
    json_object_set_new(o, "worst_permutation_bound",
                        w->routed == w->pairs ? json_integer((json_int_t)w->bound) : json_null());
}

static void add_result(json_t *o, const bough_net *net, const check_part *part, bool worst) {
    const bough_check_result *r = &part->result;
    char key[16], link[300];
    json_t *hops = json_object();
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            snprintf(key, sizeof key, "%d", h);
            json_object_set_new(hops, key, json_integer((json_int_t)r->hops[h]));
        }
    json_object_set_new(o, "routing", cli_json_text(part->routing->spec));
    json_object_set_new(o, "pairs", json_integer((json_int_t)r->pairs));
    json_object_set_new(o, "routed", json_integer((json_int_t)r->routed));
    json_object_set_new(o, "no_route", json_integer((json_int_t)r->no_entry));
    json_object_set_new(o, "wrong_adapter", json_integer((json_int_t)r->wrong_adapter));
    json_object_set_new(o, "loops", json_integer((json_int_t)r->loops));
    json_object_set_new(o, "hops", hops);
    json_object_set_new(o, "expected", json_boolean(r->expected));
    json_object_set_new(o, "alltoall_max", real(r->alltoall_max));
    json_object_set_new(o, "alltoall_link",
                        r->alltoall_max > 0
                            ? cli_json_text(bough_link_name(net, r->alltoall_link, link, sizeof link))
                            : json_null());
    json_object_set_new(o, "alltoall_share", real(r->alltoall_share));
    json_object_set_new(o, "shift_max", real(r->shift_max));
    json_object_set_new(o, "shift_mean", real(r->shift_mean));
    json_object_set_new(o, "shift_worst_k", json_integer((json_int_t)r->shift_worst_k));
    json_object_set_new(o, "shift_share_mean", real(r->shift_share_mean));
    if (r->random.count) {
        json_object_set_new(o, "random_mean", real(r->random.mean));
        json_object_set_new(o, "random_ci95", real(bough_stats_ci95(&r->random)));
        json_object_set_new(o, "random_trials", json_integer((json_int_t)r->random.count));
        if (r->random_share.count) json_object_set_new(o, "random_share", real(r->random_share.mean));
    }
    if (worst) add_worst(o, net, &part->worst);
    json_object_set_new(o, "unused_links", json_integer((json_int_t)r->unused_links));
    check_failures_json(o, net, &part->failures);
}

bough_status check_print_json(const check_report *report, bough_error *error) {
    const bough_net *net = report->net;
    json_t *root = json_object(), *findings = json_array(), *levels = json_array();
    uint64_t per_level[CHECK_LEVELS];
    check_count_levels(net, per_level);
    for (unsigned l = 1; l <= net->levels; l++)
        json_array_append_new(levels, json_integer((json_int_t)per_level[l]));
    json_object_set_new(root, "bough", json_string(BOUGH_VERSION));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "fabric", cli_json_text(net->fabric ? net->fabric->source : net->spec));
    if (net->fabric) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016" PRIx64, net->fabric->hash);
        json_object_set_new(root, "fabric_hash", json_string(hash));
    }
    json_object_set_new(root, "endpoints", json_integer((json_int_t)net->endpoints));
    json_object_set_new(root, "switches", json_integer((json_int_t)net->switches));
    json_object_set_new(root, "switches_by_level", levels);
    json_object_set_new(root, "cables", json_integer((json_int_t)net->cables));
    json_object_set_new(root, "seed", json_integer((json_int_t)report->seed));
    if (net->fabric) add_findings(findings, &net->fabric->findings);
    add_findings(findings, &report->wiring);
    if (report->parts == 1) {
        add_result(root, net, &report->part[0], report->worst_asked);
        add_findings(findings, &report->part[0].routing->findings);
        add_findings(findings, &report->part[0].findings);
    } else {
        json_t *results = json_array();
        for (size_t i = 0; i < report->parts; i++) {
            json_t *one = json_object(), *own = json_array();
            add_result(one, net, &report->part[i], report->worst_asked);
            add_findings(own, &report->part[i].routing->findings);
            add_findings(own, &report->part[i].findings);
            json_object_set_new(one, "findings", own);
            json_array_append_new(results, one);
        }
        json_object_set_new(root, "results", results);
    }
    if (report->jobs.done)
        json_object_set_new(root, "jobs", check_jobs_json(&report->jobs, report->routings));
    if (report->against.asked) {
        json_t *against = check_against_json(&report->against, net, &report->part[0].result),
               *own = json_array();
        add_findings(own, &report->against.findings);
        json_object_set_new(against, "findings", own);
        json_object_set_new(root, "against", against);
    }
    json_object_set_new(root, "findings", findings);
    char *out = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!out) return bough_fail(error, BOUGH_NO_MEMORY, NULL, "out of memory while writing JSON");
    cli_print_string(out);
    cli_print_string("\n");
    free(out);
    return BOUGH_OK;
}
