/* Networks: nodes, links, groups, addresses, channels. Immutable once made, shared by all threads.
 *
 * Every quantity has an id counted from 0:
 *   node      0 .. nodes-1. Endpoints come first: endpoint e is node e.
 *   link      one directed wire. The links of a group are consecutive ids.
 *   group     links that leave one node and serve equally well. The groups of a node partition its outputs.
 *   address   where a message can be sent. Unless a family says otherwise address e is endpoint e.
 * level: 0 at the endpoints, growing to the roots. The level of a link is that of its lower end.
 *
 * The wiring (where links end), the groups and the default routes are closed form where a family allows it
 * and flat arrays where not; users of this header do not see the difference. */
#ifndef BOUGH_NET_H
#define BOUGH_NET_H

#include "bough/fabric.h"
#include "bough/packaging.h"
#include "bough/spec.h"
#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_NONE UINT64_MAX

typedef enum bough_role { BOUGH_ENDPOINT = 1, BOUGH_SWITCH = 2 } bough_role; /* bits; a node may be both */

typedef struct bough_range {
    uint64_t first, count;
} bough_range;

/* Where a link ends: the node, and the number of the input port there. */
typedef struct bough_link_end {
    uint64_t node;
    uint32_t port;
} bough_link_end;

/* The answer of route(node, address): a group, and the eligible links in it. list == NULL: links first ..
 * first+count-1. Else: list[0 .. count-1], ascending, owned by the network or routing. count == 0: the node
 * does not know the address. A link that is not alive is never eligible. */
typedef struct bough_route {
    uint64_t group, first;
    const uint32_t *list;
    uint32_t count;
} bough_route;

static inline uint64_t bough_route_link(const bough_route *route, uint32_t i) {
    return route->list ? route->list[i] : route->first + i;
}

/* Capabilities of a network beyond nodes and links. Methods and routings name those that they need. What
 * holds for one shape of network alone is asked by a typed query (xgft_shape_of, sorting_shape_of, ...)
 * instead. */
typedef enum bough_capability {
    BOUGH_HAS_ROUTES = 1 << 0,   /* route(): all minimal, or the family's own */
    BOUGH_HAS_RANKS = 1 << 1,    /* group_rank(): routes visit groups in ascending rank */
    BOUGH_HAS_CHANNELS = 1 << 2, /* subtree() and channel_capacity() */
    BOUGH_HAS_MODK = 1 << 3,     /* modk(): the D-mod-K digit of a group */
    BOUGH_HAS_EVEN = 1 << 4,  /* random selection spreads evenly: all links of one direction of a channel have
                                 the  same expected load, whatever the messages */
    BOUGH_HAS_RATES = 1 << 5, /* link_rate() is known */
    BOUGH_HAS_TABLES = 1 << 6, /* made from a fabric: LIDs and forwarding tables apply */
    BOUGH_HAS_BITFIX =
        1 << 7, /* endpoints are bit vectors; routes fix the bits one by one from one end to the other */
} bough_capability;

typedef struct bough_net bough_net;
typedef struct bough_fault_report bough_fault_report; /* bough/faults.h */

/* Addresses, or endpoints, in `within` that are not in `without`, which is empty or a part of it. */
typedef struct bough_scope {
    bough_range within, without;
} bough_scope;

/* Whom a group serves: heads of these endpoints to these addresses. */
typedef struct bough_group_scope {
    bough_scope from, to;
} bough_group_scope;

/* What a network is built of that is larger than a chip: stacks, layers, pods. Its members are 0 .. count-1.
 */
typedef struct bough_module {
    const char *name; /* of one, "stack"; all of them are "stacks" */
    uint64_t count;
} bough_module;

/* Where a head is that crossed a link, and where it asks next. */
typedef struct bough_step {
    uint64_t node; /* where the link ends */
    uint32_t port;
    uint32_t size;  /* links of the group */
    uint64_t first; /* of them */
    /* What route() answers at node, and size and first with it; undefined only where node is the address's.
     * An endpoint that is not the address's is no exception: a head may have stopped there on its way. */
    bough_route route;
} bough_step;

/* Which stack a switch sits in, and in which layer of it; all numbered as the paper numbers them, from 0.
 */
typedef struct bough_place {
    unsigned stage, layer; /* layer 0 of a unit tree leads up, the others down */
    uint64_t stack;        /* through its stage */
} bough_place;

/* Closed form or arrays: a family fills these. net is never NULL, ids are in range. net may be another one
 * than the family made, with faults: it has the same data and counts, but may differ in hops_max,
 * capabilities and ops. */
