/* Routes of a network with faults if its groups have no scopes: a list of links per switch and class of
 * addresses. If every endpoint has one cable, the addresses behind one switch form a class and their last
 * links are stored separately; otherwise each address is a class. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H
#define BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H

#include "bough/net.h"

typedef struct ways_list {
    uint32_t first, count; /* in pool */
} ways_list;

typedef struct ways {
    uint64_t classes, first_row, rows; /* row r is node first_row + r */
    bool hanging;                      /* every endpoint is attached by one cable */
    uint32_t *class_of, *last;         /* per address: its class; its last link, if attached by one cable */
    uint32_t *target;                  /* per class: its node */
    uint32_t *which;                   /* [row * classes + class]: a list; 0: no route */
    ways_list *list;                   /* list 0 is empty */
    uint32_t *pool;
    uint64_t *arrives; /* bit [row * classes + class]: some route from there reaches the target */
    uint64_t lists, pooled;
    unsigned hops_max; /* of recomputed routes */
    bool ranks_ascend; /* along them, in the network's order of groups */
    size_t list_capacity, pool_capacity;
} ways;

/* dead: known to routes; cut: not passable (dead or lost). anew: use all shortest paths over links that are
 * not dead; otherwise the routes of the network without dead links. Errors: TOO_LARGE, NO_MEMORY. */
bough_status ways_find(const bough_net *net, const uint64_t *dead, const uint64_t *cut, bool anew, ways *ways,
                       bough_error *error);
void ways_fini(ways *ways);
uint64_t ways_bytes(const ways *ways, const bough_net *net);

/* anew: endpoints without a route do not send. */
void ways_route(const ways *ways, const bough_net *net, const uint64_t *dead, bool anew, uint64_t node,
                uint64_t address, bough_route *route);
/* Implements ops->reaches. */
bool ways_reach(const ways *ways, const bough_net *net, const uint64_t *cut, uint64_t endpoint,
                uint64_t address);

#endif
