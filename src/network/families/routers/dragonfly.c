/* The dragonfly: groups of a routers that are all connected, h cables of each router to other groups. Between
 * two groups there are as many cables as between any other two. A message takes at most one cable in its
 * group, one between groups, and one in the group of its destination. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/network_families.h"
#include "network/families/routers/router_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct dragonfly {
    router_graph graph;
    uint64_t groups, routers; /* routers of a group */
    uint64_t global;          /* cables of a router to other groups */
    uint64_t copies;          /* cables between two groups */
} dragonfly;

static const dragonfly *shape_of(const router_graph *graph) {
    return (const dragonfly *)graph;
}

/* Cable k of a group, at its router k / h: to the group at distance 1 + k % (groups - 1), of several cables
 * to it number k / (groups - 1). The same cable at the other end: */
static uint64_t cable_back(const dragonfly *d, uint64_t k) {
    const uint64_t others = d->groups - 1;
    return k / others * others + (others - 1 - k % others);
}

static router_end neighbour(const router_graph *graph, uint64_t router, uint32_t port) {
    const dragonfly *d = shape_of(graph);
    const uint64_t group = router / d->routers, place = router % d->routers, local = d->routers - 1;
    if (port < local) {
        const uint64_t other = port + (port >= place);
        return (router_end){group * d->routers + other, (uint32_t)(place - (place > other))};
    }
    const uint64_t k = place * d->global + (port - local), back = cable_back(d, k);
    const uint64_t to = (group + 1 + k % (d->groups - 1)) % d->groups;
    return (router_end){to * d->routers + back / d->global, (uint32_t)(local + back % d->global)};
}

/* Of the cables to a group one at the router itself, else one that ends at the target, else one that the
 * number of the target chooses. */
static uint64_t choose(const dragonfly *d, uint64_t router, uint64_t target, uint64_t distance) {
    const uint64_t others = d->groups - 1, place = router % d->routers, aim = target % d->routers;
    uint64_t ends = BOUGH_NONE, begins = BOUGH_NONE;
    for (uint64_t c = 0; c < d->copies; c++) {
        const uint64_t k = c * others + distance - 1;
        const bool ends_there = cable_back(d, k) / d->global == aim;
        if (k / d->global == place && (begins == BOUGH_NONE || ends_there)) begins = k;
        if (ends_there && ends == BOUGH_NONE) ends = k;
    }
    if (begins != BOUGH_NONE) return begins;
    return ends != BOUGH_NONE ? ends : target % d->copies * others + distance - 1;
}

static uint32_t next(const router_graph *graph, uint64_t router, uint64_t target) {
    const dragonfly *d = shape_of(graph);
    const uint64_t group = router / d->routers, place = router % d->routers;
    uint64_t to = target % d->routers;
    if (target / d->routers != group) {
        const uint64_t distance = (target / d->routers + d->groups - group) % d->groups;
        const uint64_t k = choose(d, router, target, distance);
        to = k / d->global;
        if (to == place) return (uint32_t)(d->routers - 1 + k % d->global);
    }
    return (uint32_t)(to - (to > place));
}

static void name(const router_graph *graph, uint64_t router, char *buffer, size_t size) {
    const dragonfly *d = shape_of(graph);
    snprintf(buffer, size, "g%" PRIu64 ".r%" PRIu64, router / d->routers, router % d->routers);
}

enum { P_A, P_H, P_P, P_GROUPS };

static const bough_param params[] = {
    [P_A] = {"a", "routers of a group", BOUGH_INT, "4", 1, 4096, .echo = true},
    [P_H] = {"h", "cables of a router to other groups", BOUGH_INT, "2", 1, 4096, .echo = true},
    [P_P] = {"p", "endpoints of a router", BOUGH_INT, "2", 1, 4096, .echo = true},
    [P_GROUPS] = {"groups", "groups: a h + 1, or fewer if groups - 1 divides a h; default: a h + 1",
                  BOUGH_INT, "", 2, 1 << 24},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    const bough_value *v = args->value;
    const uint64_t a = (uint64_t)v[P_A].integer, h = (uint64_t)v[P_H].integer;
    const uint64_t groups = v[P_GROUPS].set ? (uint64_t)v[P_GROUPS].integer : a * h + 1;
    dragonfly *d;
    if (groups > a * h + 1 || a * h % (groups - 1) != 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "dragonfly: groups=%" PRIu64 ": a group has a h = %" PRIu64
                          " cables to others, which groups - 1 must divide, as %" PRIu64 " groups do",
                          groups, a * h, a * h + 1);
    bough_status status = bough_alloc(&d, 1, sizeof *d, error);
    if (status) return status;
    *d = (dragonfly){.groups = groups, .routers = a, .global = h, .copies = a * h / (groups - 1)};
    d->graph = (router_graph){.routers = groups * a,
                              .endpoints = (uint32_t)v[P_P].integer,
                              .ports = (uint32_t)(a - 1 + h),
                              .diameter = a > 1 ? 3 : 1,
                              .neighbour = neighbour,
                              .next = next,
                              .name = name};
    return router_graph_fill(&d->graph, net, error);
}

const bough_family bough_family_dragonfly = {
    .name = "dragonfly",
    .summary = "dragonfly: groups of connected routers, each connected to every other group; minimal routes",
    .source = "Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .params = params,
    .make = make,
};
