/* A lower bound of the worst permutation, without looking at all links: the most loaded link of every level
 * and direction gets pairs of different sources and destinations that use it, one after another. Such pairs
 * are part of a permutation, so it has at least this load. So have the permutations that were followed. */
#include "fabric/check/worst/check_worst_bound.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/flow_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 16, SAMPLES = 4, TRIES = 64 };

typedef struct pairing {
    const bough_routing *routing;
    uint64_t link;
    bool found;
    uint32_t *source;      /* those that use the link, to some of the samples */
    uint32_t *destination; /* those for which its start sends over it */
    bool *known;           /* per endpoint: it is one of the sources */
    uint64_t sources, destinations;
    char apart[THREAD_APART];
} pairing;

static void note_link(void *context, uint64_t link, double share) {
    pairing *p = context;
    if (link == p->link && share > 0) p->found = true;
}

static bool uses(pairing *p, uint64_t source, uint64_t destination) {
    const bough_flow flow = {source, bough_endpoint_address(p->routing->net, destination), source};
    spread_result r;
    if (source == destination) return false;
    p->found = false;
    spread_flow(p->routing, &flow, note_link, p, &r);
    return p->found && r.arrives > 0;
}

static void find_destinations(pairing *p) {
    const bough_net *net = p->routing->net;
    const uint64_t start = bough_link_start(net, p->link);
    p->destinations = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        const bough_flow flow = {e ? 0 : 1, bough_endpoint_address(net, e), 0};
        if (bough_next_link(p->routing, start, &flow) == p->link)
            p->destination[p->destinations++] = (uint32_t)e;
    }
}

static void find_sources(pairing *p) {
    const uint64_t n = p->routing->net->endpoints;
    memset(p->known, 0, n * sizeof *p->known);
    p->sources = 0;
    for (unsigned k = 0; k < SAMPLES && p->destinations; k++) {
        const uint32_t to = p->destination[p->destinations * k / SAMPLES];
        for (uint64_t s = 0; s < n; s++)
            if (!p->known[s] && uses(p, s, to)) {
                p->known[s] = true;
                p->source[p->sources++] = (uint32_t)s;
            }
    }
}

/* Each destination takes the first source that is left and uses the link; few are tried, as often all do or
 * none. */
static uint64_t pair_up(pairing *p) {
    uint64_t pairs = 0, left = p->sources;
    for (uint64_t d = 0; d < p->destinations && left; d++)
        for (uint64_t i = 0; i < left && i < TRIES; i++) {
            if (!uses(p, p->source[i], p->destination[d])) continue;
            p->source[i] = p->source[--left];
            pairs++;
            break;
        }
    return pairs;
}

/* The most loaded links, by direction and the level of the lower end; BOUGH_NONE: there is none. Those up
 * come first: they take longer, as fewer sources use them. */
static void find_links(const bough_net *net, const double *load, uint64_t link[2 * LEVELS]) {
    for (int i = 0; i < 2 * LEVELS; i++) link[i] = BOUGH_NONE;
    for (uint64_t l = 0; l < net->links; l++) {
        unsigned a = net->ops->node_level(net, bough_link_start(net, l)),
                 b = net->ops->node_level(net, net->ops->link_end(net, l).node), low = a < b ? a : b;
        if (low == 0 || low >= LEVELS || !(load[l] > 0)) continue;
        uint64_t *most = &link[(b < a ? LEVELS : 0) + low];
        if (*most == BOUGH_NONE || load[l] > load[*most]) *most = l;
    }
}

/* Threads divide the links. */
typedef struct pairings {
    uint64_t link[2 * LEVELS], pairs[2 * LEVELS];
    pairing *of; /* [threads] */
} pairings;

static void pair_one(void *context, unsigned thread, uint64_t i) {
    pairings *all = context;
    pairing *p = &all->of[thread];
    if (all->link[i] == BOUGH_NONE) return;
    p->link = all->link[i];
    find_destinations(p);
    find_sources(p);
    all->pairs[i] = pair_up(p);
}

static bough_status find_pairs(const bough_routing_report *part, unsigned threads, uint64_t *most,
                               bough_error *error) {
    const bough_net *net = part->routing->net;
    pairings all = {0};
    bough_status status = bough_alloc(&all.of, threads, sizeof *all.of, error);
    for (unsigned t = 0; t < threads && !status; t++) {
        pairing *p = &all.of[t];
        p->routing = part->routing;
        status = bough_alloc(&p->source, net->endpoints, sizeof *p->source, error);
        TRY(bough_alloc(&p->destination, net->endpoints, sizeof *p->destination, error));
        TRY(bough_alloc(&p->known, net->endpoints, sizeof *p->known, error));
    }
    if (!status) {
        find_links(net, part->result.load, all.link);
        team_loop(threads, 2 * LEVELS, pair_one, &all);
    }
    for (int i = 0; i < 2 * LEVELS; i++)
        if (all.pairs[i] > *most) *most = all.pairs[i];
    for (unsigned t = 0; all.of && t < threads; t++)
        FREE_ALL(all.of[t].source, all.of[t].destination, all.of[t].known);
    free(all.of);
    return status;
}

bough_status check_worst_bound(bough_routing_report *part, unsigned threads, bough_error *error) {
    const bough_check_result *r = &part->result;
    const bough_net *net = part->routing->net;
    uint64_t pairs = 0;
    part->worst_least = NAN;
    if (r->expected || !r->routed || net->addresses > net->endpoints || net->endpoints > UINT32_MAX)
        return BOUGH_OK;
    bough_status status = part->routing->kind->via ? BOUGH_OK : find_pairs(part, threads, &pairs, error);
    part->worst_least = fmax(r->shift_max, (double)pairs);
    if (r->random.count) part->worst_least = fmax(part->worst_least, r->random.max);
    return status;
}
