/* How the ranks of a trial divide the nodes of a network: each has a part of the endpoints and the same part
 * of the nodes of each level, of a cube with a power of two of ranks a subcube, of a tree the subtrees over
 * its endpoints and a part of the levels above. A rank has the links that start at its nodes.
 *
 * The arrays of links have a place for every link, but a rank uses, and clears, those of its own links only.
 * They are in few ranges, so the other pages take no memory. */
#ifndef BOUGH_ENGINES_PACKET_RANKS_PACKET_RANK_NODES_H
#define BOUGH_ENGINES_PACKET_RANKS_PACKET_RANK_NODES_H

#include "base/divisor.h"
#include "base/memory/bits.h"
#include "network/net.h"

enum { NODE_RUNS_MAX = 256 };

/* Consecutive nodes of one level; consecutive links. */
typedef struct node_run {
    uint64_t first, end;
} node_run;
typedef struct link_range {
    uint64_t first, end;
} link_range;

typedef struct rank_nodes {
    const bough_net *net;
    unsigned rank, ranks;
    node_run run[NODE_RUNS_MAX];
    unsigned runs;
    link_range *own; /* the links of this rank */
    size_t own_capacity;
    uint64_t owns;
    bool alike; /* the links of a range are of one kind: sim_kind */
    /* Which of them end on other ranks. cube: those of dimensions from `inner` on; else cube.value is 0, and
     * a link is in one of the ranges and has a bit. */
    divisor cube;
    unsigned inner;
    uint64_t *away;
    link_range outer[2];
} rank_nodes;

bough_status rank_nodes_make(rank_nodes *n, const bough_net *net, bough_error *error);
void rank_nodes_fini(rank_nodes *n);

static inline unsigned rank_of_node(const rank_nodes *n, uint64_t node) {
    const node_run *r = n->run;
    while (node >= r->end) r++;
    return (unsigned)((node - r->first) * n->ranks / (r->end - r->first));
}

/* Of a link of this rank. */
static inline bool rank_link_leaves(const rank_nodes *n, uint64_t link) {
    if (n->cube.value) return divisor_remainder(&n->cube, link) >= n->inner;
    return (link - n->outer[0].first < n->outer[0].end - n->outer[0].first ||
            link - n->outer[1].first < n->outer[1].end - n->outer[1].first) &&
           bit_of(n->away, link);
}

#endif
