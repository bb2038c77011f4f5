/* Loads and shares under all-to-all, all shifts and random permutations, and findings about pairs and links.
 */
#include "fabric/check/check_routing.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/pairs/permutation_loads.h"
#include "fabric/pods/pods.h"
#include "network/hosts.h"
#include "network/physical/physical.h"
#include "routing/deadlock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_SHOWN = 20, NAME = 168 };

/* Every pair is followed: 2^32 of them take hours. InfiniBand has 48 Ki addresses. */
#define ENDPOINTS_MAX 65536

/* NAN where nothing was sent. Hosts that are faster than nominal, alone in a
 * permutation, reach no more than the ideal. */
static double score_of(const outcome *o) {
    return o->time > 0 ? fmin(1, o->ideal / o->time) : NAN;
}

static double share_of(const check_pass *p, double score) {
    return p->rates.equal ? NAN : score;
}

/* Loads that differ only by the rounding of expected values count as equal, so that the first of them is
 * named. */
static bool exceeds(double load, double best) {
    return load > best * (1 + 1e-9);
}

static void summarise_shifts(check_pass *p) {
    bough_check_result *r = p->result;
    double sum = 0, time_sum = 0, least = NAN;
    uint64_t shared = 0;
    r->shift_score = r->shift_time = NAN;
    for (uint64_t k = 1; k <= r->shifts; k++) {
        double share = score_of(&p->shift[k]);
        sum += r->shift[k];
        if (exceeds(r->shift[k], r->shift_max)) r->shift_max = r->shift[k], r->shift_worst_k = k;
        if (isnan(share)) continue;
        time_sum += 1 / share;
        shared++;
        if (!(share >= least)) least = share;
    }
    if (r->shifts) r->shift_mean = sum / (double)r->shifts;
    if (shared) r->shift_time = time_sum / (double)shared;
    r->shift_score = 1 / r->shift_time;
    r->shift_share_mean = share_of(p, r->shift_score);
    r->shift_share_min = share_of(p, least);
}

/* What takes longest, and what would without slow cables. */
static void find_limit(check_pass *p, const outcome *all) {
    bough_check_result *r = p->result;
    outcome repaired = {.ideal = all->ideal};
    double longest = 0;
    r->alltoall_limit = r->alltoall_link;
    for (uint64_t l = 0; l < p->net->links; l++) {
        double time = r->load[l] / check_rate(p, l);
        double fixed = r->load[l] / (double)bough_link_nominal(p->net, &p->rates, l);
        if (exceeds(time, longest)) longest = time, r->alltoall_limit = l;
        if (fixed > repaired.time) repaired.time = fixed;
    }
    r->alltoall_repaired = score_of(&repaired);
}

static void summarise_alltoall(check_pass *p) {
    bough_check_result *r = p->result;
    const bough_net *net = p->net;
    outcome all = {0};
    for (uint64_t l = 0; l < net->links; l++) {
        outcome_add(&all, r->load[l], check_rate(p, l));
        if (p->of_endpoint[l]) outcome_add_ideal(p, &all, r->load[l]);
        if (exceeds(r->load[l], r->alltoall_max)) r->alltoall_max = r->load[l], r->alltoall_link = l;
        if (r->load[l] == 0 && bough_link_alive(net, l)) r->unused_links++;
    }
    r->alltoall_score = score_of(&all);
    r->alltoall_share = share_of(p, r->alltoall_score);
    find_limit(p, &all);
}

void bough_check_plane_scores(const bough_check_result *r, const bough_net *net,
                              const bough_link_rates *rates, const bough_planes *planes,
                              double score[BOUGH_PLANES_MAX]) {
    outcome all[BOUGH_PLANES_MAX] = {0};
    const double nominal = rates->equal ? 1 : (double)rates->nominal;
    for (uint64_t l = 0; l < net->links; l++) {
        const uint64_t start = bough_link_start(net, l), end = net->ops->link_end(net, l).node;
        const uint32_t plane = planes->of[start];
        if (plane == BOUGH_NO_PLANE) continue;
        outcome_add(&all[plane], r->load[l], (double)bough_link_actual(net, rates, l));
        if (start >= net->endpoints && end >= net->endpoints) continue;
        all[plane].ideal = fmax(all[plane].ideal, r->load[l] / nominal);
    }
    for (size_t i = 0; i < planes->count; i++) score[i] = score_of(&all[i]);
}

