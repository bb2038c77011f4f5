/* Routes of a network with faults if its groups have no covered ranges: a list of links per switch and class
 * of addresses. If every endpoint has one cable, the addresses behind one switch form a class and their last
 * links are stored separately; otherwise each address is a class. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H
#define BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H

#include "network/next_links.h"

/* Set the first four members before faulty_routes_find; zero-initialise the rest. */
typedef struct faulty_routes {
    const bough_net *net;
    const uint64_t *dead, *cut; /* bits of links: known to routes; not passable (dead or lost) */
    /* Use all shortest paths over links that are not dead, and endpoints without a route do not send;
     * otherwise the routes of the network without dead links. */
    bool recomputed;
    bool by_switch;            /* classes: every endpoint is attached by one cable to one switch */
    uint64_t first_row;        /* row r is node first_row + r */
    uint32_t *class_of, *last; /* per address: its class; its last link, if by_switch */
    uint32_t *target;          /* per class: its node */
    next_links next;           /* columns: classes */
    uint64_t *arrives;         /* bit [row * classes + class]: some route from there reaches the target */
    unsigned hops_max;         /* of recomputed routes */
    bool ascend;               /* in the network's order of groups */
} faulty_routes;

/* Errors: TOO_LARGE, NO_MEMORY. */
bough_status faulty_routes_find(faulty_routes *routes, bough_error *error);
void faulty_routes_fini(faulty_routes *routes);
uint64_t faulty_routes_bytes(const faulty_routes *routes);

/* Implement ops->route and ops->reaches. */
void faulty_routes_route(const faulty_routes *routes, uint64_t node, uint64_t address, bough_route *route);
bool faulty_routes_reach(const faulty_routes *routes, uint64_t endpoint, uint64_t address);

#endif
