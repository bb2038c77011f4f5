/* One pass over all pairs, shift by shift: shift k sends endpoint i to i + k, so the shifts k = 1 .. N-1 visit every
 * pair once, and all-to-all is their sum. The shifts are cut into a fixed number of chunks whose sums are added in order,
 * so that no thread count changes a result. */
#include "base/memory.h"
#include "bough/check.h"
#include "model/spread.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 32, EXAMPLES = 5 };

typedef struct failed_pair {
    uint64_t source, address, at;
    spread_end end;
} failed_pair;

/* What one chunk of shifts finds. */
typedef struct chunk {
    double *total; /* per link */
    uint64_t routed, no_entry, wrong_adapter, loops, hops[BOUGH_HOPS_MAX];
    failed_pair failed[EXAMPLES];
    unsigned failures;
} chunk;

/* Loads of one permutation at a time. */
typedef struct scratch {
    double *load;
    uint64_t *touched, count;
} scratch;

typedef struct pass {
    const bough_routing *routing;
    const bough_net *net;
    const bough_check_options *options;
    bough_check_result *result;
    double *shift_time; /* per k: largest load / rate */
    chunk chunks[CHUNKS];
    bool rates;
    atomic_uint done;
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

/* The largest load and load / rate of what was added; adds to total and clears. */
static void settle(const pass *p, scratch *s, double *total, double *max, double *time) {
    *max = *time = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t l = s->touched[i];
        double load = s->load[l];
        if (load > *max) *max = load;
        if (p->rates) {
            double t = load / (double)p->net->ops->link_rate(p->net, l);
            if (t > *time) *time = t;
        }
        if (total) total[l] += load;
        s->load[l] = 0;
    }
    s->count = 0;
}

static void send(const pass *p, chunk *c, scratch *s, uint64_t source, uint64_t target) {
    unsigned hops;
    uint64_t at, address = bough_endpoint_address(p->net, target);
    bough_flow flow = {source, address, 0};
    spread_end end = spread_flow(p->routing, &flow, add_load, s, &hops, &at);
    if (!c) return;
    if (end == SPREAD_ARRIVES) {
        c->routed++;
        c->hops[hops - 1 < BOUGH_HOPS_MAX ? hops - 1 : BOUGH_HOPS_MAX - 1]++;
        return;
    }
    c->no_entry += end == SPREAD_NO_ENTRY;
    c->wrong_adapter += end == SPREAD_WRONG_ADAPTER;
    c->loops += end == SPREAD_LOOP;
    if (c->failures < EXAMPLES) c->failed[c->failures++] = (failed_pair){source, address, at, end};
}

static bough_status run_chunk(pass *p, unsigned index, bough_error *error) {
    chunk *c = &p->chunks[index];
    uint64_t n = p->net->endpoints, shifts = n - 1;
    scratch s = {0};
    bough_status status = make_scratch(p->net, &s, error);
    if (!status) status = bough_alloc(&c->total, p->net->links, sizeof *c->total, error);
    for (uint64_t k = 1 + shifts * index / CHUNKS; k < 1 + shifts * (index + 1) / CHUNKS && !status; k++) {
        if (p->options->stop && atomic_load(p->options->stop)) {
            status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
            break;
        }
        for (uint64_t i = 0; i < n; i++) send(p, c, &s, i, (i + k) % n);
        settle(p, &s, c->total, &p->result->shift[k], &p->shift_time[k]);
    }
    free(s.load);
    free(s.touched);
    return status;
}

/* The time of one flow between idle endpoints: what an ideal network would take for any permutation. */
static double ideal_time(const bough_net *net, bool rates) {
    double slowest = 0;
    for (uint64_t e = 0; e < net->endpoints && rates; e++) {
        uint64_t link = net->ops->group_links(net, net->ops->node_group(net, e, 0)).first;
        double t = 1 / (double)net->ops->link_rate(net, link);
        if (t > slowest) slowest = t;
    }
    return slowest;
}

