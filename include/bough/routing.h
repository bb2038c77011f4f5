/* Routing: route + pick + via over one network. An immutable object, shared by all threads; it borrows the
 * network.
 *
 * bough_route_at answers for one head: the group it asks at, and the links it may take. An oblivious pick
 * (hash, dmodk, smodk, and forwarding tables) names one link before the network is looked at, of those that
 * are alive (tables: none where the one they name is not); an adaptive one (random, first, least) leaves all
 * of them, and bough_pick_free chooses among those that are free when the head is served. */
#ifndef BOUGH_ROUTING_H
#define BOUGH_ROUTING_H

#include "bough/net.h"
#include "bough/random.h"

typedef struct bough_routing bough_routing;

/* What a head knows of its message. */
typedef struct bough_flow {
    uint64_t source; /* endpoint */
    uint64_t address;
    uint64_t key; /* distinguishes flows of one pair */
} bough_flow;

/* The input port of what starts at a node: after all others, and even. Ties among a node's own messages go by
 * id. */
#define BOUGH_SOURCE_PORT (UINT32_MAX - 1)

/* What a pick sees: a request that is served at its group, in which count > 0 eligible links are free. */
typedef struct bough_choice {
    bough_key key;
    uint64_t group, occasion;
    uint32_t port;   /* the input port the request came by; BOUGH_SOURCE_PORT at a source */
    uint32_t served; /* requests of this group and occasion that were served before */
    uint32_t count;
    const uint64_t *free; /* link ids, ascending */
    const uint32_t *load; /* per free link, its load so far; only for picks that want it */
} bough_choice;

typedef struct bough_routing_kind {
    const char *name, *summary, *source;
    const bough_param *params;
    unsigned needs; /* bough_capability bits the network must give */
    const char *(*lacks)(
        const bough_net *net); /* what of net the routing needs and lacks, or NULL; NULL: nothing */
    bool oblivious;            /* the path of a flow is fixed before the run */
    bool by_address;           /* `route` looks at node and address only (where there is none: it does so) */
    bool by_key;     /* `route` takes flows of one pair by every way the network leaves, as their key says */
    bool own_ways;   /* `route` may name links that the network's own routes do not */
    bool even;       /* spreads evenly where the network gives EVEN */
    bool wants_load; /* the pick looks at loads */
    /* Chooses among free links: an index below choice->count. NULL where routes never leave a choice. */
    uint32_t (*pick)(const bough_routing *routing, const bough_choice *choice);
    /* The address a flow visits before its own (Valiant), or BOUGH_NONE. NULL: none. A worm or a circuit
     * could deadlock on the way there, so only methods that say takes_via accept such a routing. */
    uint64_t (*via)(const bough_routing *routing, bough_key key, const bough_flow *flow);
    bool via_uniform; /* it is uniform over all endpoints, whatever the flow */
    bough_status (*open)(bough_args *args, bough_routing *routing, bough_error *error); /* may be NULL */
    /* Narrows the network's route; NULL: the network's own. */
    void (*route)(const bough_routing *routing, uint64_t node, const bough_flow *flow, bough_route *route);
    void (*fini)(bough_routing *routing); /* frees data; may be NULL */
} bough_routing_kind;

extern const bough_routing_kind *const bough_routing_kinds[]; /* ends with NULL */

struct bough_routing {
    const bough_net *net;
    const bough_routing_kind *kind;
    char *spec;
    bool synchronous;        /* with a via: the second phase starts when all of the first has ended */
    bough_findings findings; /* what was odd about its inputs */
    uint64_t input_hash;     /* of the files it was made from; 0: none */
    uint64_t bytes;          /* of memory that it holds, or took while it was made; 0: next to nothing */
    void *data;              /* the kind's */
};

/* spec: "random", "dmodk", "lft:FILE"; NULL: the default of the network (its own tables where the fabric file
 * holds them, what its family names, else random over all minimal routes). Errors: INVALID, UNSUPPORTED with
 * the missing need. */
