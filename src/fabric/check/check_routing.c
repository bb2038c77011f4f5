/* One pass over all pairs, shift by shift: shift k sends endpoint i to i + k, so the shifts k = 1 .. N-1
 * visit every pair once, and all-to-all is their sum. The shifts are cut into a fixed number of chunks whose
 * sums are added in order, so that no thread count changes a result. */
#include "bough/check_routing.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/deadlock.h"
#include "bough/physical.h"
#include "models/link_load/flow_spread.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 32, EXAMPLES = 5, SLOW_SHOWN = 20 };

/* Every pair is followed: 2^32 of them take hours. InfiniBand has 48 Ki addresses. */
#define ENDPOINTS_MAX 65536

typedef struct failed_pair {
    uint64_t source, address, at;
} failed_pair;

/* What one chunk of shifts finds. */
typedef struct chunk {
    double *total; /* per link */
    uint64_t routed, no_entry, wrong_adapter, loops, hops[BOUGH_HOPS_MAX];
    failed_pair failed[SPREAD_LOOP + 1][EXAMPLES]; /* by the way they end */
    unsigned failures[SPREAD_LOOP + 1];
} chunk;

/* Loads of one permutation at a time. */
typedef struct scratch {
    double *load;
    uint64_t *touched, count;
} scratch;

/* What a permutation comes to: its most loaded link, the time (flows over rate) of its slowest one, and what
 * the endpoints' own links would take at the nominal rate, which is all that an ideal network takes. */
typedef struct outcome {
    double max, time, ideal;
} outcome;

typedef struct pass {
    const bough_routing *routing;
    const bough_net *net;
    const bough_check_options *options;
    bough_check_result *result;
    outcome *shift; /* per k */
    chunk chunks[CHUNKS];
    bough_link_rates rates;
    uint64_t flows;     /* of all shifts and random permutations */
    atomic_ullong done; /* flows followed */
} pass;

static void add_load(void *context, uint64_t link, double share) {
    scratch *s = context;
    if (s->load[link] == 0) s->touched[s->count++] = link;
    s->load[link] += share;
}

static bough_status make_scratch(const bough_net *net, scratch *s, bough_error *error) {
    bough_status status = bough_alloc(&s->load, net->links, sizeof *s->load, error);
    return status ? status : bough_alloc(&s->touched, net->links, sizeof *s->touched, error);
}

static bool is_endpoint_link(const bough_net *net, uint64_t link) {
    return bough_link_start(net, link) < net->endpoints ||
           net->ops->link_end(net, link).node < net->endpoints;
}

/* 1 for all links where they are equal. */
static double rate_of(const pass *p, uint64_t link) {
    return p->rates.equal ? 1 : (double)bough_net_link_rate(p->net, link);
}

static double nominal_of(const pass *p) {
    return p->rates.equal ? 1 : (double)p->rates.nominal;
}

static void take_link(const pass *p, uint64_t link, double load, outcome *o) {
    if (load > o->max) o->max = load;
    double time = load / rate_of(p, link), ideal = load / nominal_of(p);
    if (time > o->time) o->time = time;
    if (ideal > o->ideal && is_endpoint_link(p->net, link)) o->ideal = ideal;
}

/* NAN where nothing was sent. Hosts that are faster than nominal, alone in a
 * permutation, reach no more than the ideal. */
static double score_of(const outcome *o) {
    return o->time > 0 ? fmin(1, o->ideal / o->time) : NAN;
}

static double share_of(const pass *p, double score) {
    return p->rates.equal ? NAN : score;
}

/* What the loads that were added come to; adds them to total and clears them. */
static outcome settle(const pass *p, scratch *s, double *total) {
    outcome o = {0};
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t l = s->touched[i];
        take_link(p, l, s->load[l], &o);
        if (total) total[l] += s->load[l];
        s->load[l] = 0;
    }
    s->count = 0;
    return o;
}

static void no_load(void *context, uint64_t link, double share) {
    (void)context;
    (void)link;
    (void)share;
}

/* Loads the links with a flow to the target's first address; a pair is routed when all its addresses are
 * reached. */
