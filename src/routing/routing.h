/* Routing: routes, selection among eligible links, and an optional intermediate node, for one network. A
 * routing is immutable and may be shared by threads. It borrows the network.
 *
 * bough_route_at returns the group and the eligible links for one message head. Oblivious routings (hash,
 * dmodk, smodk, forwarding tables) leave one live link, independent of the traffic (tables: none if the entry
 * is dead). The others leave all live links of the group. Of these `random` draws one, whatever their state
 * (bough_route_draw); under free, first and least bough_select_free selects among those that can take the
 * message when its request is served: links that no message holds, queues with room. Methods without a state
 * of links (flow, linkload) see no difference between random and free. */
#ifndef BOUGH_ROUTING_ROUTING_H
#define BOUGH_ROUTING_ROUTING_H

#include "base/random/random.h"
#include "network/net.h"

typedef struct bough_routing bough_routing;

/* The part of a message that a routing may read. */
typedef struct bough_flow {
    uint64_t source; /* endpoint */
    uint64_t address;
    uint64_t key; /* number of the message */
} bough_flow;

/* Input port of messages that start at a node: after all others, and even. Ties between messages of one node
 * are broken by id. */
#define BOUGH_SOURCE_PORT (UINT32_MAX - 1)

/* The entries of a node in a table: by address, the slot of a link. */
typedef struct bough_table_row {
    const uint8_t *slot;  /* by address; NULL: entries are not by slot */
    const uint32_t *link; /* by slot, or by address; BOUGH_NO_INDEX: none. NULL: the node has no row */
    uint32_t slots;       /* their number; 0: entries are not by slot */
} bough_table_row;
static inline uint32_t bough_table_link(const bough_table_row *row, uint64_t address) {
    return row->link[row->slot ? row->slot[address] : address];
}

/* Input of a selection: a request at a group in which count > 0 eligible links are free. */
typedef struct bough_choice {
    bough_key key;
    uint64_t group, occasion;
    uint32_t port;   /* input port of the request; BOUGH_SOURCE_PORT at the sender */
    uint32_t served; /* requests of this group and occasion served before */
    uint32_t count;
    const uint64_t *free; /* link ids, ascending */
    const uint32_t *load; /* current load of each free link; only if wants_load */
} bough_choice;

typedef struct bough_routing_kind {
    const char *name, *summary, *source;
    const bough_param *params;
    const char *const *aliases;                 /* further names; ends with NULL; NULL: none */
    unsigned needs;                             /* required capabilities: bough_capability bits */
    const char *(*lacks)(const bough_net *net); /* as bough_method.lacks */
    bool oblivious;                             /* the path of a flow is fixed before the run */
    bool by_address; /* `route` depends on node and address only; holds without `route` */
    bool by_hash;    /* `route` selects by a hash that differs from switch to switch in ways unknown */
    bool blind;      /* the link is drawn among all eligible ones, whatever their state: bough_route_draw */
    bool own_ways;   /* `route` may return links that the routes of the network do not */
    bool draws;      /* `route` takes flow->key for a random word, which only methods with takes_draws draw:
                        bough_flow_key */
    /* Of tables: the link that `route` leaves, or BOUGH_NONE. NULL: ask `route`. */
    uint64_t (*next)(const bough_routing *routing, uint64_t node, const bough_flow *flow);
    /* The same entries as an array; without links where `next` must be asked. May be NULL itself. */
    bough_table_row (*row)(const bough_routing *routing, uint64_t node);
    bool minimal;    /* `route` always leads to the address over at most hops_max links */
    bool even;       /* balanced (BOUGH_HAS_EVEN) if the network has that capability */
    bool wants_load; /* the selection reads loads */
    /* Selects a free link: an index below choice->count. NULL: routes never leave a choice. */
    uint32_t (*select)(const bough_routing *routing, const bough_choice *choice);
    /* The intermediate address towards which a flow goes first (Valiant), or BOUGH_NONE; it turns at
     * bough_turn_node. NULL: none. Only methods with takes_via accept the routing; worms need virtual
     * channels for each phase (deadlock.h). */
    uint64_t (*via)(const bough_routing *routing, bough_key key, const bough_flow *flow);
    bool via_uniform; /* via is uniform over all endpoints for every flow */
    bough_status (*open)(bough_args *args, bough_routing *routing, bough_error *error); /* may be NULL */
    /* Restricts the network's route; NULL: the network's own. */
    void (*route)(const bough_routing *routing, uint64_t node, const bough_flow *flow, bough_route *route);
    void (*fini)(bough_routing *routing); /* frees data; may be NULL */
} bough_routing_kind;

/* The i-th of these and those of the registry, which may be NULL; NULL beyond the last. */
const bough_routing_kind *bough_routing_kind_at(const bough_registry *registry, size_t i);

struct bough_routing {
    const bough_net *net;
    const bough_routing_kind *kind;
    char *spec;
    bool synchronous;        /* with via: phase 2 starts when phase 1 has ended for all messages */
    bough_findings findings; /* irregularities in its input files */
    uint64_t input_hash;     /* hash of its input files; 0: none */
    uint64_t bytes; /* allocated memory, including temporary memory of its construction; 0: negligible */
    void *data;     /* private to the kind */
};

/* The default of a network: the tables in its fabric file, else the routing that its family names, else
 * `otherwise`. */
const char *bough_routing_default(const bough_net *net, const char *otherwise);
/* Creates a routing from a spec: "random", "dmodk", "lft:FILE". NULL: bough_routing_default(net, "free"),
 * over all minimal routes. The caller owns the result. Errors: INVALID; UNSUPPORTED with the missing
 * capability. */