static bough_status random_permutations(check_pass *p, bough_error *error) {
    const uint64_t permutations = p->options->permutations;
    bough_status status =
        arena_alloc(p->options->memory, &p->result->random_time, permutations, sizeof(double), error);
    TRY(check_permutations(p, error));
    bough_stats times = {0};
    for (uint64_t trial = 0; trial < permutations && !status; trial++) {
        const outcome *o = &p->random[trial];
        bough_stats_add(&p->result->random, o->max);
        if (!(o->time > 0)) continue;
        p->result->random_time[trial] = 1 / score_of(o);
        bough_stats_add(&times, 1 / score_of(o));
    }
    p->result->random_score = times.count ? 1 / times.mean : NAN;
    p->result->random_share = share_of(p, p->result->random_score);
    return status;
}

/* ---- findings ---- */

/* The name of a node, in a large network with its pod: "h5 (pod 3)". all: without pods in others. */
static void name_node(const check_pass *p, const pods *all, uint64_t node, char name[NAME]) {
    char pod[40];
    bough_node_name(p->net, node, name, NAME - sizeof pod);
    if (!all->count || all->of[node] == PODS_NONE) return;
    size_t length = strlen(name);
    snprintf(name + length, NAME - length, " (%s)", pods_name(all, all->of[node], pod, sizeof pod));
}

typedef struct failure_words {
    spread_end end;
    const char *kind, *text, *here;
} failure_words;

/* An example for each place. */
static bough_status report_examples(const check_pass *p, const failure_words *words, bough_findings *findings,
                                    bough_error *error) {
    pods all = {0};
    uint64_t last = BOUGH_NONE;
    bough_status status = pods_wanted(p->net) ? pods_find(p->net, &all, error) : BOUGH_OK;
    for (unsigned i = 0; i < p->failures[words->end] && !status; i++) {
        const failed_pair *f = &p->failed[words->end][i];
        char from[NAME], to[NAME], at[NAME];
        if (f->at == last) continue;
        last = f->at;
        name_node(p, &all, f->source, from);
        name_node(p, &all, bough_address_node(p->net, f->address), to);
        name_node(p, &all, f->at, at);
        status = bough_findings_add(findings, &(bough_finding_head){BOUGH_ERROR, words->kind, at}, error,
                                    "for example %s to %s (LID %u) %s", from, to,
                                    bough_net_lid(p->net, f->address), words->here);
    }
    pods_fini(&all);
    return status;
}

static bough_status report_failed(const check_pass *p, bough_findings *findings, bough_error *error) {
    static const failure_words sort[] = {
        {SPREAD_NO_ENTRY, "no-route", "have no route: a switch on the way has no usable entry", "stops here"},
        {SPREAD_WRONG_ADAPTER, "wrong-adapter", "end at another adapter", "ends here"},
        {SPREAD_LOOP, "loop", "run in a loop", "runs in a loop through here"},
    };
    const bough_check_result *r = p->result;
    const uint64_t count[] = {r->no_entry, r->wrong_adapter, r->loops};
    bough_status status = BOUGH_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (!count[k]) continue;
        status = bough_findings_add(findings,
                                    &(bough_finding_head){BOUGH_ERROR, sort[k].kind, p->routing->spec}, error,
                                    "%" PRIu64 " of %" PRIu64 " pairs %s", count[k], r->pairs, sort[k].text);
        TRY(report_examples(p, &sort[k], findings, error));
    }
    return status;
}

