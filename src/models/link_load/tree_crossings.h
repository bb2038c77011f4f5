/* Properties of a batch of messages on the complete binary tree over the endpoints, in the order of their
 * numbers: messages across an edge, the reference load factor, the degree (bay1991, section 2). */
#ifndef BOUGH_MODELS_LINK_LOAD_TREE_CROSSINGS_H
#define BOUGH_MODELS_LINK_LOAD_TREE_CROSSINGS_H

#include "traffic/traffic.h"

/* The height of the smallest such tree: 2^height is at least endpoints. */
unsigned tree_height(uint64_t endpoints);

/* crossing[v], for the tree's nodes in heap order (root 1, children 2v and 2v + 1, leaf e 2^height + e):
 * messages with exactly one end below v, which cross the edge above v. 2^(height + 1) words. O(messages +
 * endpoints). */
void count_crossings(const bough_net *net, const bough_batch *batch, unsigned height, uint64_t *crossing);

/* The same of one message between every ordered pair of endpoints. */
void count_all_crossings(uint64_t endpoints, unsigned height, uint64_t *crossing);

/* Lg of the weight of the edge above a node of this height. */
typedef unsigned (*edge_weight)(unsigned node_height);
/* The maximum of crossing over weight. */
double crossing_factor(const uint64_t *crossing, unsigned height, edge_weight lg_weight);

/* Weight 2^ceil(h/2), with the height h of an edge taken at its lower end (the paper leaves this open). So an
 * endpoint's own edge has weight 1, where a channel of the pruned butterfly has capacity 2, and eta lies
 * between lambda and 2 lambda there. */
unsigned reference_lg_weight(unsigned node_height);

/* The maximum number of messages that one endpoint sends, or receives; count: scratch of `endpoints`
 * words. */
uint64_t message_degree(const bough_net *net, const bough_batch *batch, uint32_t *count);

/* Difficulty of a batch for any network: the reference load factor eta, and the degree. */
typedef struct message_difficulty {
    double eta;
    uint64_t degree;
} message_difficulty;
bough_status message_difficulty_measure(const bough_net *net, const bough_batch *batch,
                                        message_difficulty *difficulty, bough_error *error);

#endif
