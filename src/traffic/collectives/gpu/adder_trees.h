/* Trees of switches that add (network/aggregation/aggregation.h), as a part of pipelines. An adder is a
 * member behind the others: number n and above, whose rank is its number. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_ADDER_TREES_H
#define BOUGH_TRAFFIC_COLLECTIVES_ADDER_TREES_H

#include "traffic/collectives/gpu/pipeline.h"

/* The tree of a shard. Parents come before their children. */
typedef struct adder_tree {
    uint32_t count, depth;
    uint32_t *member; /* [count] */
    uint32_t *up;     /* [count]: position of the parent; COLLECTIVE_NOBODY: the root */
    uint32_t *leaf;   /* [nodes]: position of the adder to which the head of a node sends */
} adder_tree;

typedef struct collective_adders {
    uint32_t ranks;     /* adders in all */
    uint32_t *endpoint; /* [ranks], of the network */
    uint32_t nodes, trees;
    adder_tree *tree; /* [trees]: one for each shard; none if there is one node */
} collective_adders;

/* Makes the trees of a collective whose ranks have these endpoints, for the heads of each shard: on a node,
 * the member at the shard's number. Errors: INVALID, TOO_LARGE, NO_MEMORY; adder_trees_fini frees what was
 * made. */
bough_status adder_trees_make(collective *c, const bough_net *net, const uint32_t *endpoint,
                              collective_adders *adders);
void adder_trees_fini(collective_adders *adders);

/* Messages of all trees for one piece each; hops of the deepest one, up and down. NULL: none. */
uint64_t adder_trees_messages(const collective_adders *adders);
uint32_t adder_trees_hops(const collective_adders *adders);

/* Pieces of a shard up its tree and down again. */
typedef struct adder_tree_job {
    uint32_t number;      /* of the shard */
    const uint32_t *head; /* [nodes] */
    uint64_t item;
    uint32_t pieces;
    const uint32_t *own; /* [nodes][pieces]: operation after which a head has its part of a piece */
    uint32_t *done;      /* the same: after which it has the sum */
} adder_tree_job;
void adder_tree_run(pipeline *p, const adder_tree_job *job);

#endif
