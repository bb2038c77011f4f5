/* One link: its pairs as a bipartite graph, a matching of them, and the result of Theorem 1's argument. */
#include "base/compare.h"
#include "base/status/try.h"
#include "loads/worst/adversary_internal.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t adversary_rank(double load) {
    return (uint64_t)llround(load * 0x1p30);
}

void adversary_matching_fini(adversary_matching *m) {
    FREE_ALL(m->source, m->destination);
    *m = (adversary_matching){.link = BOUGH_NONE};
}

static bool exceeds(uint64_t rank, uint64_t link, const adversary_matching *than) {
    return rank > 0 && (rank > than->rank || (rank == than->rank && link < than->link));
}

bool adversary_exceeds(uint64_t rank, uint64_t link, const adversary_matching *than) {
    bool better;
#ifdef _OPENMP
#pragma omp critical(bough_adversary)
#endif
    better = exceeds(rank, link, than);
    return better;
}

/* A set of flows over a link. flow: source << 32 | destination. */
typedef struct link_flows {
    uint64_t link, *flow, count;
    double load;
} link_flows;

/* Replaces the matching by a set of flows that exceeds it. */
static bough_status replace(adversary_matching *m, const link_flows *by, bough_error *error) {
    uint64_t rank = adversary_rank(by->load);
    bough_status status = BOUGH_OK;
    qsort(by->flow, by->count, sizeof *by->flow, bough_compare_u64);
#ifdef _OPENMP
#pragma omp critical(bough_adversary)
#endif
    if (exceeds(rank, by->link, m)) {
        size_t capacity = m->capacity;
        status = bough_grow(&m->source, &capacity, by->count, sizeof *m->source, error);
        TRY(bough_grow(&m->destination, &m->capacity, by->count, sizeof *m->destination, error));
        for (uint64_t i = 0; i < by->count && !status; i++) {
            m->source[i] = (uint32_t)(by->flow[i] >> 32);
            m->destination[i] = (uint32_t)by->flow[i];
        }
        if (!status) m->rank = rank, m->link = by->link, m->load = by->load, m->flows = by->count;
    }
    return status;
}

bough_status adversary_workspace_init(adversary_workspace *r, uint64_t endpoints, bough_error *error) {
    *r = (adversary_workspace){.endpoints = (uint32_t)endpoints};
    bough_status status = bough_alloc(&r->source, endpoints, sizeof *r->source, error);
    TRY(bough_alloc(&r->destination, endpoints, sizeof *r->destination, error));
    TRY(bough_alloc(&r->left_endpoint, endpoints, sizeof *r->left_endpoint, error));
    TRY(bough_alloc(&r->right_endpoint, endpoints, sizeof *r->right_endpoint, error));
    TRY(bough_alloc(&r->count, endpoints + 2, sizeof *r->count, error));
    TRY(bough_alloc(&r->start, endpoints + 1, sizeof *r->start, error));
    return status;
}

void adversary_workspace_fini(adversary_workspace *r) {
    FREE_ALL(r->source, r->destination, r->left_endpoint, r->right_endpoint, r->order, r->to, r->count,
             r->start, r->ordered, r->weight);
    matching_fini(&r->matching);
}

static bough_status reserve(adversary_workspace *r, uint64_t pairs, bool weights, bough_error *error) {
    bough_status status = bough_grow(&r->order, &r->order_capacity, pairs, sizeof *r->order, error);
    TRY(bough_grow(&r->to, &r->to_capacity, pairs, sizeof *r->to, error));
    if (!status && weights)
        status = bough_grow(&r->ordered, &r->ordered_capacity, pairs, sizeof *r->ordered, error);
    if (!status && weights)
        status = bough_grow(&r->weight, &r->weight_capacity, pairs, sizeof *r->weight, error);
    return status;
}

/* Numbers the endpoints that have pairs; returns their count. */
static uint32_t number(uint32_t *of, uint32_t *endpoint, uint32_t endpoints) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < endpoints; e++)
        if (of[e]) {
            endpoint[count] = e;
            of[e] = count++;
        }
    return count;
}

/* The pairs as a graph, sorted by destination, then source, whatever their order: a counting sort by source,
 * then by destination. */