static void send(const pass *p, chunk *c, scratch *s, uint64_t source, uint64_t target) {
    const bough_net *net = p->net;
    spread_result r;
    uint64_t address = bough_endpoint_address(net, target);
    bough_flow flow = {source, address, 0};
    spread_end end = spread_flow(p->routing, &flow, add_load, s, &r);
    unsigned hops = r.hops;
    if (!c) return;
    for (uint64_t a = address + 1; end == SPREAD_ARRIVES && a < net->addresses; a++) {
        if (bough_address_node(net, a) != target) break;
        flow.address = address = a;
        end = spread_flow(p->routing, &flow, no_load, NULL, &r);
    }
    if (end == SPREAD_ARRIVES) {
        c->routed++;
        c->hops[hops - 1 < BOUGH_HOPS_MAX ? hops - 1 : BOUGH_HOPS_MAX - 1]++;
        return;
    }
    c->no_entry += end == SPREAD_NO_ENTRY;
    c->wrong_adapter += end == SPREAD_WRONG_ADAPTER;
    c->loops += end == SPREAD_LOOP;
    if (c->failures[end] < EXAMPLES)
        c->failed[end][c->failures[end]++] = (failed_pair){source, address, r.at};
}

/* Called after every flow: on a large tree one of them can have many thousand paths. */
static bough_status flow_done(pass *p, bough_error *error) {
    enum { STEP = 64 };
    const bough_check_options *o = p->options;
    if (o->stop && atomic_load_explicit(o->stop, memory_order_relaxed))
        return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    unsigned long long done = atomic_fetch_add_explicit(&p->done, 1, memory_order_relaxed) + 1;
    if (!o->progress || (done % STEP && done != p->flows)) return BOUGH_OK;
#ifdef _OPENMP
#pragma omp critical(bough_check)
#endif
    o->progress(o->progress_context, (double)done / (double)p->flows);
    return BOUGH_OK;
}

static bough_status run_chunk(pass *p, unsigned index, bough_error *error) {
    chunk *c = &p->chunks[index];
    uint64_t n = p->net->endpoints, shifts = n - 1;
    scratch s = {0};
    bough_status status = make_scratch(p->net, &s, error);
    TRY(bough_alloc(&c->total, p->net->links, sizeof *c->total, error));
    for (uint64_t k = 1 + shifts * index / CHUNKS; k < 1 + shifts * (index + 1) / CHUNKS && !status; k++) {
        for (uint64_t i = 0; i < n && !status; i++) {
            send(p, c, &s, i, (i + k) % n);
            status = flow_done(p, error);
        }
        p->shift[k] = settle(p, &s, c->total);
        p->result->shift[k] = p->shift[k].max;
    }
    FREE_ALL(s.load, s.touched);
    return status;
}

/* Loads that differ only by the rounding of expected values count as equal, so that the first of them is
 * named. */
static bool exceeds(double load, double best) {
    return load > best * (1 + 1e-9);
}

static void summarise_shifts(pass *p) {
    bough_check_result *r = p->result;
    double sum = 0, share_sum = 0, time_sum = 0, least = NAN;
    uint64_t shared = 0;
    r->shift_score = r->shift_time = NAN;
    for (uint64_t k = 1; k < r->endpoints; k++) {
        double share = score_of(&p->shift[k]);
        sum += r->shift[k];
        if (exceeds(r->shift[k], r->shift_max)) r->shift_max = r->shift[k], r->shift_worst_k = k;
        if (isnan(share)) continue;
        share_sum += share;
        time_sum += 1 / share;
        shared++;
        if (!(share >= least)) least = share;
    }
    if (r->endpoints > 1) r->shift_mean = sum / (double)(r->endpoints - 1);
    if (shared) r->shift_score = share_sum / (double)shared;
    if (shared) r->shift_time = time_sum / (double)shared;
    r->shift_share_mean = share_of(p, r->shift_score);
    r->shift_share_min = share_of(p, least);
}

/* What takes longest, and what would without slow cables. */
static void find_limit(pass *p, const outcome *all) {
    bough_check_result *r = p->result;
    outcome repaired = {.ideal = all->ideal};
    double longest = 0;
    r->alltoall_limit = r->alltoall_link;
    for (uint64_t l = 0; l < p->net->links; l++) {
        double time = r->load[l] / rate_of(p, l);
        double fixed = r->load[l] / (double)bough_link_nominal(p->net, &p->rates, l);
        if (exceeds(time, longest)) longest = time, r->alltoall_limit = l;
        if (fixed > repaired.time) repaired.time = fixed;
    }
    r->alltoall_repaired = score_of(&repaired);
}

