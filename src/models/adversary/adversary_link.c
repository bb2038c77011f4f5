/* One link: its pairs as a graph, a matching of them, and the result of Theorem 1's argument. */
#include "base/status/try.h"
#include "models/adversary/adversary.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t adversary_rank(double load) {
    return (uint64_t)llround(load * 0x1p30);
}

void adversary_choice_fini(adversary_choice *c) {
    free(c->source);
    free(c->destination);
    *c = (adversary_choice){.link = BOUGH_NONE};
}

static bool beats(uint64_t rank, uint64_t link, const adversary_choice *than) {
    return rank > 0 && (rank > than->rank || (rank == than->rank && link < than->link));
}

bool adversary_beats(uint64_t rank, uint64_t link, const adversary_choice *than) {
    bool better;
#ifdef _OPENMP
#pragma omp critical(bough_adversary)
#endif
    better = beats(rank, link, than);
    return better;
}

static int by_source(const void *a, const void *b) {
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Replaces the choice by chosen[0 .. flows-1], source << 32 | destination, if that exceeds it. */
static bough_status choose(adversary_choice *c, uint64_t rank, uint64_t link, double load, uint64_t *chosen,
                           uint64_t flows, bough_error *error) {
    bough_status status = BOUGH_OK;
    qsort(chosen, flows, sizeof *chosen, by_source);
#ifdef _OPENMP
#pragma omp critical(bough_adversary)
#endif
    if (beats(rank, link, c)) {
        size_t capacity = c->capacity;
        status = bough_grow(&c->source, &capacity, flows, sizeof *c->source, error);
        TRY(bough_grow(&c->destination, &c->capacity, flows, sizeof *c->destination, error));
        for (uint64_t i = 0; i < flows && !status; i++) {
            c->source[i] = (uint32_t)(chosen[i] >> 32);
            c->destination[i] = (uint32_t)chosen[i];
        }
        if (!status) c->rank = rank, c->link = link, c->load = load, c->flows = flows;
    }
    return status;
}

bough_status adversary_room_init(adversary_room *r, uint64_t endpoints, bough_error *error) {
    *r = (adversary_room){0};
    bough_status status = bough_alloc(&r->source, endpoints, sizeof *r->source, error);
    TRY(bough_alloc(&r->destination, endpoints, sizeof *r->destination, error));
    TRY(bough_alloc(&r->left_endpoint, endpoints, sizeof *r->left_endpoint, error));
    TRY(bough_alloc(&r->right_endpoint, endpoints, sizeof *r->right_endpoint, error));
    TRY(bough_alloc(&r->count, endpoints + 2, sizeof *r->count, error));
    TRY(bough_alloc(&r->start, endpoints + 1, sizeof *r->start, error));
    return status;
}

void adversary_room_fini(adversary_room *r) {
    void *array[] = {r->source, r->destination, r->left_endpoint, r->right_endpoint, r->order,
                     r->to,     r->count,       r->start,         r->ordered,        r->weight};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) free(array[i]);
    matching_fini(&r->matching);
}

static bough_status room_grow(adversary_room *r, uint64_t pairs, bool weights, bough_error *error) {
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
static void make_graph(adversary_room *r, const uint32_t *pair, const double *share, uint64_t pairs,
                       uint32_t endpoints, matching_graph *g) {
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

static uint64_t flow_of(const adversary_room *r, uint32_t left, uint32_t right) {
    return (uint64_t)r->right_endpoint[right] << 32 | r->left_endpoint[left];
}

/* Theorem 1's argument: the largest set of destinations that have at least as many sources as the set has
 * members, each assigned a source of its own. */
static bough_status choose_by_counting(adversary_room *r, const matching_graph *g, uint64_t link,
                                       adversary_choice *counted, bough_error *error) {
    uint32_t most = g->lefts < g->rights ? g->lefts : g->rights, found = most, flows = 0;
    uint64_t *chosen = NULL;
    memset(r->count, 0, ((size_t)most + 1) * sizeof *r->count);
    for (uint32_t l = 0; l < g->lefts; l++) {
        uint64_t sources = g->start[l + 1] - g->start[l];
        r->count[sources < most ? sources : most]++;
    }
    for (uint64_t with = r->count[most]; with < found;) with += r->count[--found];
    if (!adversary_beats(adversary_rank(found), link, counted)) return BOUGH_OK;
    bough_status status = bough_alloc(&chosen, found, sizeof *chosen, error);
    if (status) return status;
    memset(r->count, 0, g->rights * sizeof *r->count);
    for (uint32_t l = 0; l < g->lefts && flows < found; l++) {
        if (g->start[l + 1] - g->start[l] < found) continue;
        uint64_t e = g->start[l];
        while (r->count[g->to[e]]) e++;
        r->count[g->to[e]] = 1;
        chosen[flows++] = flow_of(r, l, g->to[e]);
    }
    status = choose(counted, adversary_rank(found), link, found, chosen, flows, error);
    free(chosen);
    return status;
}

static bough_status choose_by_matching(adversary_room *r, const matching_graph *g, uint64_t link,
                                       adversary_choice *worst, bough_error *error) {
    matching *m = &r->matching;
    uint64_t *chosen = NULL, flows = 0;
    bough_status status = g->weight ? matching_heaviest(g, m, error) : matching_largest(g, m, error);
    TRY(bough_alloc(&chosen, m->size, sizeof *chosen, error));
    for (uint32_t l = 0; l < g->lefts && !status; l++)
        if (m->left[l] != MATCHING_NONE) chosen[flows++] = flow_of(r, l, m->left[l]);
    double load = g->weight ? m->weight : m->size;
    TRY(choose(worst, adversary_rank(load), link, load, chosen, flows, error));
    free(chosen);
    return status;
}

bough_status adversary_match_link(adversary_room *r, const adversary_pairs *pairs, uint64_t endpoints,
                                  adversary_choice *worst, adversary_choice *counted, bough_error *error) {
    matching_graph g;
    bough_status status = room_grow(r, pairs->count, pairs->share != NULL, error);
    if (status) return status;
    make_graph(r, pairs->pair, pairs->share, pairs->count, (uint32_t)endpoints, &g);
    if (!pairs->share) status = choose_by_counting(r, &g, pairs->link, counted, error);
    if (!status && adversary_beats(pairs->rank, pairs->link, worst))
        status = choose_by_matching(r, &g, pairs->link, worst, error);
    return status;
}
