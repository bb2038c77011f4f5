/* Off-line routing on fat-trees (Leiserson: Fat-trees, 1985, Theorem 1): all messages are known, and are cut
 * into sets that the channels carry at one go, one set a delivery cycle.
 *
 * Messages that meet at one node of the tree are halved until they fit: every message is joined to one whose
 * source is near and to one whose destination is near, as low in the tree as it goes, so that at most one
 * source of a subtree stays without a mate in it. What these joints make are rings of even length and chains;
 * every other message of them goes to the other half. So the halves differ by at most one message on every
 * channel, and a node with load factor lambda (of one direction) takes at most 2^ceil(lg lambda) sets. Nodes
 * of one level do not touch each other, those of different levels take turns: at most 2 lambda lg n cycles in
 * all.
 *
 * A set goes at one go: through level p and back in 2 p + b bit steps, as nothing needs to be said but b bits
 * of body; the switches are set beforehand. */
#ifndef BOUGH_ENGINES_CHANNELS_OFFLINE_H
#define BOUGH_ENGINES_CHANNELS_OFFLINE_H

#include "engines/channels/channel_tree.h"

typedef struct offline_result {
    uint64_t cycles, level_cycles[SUBTREES_LEVELS + 1]; /* by the level at which messages meet */
} offline_result;

typedef struct offline_splitter offline_splitter;
uint64_t offline_bytes(const bough_net *net, uint64_t messages);
/* Borrows tree. */
bough_status offline_create(const channel_tree *tree, offline_splitter **splitter, bough_error *error);
void offline_destroy(offline_splitter *splitter); /* NULL is fine */

/* cycle (may be NULL): the number of the set of each message, counted from 0; BOUGH_NONE32 for those that
 * stay where they are. Sets of a level follow each other, levels from below. verify: checks that halves
 * differ by at most one message on every channel. Errors: NO_MEMORY; FAILED for a check. O(messages x levels
 * x lg lambda). */
#define BOUGH_NONE32 UINT32_MAX
bough_status offline_split(offline_splitter *splitter, const bough_batch *batch, bool verify, uint32_t *cycle,
                           offline_result *result, bough_error *error);

#endif
