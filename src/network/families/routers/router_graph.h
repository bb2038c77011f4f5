/* Networks of equal routers: each has the same number of endpoints and of cables to other routers, and ends
 * of cables and next hops follow from numbers. Endpoint e is at router e / endpoints. Every link is a group
 * of its own. */
#ifndef BOUGH_NETWORK_FAMILIES_ROUTERS_ROUTER_GRAPH_H
#define BOUGH_NETWORK_FAMILIES_ROUTERS_ROUTER_GRAPH_H

#include "network/net.h"

typedef struct router_end {
    uint64_t router;
    uint32_t port;
} router_end;

/* The first member of the data of a family. */
typedef struct router_graph {
    uint64_t routers;
    uint32_t endpoints, ports; /* of a router; ports: of cables to other routers */
    unsigned diameter;         /* cables of the longest route */
    /* The other end of the cable at a port. */
    router_end (*neighbour)(const struct router_graph *graph, uint64_t router, uint32_t port);
    /* The port of the next cable to another router. */
    uint32_t (*next)(const struct router_graph *graph, uint64_t router, uint64_t target);
    /* Of a cable at this port; routes ascend strictly, from 1 on. NULL: there is no such order. */
    uint32_t (*order)(const struct router_graph *graph, uint32_t port);
    void (*name)(const struct router_graph *graph, uint64_t router, char *buffer, size_t size);
} router_graph;

/* Fills net, which gets the graph (allocated with bough_alloc). Errors: TOO_LARGE above 2^40 endpoints. */
bough_status router_graph_fill(router_graph *graph, bough_net *net, bough_error *error);

#endif
