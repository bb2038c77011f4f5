/* What the steps of switch_tree_make share. */
#ifndef BOUGH_NETWORK_SLURM_SWITCH_TREE_BUILD_H
#define BOUGH_NETWORK_SLURM_SWITCH_TREE_BUILD_H

#include "network/slurm/switch_tree.h"

/* A host and a switch that it has a cable to. */
typedef struct attachment {
    uint32_t host, node;
} attachment;

/* Hosts with cables to the same switches. */
typedef struct host_group {
    uint32_t first, switches; /* its switches: attachments first .. first + switches - 1 */
    uint32_t host;            /* its first host */
    uint32_t hosts;
    uint32_t into; /* the group that it belongs to; itself, unless it has lost cables */
    uint32_t item; /* its leaf; while leaves are joined, the highest switch of the tree above it */
} host_group;

typedef struct tree_builder {
    switch_tree *tree;
    const bough_net *net;
    attachment *attached; /* by host, then by switch */
    size_t attachments, capacity;
    host_group *group; /* in the order of their first hosts */
    uint32_t groups;
    uint32_t *host_group; /* [hosts] */
    uint32_t *hosts;      /* [nodes]: hosts with a cable to the switch */
    uint32_t *level;      /* [nodes]: of switches, from 1; 0: cannot be reached */
    uint32_t *root;       /* [nodes]: union-find */
    bough_error *error;
} tree_builder;

bough_status tree_find_hosts(tree_builder *b);
bough_status tree_find_groups(tree_builder *b);
bough_status tree_find_levels(tree_builder *b);
bough_status tree_join_leaves(tree_builder *b);

#endif