static void summarise_alltoall(pass *p) {
    bough_check_result *r = p->result;
    const bough_net *net = p->net;
    outcome all = {0};
    for (uint64_t l = 0; l < net->links; l++) {
        for (unsigned c = 0; c < CHUNKS; c++) r->load[l] += p->chunks[c].total[l];
        take_link(p, l, r->load[l], &all);
        if (exceeds(r->load[l], r->alltoall_max)) r->alltoall_max = r->load[l], r->alltoall_link = l;
        if (r->load[l] == 0 && bough_link_alive(net, l)) r->unused_links++;
    }
    r->alltoall_score = score_of(&all);
    r->alltoall_share = share_of(p, r->alltoall_score);
    find_limit(p, &all);
    for (unsigned c = 0; c < CHUNKS; c++) {
        const chunk *k = &p->chunks[c];
        r->routed += k->routed;
        r->no_entry += k->no_entry;
        r->wrong_adapter += k->wrong_adapter;
        r->loops += k->loops;
        for (unsigned h = 0; h < BOUGH_HOPS_MAX; h++) r->hops[h] += k->hops[h];
    }
}

static bough_status random_permutations(pass *p, bough_error *error) {
    uint64_t n = p->net->endpoints, *image = NULL;
    scratch s = {0};
    bough_status status = make_scratch(p->net, &s, error);
    TRY(bough_alloc(&image, n, sizeof *image, error));
    TRY(bough_alloc(&p->result->random_time, p->options->permutations, sizeof(double), error));
    bough_stats scores = {0};
    for (uint64_t trial = 0; trial < p->options->permutations && !status; trial++) {
        bough_stream stream =
            bough_stream_make(bough_key_make(p->options->seed, trial), BOUGH_DRAW_PERMUTATION, 0, 0);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t j = bough_stream_below(&stream, i + 1);
            image[i] = image[j];
            image[j] = i;
        }
        for (uint64_t i = 0; i < n && !status; i++) {
            if (image[i] != i) send(p, NULL, &s, i, image[i]);
            status = flow_done(p, error);
        }
        outcome o = settle(p, &s, NULL);
        bough_stats_add(&p->result->random, o.max);
        if (!(o.time > 0)) continue;
        p->result->random_time[trial] = 1 / score_of(&o);
        bough_stats_add(&scores, score_of(&o));
    }
    p->result->random_score = scores.count ? scores.mean : NAN;
    if (!p->rates.equal) p->result->random_share = scores;
    FREE_ALL(image, s.load, s.touched);
    return status;
}

/* ---- findings ---- */

static bough_status report_failed(const pass *p, bough_findings *findings, bough_error *error) {
    static const struct {
        spread_end end;
        const char *kind, *text, *there;
    } sort[] = {
        {SPREAD_NO_ENTRY, "no-route", "have no route: a switch on the way has no usable entry", "stops at"},
        {SPREAD_WRONG_ADAPTER, "wrong-adapter", "end at another adapter", "ends at"},
        {SPREAD_LOOP, "loop", "run in a loop", "runs in a loop through"},
    };
    const bough_check_result *r = p->result;
    uint64_t count[] = {r->no_entry, r->wrong_adapter, r->loops};
    bough_status status = BOUGH_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (!count[k]) continue;
        status = bough_findings_add(findings,
                                    &(bough_finding_head){BOUGH_ERROR, sort[k].kind, p->routing->spec}, error,
                                    "%" PRIu64 " of %" PRIu64 " pairs %s", count[k], r->pairs, sort[k].text);
        unsigned shown = 0;
        for (unsigned c = 0; c < CHUNKS && !status; c++)
            for (unsigned i = 0; i < p->chunks[c].failures[sort[k].end] && shown < EXAMPLES && !status; i++) {
                const failed_pair *f = &p->chunks[c].failed[sort[k].end][i];
                char from[128], to[128], at[128];
                shown++;
                bough_node_name(p->net, f->source, from, sizeof from);
                bough_node_name(p->net, bough_address_node(p->net, f->address), to, sizeof to);
                bough_node_name(p->net, f->at, at, sizeof at);
                status = bough_findings_add(findings, &(bough_finding_head){BOUGH_ERROR, sort[k].kind, at},
                                            error, "for example %s to %s (LID %u) %s %s", from, to,
                                            bough_net_lid(p->net, f->address), sort[k].there, at);
            }
    }
    return status;
}

