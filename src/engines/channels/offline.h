/* Off-line routing on fat-trees (Leiserson: Fat-trees, 1985, Theorem 1): all messages are known in advance
 * and are partitioned into sets that the channels can carry at once, one set per delivery cycle.
 *
 * Messages with one nearest common ancestor are halved until they fit. Every message is paired with one of a
 * near source and with one of a near destination, as low in the tree as possible, so that at most one source
 * of a subtree has no mate in it. The pairs form rings of even length and chains; every other message of them
 * goes to the other half. So the halves differ by at most one message on every channel, and a node with load
 * factor lambda (of one direction) takes at most 2^ceil(lg lambda) sets. Nodes of one level are independent
 * and those of different levels take turns: at most 2 lambda lg n cycles in total.
 *
 * A set with NCA level p takes 2 p + b bit steps up and down: only the b bits of the body are sent, because
 * the switches are set in advance. */
#ifndef BOUGH_ENGINES_CHANNELS_OFFLINE_H
#define BOUGH_ENGINES_CHANNELS_OFFLINE_H

#include "engines/channels/channel_tree.h"

typedef struct offline_result {
    uint64_t cycles, level_cycles[SUBTREES_LEVELS + 1]; /* by NCA level of the messages */
} offline_result;

typedef struct offline_splitter offline_splitter;
uint64_t offline_bytes(const bough_net *net, uint64_t messages);
/* Borrows tree. verify: checks that halves differ by at most one message on every channel. messages: of the
 * largest batch. */
bough_status offline_create(const channel_tree *tree, bool verify, uint64_t messages,
                            offline_splitter **splitter, bough_error *error);
void offline_destroy(offline_splitter *splitter); /* NULL is allowed */

/* cycle (may be NULL): the set number of each message, from 0; BOUGH_NONE32 for messages that do not move.
 * Sets of a level are consecutive, lowest level first. Errors: NO_MEMORY; FAILED for a check. O(messages x
 * levels x lg lambda). */
#define BOUGH_NONE32 UINT32_MAX
bough_status offline_split(offline_splitter *splitter, const bough_batch *batch, uint32_t *cycle,
                           offline_result *result, bough_error *error);

#endif