static void make_graph(adversary_workspace *r, const adversary_pairs *p, matching_graph *g) {
    const uint32_t *pair = p->pair, endpoints = r->endpoints;
    const double *share = p->share;
    uint64_t pairs = p->count;
    memset(r->source, 0, endpoints * sizeof *r->source);
    memset(r->destination, 0, endpoints * sizeof *r->destination);
    for (uint64_t i = 0; i < pairs; i++) r->source[pair[i] >> 16]++, r->destination[pair[i] & 0xffff]++;
    uint32_t at = 0;
    for (uint32_t e = 0; e < endpoints; e++) r->count[e] = at, at += r->source[e];
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t place = r->count[pair[i] >> 16]++;
        r->order[place] = pair[i];
        if (share) r->ordered[place] = share[i];
    }
    uint32_t lefts = 0;
    r->start[0] = 0;
    for (uint32_t e = 0; e < endpoints; e++)
        if (r->destination[e]) {
            r->count[e] = (uint32_t)r->start[lefts];
            r->start[lefts + 1] = r->start[lefts] + r->destination[e];
            lefts++;
        }
    number(r->destination, r->left_endpoint, endpoints);
    uint32_t rights = number(r->source, r->right_endpoint, endpoints);
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t place = r->count[r->order[i] & 0xffff]++;
        r->to[place] = r->source[r->order[i] >> 16];
        if (share) r->weight[place] = r->ordered[i];
    }
    *g = (matching_graph){lefts, rights, r->start, r->to, share ? r->weight : NULL};
}

static uint64_t flow_of(const adversary_workspace *r, uint32_t left, uint32_t right) {
    return (uint64_t)r->right_endpoint[right] << 32 | r->left_endpoint[left];
}

/* Theorem 1's argument: the largest set of destinations that have at least as many sources as the set has
 * members, each assigned a source of its own. */
static bough_status match_by_counting(adversary_workspace *r, const matching_graph *g, uint64_t link,
                                      adversary_matching *counted, bough_error *error) {
    uint32_t most = g->lefts < g->rights ? g->lefts : g->rights, found = most;
    link_flows chosen = {.link = link};
    memset(r->count, 0, ((size_t)most + 1) * sizeof *r->count);
    for (uint32_t l = 0; l < g->lefts; l++) {
        uint64_t sources = g->start[l + 1] - g->start[l];
        r->count[sources < most ? sources : most]++;
    }
    for (uint64_t with = r->count[most]; with < found;) with += r->count[--found];
    if (!adversary_exceeds(adversary_rank(found), link, counted)) return BOUGH_OK;
    bough_status status = bough_alloc(&chosen.flow, found, sizeof *chosen.flow, error);
    if (status) return status;
    memset(r->count, 0, g->rights * sizeof *r->count);
    for (uint32_t l = 0; l < g->lefts && chosen.count < found; l++) {
        if (g->start[l + 1] - g->start[l] < found) continue;
        uint64_t e = g->start[l];
        while (r->count[g->to[e]]) e++;
        r->count[g->to[e]] = 1;
        chosen.flow[chosen.count++] = flow_of(r, l, g->to[e]);
    }
    chosen.load = found;
    status = replace(counted, &chosen, error);
    free(chosen.flow);
    return status;
}

static bough_status match_exactly(adversary_workspace *r, const matching_graph *g, uint64_t link,
                                  adversary_matching *worst, bough_error *error) {
    matching *m = &r->matching;
    link_flows chosen = {.link = link};
    bough_status status = g->weight ? matching_heaviest(g, m, error) : matching_largest(g, m, error);
    TRY(bough_alloc(&chosen.flow, m->size, sizeof *chosen.flow, error));
    for (uint32_t l = 0; l < g->lefts && !status; l++)
        if (m->left[l] != MATCHING_NONE) chosen.flow[chosen.count++] = flow_of(r, l, m->left[l]);
    chosen.load = g->weight ? m->weight : m->size;
    TRY(replace(worst, &chosen, error));
    free(chosen.flow);
    return status;
}

bough_status adversary_match_link(adversary_workspace *r, const adversary_pairs *pairs,
                                  adversary_matching *worst, adversary_matching *counted,
                                  bough_error *error) {
    matching_graph g;
    bough_status status = reserve(r, pairs->count, pairs->share != NULL, error);
    if (status) return status;
    make_graph(r, pairs, &g);
    if (!pairs->share) status = match_by_counting(r, &g, pairs->link, counted, error);
    if (!status && adversary_exceeds(pairs->rank, pairs->link, worst))
        status = match_exactly(r, &g, pairs->link, worst, error);
    return status;
}
