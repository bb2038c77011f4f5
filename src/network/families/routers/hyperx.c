/* HyperX: the routers of every line of a grid are all connected. With as many endpoints as routers in a line
 * it is the flattened butterfly. A message corrects its coordinates in the order of the dimensions. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/network_families.h"
#include "network/families/routers/router_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct hyperx {
    router_graph graph;
    unsigned dimensions;
    struct {
        uint64_t size, stride;
        uint32_t first; /* port */
    } of[BOUGH_LIST_MAX];
} hyperx;

static const hyperx *shape_of(const router_graph *graph) {
    return (const hyperx *)graph;
}

static uint64_t coordinate(const hyperx *x, unsigned d, uint64_t router) {
    return router / x->of[d].stride % x->of[d].size;
}

static unsigned dimension_of(const hyperx *x, uint32_t port) {
    unsigned d = x->dimensions - 1;
    while (port < x->of[d].first) d--;
    return d;
}

/* The ports of a router in a dimension lead to the other coordinates, in ascending order. */
static router_end neighbour(const router_graph *graph, uint64_t router, uint32_t port) {
    const hyperx *x = shape_of(graph);
    const unsigned d = dimension_of(x, port);
    const uint64_t here = coordinate(x, d, router), place = port - x->of[d].first,
                   there = place + (place >= here);
    return (router_end){router + (there - here) * x->of[d].stride,
                        x->of[d].first + (uint32_t)(here - (here > there))};
}

static uint32_t next(const router_graph *graph, uint64_t router, uint64_t target) {
    const hyperx *x = shape_of(graph);
    unsigned d = 0;
    while (coordinate(x, d, router) == coordinate(x, d, target)) d++;
    const uint64_t here = coordinate(x, d, router), there = coordinate(x, d, target);
    return x->of[d].first + (uint32_t)(there - (there > here));
}

static uint32_t order(const router_graph *graph, uint32_t port) {
    return 1 + dimension_of(shape_of(graph), port);
}

static void name(const router_graph *graph, uint64_t router, char *buffer, size_t size) {
    const hyperx *x = shape_of(graph);
    char text[2 + 6 * BOUGH_LIST_MAX];
    size_t used = 0;
    for (unsigned d = 0; d < x->dimensions; d++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%" PRIu64, d ? '.' : 'r',
                                 coordinate(x, d, router));
    snprintf(buffer, size, "%s", text);
}

enum { P_DIMS, P_HOSTS };

static const bough_param params[] = {
    [P_DIMS] = {"dims", "routers of each dimension, in the order in which coordinates are corrected",
                BOUGH_LIST, NULL, 2, 1024, .echo = true},
    [P_HOSTS] = {"hosts",
                 "endpoints of a router; default: the routers of the first dimension (a flattened butterfly)",
                 BOUGH_INT, "", 1, 65536, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    const bough_value *dims = &args->value[P_DIMS], *hosts = &args->value[P_HOSTS];
    hyperx *x;
    bough_status status = bough_alloc(&x, 1, sizeof *x, error);
    if (status) return status;
    x->graph =
        (router_graph){.routers = 1, .neighbour = neighbour, .next = next, .order = order, .name = name};
    x->dimensions = x->graph.diameter = dims->count;
    for (unsigned d = 0; d < dims->count; d++) {
        x->of[d].size = (uint64_t)dims->list[d];
        x->of[d].stride = x->graph.routers;
        x->of[d].first = x->graph.ports;
        x->graph.ports += (uint32_t)x->of[d].size - 1;
        x->graph.routers = bough_mul(x->graph.routers, x->of[d].size);
    }
    x->graph.endpoints = (uint32_t)(hosts->set ? hosts->integer : dims->list[0]);
    return router_graph_fill(&x->graph, net, error);
}

const bough_family bough_family_hyperx = {
    .name = "hyperx",
    .summary = "HyperX: a grid of routers, those of a line all connected; also the flattened butterfly",
    .source = "Ahn, Binkert, Davis, McLaren, Schreiber: HyperX: topology, routing, and packaging of "
              "efficient large-scale "
              "networks, 2009; Kim, Dally, Abts: Flattened butterfly, 2007",
    .params = params,
    .make = make,
};