bough_status bough_routing_create(const bough_net *net, const char *spec, bough_routing **routing,
                                  bough_error *error);
/* The same for a kind that is not in bough_routing_kinds. */
bough_status bough_routing_make(const bough_net *net, const bough_routing_kind *kind, const bough_spec *spec,
                                bough_routing **routing, bough_error *error);
void bough_routing_destroy(bough_routing *routing);

/* True if every route visits groups in ascending order (bough_net_ops.group_order). This requires the
 * capability BOUGH_HAS_ORDER and a routing that uses the routes of the network; tables may not. */
bool bough_routing_ordered(const bough_routing *routing);

/* Finds the eligible links of a flow at a node other than that of its address. count is 0 if the node has no
 * route to the address; the other fields are then undefined. */
static inline void bough_route_at(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                                  bough_route *route) {
    if (routing->kind->route)
        routing->kind->route(routing, node, flow, route);
    else
        routing->net->ops->route(routing->net, node, flow->address, route);
}

/* The link that a deterministic routing takes, or BOUGH_NONE. Faster than bough_route_at where the routing is
 * a table. */
static inline uint64_t bough_next_link(const bough_routing *routing, uint64_t node, const bough_flow *flow) {
    if (routing->kind->next) return routing->kind->next(routing, node, flow);
    bough_route route;
    bough_route_at(routing, node, flow, &route);
    return route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
}

/* "no route from A to B (at C)": FAILED, for a flow that found no route at a node. */
bough_status bough_route_missing(const bough_net *net, const bough_flow *flow, uint64_t node,
                                 bough_error *error);

/* Restricts a route to its i-th link. */
static inline void bough_route_narrow(bough_route *route, uint32_t i) {
    route->first = bough_route_link(route, i);
    route->list = NULL;
    route->count = 1;
}

/* Under `random`, leaves one of the eligible links, which the message keeps while it is at this node.
 * message: below BOUGH_ENTITY_MAX; another one for each attempt of a message. */
static inline void bough_route_draw(const bough_routing *routing, bough_key key, uint64_t message,
                                    uint64_t node, bough_route *route) {
    if (!routing->kind->blind || route->count < 2) return;
    uint64_t word = bough_word(key, BOUGH_DRAW_LINK, message, node);
    bough_route_narrow(route, (uint32_t)bough_scale(word, route->count));
}

/* Selects one of the free eligible links: an index into choice->free.
 *
 * free with two free links and served = 0 draws one coin per group and occasion. Even input ports take one
 * side of it, odd ports the other, so one coin separates two simultaneous requests (strumpen2005, section
 * 3). */
static inline uint32_t bough_select_free(const bough_routing *routing, const bough_choice *choice) {
    return choice->count == 1 || !routing->kind->select ? 0 : routing->kind->select(routing, choice);
}

/* True if a message that found no remaining route may find one when it is sent again. This holds if the
 * routing leaves a choice and only neighbours avoid dead links (or links are lost). */
static inline bool bough_may_retry(const bough_routing *routing, uint64_t source, uint64_t address) {
    const bough_net *net = routing->net;
    return !routing->kind->oblivious && (net->dead_ends || net->lost) && net->ops->reaches &&
           net->ops->reaches(net, source, address);
}

/* The key of the flow of a message, by its number. */
uint64_t bough_flow_draw(bough_key key, uint64_t message);
static inline uint64_t bough_flow_key(const bough_routing *routing, bough_key key, uint64_t message) {
    return routing->kind->draws ? bough_flow_draw(key, message) : message;
}

static inline uint64_t bough_via(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    return routing->kind->via ? routing->kind->via(routing, key, flow) : BOUGH_NONE;
}

/* Where a message from an endpoint, on its way to the intermediate address `via`, turns to its own: at the
 * switch of that endpoint's cable, so that it loads no link of an endpoint that is not involved; at the
 * endpoint itself if that is its source, forwards messages, or has several cables. */
static inline uint64_t bough_turn_node(const bough_net *net, uint64_t source, uint64_t via) {
    const uint64_t node = bough_address_node(net, via);
    const uint64_t link =
        bough_is_switch(net, node) || node == source ? BOUGH_NONE : bough_only_link(net, node);
    if (link == BOUGH_NONE || bough_link_twin(net, link) == BOUGH_NONE) return node;
    return net->ops->link_end(net, link).node;
}

/* Service order of count simultaneous requests of a group that has fewer links: order[i] is the request (in
 * input-port order) that is served i-th. Two requests draw one coin. */
void bough_arbitration_order(bough_key key, uint64_t group, uint64_t occasion, uint32_t count,
                             uint32_t *order);

/* Writes the link ids of the path of a flow to path; the routing must be oblivious or never leave a choice.
 * Returns the number of links, 0 if there is no route, -1 if the path exceeds limit links (a loop). */
int bough_path(const bough_routing *routing, const bough_flow *flow, uint64_t *path, int limit);

/* True if every route of every pair has exactly one link. */
bool bough_routing_deterministic(const bough_routing *routing);

/* An export format for a network with its routes. Its name is the file name extension and matches an entry of
 * bough_formats. text: a bough_text. Errors: UNSUPPORTED for a routing that leaves a choice, and for tables
 * also for routings that depend on more than the destination and for endpoints with several cables;
 * TOO_LARGE. Cost: switches x addresses (lfts), pairs x hops (xml). */
typedef struct bough_table_format {
    const char *name;
    bough_status (*write)(const bough_routing *routing, void *text, bough_error *error);
} bough_table_format;
extern const bough_table_format bough_table_formats[]; /* ends with a NULL name */

#endif
