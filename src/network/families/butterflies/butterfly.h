/* The pruned butterfly of bay1991 in the butterfly with as many leaves (figure 2): every vertex and every
 * edge of pruned:n=N is one of butterfly:n=N, and the leaves are the same. */
#ifndef BOUGH_NETWORK_FAMILIES_BUTTERFLIES_BUTTERFLY_H
#define BOUGH_NETWORK_FAMILIES_BUTTERFLIES_BUTTERFLY_H

#include "network/net.h"

/* The node of butterfly:n=2^lg_leaves for a node of pruned:n=2^lg_leaves (lg_leaves even, at most 46);
 * BOUGH_NONE if there is no such node. Nodes that are joined in the pruned butterfly are joined in the
 * butterfly. */
uint64_t bough_butterfly_node(unsigned lg_leaves, uint64_t node);

#endif
