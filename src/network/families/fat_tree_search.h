/* Search for the fat-trees that join a number of hosts by switches of one radix. */
#ifndef BOUGH_NETWORK_FAMILIES_FAT_TREE_SEARCH_H
#define BOUGH_NETWORK_FAMILIES_FAT_TREE_SEARCH_H

#include "network/families/xgft_tree.h"

#define FAT_TREE_LEVELS 12   /* levels of switches */
#define FAT_TREE_RADIX  1024 /* ports of a switch */

typedef struct fat_tree_demand {
    uint64_t hosts;                   /* 1 .. 2^40 */
    uint32_t radix;                   /* 2 .. FAT_TREE_RADIX */
    double taper;                     /* largest accepted taper; >= 1 */
    unsigned levels, levels_max;      /* levels: of switches, 0: any up to levels_max */
    bool cheapest;                    /* only the tree with the fewest switches; then cables; then taper */
    bool priced;                      /* compare cost instead of switches and cables */
    double switch_price, cable_price; /* >= 0 */
    void (*progress)(void *context, double share); /* of trees of three levels; may be NULL */
    void *context;
    const atomic_bool *stop; /* set from outside: ends with INTERRUPTED; may be NULL */
} fat_tree_demand;

/* An XGFT, as in fabric/plan/plan.h. Endpoints are spread evenly, so subtrees of a level have hosts /
 * subtrees, rounded up, at most. */
typedef struct fat_tree {
    unsigned levels;
    uint32_t down[FAT_TREE_LEVELS], up[FAT_TREE_LEVELS], links[FAT_TREE_LEVELS];
    uint64_t switches, cables; /* cables: between switches */
    double taper;              /* maximum over subtrees of their endpoints over their cables up; at least 1 */
    double bisection;          /* cables of a child of the roots over its endpoints; at most 1 */
} fat_tree;

/* Finds the trees that are Pareto-optimal in switches, cables (priced: in cost) and taper, in no order; of
 * equal trees one. Up to three levels all shapes are considered; with four and more only those whose middle
 * switches have as many ports up as down. The caller frees *trees; *count is 0 if no tree fits. */
bough_status fat_tree_search(const fat_tree_demand *demand, fat_tree **trees, size_t *count,
                             bough_error *error);
xgft_shape fat_tree_shape(const fat_tree_demand *demand, const fat_tree *tree);

#endif