/* A ring among recorded tables is what the fabric does; of any other routing it is what it would do. */
static bough_status report_deadlock(const pass *p, bough_findings *findings, bough_error *error) {
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

static bough_status report_unused(const pass *p, bough_findings *findings, bough_error *error) {
    const bough_check_result *r = p->result;
    if (!r->unused_links) return BOUGH_OK;
    bough_status status = bough_findings_add(
        findings, &(bough_finding_head){BOUGH_INFO, "unused-links", p->routing->spec}, error,
        "%" PRIu64 " of %" PRIu64 " directed links are used by no pair", r->unused_links, p->net->links);
    unsigned shown = 0;
    for (uint64_t l = 0; l < p->net->links && shown < EXAMPLES && !status; l++)
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
static bough_status report_slow(const pass *p, bough_findings *findings, bough_error *error) {
    const bough_check_result *r = p->result;
    const bough_net *net = p->net;
    bough_status status = BOUGH_OK;
    size_t shown = 0;
    for (size_t i = 0; i < p->rates.slows && !status; i++) {
        const bough_slow_cable *slow = &p->rates.slow[i];
        char name[300];
        if (slow->host || !slow->single || shown++ >= SLOW_SHOWN) continue;
        uint64_t twin = net->ops->link_twin ? net->ops->link_twin(net, slow->link) : BOUGH_NONE;
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

static bough_status run_chunks(pass *p, bough_error *error) {
    bough_status worst = BOUGH_OK;
    unsigned threads = p->options->threads ? p->options->threads : 1;
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads)
#endif
    for (int c = 0; c < CHUNKS; c++) {
        bough_error mine = {0};
        bough_status status = run_chunk(p, (unsigned)c, &mine);
#ifdef _OPENMP
#pragma omp critical(bough_check)
#endif
        {
            if (status && !worst) {
                worst = status;
                if (error) *error = mine;
            }
        }
    }
    return worst;
}

bough_status bough_check_routing(const bough_routing *routing, const bough_check_options *options,
                                 bough_check_result *result, bough_findings *findings, bough_error *error) {
    const bough_net *net = routing->net;
    uint64_t n = net->endpoints;
    pass *p = NULL;
    *result = (bough_check_result){.endpoints = n, .pairs = n * (n - 1)};
    if (routing->kind->via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "check follows fixed routes; `%s` sends by random nodes", routing->spec);
    bough_status status = spread_check(routing, "check", error);
    if (status) return status;
    if (n > ENDPOINTS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "check follows every pair of endpoints, and %s has %" PRIu64
                          " endpoints; at most %d are possible "
                          "(linkload answers for single patterns: bough sim %s shift linkload)",
                          net->spec, n, ENDPOINTS_MAX, net->spec);
    uint64_t bytes = bough_mul(net->links, 8 * (CHUNKS + 1 + 2 * (uint64_t)options->threads));
    status = bough_memory_check(bytes, "check", error);
    TRY(bough_alloc(&p, 1, sizeof *p, error));
    if (!status) {
        *p = (pass){.routing = routing, .net = net, .options = options, .result = result};
        p->flows = n * (n - 1) + options->permutations * n;
        result->expected = !bough_routing_deterministic(routing);
        status = bough_alloc(&result->load, net->links, sizeof *result->load, error);
    }
    TRY(bough_link_rates_find(net, &p->rates, error));
    TRY(bough_alloc(&result->shift, n + 1, sizeof *result->shift, error));
    TRY(bough_alloc(&p->shift, n + 1, sizeof *p->shift, error));
    TRY(run_chunks(p, error));
    if (!status) {
        summarise_shifts(p);
        summarise_alltoall(p);
        status = random_permutations(p, error);
    }
    TRY(report_failed(p, findings, error));
    TRY(report_deadlock(p, findings, error));
    TRY(report_unused(p, findings, error));
    TRY(report_slow(p, findings, error));
    if (p) {
        for (unsigned c = 0; c < CHUNKS; c++) free(p->chunks[c].total);
        free(p->shift);
        bough_link_rates_fini(&p->rates);
    }
    free(p);
    if (status) bough_check_fini(result);
    return status;
}

void bough_check_fini(bough_check_result *result) {
    FREE_ALL(result->load, result->shift, result->random_time);
    *result = (bough_check_result){0};
}
