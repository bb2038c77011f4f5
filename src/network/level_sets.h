/* What hangs together below a level: the nodes that links join of which no end is higher. Where a tree is cut
 * and what its subtrees are follows from the wiring alone, so that recorded fabrics have both as well. */
#ifndef BOUGH_NETWORK_LEVEL_SETS_H
#define BOUGH_NETWORK_LEVEL_SETS_H

#include "network/wiring.h"

typedef struct level_sets {
    const bough_net *net;
    uint32_t *from, *to; /* [links]: nodes */
    uint32_t *level;     /* [links]: of the higher end; BOUGH_NO_INDEX: the link joins nothing */
    uint32_t *set;       /* [nodes]: the first node of the set */
} level_sets;

/* Every node alone. keep: the links that join; NULL: all. Memory: 12 bytes a link, 4 a node. Errors:
 * TOO_LARGE from 2^32 - 1 nodes on, NO_MEMORY. */
bough_status level_sets_make(level_sets *sets, const bough_net *net, wiring_filter *keep, bough_error *error);
void level_sets_fini(level_sets *sets);
/* Joins the ends of the links of a level. Levels are to be raised one after the other. O(links + nodes). */
void level_sets_raise(level_sets *sets, unsigned level);
/* Every node alone again. */
void level_sets_part(level_sets *sets);

#endif
