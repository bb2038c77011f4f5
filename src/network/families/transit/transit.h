/* clang-format off */
/* The networks of one paper, dehon1991 (the Transit project): fat-trees of constant-size routers, as layers
 * of equal routers.
 *
 * A router has `radix` directions of `dilation` equivalent wires, and as many inputs. RN1, the router of the
 * paper, has radix 4 and dilation 2. In dual mode it is `dilation` independent parts of `radix` inputs and
 * directions of one wire. A unit tree joins radix^levels subtrees. Layers:
 *
 *     processors  `ports` wires into the network, as many out of it
 *     up          of the unit trees of a stage. With short cuts there is one: a router serves `radix`
 *                 subtrees (a group); directions 0 .. levels-1 cross over to down layers 1 .. levels of the
 *                 same unit tree, the others lead up to the next stage. Without, there is one per level:
 *                 direction 0 crosses over to the down layer of its level, direction 1 leads to the up
 *                 layer above it
 *     down        layers `levels` .. 1 of a unit tree, and all but the first of a leaf cluster:
 *                 direction = child
 *     entry       the first layer of a leaf cluster: one direction per part of the cluster, the last to the
 *                 tree; of a flat network: one direction per part
 *
 * An address has a code of digits of base `radix`. In a full tree this is the number of the processor. With
 * leaf clusters of lead * radix^m processors it is the number of the cluster, then m + 1 digits of which the
 * first is below `lead`. The position of a router is the subtree that it serves, so routes are divisions and
 * comparisons of codes. The `units` unit trees of one tree node are alike; `set` routers of one unit serve
 * one position: router r of a layer is number r % set of unit r / set % units of position r / set / units. */
/* clang-format on */
#ifndef BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_H
#define BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_H

#include "network/net.h"

enum {
    TRANSIT_LAYERS = 64,
    TRANSIT_RADIX_MAX = 16,
    TRANSIT_DILATION_MAX = 16,
    TRANSIT_PORTS_MAX = 64, /* of a processor */
};

typedef enum transit_kind { TRANSIT_PROCESSORS, TRANSIT_UP, TRANSIT_DOWN, TRANSIT_ENTRY } transit_kind;
/* How the wires of a bundle are assigned; transit_wiring.c. */
typedef enum transit_wires { TRANSIT_RANDOM, TRANSIT_CHECKED, TRANSIT_DETERMINISTIC } transit_wires;

/* A divisor, odd << shift. */
typedef struct transit_part {
    uint64_t inverse; /* 2^64 / odd, rounded up */
    uint32_t odd;
    uint8_t shift;
} transit_part;

__extension__ typedef unsigned __int128 transit_product;

static inline uint64_t transit_size(transit_part p) {
    return (uint64_t)p.odd << p.shift;
}
/* Exact for x odd < 2^64, which transit_shape sees to. */
static inline uint64_t transit_quotient(uint64_t x, transit_part p) {
    x >>= p.shift;
    return p.odd == 1 ? x : (uint64_t)((transit_product)x * p.inverse >> 64);
}
static inline uint64_t transit_rest(uint64_t x, transit_part p) {
    return x - transit_quotient(x, p) * transit_size(p);
}

/* Targets of the wires of a direction: those of position p lead to position p / drop * times + direction
 * (times = 1: without direction), in the same unit, or in all units if they leave the stack. */
typedef struct transit_aim {
    transit_part drop;
    transit_part set; /* target routers of one unit */
    uint8_t layer, times;
    bool leaves;
    transit_part groups; /* leaves: positions of the tree node whose wires leave together */
    transit_part units;  /* leaves: target units */
    transit_part shared; /* leaves: tree nodes whose wires share a target set */
    uint64_t before;     /* inputs of a set of one target unit that precede these */
} transit_aim;

typedef struct transit_layer {
    transit_kind kind;
    uint64_t node, count; /* first node; number of nodes */
    uint64_t link, group; /* first output link, first group */
    transit_part fan;     /* outputs per node */
    transit_part set, units;
    transit_part served; /* set * units: routers per position */
    transit_part digit;  /* of a code: to the position of the layer (up), to its digit (down, entry) */
    transit_part top;    /* entry: of a code to the cluster */
    transit_part stack;  /* positions of a stack */
    uint8_t directions, dilation;
    bool uneven;         /* directions differ in their wires: the last has all the others leave */
    uint8_t cross;       /* up layers without short cuts: dilations of direction 0 ... */
    uint32_t cross_more; /* ... one more for the first routers of a set */
    uint8_t level;       /* bough_net_ops.node_level */
    uint8_t stage;       /* 0: leaf cluster, 1 ..: unit trees */
    /* Number of the layer among those of its kind in its stack: up 0 (without short cuts 1 ..), down 1 ..;
     * leaf clusters and flat networks: from 1. place: the same in the order of the stack's layers. */
    uint8_t number, place;
    uint8_t parts;                      /* of a chip: 1, or its dilation in dual mode */
    uint32_t siblings;                  /* parts: neighbouring positions that share chips; 0: whole routers */
    uint16_t rank;                      /* order of its groups; entry: of the downward ones */
    transit_aim aim[TRANSIT_RADIX_MAX]; /* by direction */
} transit_layer;

