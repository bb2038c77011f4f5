/* Networks: nodes, links, port groups, addresses, channels. A network is immutable and may be shared by
 * threads.
 *
 * Ids count from 0:
 *   node      0 .. nodes-1. Endpoints come first: endpoint e is node e.
 *   link      one directed wire. The links of a group have consecutive ids.
 *   group     port group: interchangeable links that leave one node (an ECMP set). The groups of a node
 *             partition its output links.
 *   address   a destination. Unless a family states otherwise, address e is endpoint e.
 * level: 0 at endpoints, increasing towards the roots. A link has the level of its lower end.
 *
 * Link ends, groups and default routes are computed in closed form or read from arrays, depending on the
 * family. This header hides the difference. */
#ifndef BOUGH_NETWORK_NET_H
#define BOUGH_NETWORK_NET_H

#include "base/text/spec.h"
#include "bough/status.h"
#include "formats/fabrics/fabric.h"
#include "network/aggregation/aggregation.h"
#include "network/compute_nodes/compute_nodes.h"
#include "network/layout/packaging.h"
#include "network/physical/physical.h"
#include "network/registry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_NONE UINT64_MAX

typedef enum bough_role { BOUGH_ENDPOINT = 1, BOUGH_SWITCH = 2 } bough_role; /* bits; a node may be both */

typedef struct bough_range {
    uint64_t first, count;
} bough_range;

/* The end of a link: node and input port number. */
typedef struct bough_link_end {
    uint64_t node;
    uint32_t port;
} bough_link_end;
/* Ports from here on have no number outside bough (links inside compute nodes, to aggregation nodes). */
#define BOUGH_PORT_UNNUMBERED 0xf0000

/* Result of route(node, address): a group and the eligible links in it. If list is NULL, these are first ..
 * first+count-1; otherwise list[0 .. count-1], ascending, owned by the network or routing. count is 0 if the
 * node has no route to the address. Dead links are never eligible. */
typedef struct bough_route {
    uint64_t group, first;
    const uint32_t *list;
    uint32_t count;
} bough_route;

static inline uint64_t bough_route_link(const bough_route *route, uint32_t i) {
    return route->list ? route->list[i] : route->first + i;
}
/* Whether two routes have the same links in the same order. */
static inline bool bough_route_same(const bough_route *a, const bough_route *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (bough_route_link(a, i) != bough_route_link(b, i)) return false;
    return true;
}

/* Capabilities of a network beyond nodes and links. Methods and routings list those that they require. A
 * property that only one shape of network has is a typed query (xgft_shape_of, sorting_shape_of, ...)
 * instead. */
typedef enum bough_capability {
    BOUGH_HAS_ROUTES = 1 << 0,   /* route(): all minimal routes, or the family's own */
    BOUGH_HAS_ORDER = 1 << 1,    /* group_order(): every route visits groups in ascending order */
    BOUGH_HAS_CHANNELS = 1 << 2, /* subtree() and channel_capacity() */
    BOUGH_HAS_MODK = 1 << 3,     /* modk(): the D-mod-K digit of a group */
    BOUGH_HAS_EVEN = 1 << 4,     /* random selection is balanced: all links of one direction of a channel have
                                    the same expected load, for any set of messages */
    BOUGH_HAS_RATES = 1 << 5,    /* link_rate() */
    BOUGH_HAS_TABLES = 1 << 6,   /* imported from a fabric: LIDs and forwarding tables apply */
    BOUGH_HAS_BITFIX = 1 << 7, /* endpoints are bit vectors; routes correct the bits in order, from one end */
} bough_capability;

typedef struct bough_net bough_net;
typedef struct bough_family bough_family;
typedef struct bough_fault_report bough_fault_report; /* network/faults/faults.h */

/* The addresses (or endpoints) in `within` but not in `without`. `without` is empty or a subrange of
 * `within`. */
typedef struct bough_covered_range {
    bough_range within, without;
} bough_covered_range;

/* The traffic that may use a group: messages from the endpoints in `from` to the addresses in `to`. */
typedef struct bough_group_coverage {
    bough_covered_range from, to;
} bough_group_coverage;

/* A named kind of packaging unit larger than a chip: stack, layer, pod. Its members are 0 .. count-1. */
typedef struct bough_module {
    const char *name; /* singular, "stack"; the plural appends "s" */
    uint64_t count;
} bough_module;

/* The state after a message head has crossed a link. */
typedef struct bough_step {
    uint64_t node; /* end node of the link */
    uint32_t port;
    uint32_t size;  /* number of links in route.group */
    uint64_t first; /* first link of route.group */
    /* Result of route() at `node`. It, size and first are undefined only if `node` is the node of the
     * address. Other endpoints have valid results too, because a message may stop at one on its way
     * (Valiant). */
    bough_route route;
} bough_step;

