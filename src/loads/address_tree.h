/* The paths of all endpoints to one address, for routings that depend on node and address only: a tree whose
 * root is the node of the address. Paths are followed from origins (network/origins.h), once for all
 * endpoints of a switch. */
#ifndef BOUGH_LOADS_ADDRESS_TREE_H
#define BOUGH_LOADS_ADDRESS_TREE_H

#include "loads/flow_spread.h"
#include "network/origins.h"

/* Elements that are added to small arrays of a thread, so that no other thread's data share their cache
 * lines.
 */
enum { CACHE_LINE = 64 };

/* Whether all flows to an address follow one tree: the next link depends on node and address, and routes
 * leave no choice. */
bool address_tree_fits(const bough_routing *routing);

/* The flows of endpoints that arrive, counted by origins: all endpoints of an origin send to the same ones,
 * but for themselves. Zero-initialise. */
typedef struct origin_arrivals {
    uint64_t *reached; /* [origins]: endpoints that its paths reach */
    bool *own;         /* [endpoints]: its own origin reaches it */
} origin_arrivals;

/* Errors: NO_MEMORY. */
bough_status origin_arrivals_make(origin_arrivals *arrivals, const origin_list *origins, bough_error *error);
void origin_arrivals_fini(origin_arrivals *arrivals);
static inline void origin_arrivals_add(origin_arrivals *a, const origin_list *o, uint32_t origin,
                                       uint32_t target) {
    a->reached[origin]++;
    if (o->of[target] == origin) a->own[target] = true;
}
/* Adds those that another thread has counted. */
void origin_arrivals_join(origin_arrivals *to, const origin_arrivals *from, const origin_list *origins);
/* The flows of an endpoint, each to another one. */
static inline uint64_t origin_arrivals_of(const origin_arrivals *a, const origin_list *o, uint32_t endpoint) {
    return a->reached[o->of[endpoint]] - a->own[endpoint];
}

typedef struct next_hop {
    uint32_t link, to; /* BOUGH_NO_INDEX: none */
} next_hop;

/* Entries of a table for consecutive addresses, by address: those of one address lie side by side. Only of
 * switches, if all of them have rows. */
typedef struct address_tile {
    uint32_t first_node; /* the first switch; BOUGH_NO_INDEX: there is no tile */
    uint64_t number;     /* 1 + address / ADDRESS_TILE of the entries; 0: none yet */
    uint64_t stride;     /* entries from one address to the next */
    uint32_t *link, *to; /* next link, and its end; BOUGH_NO_INDEX: none */
} address_tile;

/* Zero-initialise. Entries of a node are valid after address_tree_reach. */
typedef struct address_tree {
    const bough_routing *routing;
    const struct address_tree *like; /* owns link_end, row and hops; NULL: this one */
    uint64_t target;
    uint64_t address;
    uint32_t *link_end;   /* [links]: its node */
    bough_table_row *row; /* [nodes]: entries of a table, bough_routing_kind.row */
    next_hop *hops;       /* by slot, of the node v from first_hop[v] on; NULL: there is no tile */
    uint64_t *first_hop;
    address_tile tile;
    uint32_t mark;   /* of the current address */
    uint32_t *seen;  /* [nodes] */
    uint32_t *link;  /* [nodes]: next link; BOUGH_NO_INDEX: the path ends here */
    uint32_t *to;    /* [nodes]: its end */
    uint32_t *links; /* [nodes]: links to the end of the path */
    uint8_t *end;    /* [nodes]: a spread_end */
    uint32_t *stack; /* [nodes] */
} address_tree;

bough_status address_tree_make(address_tree *tree, const bough_routing *routing, bough_error *error);
/* For another thread: arrays that all trees have alike are those of the first, which must outlive it. */
bough_status address_tree_make_like(address_tree *tree, const address_tree *first, bough_error *error);
void address_tree_fini(address_tree *tree);
/* Memory of a tree. */
uint64_t address_tree_bytes(const bough_routing *routing);
/* The next link of a node to an address, or BOUGH_NONE. */
uint64_t address_tree_link(const address_tree *tree, uint64_t node, uint64_t address);
/* Begins another address. In tables the neighbour of the one before is the cheapest. */
void address_tree_start(address_tree *tree, uint64_t address);
/* Finds the path from a node that is not known. Cost: the nodes on it that were not known. */
void address_tree_follow(address_tree *tree, uint32_t node);
static inline void address_tree_reach(address_tree *tree, uint32_t node) {
    if (tree->seen[node] < tree->mark) address_tree_follow(tree, node);
}
/* How the path of a flow ends that reaches a node after `lead` links, as spread_flow says. */
static inline spread_end address_tree_end(const address_tree *tree, uint32_t node, unsigned lead) {
    spread_end end = (spread_end)tree->end[node];
    uint32_t links = tree->links[node] + lead, limit = SPREAD_DEPTH_MAX - (end != SPREAD_ARRIVES);
    return links > limit ? SPREAD_LOOP : end;
}
/* The same for the flows of an origin, whose path is found. */
static inline spread_end address_tree_from(address_tree *tree, const origin_list *o, uint32_t origin) {
    address_tree_reach(tree, o->node[origin]);
    return address_tree_end(tree, o->node[origin], origin_lead(o, origin));
}

#endif