typedef struct bough_net_ops {
    void (*destroy)(bough_net *net); /* frees what data points to; may be NULL */
    bough_link_end (*link_end)(const bough_net *net, uint64_t link);
    uint64_t (*link_group)(const bough_net *net, uint64_t link);
    uint64_t (*link_twin)(const bough_net *net,
                          uint64_t link); /* the other direction of the cable, or NONE */
    uint64_t (*group_node)(const bough_net *net, uint64_t group);
    bough_range (*group_links)(const bough_net *net, uint64_t group);
    uint32_t (*node_group_count)(const bough_net *net, uint64_t node);
    uint64_t (*node_group)(const bough_net *net, uint64_t node, uint32_t i);
    unsigned (*node_level)(const bough_net *net, uint64_t node);
    unsigned (*node_roles)(const bough_net *net, uint64_t node);
    void (*route)(const bough_net *net, uint64_t node, uint64_t address, bough_route *route);
    /* link_end, route there and group_links at one go, for engines; NULL: they are asked one by one. */
    void (*step)(const bough_net *net, uint64_t link, uint64_t address, bough_step *step);
    /* The rest may be NULL where the capability is missing. */
    uint64_t (*address_node)(const bough_net *net, uint64_t address); /* NULL: the identity */
    uint64_t (*address_of)(const bough_net *net, uint64_t endpoint);  /* an endpoint's first address */
    uint32_t (*group_rank)(const bough_net *net, uint64_t group);
    uint32_t (*modk)(const bough_net *net, uint64_t group, uint64_t address); /* 0 .. group size - 1 */
    uint64_t (*subtree)(const bough_net *net, unsigned level, uint64_t endpoint);
    uint64_t (*channel_capacity)(const bough_net *net, unsigned level, uint64_t subtree);
    /* How the levels are packaged: 0 where a level is one leaf cluster, 1, 2, ... in unit trees of that
     * stage. NULL: not in such parts. */
    unsigned (*level_stage)(const bough_net *net, unsigned level);
    uint64_t (*link_rate)(const bough_net *net, uint64_t link); /* bit/s */
    /* The chip that a switch is in, a number below net->nodes; NULL: every switch is a chip, its own. */
    uint64_t (*node_chip)(const bough_net *net, uint64_t node);
    /* Where packaging is given; false: the node is in no stack. */
    bool (*node_place)(const bough_net *net, uint64_t node, bough_place *place);
    /* The member of net->modules[module] that a node belongs to, or NONE; NULL where there are no modules. */
    uint64_t (*node_module)(const bough_net *net, unsigned module, uint64_t node);
    /* Where address e is endpoint e and an endpoint has one group: who asks a group for what, every link of
     * it eligible. A gate to a range of addresses serves all of it (to.without is empty) and all endpoints
     * but those of one range (from.without, their home, which may be empty): in a tree, a group that leads
     * down into a subtree, which is home to its own addresses. All gates to a range have the same home. Heads
     * from elsewhere, and no others, pass a gate to each range that has gates and that their address is in.
     * NULL: unknown. */
    bough_group_scope (*group_scope)(const bough_net *net, uint64_t group);
    /* With faults, else NULL. Whether some of the network's routes brings a head from an endpoint to an
     * address of another node; how many such addresses there are. */
    bool (*reaches)(const bough_net *net, uint64_t endpoint, uint64_t address);
    uint64_t (*reached)(const bough_net *net, uint64_t endpoint);
    void (*node_name)(const bough_net *net, uint64_t node, char *buffer, size_t size);
    uint32_t (*link_port)(const bough_net *net, uint64_t link); /* output port number at its start */
} bough_net_ops;

struct bough_net {
    const bough_net_ops *ops;
    uint64_t nodes, endpoints, switches, addresses, groups, links;
    uint64_t chips;        /* parts; 0: as many as switches (several switches of one: node_chip) */
    uint64_t cables;       /* between switches; a link without a twin is a cable of its own */
    uint64_t group_max;    /* links in the largest group */
    unsigned levels;       /* the highest level: the roots' */
    unsigned hops_max;     /* links of the longest default route, ends included; 0 unknown */
    unsigned capabilities; /* bough_capability bits */
    uint64_t bytes;        /* of memory that it holds; 0: next to nothing, as closed forms do */
    char *spec;            /* canonical; with faults: for messages only */
    const char *routing;   /* the default routing's spec; NULL: random */
    void *data;            /* the family's */
    /* The family's typed queries (xgft_shape_of, ...) compare kind and return shape. Both NULL if links or
     * nodes are dead. */
    const char *shape_kind;
    const void *shape;
    const bough_packaging *packaging; /* of networks made of stacks, owned by data; NULL: none */
    const uint64_t *dead;             /* bit l: link l is not alive; NULL: all are */
    /* Bit l: link l leads nowhere, and nobody knows: what takes it is lost. Alive all the same. NULL: none.
     */
    const uint64_t *lost;
    bool dead_ends; /* routes may lead where there is no way on, as only neighbours know what is dead */
    const bough_fault_report *faults; /* what was taken from it; NULL: nothing */
    const bough_module *modules;      /* ends with a NULL name; NULL: none */
    const bough_fabric *fabric;       /* what it was imported from; NULL for families */
};

