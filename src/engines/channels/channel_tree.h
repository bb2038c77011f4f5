/* A fat-tree in Leiserson's model: channels between subtrees and their parents, each with a number of wires
 * per direction. For routing methods that do not name links (offline, online). */
#ifndef BOUGH_ENGINES_CHANNELS_CHANNEL_TREE_H
#define BOUGH_ENGINES_CHANNELS_CHANNEL_TREE_H

#include "network/subtrees.h"
#include "traffic/traffic.h"

/* Channels are numbered level by level: that of subtree i of level l is first[l] + i. Levels 0 .. levels - 1
 * have channels; at level `levels` the whole tree is one subtree. */
typedef struct channel_tree {
    const bough_net *net;
    subtrees rows;
    unsigned levels;
    uint64_t channels, first[SUBTREES_LEVELS + 1];
    uint64_t *capacity; /* per channel: wires up, equal to wires down */
} channel_tree;

/* Memory estimate, bytes. */
uint64_t channel_tree_bytes(const bough_net *net);
/* net must have the capability CHANNELS and is borrowed. O(endpoints x levels). Errors: UNSUPPORTED (too many
 * levels, a channel without wires), NO_MEMORY. */
bough_status channel_tree_make(const bough_net *net, channel_tree *tree, bough_error *error);
void channel_tree_fini(channel_tree *tree);

static inline uint64_t channel_at(const channel_tree *tree, unsigned level, uint64_t endpoint) {
    return tree->first[level] + tree->net->ops->subtree(tree->net, level, endpoint);
}

/* Difficulty of a batch. up and down: words per channel, overwritten. */
typedef struct channel_load {
    double both,
        either; /* largest (up + down) / capacity (Leiserson's load factor), and largest of one direction */
    uint64_t moving; /* messages that are not at their destinations initially */
} channel_load;
channel_load channel_tree_load(const channel_tree *tree, const bough_batch *batch, uint32_t *up,
                               uint32_t *down);

#endif