/* The stack and layer of a switch, numbered from 0 as in the paper. */
typedef struct bough_place {
    /* The lowest layers of a unit tree (in the paper layer 0) contain its upward switches, the others the
     * downward ones. */
    unsigned stage, layer;
    uint64_t stack; /* numbered across its stage */
    bool up;        /* an upward switch */
} bough_place;

/* Speeds of parts that work, in millionths: BOUGH_SPEED_ONE is unchanged. */
#define BOUGH_SPEED_ONE UINT32_C(1000000)
typedef struct bough_speeds {
    const uint32_t *rate;    /* [links]: of the rate that network and setting state; NULL: all unchanged */
    const uint32_t *compute; /* [endpoints]: of the time of a computation; NULL: all unchanged */
} bough_speeds;

/* Operations of a network, filled by its family. net is never NULL and ids are in range. A network with
 * faults has the data and counts of the original, but may differ in hops_max, capabilities and ops. */
typedef struct bough_net_ops {
    void (*destroy)(bough_net *net); /* frees what data points to; may be NULL */
    bough_link_end (*link_end)(const bough_net *net, uint64_t link);
    uint64_t (*link_group)(const bough_net *net, uint64_t link);
    uint64_t (*link_twin)(const bough_net *net,
                          uint64_t link); /* the opposite direction of the cable, or BOUGH_NONE */
    uint64_t (*group_node)(const bough_net *net, uint64_t group);
    bough_range (*group_links)(const bough_net *net, uint64_t group);
    uint32_t (*node_group_count)(const bough_net *net, uint64_t node);
    uint64_t (*node_group)(const bough_net *net, uint64_t node, uint32_t i);
    unsigned (*node_level)(const bough_net *net, uint64_t node);
    unsigned (*node_roles)(const bough_net *net, uint64_t node);
    void (*route)(const bough_net *net, uint64_t node, uint64_t address, bough_route *route);
    /* link_end, route and group_links in one call, for engines. NULL: the engine calls them separately. */
    void (*step)(const bough_net *net, uint64_t link, uint64_t address, bough_step *step);
    /* The operations below may be NULL if the network lacks the capability. */
    uint64_t (*address_node)(const bough_net *net, uint64_t address); /* NULL: the identity */
    uint64_t (*address_of)(const bough_net *net, uint64_t endpoint);  /* first address of an endpoint */
    uint32_t (*group_order)(const bough_net *net, uint64_t group);
    uint32_t (*modk)(const bough_net *net, uint64_t group, uint64_t address); /* 0 .. group size - 1 */
    uint64_t (*subtree)(const bough_net *net, unsigned level, uint64_t endpoint);
    uint64_t (*channel_capacity)(const bough_net *net, unsigned level, uint64_t subtree);
    /* Packaging stage of a level: 0 if the level consists of leaf clusters, 1, 2, ... for unit trees of that
     * stage. NULL: no such packaging. */
    unsigned (*level_stage)(const bough_net *net, unsigned level);
    uint64_t (*link_rate)(const bough_net *net, uint64_t link); /* bit/s */
    /* ps of a link, and of a node for messages that go on from there. NULL: those of the physical setting. */
    uint64_t (*link_delay)(const bough_net *net, uint64_t link);
    uint64_t (*node_delay)(const bough_net *net, uint64_t node);
    /* Length of the wire of a link in feet, at least 0. NULL: the network does not state lengths; they may
     * follow from its packaging or chip layout (network/layout/link_clocks.h). */
    double (*link_length)(const bough_net *net, uint64_t link);
    /* The chip that contains a switch, a number below net->nodes. NULL: every switch is a chip. */
    uint64_t (*node_chip)(const bough_net *net, uint64_t node);
    /* The place of a node, if the network has packaging; false: the node is in no stack. Endpoints have a
     * place (layer 0 of the stack beside them) only if wires lead to them from afar. */
    bool (*node_place)(const bough_net *net, uint64_t node, bough_place *place);
    /* The member of net->modules[module] that contains a node, or BOUGH_NONE. NULL: no modules. */
    uint64_t (*node_module)(const bough_net *net, unsigned module, uint64_t node);
    /* The messages that may use a group, assuming that all of its links are eligible. Valid only if address e
     * is endpoint e and every endpoint has one group. NULL: not available.
     *
     * An entry group of a range of addresses serves the whole range (to.without is empty) and all endpoints
     * except those of one home range (from.without, possibly empty). In a tree it is a group that leads down
     * into a subtree, and its home range is the endpoints of that subtree. All entry groups of a range have
     * the same home range. A message passes one entry group of each range that contains its address, has
     * entry groups, and whose home range does not contain its sender; it passes no other entry group. */
    bough_group_coverage (*group_coverage)(const bough_net *net, uint64_t group);
    /* Only with faults, otherwise NULL. reaches: whether some route of the network leads from an endpoint to
     * an address of another node. reached: the number of such addresses. */
    bool (*reaches)(const bough_net *net, uint64_t endpoint, uint64_t address);
    uint64_t (*reached)(const bough_net *net, uint64_t endpoint);
    void (*node_name)(const bough_net *net, uint64_t node, char *buffer, size_t size);
    uint32_t (*link_port)(const bough_net *net,
                          /* Output port number at the start of the link. */
                          uint64_t link);
    /* The name of a port in the file of a fabric whose ports have no numbers there; NULL: its number is its
     * name, as it is without this function. */
    const char *(*port_name)(const bough_net *net, uint64_t node, uint32_t port);
} bough_net_ops;