/* A ring among recorded tables is what the fabric does; of any other routing it is what it would do. */
static bough_status report_deadlock(const check_pass *p, bough_findings *findings, bough_error *error) {
    enum { SHOWN = 8 };
    bough_link_cycle cycle;
    char name[300];
    bough_status status = bough_deadlock_find(p->routing, &cycle, error);
    if (status || cycle.count == 0) return status;
    p->result->cycle = cycle.count;
    bool tables = p->routing->kind->needs & BOUGH_HAS_TABLES;
    char *text = bough_link_cycle_text(p->net, &cycle, SHOWN);
    status = !text ? bough_fail_memory(error, cycle.count * sizeof name)
                   : bough_findings_add(
                         findings,
                         &(bough_finding_head){tables ? BOUGH_ERROR : BOUGH_WARN, "deadlock",
                                               bough_link_name(p->net, cycle.link[0], name, sizeof name)},
                         error,
                         "messages can wait for each other in a ring of %" PRIu64
                         " links, unless virtual lanes keep them apart: %s",
                         cycle.count, text);
    free(text);
    bough_link_cycle_fini(&cycle);
    return status;
}

/* In a large network: the pod with the most unused links, as "; 12 of them in pod 3", else "". */
static bough_status name_unused(const check_pass *p, char *text, size_t size, bough_error *error) {
    const bough_net *net = p->net;
    pods all;
    uint64_t *count = NULL;
    *text = 0;
    if (!pods_wanted(net)) return BOUGH_OK;
    bough_status status = pods_find(net, &all, error);
    if (status) return status;
    status = bough_alloc(&count, all.count, sizeof *count, error);
    for (uint64_t l = 0; l < net->links && !status; l++) {
        uint32_t pod = pods_of_link(&all, net, l);
        if (p->result->load[l] == 0 && bough_link_alive(net, l) && pod != PODS_NONE) count[pod]++;
    }
    uint32_t most = 0;
    for (uint32_t i = 0; i < all.count && !status; i++)
        if (count[i] > count[most]) most = i;
    char name[40];
    if (!status && all.count && count[most])
        snprintf(text, size, "; %" PRIu64 " of them in %s, the most of %" PRIu32 " %s", count[most],
                 pods_name(&all, most, name, sizeof name), all.count, all.blocks ? "groups" : "pods");
    free(count);
    pods_fini(&all);
    return status;
}

static bough_status report_unused(const check_pass *p, bough_findings *findings, bough_error *error) {
    const bough_check_result *r = p->result;
    char where[120];
    if (!r->unused_links) return BOUGH_OK;
    bough_status status = name_unused(p, where, sizeof where, error);
    TRY(bough_findings_add(findings, &(bough_finding_head){BOUGH_INFO, "unused-links", p->routing->spec},
                           error, "%" PRIu64 " of %" PRIu64 " directed links are used by no pair%s",
                           r->unused_links, p->net->links, where));
    unsigned shown = 0;
    for (uint64_t l = 0; l < p->net->links && shown < PAIR_EXAMPLES && !status; l++)
        if (r->load[l] == 0 && bough_link_alive(p->net, l)) {
            char name[300];
            shown++;
            status = bough_findings_add(findings,
                                        &(bough_finding_head){BOUGH_INFO, "unused-links",
                                                              bough_link_name(p->net, l, name, sizeof name)},
                                        error, "carries nothing");
        }
    return status;
}

/* Who suffers from a slow cable between switches depends on the routing. */
static bough_status report_slow(const check_pass *p, bough_findings *findings, bough_error *error) {
    const bough_check_result *r = p->result;
    const bough_net *net = p->net;
    bough_status status = BOUGH_OK;
    size_t shown = 0;
    for (size_t i = 0; i < p->rates.slows && !status; i++) {
        const bough_slow_cable *slow = &p->rates.slow[i];
        char name[300];
        if (slow->host || !slow->single || shown++ >= SLOW_SHOWN) continue;
        uint64_t twin = bough_link_twin(net, slow->link);
        double flows = r->load[slow->link] + (twin == BOUGH_NONE ? 0 : r->load[twin]);
        status =
            bough_findings_add(findings,
                               &(bough_finding_head){BOUGH_INFO, "slow-cable",
                                                     bough_link_name(net, slow->link, name, sizeof name)},
                               error, "%.6g of %" PRIu64 " pairs cross this cable, at %g instead of %g Gb/s",
                               flows, r->pairs, (double)slow->rate / 1e9, (double)slow->nominal / 1e9);
    }
    return status;
}

