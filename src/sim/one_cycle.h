/* Fat-trees as C. E. Leiserson has them (Fat-trees: universal networks for hardware-efficient supercomputing,
 * 1985): a binary tree over the endpoints whose channels have a capacity in each direction, and nodes that
 * bring any messages from channel to channel as long as the channels hold them. A set of messages that no
 * channel is too small for is a one-cycle set: it is delivered in one cycle, without queues.
 *
 * On the pruned butterfly and on `fattree` such a set goes over disjoint edges: halving it again and again as
 * one_cycle_halve does gives every message the bits of a vertex above it that no other on its channels has.
 */
#ifndef BOUGH_SIM_ONE_CYCLE_H
#define BOUGH_SIM_ONE_CYCLE_H

#include "bough/method.h"

#define ONE_CYCLE_HEIGHTS 48

typedef struct one_cycle_tree {
    unsigned lg;                          /* of the endpoints */
    uint64_t capacity[ONE_CYCLE_HEIGHTS]; /* of the channel above a node of a height, a direction */
} one_cycle_tree;

/* Errors: UNSUPPORTED unless the network is a binary tree with channels. */
bough_status one_cycle_tree_of(const bough_net *net, one_cycle_tree *tree, bough_error *error);

/* The height of the lowest node above both ends; source != destination. */
static inline unsigned one_cycle_peak(uint32_t source, uint32_t destination) {
    return 32 - (unsigned)__builtin_clz(source ^ destination);
}

/* Messages of one peak that go the same way: their sources are all in one half below it, their destinations
 * in the other. by_source and by_destination: the same messages, in these orders. */
typedef struct one_cycle_set {
    uint32_t *by_source, *by_destination;
    uint32_t count;
} one_cycle_set;

typedef struct one_cycle_space one_cycle_space; /* one for all */
bough_status one_cycle_space_make(uint32_t messages, one_cycle_space **space, bough_error *error);
void one_cycle_space_free(one_cycle_space *space);

/* Whether it is a one-cycle set. */
bool one_cycle_fits(const one_cycle_tree *tree, const bough_batch *batch, const one_cycle_set *set,
                    unsigned peak);

/* Splits a set in two, so that on every channel the two halves differ by one message at most: both orders are
 * rearranged, the first half in front. Returns how many these are. Every message is paired with one from the
 * smallest subtree that has an unpaired one, and so again by destinations; both pairings together are paths
 * and even rings, whose messages go to the halves in turn. Cost: O(messages x peak). */
uint32_t one_cycle_halve(const bough_batch *batch, const one_cycle_set *set, unsigned peak,
                         one_cycle_space *space);

#endif
