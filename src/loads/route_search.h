/* All routes to one address where they leave a choice: the nodes that flows reach, each after those that it
 * sends to, by depth-first searches along eligible links. Flows to the address share these routes, so that
 * what holds of them is found node by node, in this order or against it, and not path by path. For routings
 * whose routes depend on node and address only. */
#ifndef BOUGH_LOADS_ROUTE_SEARCH_H
#define BOUGH_LOADS_ROUTE_SEARCH_H

#include "base/memory/bits.h"
#include "routing/routing.h"

/* Zero-initialise. Paths do not pass through adapters, nor over links that are lost (bough_net.lost). */
typedef struct route_search {
    const bough_routing *routing;
    const uint64_t *dead; /* bit a link that is not taken, beside those that routes avoid; NULL: none */
    uint64_t address, target, source; /* source: the node that the search began at */
    bough_route *route;               /* [nodes]: of the nodes in order */
    uint32_t *order;                  /* [count]: without the target */
    uint64_t count;
    uint64_t loop; /* a node to which a path leads back; BOUGH_NONE: none */
    /* Where a path first went wrong: the last node before it meets itself, a node without a route, or an
     * adapter that is not the target; BOUGH_NONE: nowhere. */
    uint64_t trouble;
    bool trouble_is_loop;
    uint8_t *state;  /* [nodes] */
    uint32_t *stack; /* [nodes] */
    uint32_t *next;  /* [nodes]: the eligible link of a node on the stack that is looked at next */
} route_search;

/* Errors: NO_MEMORY. */
bough_status route_search_make(route_search *search, const bough_routing *routing, bough_error *error);
void route_search_fini(route_search *search);
/* Begins another address, or other flows to the same one. O(nodes in order). */
void route_search_start(route_search *search, uint64_t address);
/* Appends what can be reached from a node that sends, unless it was reached before. O(links of new nodes). */
void route_search_from(route_search *search, uint64_t node);

static inline bool route_search_takes(const route_search *s, uint64_t link) {
    return !s->dead || !bit_of(s->dead, link);
}
/* Whether a node is an endpoint that forwards nothing. */
static inline bool route_search_ends(const route_search *s, uint64_t node) {
    return node < s->routing->net->endpoints && !bough_is_switch(s->routing->net, node);
}
/* Whether a flow that takes a link goes on from its end. */
static inline bool route_search_passes(const route_search *s, uint64_t link, uint64_t end) {
    return end != s->target && !route_search_ends(s, end) && !bough_link_lost(s->routing->net, link);
}

/* Whether it arrives. */
static inline bool route_search_arrives(const route_search *s, uint64_t link, uint64_t end) {
    return end == s->target && !bough_link_lost(s->routing->net, link);
}

/* What begins at nodes, to be divided equally among the links that each node may take. */
typedef struct route_amounts {
    double *amount; /* [nodes]; 0 afterwards, unless there is a loop */
    double *load;   /* [links]: scale times what a link carries is added */
    double scale;
    double missing; /* what does not arrive is added; nothing is said of what runs in a loop */
} route_amounts;
void route_search_divide(const route_search *search, route_amounts *amounts);

#endif