bough_status bough_routing_create(const bough_net *net, const char *spec, bough_routing **routing,
                                  bough_error *error);
/* The same for a kind that stands in no table. */
bough_status bough_routing_make(const bough_net *net, const bough_routing_kind *kind, const bough_spec *spec,
                                bough_routing **routing, bough_error *error);
void bough_routing_destroy(bough_routing *routing);

/* Routes visit groups in ascending rank (bough_net_ops.group_rank): the network gives ranks, and the routing
 * follows the network's own routes, as tables need not. */
bool bough_routing_ranked(const bough_routing *routing);

/* count 0: the node has no route to the address (the other fields are then undefined). node must not be the
 * address's own node. flow->key is the message's number; `hash` looks at its low 24 bits. */
static inline void bough_route_at(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                                  bough_route *route) {
    if (routing->kind->route)
        routing->kind->route(routing, node, flow, route);
    else
        routing->net->ops->route(routing->net, node, flow->address, route);
}

/* Chooses one of the free eligible links: an index into choice->free.
 *
 * random with two free links and served = 0 takes one coin of the group and occasion; its face is for even
 * input ports, the other for odd ones, so two requests that arrive together leave by different links on the
 * toss of one coin (strumpen2005, section 3). */
static inline uint32_t bough_pick_free(const bough_routing *routing, const bough_choice *choice) {
    return choice->count == 1 || !routing->kind->pick ? 0 : routing->kind->pick(routing, choice);
}

/* Whether a head that found no way on at some node may find one when it starts again: routes that leave a
 * choice, on a network in which only neighbours know what is dead. */
static inline bool bough_may_retry(const bough_routing *routing, uint64_t source, uint64_t address) {
    const bough_net *net = routing->net;
    return !routing->kind->oblivious && (net->dead_ends || net->lost) && net->ops->reaches &&
           net->ops->reaches(net, source, address);
}

static inline uint64_t bough_via(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    return routing->kind->via ? routing->kind->via(routing, key, flow) : BOUGH_NONE;
}

/* The order in which count simultaneous requests of a group are served when there are more of them than
 * links: order[i] is the request (in input-port order) that is served i-th. Two take one coin. */
void bough_serve_order(bough_key key, uint64_t group, uint64_t occasion, uint32_t count, uint32_t *order);

/* The whole path of a flow under an oblivious routing (or one that never has a choice): link ids into path.
 * Returns the number of links; 0 when there is no route, and -1 on a loop (more than limit links). */
int bough_path(const bough_routing *routing, const bough_flow *flow, uint64_t *path, int limit);

/* Walks all routes: the links of the longest path from an endpoint to an address. On a network with faults an
 * endpoint may have no route, but none may break off on its way. Errors: INVALID, naming the first pair
 * without a route or with a loop; UNSUPPORTED where heads can be lost (bough_net.lost). O(1) for families
 * whose routes are known to be right, else O(addresses x nodes x eligible links), under an oblivious routing
 * O(pairs x hops). */
bough_status bough_routing_survey(const bough_routing *routing, unsigned *longest, bough_error *error);
/* The same for these pairs only, each address << 32 | endpoint, ascending; several may be equal. */
bough_status bough_routing_survey_pairs(const bough_routing *routing, const uint64_t *pair, size_t count,
                                        unsigned *longest, bough_error *error);

/* Every route of every pair has one link: the routing is deterministic on this network. */
bool bough_routing_deterministic(const bough_routing *routing);

/* A format for a network with its routes; its name is the file's ending, and that of its line among
 * bough_formats. text: a bough_text. Errors: UNSUPPORTED for a routing that leaves a choice; for tables also
 * for one that looks at more than the destination, and for networks whose endpoints have several cables;
 * TOO_LARGE. Cost: switches x addresses (lfts), pairs x hops (xml). */
typedef struct bough_table_format {
    const char *name;
    bough_status (*write)(const bough_routing *routing, void *text, bough_error *error);
} bough_table_format;
extern const bough_table_format bough_table_formats[]; /* ends with a NULL name */

#endif
