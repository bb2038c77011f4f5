/* One pass over all pairs, shift by shift: shift k sends the i-th endpoint of a plane to the i + k-th, so the
 * shifts k = 1 .. N-1 visit every pair once, and all-to-all is their sum. The shifts are cut into a fixed
 * number of chunks whose sums are added in order, so that no thread count changes a result. Ranks take chunks
 * in turn, and what they do not compute is 0, so that all have the bits of all chunks in the end. */
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/check/pairs/check_pass.h"
#include "network/hosts.h"
#include "network/physical/physical.h"

#include <stdlib.h>

enum { CHUNKS = 32 };

_Static_assert(BOUGH_HOPS_MAX == PAIR_HOPS_MAX, "a result has the pairs of a tally");

typedef struct chunk_list {
    check_pass *pass;
    pair_tally *item; /* [CHUNKS] */
    double *total;    /* [chunk * links + link] */
} chunk_list;

bough_status check_endpoint_links(const bough_net *net, arena *memory, bool **of_endpoint,
                                  bough_error *error) {
    bough_status status = arena_alloc(memory, of_endpoint, net->links, sizeof **of_endpoint, error);
    for (uint64_t l = 0; l < net->links && !status; l++) (*of_endpoint)[l] = bough_link_of_endpoint(net, l);
    return status;
}

outcome check_settle(const check_pass *p, link_sums *s, double *total) {
    outcome o = {0};
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t l = s->link[i];
        outcome_add(&o, s->load[l], check_rate(p, l));
        if (p->of_endpoint[l]) outcome_add_ideal(p, &o, s->load[l]);
        if (total) total[l] += s->load[l];
    }
    link_sums_clear(s);
    return o;
}

/* Counts a flow to the target's first address; a pair is routed when all its addresses are reached. */
static void count_pair(const check_pass *p, pair_tally *t, bough_flow flow, spread_end end, unsigned hops) {
    const bough_net *net = p->net;
    const uint64_t target = bough_address_node(net, flow.address), n = net->endpoints;
    spread_result r;
    for (uint64_t a = flow.address + 1; end == SPREAD_ARRIVES && a < net->addresses; a++) {
        if (bough_address_node(net, a) != target) break;
        flow.address = a;
        end = spread_end_of(p->routing, &flow, &r);
    }
    if (end == SPREAD_ARRIVES) {
        pair_tally_routed(t, hops, 1);
    } else {
        t->ended[end]++;
        pair_tally_example(t, end, (shift_pair){(target + n - flow.source) % n, flow.source});
    }
}

static void add_example(check_pass *p, spread_end end, const shift_pair *pair) {
    const bough_net *net = p->net;
    uint64_t target = (pair->source + pair->shift) % net->endpoints;
    bough_flow flow = {pair->source, bough_endpoint_address(net, target), 0};
    spread_result r;
    while (spread_end_of(p->routing, &flow, &r) == SPREAD_ARRIVES) flow.address++;
    p->failed[end][p->failures[end]++] = (failed_pair){flow.source, flow.address, r.at};
}

void check_take_pairs(check_pass *p, const pair_tally *t) {
    bough_check_result *r = p->result;
    r->routed = t->ended[SPREAD_ARRIVES];
    r->no_entry = t->ended[SPREAD_NO_ENTRY];
    r->wrong_adapter = t->ended[SPREAD_WRONG_ADAPTER];
    r->loops = t->ended[SPREAD_LOOP];
    for (unsigned h = 0; h < BOUGH_HOPS_MAX; h++) r->hops[h] = t->hops[h];
    for (unsigned end = 0; end <= SPREAD_LOOP; end++)
        for (uint64_t i = 0; i < t->failures[end]; i++) add_example(p, end, &t->failed[end][i]);
}

bough_status check_flows_done(check_pass *p, unsigned count, bough_error *error) {
    enum { STEP = 64 };
    const bough_check_options *o = p->options;
    if (stop_asked(o->stop)) return stop_check(o->stop, error);
    unsigned long long done = atomic_fetch_add_explicit(&p->done, count, memory_order_relaxed) + count;
    if (!o->progress || (done / STEP == (done - count) / STEP && done != p->flows)) return BOUGH_OK;
    const double share = done < p->flows ? (double)done / (double)p->flows : 1;
#ifdef _OPENMP
#pragma omp critical(bough_check)
#endif
    o->progress(o->progress_context, p->part + (1 - p->part) * share);
    return BOUGH_OK;
}

static bough_status send(check_pass *p, pair_tally *t, link_sums *s, const uint64_t pair[2],
                         bough_error *error) {
    spread_result r;
    bough_flow flow = {pair[0], bough_endpoint_address(p->net, pair[1]), 0};
    spread_end end = spread_flow(p->routing, &flow, link_sums_visit, s, &r);
    if (t) count_pair(p, t, flow, end, r.hops);
    return check_flows_done(p, 1, error);
}

bough_status check_send(check_pass *p, link_sums *s, uint64_t source, uint64_t target, bough_error *error) {
    return send(p, NULL, s, (uint64_t[]){source, target}, error);
}

static bough_status run_chunk(void *context, unsigned worker, uint64_t index, bough_error *error) {
    const chunk_list *chunks = context;
    check_pass *p = chunks->pass;
    const uint64_t n = p->net->endpoints, shifts = p->result->shifts;
    pair_tally *t = &chunks->item[index];
    double *total = chunks->total + index * p->net->links;
    link_sums s = {0};
    (void)worker;
    bough_status status = link_sums_make(&s, p->net->links, error);
    for (uint64_t k = 1 + shifts * index / CHUNKS; k < 1 + shifts * (index + 1) / CHUNKS && !status; k++) {
        for (uint64_t i = 0; i < n && !status; i++) {
            const uint64_t to = net_plane_shifted(&p->planes, net_plane(p->net, i), (uint32_t)i, k);
            if (to != i) status = send(p, t, &s, (uint64_t[]){i, to}, error);
        }
        p->shift[k] = check_settle(p, &s, total);
    }
    link_sums_fini(&s);
    return status;
}

bough_status check_pairs_follow(check_pass *p, bough_error *error) {
    uint64_t bytes = bough_mul(p->net->links, 8 * (CHUNKS + 1 + 2 * (uint64_t)p->options->threads));
    chunk_list chunks = {.pass = p};
    bough_status status = bough_net_memory_check(p->net, bytes, "check", error);
    TRY(bough_alloc(&chunks.item, CHUNKS, sizeof *chunks.item, error));
    TRY(bough_alloc(&chunks.total, bough_mul(CHUNKS, p->net->links), sizeof *chunks.total, error));
    TRY(team_try(p->options->threads, CHUNKS, run_chunk, &chunks, error));
    for (unsigned c = 0; c < CHUNKS && !status; c++) {
        for (uint64_t l = 0; l < p->net->links; l++)
            p->result->load[l] += chunks.total[c * p->net->links + l];
        if (c) pair_tally_join(&chunks.item[0], &chunks.item[c]);
    }
    if (!status) check_take_pairs(p, &chunks.item[0]);
    FREE_ALL(chunks.item, chunks.total);
    return status;
}
