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

/* Looks for a cycle, over every source and address: a shortest one through the first link that is on any.
 * Where the routing is ranked no cycle can be, and this is O(1). Else O(addresses x nodes x eligible links),
 * under an oblivious routing O(pairs x hops); memory: the graph. Errors: TOO_LARGE, NO_MEMORY. */
bough_status bough_deadlock_find(const bough_routing *routing, bough_link_cycle *cycle, bough_error *error);
void bough_link_cycle_fini(bough_link_cycle *cycle);

#endif
