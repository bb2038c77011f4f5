/* Deadlock: the channel dependency graph of a routing (Dally, Seitz: "Deadlock-free message routing in
 * multiprocessor interconnection networks", 1987). A head that holds link a and asks for link b makes b
 * depend on a. Without a cycle no worm and no circuit can wait for itself; with one they can. */
#ifndef BOUGH_DEADLOCK_H
#define BOUGH_DEADLOCK_H

#include "bough/routing.h"

/* Links of a cycle, each depending on the one before, the first on the last. count == 0: there is none. */
typedef struct bough_link_cycle {
    uint64_t *link; /* owned by the caller: bough_link_cycle_fini */
    uint64_t count;
    uint64_t dependencies; /* edges of the graph; 0 where it need not be built */
} bough_link_cycle;

/* Looks for a cycle, over every source and address: a shortest one through one of its links, always the same.
 * Every eligible link is taken to be possible, dead ones apart. A head that finds no way on, or comes to a
 * wrong endpoint, or turns in a loop, counts as far as it gets: it holds those links too.
 *
 * Where the routing is ranked no cycle can be, and this is O(1). Else O(addresses x links x group), or
 * O(pairs x hops x group) where the source matters (see bough_routing_kind); memory: 41 bytes a link, and a
 * bit for each input and output of a switch. Errors: UNSUPPORTED for a routing by way of random nodes,
 * TOO_LARGE, NO_MEMORY. */
bough_status bough_deadlock_find(const bough_routing *routing, bough_link_cycle *cycle, bough_error *error);
void bough_link_cycle_fini(bough_link_cycle *cycle);

/* "a/1 -> b/2 waits for b/3 -> c/1 waits for ... waits for the first"; of more than limit links (0: all) the
 * first limit and how many follow. Heap string; NULL when out of memory. count must not be 0. */
char *bough_link_cycle_text(const bough_net *net, const bough_link_cycle *cycle, uint64_t limit);

#endif
