#include "support/failure_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE BOUGH_NONE

typedef struct oracle {
    const bough_net *net;
    uint64_t n, v, l; /* endpoints, nodes, links */
    uint64_t *next;   /* [target][node] */
    bool *dead;       /* [link] */
} oracle;

static bool is_switch(const oracle *o, uint64_t v) {
    return bough_is_switch(o->net, v);
}

static uint64_t end_of(const oracle *o, uint64_t l) {
    return o->net->ops->link_end(o->net, l).node;
}

static uint64_t *entry(const oracle *o, uint64_t t, uint64_t v) {
    return &o->next[t * o->v + v];
}

/* Whether from v the target is reached; the path's links go to path. */
static bool follow(const oracle *o, uint64_t from, uint64_t t, uint64_t *path, uint64_t *length) {
    uint64_t v = from;
    for (*length = 0; v != t; ++*length) {
        if (*length > o->v || (v != from && !is_switch(o, v))) return false;
        uint64_t l = *entry(o, t, v);
        if (l == NONE || o->dead[l]) return false;
        path[*length] = l;
        v = end_of(o, l);
    }
    return true;
}

/* Links to go from every node to t, by looking at all links until nothing changes. */
static void distances(const oracle *o, uint64_t t, uint64_t *distance) {
    for (uint64_t v = 0; v < o->v; v++) distance[v] = NONE;
    distance[t] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < o->l; l++) {
            uint64_t from = bough_link_start(o->net, l), to = end_of(o, l);
            if (o->dead[l] || distance[to] == NONE || (to != t && !is_switch(o, to))) continue;
            if (distance[from] != NONE && distance[from] <= distance[to] + 1) continue;
            distance[from] = distance[to] + 1;
            changed = true;
        }
    }
}

/* Of links with an equal number of addresses the first, counted round from the one whose turn it is. */
static uint64_t best_link(const oracle *o, uint64_t v, uint64_t t, const uint64_t *distance) {
    uint64_t candidate[64], count = 0, best = NONE, fewest = NONE;
    for (uint64_t l = 0; l < o->l; l++) {
        uint64_t to = end_of(o, l);
        if (bough_link_start(o->net, l) != v || o->dead[l] || (to != t && !is_switch(o, to))) continue;
        if (distance[to] != NONE && distance[to] + 1 == distance[v]) candidate[count++] = l;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t l = candidate[(v + t + i) % count], users = 0;
        for (uint64_t u = 0; u < o->n; u++) users += *entry(o, u, v) == l;
        if (users < fewest) fewest = users, best = l;
    }
    return best;
}

static void mend(oracle *o, uint64_t t) {
    uint64_t *distance = calloc(o->v, sizeof *distance), *path = calloc(o->v + 2, sizeof *path), length;
    bool *good = calloc(o->v, sizeof *good);
    distances(o, t, distance);
    for (uint64_t v = 0; v < o->v; v++) good[v] = follow(o, v, t, path, &length);
    for (uint64_t v = 0; v < o->v; v++) {
        if (good[v]) continue;
        *entry(o, t, v) = NONE;
        if (distance[v] != NONE) *entry(o, t, v) = best_link(o, v, t, distance);
    }
    free(distance);
    free(path);
    free(good);
}

static void measure(const oracle *o, bough_failure_load *m, double *time) {
    const bough_net *net = o->net;
    uint64_t *load = calloc(o->l, sizeof *load), *path = calloc(o->v + 2, sizeof *path), length, between = 0;
    *m = (bough_failure_load){0};
    *time = 0;
    for (uint64_t k = 1; k < o->n; k++) {
        uint64_t *own = calloc(o->l, sizeof *own), most = 0;
        for (uint64_t s = 0; s < o->n; s++) {
            if (!follow(o, s, (s + k) % o->n, path, &length)) continue;
            m->pairs++;
            for (uint64_t i = 0; i < length; i++) own[path[i]]++, load[path[i]]++;
        }
        for (uint64_t l = 0; l < o->l; l++)
            if (own[l] > most) most = own[l];
        if (most > m->shift_max) m->shift_max = most;
        m->shift_mean += (double)most / (double)(o->n - 1);
        free(own);
    }
    for (uint64_t l = 0; l < o->l; l++) {
        double rate = net->capabilities & BOUGH_HAS_RATES ? (double)net->ops->link_rate(net, l) : 1;
        if (load[l] > m->alltoall_max) m->alltoall_max = load[l];
        if (rate > 0 && (double)load[l] / rate > *time) *time = (double)load[l] / rate;
        if (o->dead[l] || !is_switch(o, bough_link_start(net, l)) || !is_switch(o, end_of(o, l))) continue;
        between++;
        m->alltoall_mean += (double)load[l];
    }
    if (between) m->alltoall_mean /= (double)between;
    for (uint64_t l = 0; l<o->l && * time> 0; l++) {
        double rate = net->capabilities & BOUGH_HAS_RATES ? (double)net->ops->link_rate(net, l) : 1;
        bool host = !is_switch(o, bough_link_start(net, l)) || !is_switch(o, end_of(o, l));
        m->hosts_limit |= host && rate > 0 && (double)load[l] / rate >= *time * (1 - 1e-12);
    }
    free(load);
    free(path);
}