static uint64_t found_with_shifts(const check_pass *p) {
    const uint64_t permutations = p->options->permutations;
    return permutations < PERMUTATION_BATCH ? permutations : PERMUTATION_BATCH;
}

static bough_status follow_shifts(check_pass *p, bough_error *error) {
    const uint64_t n = p->net->endpoints;
    bough_status status = check_channels_make(p, &p->channels, error);
    if (status) return status;
    bool pairs =
        !p->channels && (p->planes.planes > 1 || !check_trees_fit(p)); /* trees: shifts of one plane */
    if (!p->channels && !pairs) p->found = found_with_shifts(p);
    p->flows = (p->options->permutations - p->found) * n + (pairs ? p->result->pairs : 0);
    p->part = pairs || p->channels ? 0 : p->flows ? 0.8 : 1;
    if (p->channels)
        check_channels_follow(p, p->channels);
    else
        status = pairs ? check_pairs_follow(p, error) : check_trees_follow(p, error);
    for (uint64_t k = 1; k <= p->result->shifts && !status; k++) p->result->shift[k] = p->shift[k].max;
    if (!status && !p->flows && p->options->progress) p->options->progress(p->options->progress_context, 1);
    return status;
}

bough_status bough_check_size(const bough_net *net, bough_error *error) {
    if (net->endpoints <= ENDPOINTS_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "check follows every pair of endpoints, and %s has %" PRIu64
                      " endpoints; at most %d are possible "
                      "(linkload answers for single patterns: bough sim %s shift linkload)",
                      net->spec, net->endpoints, ENDPOINTS_MAX, net->spec);
}

bough_status bough_check_routing(const bough_routing *routing, const bough_check_options *options,
                                 bough_check_result *result, bough_findings *findings, bough_error *error) {
    const bough_net *net = routing->net;
    uint64_t n = net->endpoints;
    check_pass *p = NULL;
    arena memory = {0}; /* of the pass */
    *result = (bough_check_result){.endpoints = n, .pairs = net_pairs(net), .shifts = net_partners(net)};
    if (routing->kind->via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "check follows fixed routes; `%s` sends by random nodes", routing->spec);
    bough_status status = spread_check(routing, "check", error);
    TRY(bough_check_size(net, error));
    if (status) return status;
    status = arena_alloc(&memory, &p, 1, sizeof *p, error);
    if (status) return status;
    *p =
        (check_pass){.routing = routing, .net = net, .options = options, .memory = &memory, .result = result};
    result->expected = !bough_routing_deterministic(routing);
    status = arena_alloc(options->memory, &result->load, net->links, sizeof *result->load, error);
    TRY(check_endpoint_links(net, &memory, &p->of_endpoint, error));
    TRY(net_plane_order_make(net, &memory, &p->planes, error));
    TRY(bough_link_rates_find(net, &memory, &p->rates, error));
    TRY(arena_alloc(options->memory, &result->shift, n + 1, sizeof *result->shift, error));
    TRY(arena_alloc(&memory, &p->shift, n + 1, sizeof *p->shift, error));
    TRY(arena_alloc(&memory, &p->random, options->permutations, sizeof *p->random, error));
    TRY(follow_shifts(p, error));
    if (!status) {
        summarise_shifts(p);
        summarise_alltoall(p);
        status = random_permutations(p, error);
    }
    TRY(report_failed(p, findings, error));
    TRY(report_deadlock(p, findings, error));
    TRY(report_unused(p, findings, error));
    TRY(report_slow(p, findings, error));
    arena_fini(&memory);
    if (status) *result = (bough_check_result){0};
    return status;
}