static void summarise_shifts(pass *p, double ideal) {
    bough_check_result *r = p->result;
    double sum = 0, share_sum = 0;
    uint64_t n = p->net->endpoints;
    r->shift_share_min = INFINITY;
    for (uint64_t k = 1; k < n; k++) {
        double share = p->shift_time[k] > 0 ? ideal / p->shift_time[k] : NAN;
        sum += r->shift[k];
        share_sum += share;
        if (share < r->shift_share_min) r->shift_share_min = share;
        if (r->shift[k] > r->shift_max) r->shift_max = r->shift[k], r->shift_worst_k = k;
    }
    r->shift_mean = n > 1 ? sum / (double)(n - 1) : 0;
    r->shift_share_mean = p->rates && n > 1 ? share_sum / (double)(n - 1) : NAN;
    if (!p->rates) r->shift_share_min = NAN;
}

static void summarise_alltoall(pass *p, double ideal) {
    bough_check_result *r = p->result;
    const bough_net *net = p->net;
    double time = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        for (unsigned c = 0; c < CHUNKS; c++) r->load[l] += p->chunks[c].total[l];
        if (r->load[l] > r->alltoall_max) r->alltoall_max = r->load[l], r->alltoall_link = l;
        if (r->load[l] == 0 && bough_link_alive(net, l)) r->unused_links++;
        if (p->rates && r->load[l] / (double)net->ops->link_rate(net, l) > time)
            time = r->load[l] / (double)net->ops->link_rate(net, l);
    }
    r->alltoall_share = time > 0 ? ideal * (double)(net->endpoints - 1) / time : NAN;
    for (unsigned c = 0; c < CHUNKS; c++) {
        const chunk *k = &p->chunks[c];
        r->routed += k->routed;
        r->no_entry += k->no_entry;
        r->wrong_adapter += k->wrong_adapter;
        r->loops += k->loops;
        for (unsigned h = 0; h < BOUGH_HOPS_MAX; h++) r->hops[h] += k->hops[h];
    }
}

static bough_status random_permutations(pass *p, double ideal, bough_error *error) {
    uint64_t n = p->net->endpoints, *image = NULL;
    scratch s = {0};
    bough_status status = make_scratch(p->net, &s, error);
    if (!status) status = bough_alloc(&image, n, sizeof *image, error);
    for (uint64_t trial = 0; trial < p->options->permutations && !status; trial++) {
        double max, time;
        bough_stream stream =
            bough_stream_make(bough_key_make(p->options->seed, trial), BOUGH_DRAW_PERMUTATION, 0, 0);
        if (p->options->stop && atomic_load(p->options->stop))
            status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        for (uint64_t i = 0; i < n; i++) {
            uint64_t j = bough_stream_below(&stream, i + 1);
            image[i] = image[j];
            image[j] = i;
        }
        for (uint64_t i = 0; i < n; i++)
            if (image[i] != i) send(p, NULL, &s, i, image[i]);
        settle(p, &s, NULL, &max, &time);
        bough_stats_add(&p->result->random, max);
        if (p->rates && time > 0) bough_stats_add(&p->result->random_share, ideal / time);
    }
    free(image);
    free(s.load);
    free(s.touched);
    return status;
}

/* ---- findings ---- */