static oracle make(const bough_routing *routing, bool made) {
    const bough_net *net = routing->net;
    oracle o = {.net = net, .n = net->endpoints, .v = net->nodes, .l = net->links};
    o.next = calloc(o.n * o.v, sizeof *o.next);
    o.dead = calloc(o.l, sizeof *o.dead);
    for (uint64_t l = 0; l < o.l; l++) o.dead[l] = !bough_link_alive(net, l) || bough_link_lost(net, l);
    for (uint64_t t = 0; t < o.n; t++)
        for (uint64_t v = 0; v < o.v; v++) {
            bough_flow flow = {v < o.n ? v : t, bough_endpoint_address(net, t), 0};
            bough_route route = {0};
            if (v != t && !made) bough_route_at(routing, v, &flow, &route);
            *entry(&o, t, v) = route.count ? bough_route_link(&route, 0) : NONE;
        }
    for (uint64_t t = 0; t < o.n && made; t++) mend(&o, t);
    return o;
}

static void unmake(oracle *o) {
    free(o->next);
    free(o->dead);
}

bough_failure_load failure_oracle_whole(const bough_routing *routing, bool made) {
    oracle o = make(routing, made);
    bough_failure_load m;
    double time;
    measure(&o, &m, &time);
    m.slowdown = 1;
    unmake(&o);
    return m;
}

bough_failure failure_oracle(const bough_routing *routing, bool made, const uint64_t *dead) {
    oracle o = make(routing, made);
    bough_failure r = {.link = NONE, .node = NONE};
    bough_failure_load whole;
    double before, after;
    uint64_t *path = calloc(o.v + 2, sizeof *path), length;
    bool *was = calloc(o.n * o.n, sizeof *was), *hit = calloc(o.n, sizeof *hit);
    uint64_t *talked = calloc(o.n, sizeof *talked), *talks = calloc(o.n, sizeof *talks);
    measure(&o, &whole, &before);
    for (uint64_t t = 0; t < o.n; t++)
        for (uint64_t s = 0; s < o.n; s++) {
            was[t * o.n + s] = s != t && follow(&o, s, t, path, &length);
            talked[s] += was[t * o.n + s];
            talked[t] += was[t * o.n + s];
        }
    for (uint64_t l = 0; l < o.l; l++) o.dead[l] |= dead[l / 64] >> l % 64 & 1;
    measure(&o, &r.as_is, &after);
    r.as_is.slowdown = r.as_is.pairs < whole.pairs ? NAN : before > 0 ? after / before : 1;
    for (uint64_t t = 0; t < o.n; t++)
        for (uint64_t s = 0; s < o.n; s++)
            if (was[t * o.n + s] && !follow(&o, s, t, path, &length)) r.lost++, hit[t] = true;
    for (uint64_t t = 0; t < o.n; t++)
        if (hit[t]) mend(&o, t);
    /* Pairs that were never routed stay out. */
    for (uint64_t t = 0; t < o.n; t++)
        for (uint64_t s = 0; s < o.n; s++) {
            if (s == t || !follow(&o, s, t, path, &length)) continue;
            if (!was[t * o.n + s] && !is_switch(&o, s)) *entry(&o, t, s) = NONE;
            talks[s] += was[t * o.n + s];
            talks[t] += was[t * o.n + s];
        }
    measure(&o, &r.rerouted, &after);
    r.rerouted.slowdown = r.rerouted.pairs < whole.pairs ? NAN : before > 0 ? after / before : 1;
    r.cut = whole.pairs - r.rerouted.pairs;
    for (uint64_t e = 0; e < o.n; e++) r.gone += talked[e] && !talks[e];
    free(path);
    free(was);
    free(hit);
    free(talked);
    free(talks);
    unmake(&o);
    return r;
}
