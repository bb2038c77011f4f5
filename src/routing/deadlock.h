/* Deadlock search in the channel dependency graph of a routing (Dally, Seitz: "Deadlock-free message routing
 * in multiprocessor interconnection networks", 1987). Link b depends on link a if a message may hold a while
 * it requests b. Without a cycle, worms and circuits cannot deadlock. */
#ifndef BOUGH_ROUTING_DEADLOCK_H
#define BOUGH_ROUTING_DEADLOCK_H

#include "routing/routing.h"

/* The links of a cycle; each depends on the one before it, the first on the last. count 0: no cycle. */
typedef struct bough_link_cycle {
    uint64_t *link; /* owned by the caller: bough_link_cycle_fini */
    uint64_t count;
    uint64_t dependencies; /* edges of the graph; 0 if it was not built */
} bough_link_cycle;

/* Searches for a cycle over all sources and addresses. The result is a shortest cycle through one of its
 * links, and is deterministic. Every live eligible link counts as possible. Routes that end on their way,
 * reach a wrong endpoint or loop count up to that point, because such messages hold links too.
 *
 * O(1) if the routing is ranked, as no cycle is possible. Otherwise O(addresses x links x group), or O(pairs
 * x hops x group) if routes depend on the sender (see bough_routing_kind). Memory: 41 bytes per link, one bit
 * per pair of an input and an output of a switch. Errors: UNSUPPORTED for routings with an intermediate node,
 * TOO_LARGE, NO_MEMORY. */
bough_status bough_deadlock_find(const bough_routing *routing, bough_link_cycle *cycle, bough_error *error);
/* The same for one phase of a routing with an intermediate node (other routings have one phase). If each
 * phase has virtual channels of its own, a message of the second phase holds those of the first and requests
 * those of the second, and never the reverse: any cycle lies within a phase, and there is none if none is
 * found. */
bough_status bough_deadlock_find_in_phase(const bough_routing *routing, bough_link_cycle *cycle,
                                          bough_error *error);
void bough_link_cycle_fini(bough_link_cycle *cycle);

/* Formats a cycle: "a/1 -> b/2 waits for b/3 -> c/1 waits for ... waits for the first". With limit > 0, lists
 * only the first limit links and counts the rest. count must not be 0. The caller frees the string; NULL if
 * out of memory. */
char *bough_link_cycle_text(const bough_net *net, const bough_link_cycle *cycle, uint64_t limit);

#endif