/* The requested network, after the parameters were checked. */
typedef struct transit_ask {
    unsigned radix, dilation; /* of a router: directions, and wires of one */
    unsigned levels;          /* of a unit tree, below radix */
    unsigned ports;           /* wires of a processor each way, a multiple of dilation */
    unsigned capacity;        /* wires of a channel at the bottom of a unit tree that joins no processors */
    bool shortcuts, dual_leaf;
    transit_wires wires;
    uint64_t processors,
        leaf;        /* leaf: processors of a leaf cluster; 1 in a full tree, all in a flat network */
    unsigned lead;   /* leaf > 1: parts of a leaf cluster, of radix^m processors each */
    unsigned stages; /* of unit trees; flat: 0 */
} transit_ask;

typedef struct transit {
    transit_ask ask;
    unsigned layers; /* layer 0: processors; the last layer feeds them */
    transit_layer layer[TRANSIT_LAYERS];
    transit_part radix, leaf;
    transit_part leaf_codes; /* codes of a leaf cluster: radix^digits */
    unsigned leaf_digits;    /* digits of a code within a leaf cluster */
    bool flat;
    unsigned port_bits;
    /* By level: wires up (and as many down) between a subtree and its parent; endpoints of a subtree. */
    uint64_t capacity[TRANSIT_LAYERS];
    transit_part span[TRANSIT_LAYERS];
    bough_packaging packaging;
    unsigned stack_layers;  /* the most layers of a stack */
    bough_module module[3]; /* stacks, layers of stacks, end */
    /* By link, from wired_from: the target router among the possible ones, 0 .. units * set - 1, and its
     * input port: router << port_bits | port. */
    uint64_t wired_from, wired;
    uint16_t *wire16; /* one of the two; wire32 if there are more than 2^16 values */
    uint32_t *wire32;
} transit;

/* Errors: TOO_LARGE; INVALID if the wires up of a tree node do not fill whole unit trees. */
bough_status transit_shape(const transit_ask *ask, transit *t, bough_error *error);

/* Routers of one unit tree that serve a position of down layer k (1 .. levels), and likewise, without short
 * cuts, of up layer k. `up`: routers per group. UINT64_MAX if larger. */
uint64_t transit_layer_routers(const transit_ask *ask, uint64_t up, unsigned k);
/* Unit trees of a tree node of a stage (1 ..); 0 if their number is not whole. */
uint64_t transit_unit_trees(const transit_ask *ask, unsigned stage);
uint64_t transit_power(uint64_t base, unsigned exponent); /* UINT64_MAX if larger */

/* Assigns the wires, the same for any number of threads. Errors: TOO_LARGE, NO_MEMORY. */
bough_status transit_wire(transit *t, uint64_t key, unsigned threads, bough_error *error);

/* The place of a router in the terms of the paper. */
typedef struct transit_place {
    unsigned stage;  /* 0: leaf cluster; 1 ..: unit tree */
    uint64_t stack;  /* leaf cluster or unit tree, numbered across its stage */
    unsigned layer;  /* of the stack, lowest 0; leaf clusters and flat networks: from 1 */
    uint64_t router; /* chip, numbered across its layer of the stack */
    unsigned part;   /* of a chip in dual mode: 1, 2, ...; else 0 */
} transit_place;
transit_place transit_place_of(const transit *t, uint64_t node);

/* ---- operations: transit_routes.c ---- */

bough_link_end transit_link_end(const bough_net *net, uint64_t link);
uint64_t transit_link_group(const bough_net *net, uint64_t link);
uint32_t transit_link_port(const bough_net *net, uint64_t link);
uint64_t transit_group_node(const bough_net *net, uint64_t group);
bough_range transit_group_links(const bough_net *net, uint64_t group);
uint32_t transit_group_order(const bough_net *net, uint64_t group);
bough_group_coverage transit_group_coverage(const bough_net *net, uint64_t group);
uint32_t transit_node_group_count(const bough_net *net, uint64_t node);
uint64_t transit_node_group(const bough_net *net, uint64_t node, uint32_t i);
unsigned transit_node_level(const bough_net *net, uint64_t node);
unsigned transit_node_roles(const bough_net *net, uint64_t node);
void transit_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route);
void transit_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step);
uint64_t transit_subtree(const bough_net *net, unsigned level, uint64_t endpoint);
uint64_t transit_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree);
unsigned transit_level_stage(const bough_net *net, unsigned level);

/* ---- operations: transit_places.c ---- */

void transit_pack(transit *t); /* sets packaging and modules; requires complete layers */
uint64_t transit_node_chip(const bough_net *net, uint64_t node);
bool transit_node_place(const bough_net *net, uint64_t node, bough_place *place);
uint64_t transit_node_module(const bough_net *net, unsigned module, uint64_t node);
void transit_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size);

static inline const transit_layer *transit_layer_of(const transit *t, uint64_t node) {
    unsigned i = 0;
    for (unsigned k = 1; k < t->layers; k++) i += node >= t->layer[k].node;
    return &t->layer[i];
}
static inline const transit_layer *transit_link_layer(const transit *t, uint64_t link) {
    unsigned i = 0;
    for (unsigned k = 1; k < t->layers; k++) i += link >= t->layer[k].link;
    return &t->layer[i];
}

/* The first wire of a direction of a router; of direction `directions`: the number of its wires. */
static inline unsigned transit_first_wire(const transit_layer *l, uint64_t router, unsigned direction) {
    if (!l->uneven) return direction * l->dilation;
    if (direction == l->directions) return (unsigned)transit_size(l->fan);
    if (!l->cross || direction == 0) return direction * l->dilation;
    return (l->cross + (transit_rest(router, l->set) < l->cross_more)) * l->dilation;
}

static inline uint32_t transit_wire_of(const transit *t, uint64_t link) {
    uint64_t i = link - t->wired_from;
    return t->wire16 ? t->wire16[i] : t->wire32[i];
}

#endif
