/* Pr[C2] of any network by enumeration: both heads of a pair advance link by link, and every random choice
 * branches.
 *
 * If routes visit groups in ascending order, the head at the lower group moves first, so both requests of a
 * group are served together, as in circuit:mode=attempt. Otherwise the heads move in step, one link at a
 * time, as in circuit:mode=rounds. Two requests that may take the same links get different ones, all ordered
 * pairs being equally likely; requests that may take different links are served in either order with
 * probability 1/2. */
#include "base/memory/memory.h"
#include "models/collision/collision.h"
#include "routing/routing_list.h"

#include <inttypes.h>

enum { HOPS_MAX = 256 };

typedef struct head {
    bough_flow flow;
    uint64_t node, target;
    uint32_t hops;
    bool ended; /* delivered, or without a route */
    bough_route route;
    uint64_t clock; /* order of the requested group, or links taken */
    uint64_t taken[HOPS_MAX];
} head;

typedef struct enumeration {
    const bough_net *net;
    const bough_routing *routing;
    bool ordered, first_only;
    collision_pair *pair;
    head head[2];
    double collided, weight; /* of the present pair; weight: of every pair */
    uint64_t steps, step_limit;
    bool too_long;
} enumeration;

static void explore(enumeration *e, double chance);

/* Finds the group that a head requests next. */
static void aim(const enumeration *e, head *h) {
    h->ended = h->node == h->target;
    if (h->ended) return;
    bough_route_at(e->routing, h->node, &h->flow, &h->route);
    h->ended = h->route.count == 0;
    if (!h->ended) h->clock = e->ordered ? e->net->ops->group_order(e->net, h->route.group) : h->hops;
}

static bool has_taken(const head *h, uint64_t link) {
    for (uint32_t i = 0; i < h->hops; i++)
        if (h->taken[i] == link) return true;
    return false;
}

/* The head takes a link, the rest is explored, and the head returns. */
static void take(enumeration *e, unsigned which, uint64_t link, double chance,
                 void (*next)(enumeration *e, double chance)) {
    head *h = &e->head[which];
    e->too_long |= h->hops == HOPS_MAX;
    if (e->too_long || ++e->steps > e->step_limit) return;
    const uint64_t node = h->node, clock = h->clock;
    const bough_route route = h->route;
    h->taken[h->hops++] = link;
    h->node = e->net->ops->link_end(e->net, link).node;
    aim(e, h);
    next(e, chance);
    h->hops--;
    h->node = node;
    h->route = route;
    h->clock = clock;
    h->ended = false;
}

/* One request: a free link at random, or the first. */
static void serve(enumeration *e, unsigned which, double chance,
                  void (*next)(enumeration *e, double chance)) {
    const bough_route route = e->head[which].route;
    const head *other = &e->head[!which];
    uint32_t free = 0;
    for (uint32_t i = 0; i < route.count; i++) free += !has_taken(other, bough_route_link(&route, i));
    if (!free) e->collided += chance;
    bool first = e->first_only;
    for (uint32_t i = 0; i < route.count && free; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (has_taken(other, link)) continue;
        take(e, which, link, first ? chance : chance / free, next);
        if (first) return;
    }
}

static void serve_first(enumeration *e, double chance) {
    serve(e, 0, chance, explore);
}
static void serve_second(enumeration *e, double chance) {
    serve(e, 1, chance, explore);
}

static void record_meeting(const enumeration *e, uint64_t link, double chance) {
    unsigned level = bough_link_level(e->net, link);
    if (level >= COLLISION_LEVELS) return;
    double *at = bough_link_direction(e->net, link) < 0 ? e->pair->down : e->pair->up;
    at[level] += chance * e->weight;
}

static void serve_both(enumeration *e, double chance) {
    bool same = bough_route_same(&e->head[0].route, &e->head[1].route);
    record_meeting(e, bough_route_link(&e->head[0].route, 0), chance);
    serve(e, 0, same ? chance : chance / 2, serve_second);
    if (!same) serve(e, 1, chance / 2, serve_first);
}

static void explore(enumeration *e, double chance) {
    const head *a = &e->head[0], *b = &e->head[1];
    if (a->ended || b->ended) {
        /* the other may still run into links of this one, if heads do not ascend */
        if ((a->ended && b->ended) || e->ordered) return;
        serve(e, a->ended, chance, explore);
    } else if (a->clock == b->clock && a->route.group == b->route.group) {
        serve_both(e, chance);
    } else {
        serve(e, a->clock > b->clock, chance, explore);
    }
}

static double explore_pair(enumeration *e, const bough_flow flow[2]) {
    for (unsigned i = 0; i < 2; i++) {
        head *h = &e->head[i];
        h->flow = flow[i];
        h->node = flow[i].source;
        h->target = bough_address_node(e->net, flow[i].address);
        h->hops = 0;
        aim(e, h);
    }
    e->collided = 0;
    explore(e, 1);
    return e->collided;
}

