/* The shape of the sorting fat-tree of bay1991. */
#ifndef BOUGH_NETWORK_FAMILIES_SORTING_SHAPE_H
#define BOUGH_NETWORK_FAMILIES_SORTING_SHAPE_H

#include "network/net.h"

#define SORTING_LEVELS 40

typedef struct sorting_shape {
    uint64_t n;    /* terminals */
    unsigned lg_n; /* lg of the terminals; need not be a power of two */
    uint64_t side; /* of a mesh: 2^ceil(lg lg n) */
    unsigned lg_side;
    unsigned height; /* levels of tree nodes above the meshes: roots of subtrees of side^2 2^level terminals;
                        equals net->levels */
} sorting_shape;

const sorting_shape *sorting_shape_of(const bough_net *net); /* NULL for other networks, and with faults */

/* Wires of the channel above a subtree of side^2 2^level terminals: the square root, rounded up to a power of
 * two. */
static inline uint64_t sorting_capacity(const sorting_shape *shape, unsigned level) {
    return shape->side << (level + 1) / 2;
}
/* The node or mesh of a level that contains a terminal. */
static inline uint64_t sorting_subtree(const sorting_shape *shape, unsigned level, uint64_t terminal) {
    return terminal >> (2 * shape->lg_side + level);
}

#endif
