#include "support/all_permutations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LIMIT = 64, MOST = 8 };

/* From a node on; false where any branch ends elsewhere. */
static bool spread(const bough_routing *r, const bough_flow *flow, uint64_t node, double part, int steps,
                   uint64_t target, double *load) {
    const bough_net *net = r->net;
    bough_route route;
    if (node == target) return true;
    if (steps == LIMIT || (steps > 0 && !bough_is_switch(net, node))) return false;
    bough_route_at(r, node, flow, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        load[link] += part / route.count;
        if (!spread(r, flow, net->ops->link_end(net, link).node, part / route.count, steps + 1, target, load))
            return false;
    }
    return route.count > 0;
}

static bool one_phase(const bough_routing *r, uint64_t from, uint64_t to, uint64_t key, double part,
                      uint64_t target, double *load) {
    bough_flow flow = {from, bough_endpoint_address(r->net, to), key};
    return spread(r, &flow, from, part, 0, target, load);
}

bool flow_loads(const bough_routing *r, uint64_t source, uint64_t destination, double *load) {
    uint64_t n = r->net->endpoints;
    double *mine = calloc(r->net->links, sizeof *mine);
    bool arrives = true;
    if (!r->kind->via) {
        arrives = one_phase(r, source, destination, source, 1, destination, mine);
    } else {
        for (uint64_t via = 0; via < n; via++) {
            uint64_t turn = bough_turn_node(r->net, source, bough_endpoint_address(r->net, via));
            arrives = one_phase(r, source, via, source, 1 / (double)n, turn, mine) &&
                      one_phase(r, turn, destination, source, 1 / (double)n, destination, mine) && arrives;
        }
    }
    for (uint64_t l = 0; l < r->net->links && arrives; l++) load[l] += mine[l];
    free(mine);
    return arrives;
}

void permutation_loads(const bough_routing *r, const uint32_t *destination, double *load) {
    memset(load, 0, r->net->links * sizeof *load);
    for (uint64_t s = 0; s < r->net->endpoints; s++)
        if (destination[s] != s) flow_loads(r, s, destination[s], load);
}

typedef struct every {
    uint64_t n, links;
    double *pair; /* [source][destination][link] */
    double *load, *worst;
} every;

/* Source s to each destination that is left, and so on; load has those before it. */
static void place(every *x, uint64_t s, unsigned taken) {
    if (s == x->n) {
        for (uint64_t l = 0; l < x->links; l++)
            if (x->load[l] > x->worst[l]) x->worst[l] = x->load[l];
        return;
    }
    for (uint64_t d = 0; d < x->n; d++) {
        if (taken >> d & 1) continue;
        const double *pair = x->pair + (s * x->n + d) * x->links;
        for (uint64_t l = 0; l < x->links; l++) x->load[l] += pair[l];
        place(x, s + 1, taken | 1u << d);
        for (uint64_t l = 0; l < x->links; l++) x->load[l] -= pair[l];
    }
}

void worst_loads(const bough_routing *r, double *worst) {
    every x = {r->net->endpoints, r->net->links, NULL, NULL, worst};
    assert_true(x.n <= MOST);
    x.pair = calloc(x.n * x.n * x.links + 1, sizeof *x.pair);
    x.load = calloc(x.links + 1, sizeof *x.load);
    memset(worst, 0, x.links * sizeof *worst);
    for (uint64_t s = 0; s < x.n; s++)
        for (uint64_t d = 0; d < x.n; d++)
            if (s != d) flow_loads(r, s, d, x.pair + (s * x.n + d) * x.links);
    place(&x, 0, 0);
    free(x.pair);
    free(x.load);
}

void counted_loads(const bough_routing *r, uint64_t *counted) {
    uint64_t n = r->net->endpoints, links = r->net->links;
    uint64_t *with = calloc((n + 1) * links + 1, sizeof *with); /* [t][link]: destinations with t sources */
    double *load = calloc(links + 1, sizeof *load);
    for (uint64_t d = 0; d < n; d++) {
        memset(load, 0, links * sizeof *load);
        for (uint64_t s = 0; s < n; s++)
            if (s != d) flow_loads(r, s, d, load);
        for (uint64_t l = 0; l < links; l++)
            for (uint64_t t = 1; (double)t <= load[l]; t++) with[t * links + l]++;
    }
    for (uint64_t l = 0; l < links; l++)
        for (counted[l] = n; counted[l] && with[counted[l] * links + l] < counted[l];) counted[l]--;
    free(with);
    free(load);
}

typedef struct plain_match {
    uint64_t n;
    const bool *uses; /* [source][destination] */
    uint64_t *source; /* of each destination; n: none */
    bool *asked;      /* per destination, in this turn */
} plain_match;

static bool take(plain_match *m, uint64_t s) {
    for (uint64_t d = 0; d < m->n; d++) {
        if (!m->uses[s * m->n + d] || m->asked[d]) continue;
        m->asked[d] = true;
        if (m->source[d] < m->n && !take(m, m->source[d])) continue;
        m->source[d] = s;
        return true;
    }
    return false;
}

void matched_loads(const bough_routing *r, uint64_t *matched) {
    uint64_t n = r->net->endpoints, links = r->net->links;
    bool *uses = calloc(n * n * links + 1, sizeof *uses); /* [link][source][destination] */
    double *load = calloc(links + 1, sizeof *load);
    plain_match m = {n, NULL, calloc(n + 1, sizeof *m.source), calloc(n + 1, sizeof *m.asked)};
    for (uint64_t s = 0; s < n; s++)
        for (uint64_t d = 0; d < n; d++) {
            if (s == d || !flow_loads(r, s, d, load)) continue;
            for (uint64_t l = 0; l < links; l++) uses[(l * n + s) * n + d] = load[l] > 0;
            memset(load, 0, links * sizeof *load);
        }
    for (uint64_t l = 0; l < links; l++) {
        m.uses = uses + l * n * n;
        matched[l] = 0;
        for (uint64_t d = 0; d < n; d++) m.source[d] = n;
        for (uint64_t s = 0; s < n; s++) {
            memset(m.asked, 0, n * sizeof *m.asked);
            matched[l] += take(&m, s);
        }
    }
    free(uses);
    free(load);
    free(m.source);
    free(m.asked);
}