struct bough_net {
    const bough_family *family; /* NULL: made without one */
    const bough_net_ops *ops;
    uint64_t nodes, endpoints, switches, addresses, groups, links;
    uint64_t chips;        /* 0: as many as switches (otherwise see node_chip) */
    uint64_t cables;       /* cables between switches; a link without a twin counts as one cable */
    uint64_t group_max;    /* links in the largest group */
    unsigned levels;       /* level of the roots */
    unsigned hops_max;     /* links of the longest default route, first and last included; 0: unknown */
    unsigned capabilities; /* capabilities: bough_capability bits */
    uint64_t bytes;        /* allocated memory; 0: negligible (closed forms) */
    char *spec;            /* canonical; with faults for messages only */
    const char *routing;   /* spec of the default routing; NULL: random */
    void *data;            /* private to the family */
    /* Read by the typed queries (xgft_shape_of, ...): which query applies, and what it returns. NULL with
     * faults. */
    const char *shape_kind;
    const void *shape;
    const bough_packaging *packaging; /* for networks made of stacks, owned by data; NULL: none */
    const uint64_t *dead;             /* bit l: link l is dead; NULL: no link is dead */
    /* Bit l: link l leads nowhere, but counts as alive; messages that take it are lost. NULL: none. */
    const uint64_t *lost;
    bool dead_ends; /* routes may lead to nodes without a remaining route, because only neighbours avoid dead
                       links */
    const bough_fault_report *faults;   /* removed parts; NULL: none */
    const bough_speeds *speeds;         /* of slow parts (bough_net_link_rate); NULL: none is slow */
    const bough_module *modules;        /* ends with a NULL name; NULL: none */
    const bough_fabric *fabric;         /* the imported fabric; NULL for families */
    uint32_t first_port;                /* see bough_port_number */
    const struct net_hosts *hosts;      /* of an imported fabric (network/hosts.h); NULL for families */
    const bough_physical *physical;     /* NULL: the default; see bough_net_set_physical */
    const bough_compute_nodes *compute; /* endpoints are GPUs of compute nodes; NULL: they are not */
    /* The last endpoints are aggregation nodes of switches, and compute, if not NULL, is that of the network
     * below; NULL: there are none. */
    const bough_aggregation *aggregation;
    const bough_net *ports; /* the network whose endpoints got ports (bough_ports_create); NULL: none */
    /* Endpoints forward messages. one_port: methods give each a port to send and a port to receive
     * (bough_ports_create); all_ports: it sends and receives over all its links at once, as endpoints of
     * trees with several links do. */
    bool one_port, all_ports;
    const bough_registry *registry; /* names for routings, traffic and methods; NULL: the built-in ones */
    uint64_t input_hash;            /* of its file or arrays; 0: none */
    unsigned sharers; /* processes of this machine that have the same network: they share its memory; set by
                         the owner; 0: one */
    unsigned threads; /* that the construction of a routing or traffic may use; set by the owner; 0: one */
    bool view;        /* made by bough_net_view: data and ops belong to another network */
};

struct bough_family {
    const char *name, *summary, *source;
    const bough_param *params;
    /* Fills net, which is zeroed but for `family` and `threads`: first the sizes (with overflow checks), then
     * ops. args are bound; the family may complete them. */
    bough_status (*make)(bough_args *args, bough_net *net, bough_error *error);
};