uint64_t collision_pairs(uint64_t n) {
    unsigned __int128 pairs = (unsigned __int128)n * (n - 1) / 2;
    if (n > 1 << 22) return UINT64_MAX;
    pairs *= (unsigned __int128)(n - 1) * (n - 1);
    return pairs > UINT64_MAX ? UINT64_MAX : (uint64_t)pairs;
}

bough_status collision_enumerable(const bough_run *run, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    const bough_net *net = run->point.net;
    if (!routing)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method collision needs a routing on %s",
                          net->spec);
    const bough_routing_kind *kind = routing->kind;
    if (kind->via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method collision does not support routing via an intermediate node, which %s uses",
                          routing->spec);
    if (net->lost)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method collision does not model lost messages; use mode=masked or mode=rerouted");
    if (kind->blind || (kind->select && kind->select != bough_select_random && kind != &bough_routing_first &&
                        kind != &bough_routing_least))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method collision enumerates the routings free, first, least and those with fixed paths; %s "
            "selects links by another rule",
            routing->spec);
    return BOUGH_OK;
}

static bough_status check_pair(const bough_run *run, const enumeration *e, bough_error *error) {
    if (e->too_long)
        return bough_fail(error, BOUGH_FAILED, NULL, "collision: a path of %s on %s has more than %d links",
                          e->routing->spec, e->net->spec, HOPS_MAX);
    if (e->steps > e->step_limit)
        return bough_fail(
            error, BOUGH_TOO_LARGE, NULL,
            "collision: the choices of links under %s on %s take more than 1000 limit = %" PRIu64
            " steps to enumerate",
            e->routing->spec, e->net->spec, e->step_limit);
    if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    return BOUGH_OK;
}

/* All destinations of two sources. */
static double explore_sources(enumeration *e, uint64_t s1, uint64_t s2) {
    const bough_net *net = e->net;
    double sum = 0;
    for (uint64_t t1 = 0; t1 < net->endpoints; t1++)
        for (uint64_t t2 = 0; t2 < net->endpoints && t1 != s1; t2++) {
            const bough_flow flow[2] = {{s1, bough_endpoint_address(net, t1), 0},
                                        {s2, bough_endpoint_address(net, t2), 1}};
            if (t2 != s2) sum += explore_pair(e, flow);
        }
    return sum;
}

static bough_status explore_uniform(const bough_run *run, enumeration *e, bough_error *error) {
    uint64_t n = e->net->endpoints;
    double sum = 0;
    bough_status status = BOUGH_OK;
    for (uint64_t s1 = 0; s1 < n && !status; s1++) {
        for (uint64_t s2 = s1 + 1; s2 < n && !status; s2++) {
            sum += explore_sources(e, s1, s2);
            status = check_pair(run, e, error);
        }
        if (run->progress) run->progress(run->progress_context, (double)(s1 + 1) / (double)n);
    }
    e->pair->probability = sum * e->weight;
    return status;
}

static bough_status explore_batch(const bough_run *run, enumeration *e, const bough_batch *batch,
                                  bough_error *error) {
    double sum = 0;
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < batch->count && !status; i++) {
        for (uint64_t j = i + 1; j < batch->count && !status; j++) {
            const bough_flow flow[2] = {{batch->source[i], batch->address[i], i},
                                        {batch->source[j], batch->address[j], j}};
            sum += explore_pair(e, flow);
            status = check_pair(run, e, error);
        }
    }
    e->pair->probability = sum * e->weight;
    return status;
}

bough_status collision_enumerate(const bough_run *run, const bough_batch *batch, uint64_t limit,
                                 collision_pair *pair, bough_error *error) {
    const bough_net *net = run->point.net;
    bough_status status = collision_enumerable(run, error);
    if (status) return status;
    *pair = (collision_pair){.levels = net->levels < COLLISION_LEVELS ? net->levels : COLLISION_LEVELS};
    uint64_t pairs = collision_pairs(net->endpoints);
    if (batch) pairs = batch->count > 1 ? batch->count * (batch->count - 1) / 2 : 0;
    if (pairs > limit)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "collision: %s has %.3g pairs of messages to enumerate, more than limit=%" PRIu64
                          " (a million take about a second)",
                          net->spec, (double)pairs, limit);
    if (!pairs) return BOUGH_OK;
    enumeration e = {.net = net,
                     .routing = run->point.routing,
                     .ordered = bough_routing_ordered(run->point.routing),
                     .first_only = run->point.routing->kind == &bough_routing_first,
                     .pair = pair,
                     .weight = 1 / (double)pairs,
                     .step_limit = bough_mul(limit, 1000)};
    return batch ? explore_batch(run, &e, batch, error) : explore_uniform(run, &e, error);
}