typedef struct bough_family {
    const char *name, *summary, *source;
    const bough_param *params;
    /* Fills net (zeroed): sizes first (checked), then ops. args are bound and may be completed. */
    bough_status (*make)(bough_args *args, bough_net *net, bough_error *error);
} bough_family;

extern const bough_family *const bough_families[]; /* ends with NULL */

/* A network from its spec, `fattree:n=1024` or `ibnet:FILE`. Cost: O(1) for closed forms, linear for files.
 * Errors: INVALID for a wrong spec or file. The network belongs to the caller. */
bough_status bough_net_create(const char *spec, bough_net **net, bough_error *error);
/* The same for a family that stands in no table. */
bough_status bough_net_make(const bough_family *family, const bough_spec *spec, bough_net **net,
                            bough_error *error);
void bough_net_destroy(bough_net *net); /* NULL is fine */

/* A network from a fabric (which it takes over on success). options: as the parameters of `ibnet`. */
typedef struct bough_fabric_options {
    const char *endpoints; /* regular expression (PCRE2), found in node names; NULL: all */
    const char *order;     /* "lid" (NULL), "guid", "name", or a file of names or LIDs */
    bool aggregation;      /* count aggregation nodes as endpoints */
    const char *roots;     /* unused names are refused */
} bough_fabric_options;
bough_status bough_net_from_fabric(bough_fabric *fabric, const bough_fabric_options *options,
                                   const char *spec, bough_net **net, bough_error *error);
/* For networks made from a fabric: fabric node of a node, and the fabric port a link leaves from. */
uint32_t bough_net_fabric_node(const bough_net *net, uint64_t node);
uint32_t bough_net_fabric_port(const bough_net *net, uint64_t link);
uint32_t bough_net_lid(const bough_net *net, uint64_t address);
/* The link that leaves a node's fabric port, or BOUGH_NONE. */
uint64_t bough_net_link_at(const bough_net *net, uint64_t node, uint32_t port_number);

/* Verifies a network: every link belongs to one group and one node, twins match, input ports of a node are
 * distinct, levels are 0 exactly at the endpoints of trees, routes of sampled (or all, where there are at
 * most pair_limit) pairs end at their address within hops_max and take every eligible link, which is alive,
 * ranks ascend, scopes hold what they say, D-mod-K digits are in range, step() answers what its parts do.
 * With faults routes may be missing, but unless dead_ends says so none breaks off on its way, and reaches()
 * is right. Errors: FAILED with the first violation. */
bough_status bough_net_check(const bough_net *net, uint64_t pair_limit, bough_error *error);

/* ---- short forms ---- */

static inline uint64_t bough_link_start(const bough_net *net, uint64_t link) {
    return net->ops->group_node(net, net->ops->link_group(net, link));
}
static inline bool bough_link_alive(const bough_net *net, uint64_t link) {
    return !net->dead || !(net->dead[link >> 6] >> (link & 63) & 1);
}
static inline bool bough_link_lost(const bough_net *net, uint64_t link) {
    return net->lost && (net->lost[link >> 6] >> (link & 63) & 1);
}
static inline uint64_t bough_address_node(const bough_net *net, uint64_t address) {
    return net->ops->address_node ? net->ops->address_node(net, address) : address;
}
static inline uint64_t bough_endpoint_address(const bough_net *net, uint64_t endpoint) {
    return net->ops->address_of ? net->ops->address_of(net, endpoint) : endpoint;
}
/* +1 up, -1 down, 0 between nodes of one level. */
int bough_link_direction(const bough_net *net, uint64_t link);
unsigned bough_link_level(const bough_net *net, uint64_t link);
/* "S3.17", "node001"; at most size-1 bytes. Returns buffer. */
char *bough_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size);
/* "leaf1/19 -> spine2/3". Returns buffer. */
char *bough_link_name(const bough_net *net, uint64_t link, char *buffer, size_t size);

/* Export to JSON, Graphviz dot, or an ibsim netlist (of trees; hosts get the GUIDs and names a netlist
 * needs). */
typedef struct bough_format {
    const char *name, *summary, *source; /* name is the file's ending, or the kind of input */
    const char *direction;               /* "import", "export", "tables" */
    /* text: a bough_text. NULL for imports, and where more than a network is needed: drawings. */
    bough_status (*write)(const bough_net *net, void *text, bough_error *error);
} bough_format;
extern const bough_format bough_formats[]; /* ends with a NULL name */

#endif
