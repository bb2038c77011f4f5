/* In-network reduction: switches that add, as SHARP does (Graham et al. 2016). It is part of the physical
 * setting (`sharp=` of network/physical/physical.h). A network with it is made from another one, with or
 * without compute nodes, and has one more endpoint for each live switch: its aggregation node, after all
 * hosts.
 *
 * For each live link that leaves a switch, a pair of links with its rate joins the aggregation node to it: a
 * lane. Data from or to the end of that link takes its lane, so the switch adds as fast as its links carry.
 * The delay of the setting is that of the links to the aggregation node, so sums on their way down take it,
 * too; besides, data enters the switch to be added, and again to go on, so its own delay counts twice.
 *
 * Aggregation nodes form trees of neighbouring switches. One is reached from the neighbours of its switch
 * only (from a GPU through its NIC), over the first of parallel live links, and reaches these: the hosts at
 * its switch by the routes of the network below. Links and groups of that network keep their numbers; nodes
 * behind the hosts are renumbered. */
#ifndef BOUGH_NETWORK_AGGREGATION_AGGREGATION_H
#define BOUGH_NETWORK_AGGREGATION_AGGREGATION_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct bough_net bough_net;

/* What bough_net.aggregation points to. */
typedef struct bough_aggregation {
    const bough_net *base;
    uint64_t hosts; /* endpoints of base: 0 .. hosts-1 here, too */
    uint64_t count; /* aggregation nodes hosts .. hosts+count-1; node v >= hosts of base is v + count here */
    uint64_t delay; /* ps to the aggregation node of a switch */
    const uint32_t *at;       /* [count]: the switch of an aggregation node, as a node of base; ascending */
    const uint32_t *index_of; /* [nodes of base]: the inverse, or UINT32_MAX */
    const uint32_t *first;    /* [count + 1]: lanes first[k] .. first[k+1]-1 of aggregation node k */
    const uint32_t *lane; /* [first[count]]: the link of base; link 2 l more than those of base leads along
                             lane l to the aggregation node, the next one from it */
} bough_aggregation;

/* Borrows base, with its faults and its physical setting. O(nodes + links). Errors: INVALID if no switch is
 * alive (endpoints that forward do not count); TOO_LARGE; NO_MEMORY. */
bough_status bough_aggregation_create(const bough_net *base, uint64_t delay, bough_net **net,
                                      bough_error *error);

/* The node of base that a node is; not for aggregation nodes. */
static inline uint64_t bough_aggregation_base_node(const bough_aggregation *a, uint64_t node) {
    return node < a->hosts ? node : node - a->count;
}
static inline bool bough_is_aggregation_node(const bough_aggregation *a, uint64_t node) {
    return node >= a->hosts && node < a->hosts + a->count;
}
/* The link that a message to an aggregation node takes at another node, or BOUGH_NONE. source: the endpoint
 * that sent it, by which it takes its lane; BOUGH_NONE: the first lane. */
uint64_t bough_aggregation_link(const bough_net *net, uint64_t node, uint64_t source, uint64_t to);
/* The link on which an aggregation node sends to a host at its switch, whose route there is `below`, or
 * BOUGH_NONE. */
struct bough_route;
uint64_t bough_aggregation_exit(const bough_net *net, uint64_t node, uint64_t host,
                                const struct bough_route *below);
/* The lane of an aggregation node (numbered from 0) to a link of base that leaves its switch. */
uint64_t bough_aggregation_lane(const bough_net *net, uint64_t number, uint64_t link);

/* A tree of aggregation nodes. */
typedef struct bough_aggregation_tree {
    uint32_t count, depth;
    uint32_t *node; /* [count]: aggregation nodes, numbered from 0; parents before their children */
    uint32_t *up;   /* [count]: position of the parent in node; UINT32_MAX: the root */
    uint32_t *leaf; /* [members]: position of the one at the switch of a member */
} bough_aggregation_tree;

/* What a tree is for. */
typedef struct bough_aggregation_group {
    const uint32_t *endpoint; /* [members]: hosts */
    uint32_t members, number; /* number: of the tree among several */
} bough_aggregation_group;

/* A tree over live links that joins the switches of a group. Its root has the least distance to the farthest
 * of them; of several roots (in the order of nodes), and of several parents, it takes the one with the number
 * of the tree, modulo how many there are, so that trees of consecutive numbers use different switches.
 * O(depth links members / 64). Errors: INVALID if an endpoint has no live switch, or links do not join them;
 * TOO_LARGE; NO_MEMORY. */
bough_status bough_aggregation_tree_make(const bough_net *net, const bough_aggregation_group *group,
                                         bough_aggregation_tree *tree, bough_error *error);
void bough_aggregation_tree_fini(bough_aggregation_tree *tree);

#endif