/* The i-th of these and those of the registry, which may be NULL; NULL beyond the last. */
const bough_family *bough_family_at(const bough_registry *registry, size_t i);
/* For a known network that is no family: a line that says what to take; NULL: the name is not known. Static.
 */
const char *bough_family_elsewhere(const char *name);

/* Creates a network from a spec such as `fattree:n=1024` or `ibnet:FILE`. The caller owns it. Cost: O(1) for
 * closed forms, linear for files. Errors: INVALID for a wrong spec or file. */
bough_status bough_net_create(const char *spec, bough_net **net, bough_error *error);
/* The same with the names of a registry, which must outlive the network. NULL: none. */
bough_status bough_net_open(const char *spec, const bough_registry *registry, bough_net **net,
                            bough_error *error);
/* The same on several threads, where the family divides its construction; 0: one. The network does not depend
 * on their number. */
bough_status bough_net_open_threads(const char *spec, const bough_registry *registry, unsigned threads,
                                    bough_net **net, bough_error *error);
void bough_net_destroy(bough_net *net); /* NULL is allowed */
/* bough_memory_check for what the owner of the network needs, who may have to share the machine. what: "the
 * forwarding table", ... */
bough_status bough_net_memory_check(const bough_net *net, uint64_t bytes, const char *what,
                                    bough_error *error);
/* A network with the data of another one, which must outlive it, and a setting and a registry of its own
 * (those of the other, until they are set). O(1). Errors: NO_MEMORY. */
bough_status bough_net_view(const bough_net *of, bough_net **net, bough_error *error);

/* The network of one whose endpoints forward messages, in which each has one link to send over and one to
 * receive over: endpoints keep their numbers and names, and the nodes that they were are switches beside
 * them. base must outlive it. The links have the rate of those of the network or of hosts, and no delay.
 * O(1), with faults O(links). Errors: NO_MEMORY. */
bough_status bough_ports_create(const bough_net *base, bough_net **net, bough_error *error);

/* Options of bough_net_from_fabric: the parameters of `ibnet`. */
typedef struct bough_fabric_options {
    const char *endpoints; /* regular expression (PCRE2), searched in node names; NULL: all */
    const char *order;     /* "name" (NULL), "lid", "guid", or a file of names or LIDs */
    bool aggregation;      /* count aggregation nodes as endpoints */
    unsigned threads;      /* that the construction may use; 0: one */
} bough_fabric_options;
bough_status bough_net_from_fabric(bough_fabric *fabric, const bough_fabric_options *options,
                                   const char *spec, bough_net **net, bough_error *error);
/* Only for networks made from a fabric: the fabric node of a node, the fabric port at the start of a link,
 * and the LID of an address. */
uint32_t bough_net_fabric_node(const bough_net *net, uint64_t node);
uint32_t bough_net_fabric_port(const bough_net *net, uint64_t link);
uint32_t bough_net_lid(const bough_net *net, uint64_t address);
/* The link that leaves the given fabric port of a node, or BOUGH_NONE. */
uint64_t bough_net_link_at(const bough_net *net, uint64_t node, uint32_t port_number);

/* Verifies the invariants of a network; for tests.
 *
 * Structure: every link belongs to one group and one node; twins match; input ports of a node are distinct;
 * levels are 0 exactly at the endpoints of trees; D-mod-K digits are in range; step() agrees with link_end,
 * route and group_links. Routes of all pairs (of a sample if there are more than pair_limit pairs), over
 * every eligible link: they end at the address within hops_max, use live links only, visit groups in
 * ascending order, and agree with group_coverage. With faults, routes may be missing, but unless dead_ends is
 * set none ends on its way, and reaches() must be right.
 *
 * Errors: FAILED with the first violation. */
bough_status bough_net_check(const bough_net *net, uint64_t pair_limit, bough_error *error);

/* The same for large networks: it tells how far it is. */
typedef struct bough_net_check_options {
    uint64_t pairs;                                                  /* the limit */
    void (*progress)(void *context, double share, const char *what); /* may be NULL */
    void *context;
    const atomic_bool *stop; /* set from outside: ends with INTERRUPTED; may be NULL */
} bough_net_check_options;
bough_status bough_net_check_with(const bough_net *net, const bough_net_check_options *options,
                                  bough_error *error);

/* ---- inline helpers ---- */

/* The number of a port in JSON, exported files, and faults. Files of fabrics have theirs; cables of families
 * count them from 1, as tables of switches do, and wires of directed networks from 0. */
static inline uint32_t bough_port_number(const bough_net *net, uint32_t port) {
    return port + (port < BOUGH_PORT_UNNUMBERED ? net->first_port : 0);
}

