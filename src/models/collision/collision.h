/* The probability that two messages collide: Lemma 1 of strumpen2005 for the binary fat-tree of n = 2^lg_n
 * endpoints, and the same question for any network, routing and traffic.
 *
 * Two messages are sent at the same time into an empty network. They collide if not both of their first
 * attempts succeed. Their sources are distinct and random, their destinations independent and uniform over
 * the other endpoints; or they are two different messages of a batch. */
#ifndef BOUGH_MODELS_COLLISION_COLLISION_H
#define BOUGH_MODELS_COLLISION_COLLISION_H

#include "method/method.h"

#include <stdbool.h>

typedef unsigned __int128 collision_int;

/* Pr[C2] as the nearest double or its neighbour; 1 <= lg_n <= 48. Zero at n = 2, where no collision is
 * possible. */
double collision_probability(unsigned lg_n);

/* Pr[C2] in lowest terms. Returns false without writing if lg_n > 41, where 6 (n-1)^3 needs more than 128
 * bits. */
bool collision_fraction(unsigned lg_n, collision_int *numerator, collision_int *denominator);

/* True for the graph of the binary fat-tree, whichever family made it. */
bool collision_is_binary(const bough_net *net);

/* ---- any network ---- */

#define COLLISION_LEVELS 48

/* up[l], down[l]: probability that both messages request a link of one group between levels l and l + 1, in
 * that direction, and have not collided before. One of them is refused there if the group has one link.
 * Requests between nodes of one level count as up, and levels beyond the last element are omitted. Where
 * routes have no order of groups, only requests in one step are counted. */
typedef struct collision_pair {
    double probability; /* Pr[C2] */
    unsigned levels;
    double up[COLLISION_LEVELS], down[COLLISION_LEVELS];
} collision_pair;

/* Closed form for trees without faults and unpopulated ports (fattree, kary, clos, xgft) under random
 * selection. Returns false without writing for other networks. O(levels^4). */
bool collision_of_tree(const bough_net *net, collision_pair *pair);

/* The same for two different messages of a batch. O(pairs x levels). */
bool collision_of_batch(const bough_net *net, const bough_batch *batch, collision_pair *pair);

/* What a message does in such a tree: share[l], the fraction of uniform messages whose nearest common
 * ancestor is at level l (1 .. levels). */
bool collision_tree_shares(const bough_net *net, double share[COLLISION_LEVELS + 1]);

/* Exact enumeration over all pairs of messages and all random choices of links. batch: the messages of which
 * two are drawn, or NULL for distinct random sources and uniform destinations. Works for any network whose
 * messages cannot be lost and for routings that select at random, the first link, or never. Time: pairs x
 * outcomes of their choices. Errors: UNSUPPORTED; TOO_LARGE above `limit` pairs or 1000 steps of a head for
 * each of so many; INTERRUPTED; FAILED for a path of more than 256 links. */
bough_status collision_enumerate(const bough_run *run, const bough_batch *batch, uint64_t limit,
                                 collision_pair *pair, bough_error *error);
/* The errors of the above that need no messages. */
bough_status collision_enumerable(const bough_run *run, bough_error *error);
/* Pairs of messages with distinct random sources and uniform destinations; UINT64_MAX if there are more. */
uint64_t collision_pairs(uint64_t endpoints);

/* The number of collision bins: 2n / lg n on the binary fat-tree (Corollary 1), else 1 / Pr[C2]. 0: the
 * network has no closed form. Infinite if messages cannot collide. */
double collision_bins(const bough_net *net);

#endif