static bough_status say_failed(const pass *p, bough_findings *findings, bough_error *error) {
    static const struct {
        spread_end end;
        const char *kind, *text;
    } sort[] = {
        {SPREAD_NO_ENTRY, "no-route", "have no route: a switch on the way has no usable entry"},
        {SPREAD_WRONG_ADAPTER, "wrong-adapter", "end at another adapter"},
        {SPREAD_LOOP, "loop", "run in a loop"},
    };
    const bough_check_result *r = p->result;
    uint64_t count[] = {r->no_entry, r->wrong_adapter, r->loops};
    bough_status status = BOUGH_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (!count[k]) continue;
        status = bough_findings_add(findings, BOUGH_ERROR, sort[k].kind, p->routing->spec, error,
                                    "%" PRIu64 " of %" PRIu64 " pairs %s", count[k], r->pairs, sort[k].text);
        unsigned shown = 0;
        for (unsigned c = 0; c < CHUNKS && !status; c++)
            for (unsigned i = 0; i < p->chunks[c].failures && shown < EXAMPLES && !status; i++) {
                const failed_pair *f = &p->chunks[c].failed[i];
                char from[128], to[128], at[128];
                if (f->end != sort[k].end) continue;
                shown++;
                bough_node_name(p->net, f->source, from, sizeof from);
                bough_node_name(p->net, bough_address_node(p->net, f->address), to, sizeof to);
                bough_node_name(p->net, f->at, at, sizeof at);
                status = bough_findings_add(findings, BOUGH_ERROR, sort[k].kind, at, error,
                                            "for example %s to %s (LID %u) stops at %s", from, to,
                                            bough_net_lid(p->net, f->address), at);
            }
    }
    return status;
}

static bough_status say_unused(const pass *p, bough_findings *findings, bough_error *error) {
    const bough_check_result *r = p->result;
    if (!r->unused_links) return BOUGH_OK;
    bough_status status =
        bough_findings_add(findings, BOUGH_INFO, "unused-links", p->routing->spec, error,
                           "%" PRIu64 " of %" PRIu64 " directed links are used by no pair", r->unused_links, p->net->links);
    unsigned shown = 0;
    for (uint64_t l = 0; l < p->net->links && shown < EXAMPLES && !status; l++)
        if (r->load[l] == 0 && bough_link_alive(p->net, l)) {
            char name[300];
            shown++;
            status = bough_findings_add(findings, BOUGH_INFO, "unused-links", bough_link_name(p->net, l, name, sizeof name),
                                        error, "carries nothing");
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
            unsigned done = atomic_fetch_add(&p->done, 1) + 1;
            if (p->options->progress) p->options->progress(p->options->progress_context, (double)done / CHUNKS);
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
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "check follows fixed routes; `%s` sends by random nodes",
                          routing->spec);
    if (routing->kind->wants_load)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "check has no clock, so `%s` has no loads to look at",
                          routing->spec);
    uint64_t bytes = bough_mul(net->links, 8 * (CHUNKS + 1 + 2 * (uint64_t)options->threads));
    bough_status status = bough_memory_check(bytes, "check", error);
    if (!status) status = bough_alloc(&p, 1, sizeof *p, error);
    if (!status) {
        *p = (pass){.routing = routing, .net = net, .options = options, .result = result};
        p->rates = net->gives & BOUGH_GIVES_RATES;
        result->expected = !bough_routing_deterministic(routing);
        status = bough_alloc(&result->load, net->links, sizeof *result->load, error);
    }
    if (!status) status = bough_alloc(&result->shift, n + 1, sizeof *result->shift, error);
    if (!status) status = bough_alloc(&p->shift_time, n + 1, sizeof *p->shift_time, error);
    if (!status) status = run_chunks(p, error);
    if (!status) {
        double ideal = ideal_time(net, p->rates);
        summarise_shifts(p, ideal);
        summarise_alltoall(p, ideal);
        status = random_permutations(p, ideal, error);
    }
    if (!status) status = say_failed(p, findings, error);
    if (!status) status = say_unused(p, findings, error);
    if (p) {
        for (unsigned c = 0; c < CHUNKS; c++) free(p->chunks[c].total);
        free(p->shift_time);
    }
    free(p);
    if (status) bough_check_fini(result);
    return status;
}

void bough_check_fini(bough_check_result *result) {
    free(result->load);
    free(result->shift);
    *result = (bough_check_result){0};
}
