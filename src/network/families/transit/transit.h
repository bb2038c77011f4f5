/* The networks of one paper, dehon1991 (the Transit project): fat-trees of RN1 routers, as layers of equal
 * routers.
 *
 * A router has 8 inputs and 8 outputs: 4 directions of 2 equivalent wires (dilation 2), or two independent
 * halves of 4 inputs and 4 directions of one wire. Layers:
 *
 *     processors  2 wires into the network, 2 out of it
 *     up          of the unit trees of a stage. A router serves 4 subtrees (a group). Directions 0, 1, 2
 *                 cross over to down layers 1, 2, 3 of the same unit tree; 3 leads up to the next stage
 *     down        layers 3, 2, 1 of a unit tree, and all but the first of a leaf cluster: direction = child
 *     entry       the first layer of a leaf cluster: one direction per third of the cluster, 3 to the tree;
 *                 of a flat network: one direction per third or quarter
 *
 * An address has a code of base-4 digits. In a full tree this is the number of the processor. With leaf
 * clusters of 3 4^m processors it is the number of the cluster, then m + 1 digits of which the first is below
 * 3. The position of a router is the subtree that it serves, so routes are shifts and comparisons of codes.
 * The `units` unit trees of one tree node are alike; `set` routers of one unit serve one position: router r
 * of a layer is number r % set of unit r / set % units of position r / set / units.
 *
 * Divisors are 2^k or 3 2^k: transit_part. */
#ifndef BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_H
#define BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_H

#include "bough/net.h"

enum { TRANSIT_LAYERS = 32, TRANSIT_PORT_BITS = 3 };

typedef enum transit_kind { TRANSIT_PROCESSORS, TRANSIT_UP, TRANSIT_DOWN, TRANSIT_ENTRY } transit_kind;

/* (3 or 1) << shift */
typedef struct transit_part {
    uint8_t shift;
    bool third;
} transit_part;

static inline uint64_t transit_size(transit_part p) {
    return (UINT64_C(1) + 2 * p.third) << p.shift;
}
static inline uint64_t transit_quotient(uint64_t x, transit_part p) {
    x >>= p.shift;
    return p.third ? x / 3 : x;
}

/* Targets of the wires of a direction: those of position p lead to position (p >> drop) * times + direction
 * (times = 1: without direction), in the same unit, or in all units if they leave the stack. */
typedef struct transit_aim {
    uint8_t layer, drop, times;
    bool leaves;
    uint8_t groups_shift; /* leaves: log2 of the positions of the tree node whose wires leave together */
    uint8_t unit_shift;   /* leaves: log2 of the target units */
    uint8_t shared_shift; /* leaves: log2 of the tree nodes whose wires share a target set */
    uint16_t before;      /* inputs of a set of one target unit that precede these */
    transit_part set;     /* target routers of one unit */
} transit_aim;

typedef struct transit_layer {
    transit_kind kind;
    uint64_t node, count; /* first node; number of nodes */
    uint64_t link, group; /* first output link, first group */
    transit_part fan;     /* outputs per node */
    transit_part set;
    uint8_t unit_shift; /* log2 units */
    uint8_t directions, dilation;
    uint8_t shift; /* shift of a code: to the position of the layer (up), to its digit (down, entry) */
    uint8_t top;   /* entry: shift of a code to the cluster */
    uint8_t level; /* bough_net_ops.node_level */
    uint8_t stage; /* 0: leaf cluster, 1 ..: unit trees */
    /* number of the layer in its stack: 0 (up) to 3; leaf clusters and flat networks: from 1 */
    uint8_t number;
    uint8_t siblings;   /* halves: neighbouring positions that share chips; 0: whole routers */
    uint16_t rank;      /* order of its groups; entry: of the downward ones */
    transit_aim aim[4]; /* by direction */
} transit_layer;

typedef struct transit {
    unsigned layers, stages; /* layer 0: processors; the last layer feeds them. stages: of unit trees */
    transit_layer layer[TRANSIT_LAYERS];
    /* leaf: processors per leaf cluster; 1 in a full tree, all in a flat network */
    uint64_t processors, leaf;
    transit_part leaf_part; /* leaf as a transit_part */
    uint8_t leaf_digits;    /* digits of a code within a leaf cluster */
    bool flat;
    /* By level: wires up (and as many down) between a subtree and its parent. */
    uint64_t capacity[TRANSIT_LAYERS];
    /* By link, from wired_from: the target router among the possible ones, 0 .. units * set - 1, and its
     * input port: router << TRANSIT_PORT_BITS | port. */
    bough_packaging packaging;
    bough_module module[3]; /* stacks, layers of stacks, end */
    uint64_t wired_from, wired;
    uint16_t *wire16; /* one of the two; wire32 if there are more than 2^16 values */
    uint32_t *wire32;
} transit;

/* The requested network, after the parameters were checked. */
typedef struct transit_ask {
    uint64_t processors, leaf; /* leaf: 1, 12, 48, 192; flat: all processors */
    unsigned stages;           /* of unit trees; flat: 0 */
    bool dual_leaf;
} transit_ask;

void transit_shape(const transit_ask *ask, transit *t);

/* Draws the wiring from a key. Errors: TOO_LARGE, NO_MEMORY. */
bough_status transit_wire(transit *t, uint64_t key, bough_error *error);

/* The place of a router in the terms of the paper. */
typedef struct transit_place {
    unsigned stage;  /* 0: leaf cluster; 1 ..: unit tree */
    uint64_t stack;  /* leaf cluster or unit tree, numbered across its stage */
    unsigned layer;  /* 0: up, 1 .. 3: down; leaf clusters and flat networks: from 1 */
    uint64_t router; /* chip, numbered across its layer of the stack */
    unsigned half;   /* of a chip in dual mode: 1 or 2; else 0 */
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

static inline uint32_t transit_wire_of(const transit *t, uint64_t link) {
    uint64_t i = link - t->wired_from;
    return t->wire16 ? t->wire16[i] : t->wire32[i];
}

#endif
