/* The tree of switches of a network, as Slurm's topology/tree has it: every host is below one leaf. */
#ifndef BOUGH_NETWORK_SLURM_SWITCH_TREE_H
#define BOUGH_NETWORK_SLURM_SWITCH_TREE_H

#include "formats/slurm/host_list.h"
#include "network/net.h"

/* One line of the tree: switches that reach the same hosts on the way up. */
typedef struct tree_switch {
    char name[HOST_NAME_MAX_ + 1]; /* unique in the tree */
    uint32_t parent;               /* BOUGH_NO_INDEX: none */
    unsigned level;                /* 0: a leaf, with hosts; higher above */
    uint64_t first;                /* a node of the network that it stands for; BOUGH_NONE: none */
    uint32_t switches;             /* number of these nodes */
    uint32_t hosts;                /* below it */
} tree_switch;

typedef struct switch_tree {
    const bough_net *net;
    const char **host; /* [hosts]: names, in the order of their first endpoints */
    bool *unfit;       /* [hosts]: Slurm cannot hold the name: the host is below no leaf */
    uint32_t hosts, unfits;
    uint32_t *endpoint_host; /* [endpoints] */
    uint32_t *host_leaf;     /* [hosts]: BOUGH_NO_INDEX: no working cable to a switch, or unfit */
    uint32_t *node_item;     /* [nodes]: what the tree has of a switch, or BOUGH_NO_INDEX */
    tree_switch *item;       /* leaves first, children before parents */
    size_t count;
    uint32_t leaves;
    arena memory; /* of all of it; the caller frees it */
} switch_tree;

/* How the tree follows from the cables:
 *
 * - Endpoints whose descriptions name one host ("node001 mlx5_0", "node001 mlx5_1") are one host.
 * - Hosts with cables to the same switches are a leaf, usually one switch. A host that has lost some of
 *   these cables belongs to that leaf too, if there is only one such leaf.
 * - Levels are those of the network. The hosts of a spine are a leaf of their own.
 * - Leaves that hang together by switches of level k or lower are below one switch of the tree. Its switches
 *   of level k are merged: to Slurm they are alike. What only links within a level join, as the groups of a
 *   dragonfly+, is one level higher.
 *
 * Errors: UNSUPPORTED for networks with one-way links; INVALID if Slurm can hold the name of no host. */
bough_status switch_tree_make(const bough_net *net, switch_tree *tree, bough_error *error);

#endif