static inline uint64_t bough_link_start(const bough_net *net, uint64_t link) {
    return net->ops->group_node(net, net->ops->link_group(net, link));
}
/* The link in the other direction of its cable; BOUGH_NONE: there is none. */
static inline uint64_t bough_link_twin(const bough_net *net, uint64_t link) {
    return net->ops->link_twin ? net->ops->link_twin(net, link) : BOUGH_NONE;
}
static inline bool bough_is_switch(const bough_net *net, uint64_t node) {
    return net->ops->node_roles(net, node) & BOUGH_SWITCH;
}
/* Whether a link starts or ends at an endpoint. */
static inline bool bough_link_of_endpoint(const bough_net *net, uint64_t link) {
    return bough_link_start(net, link) < net->endpoints ||
           net->ops->link_end(net, link).node < net->endpoints;
}
/* The first link of an endpoint. */
static inline uint64_t bough_injection_link(const bough_net *net, uint64_t endpoint) {
    return net->ops->group_links(net, net->ops->node_group(net, endpoint, 0)).first;
}
static inline bool bough_link_alive(const bough_net *net, uint64_t link) {
    return !net->dead || !(net->dead[link >> 6] >> (link & 63) & 1);
}
static inline bool bough_link_lost(const bough_net *net, uint64_t link) {
    return net->lost && (net->lost[link >> 6] >> (link & 63) & 1);
}
/* Whether messages may take a link, and come to its end. */
static inline bool bough_link_works(const bough_net *net, uint64_t link) {
    return bough_link_alive(net, link) && !bough_link_lost(net, link);
}
/* Whether the link and its twin, if it has one, work. */
static inline bool bough_cable_works(const bough_net *net, uint64_t link) {
    const uint64_t twin = bough_link_twin(net, link);
    return bough_link_works(net, link) && (twin == BOUGH_NONE || bough_link_works(net, twin));
}
/* The only link that leaves a node; BOUGH_NONE: it has several. */
static inline uint64_t bough_only_link(const bough_net *net, uint64_t node) {
    if (net->ops->node_group_count(net, node) != 1) return BOUGH_NONE;
    const bough_range links = net->ops->group_links(net, net->ops->node_group(net, node, 0));
    return links.count == 1 ? links.first : BOUGH_NONE;
}
static inline uint64_t bough_address_node(const bough_net *net, uint64_t address) {
    return net->ops->address_node ? net->ops->address_node(net, address) : address;
}
/* Endpoints that send traffic: without aggregation nodes, which are the last ones. */
static inline uint64_t bough_net_hosts(const bough_net *net) {
    return net->aggregation ? net->aggregation->hosts : net->endpoints;
}
/* Whether two endpoints are GPUs of one compute node. */
static inline bool bough_inside_node(const bough_net *net, uint64_t a, uint64_t b) {
    if (net->aggregation && (a >= net->aggregation->hosts || b >= net->aggregation->hosts)) return false;
    return net->compute && a / net->compute->setting->gpus == b / net->compute->setting->gpus;
}
static inline uint64_t bough_endpoint_address(const bough_net *net, uint64_t endpoint) {
    return net->ops->address_of ? net->ops->address_of(net, endpoint) : endpoint;
}
/* Where a link from one level to another leads: +1: up, -1: down, 0: to a node of the same level */
static inline int bough_level_order(unsigned from, unsigned to) {
    return (to > from) - (to < from);
}
int bough_link_direction(const bough_net *net, uint64_t link);
unsigned bough_link_level(const bough_net *net, uint64_t link);
/* Writes a name such as "S3.17" or "node001", at most size-1 bytes. Returns buffer. */
char *bough_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size);
/* Writes a name such as "leaf1/19 -> spine2/3" or "n0.gpu0 -> n0.nvswitch". Returns buffer. */
char *bough_link_name(const bough_net *net, uint64_t link, char *buffer, size_t size);
/* A port as it is called: "19", or "swp5s1" where a file has names. Returns buffer (BOUGH_PORT_NAME). */
char *bough_port_name(const bough_net *net, uint64_t node, uint32_t port, char *buffer, size_t size);

struct bough_text;

/* A file format. */
typedef struct bough_format {
    const char *name, *summary, *source; /* name: the file name extension, or the kind of input */
    const char *direction;               /* "import", "export", "tables", "drawing": several with commas */
    /* NULL for imports, and for drawings and routes, which require more than a network. */
    bough_status (*write)(const bough_net *net, struct bough_text *text, bough_error *error);
} bough_format;
extern const bough_format bough_formats[]; /* ends with a NULL name */

#endif
