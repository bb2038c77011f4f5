/* Faults: a network without some of its chips and links.
 *
 * A spec names the dead parts: `chips:share=5%`, `links:share=1%,key=7`, `name:s2.3/1`; + joins several.
 * Draws depend on the kind and its key only. Draws with one key are nested: a larger fraction includes a
 * smaller one. mode= selects how routes react:
 *   masked    Neighbours disable dead links, which are never eligible. A message may still reach a switch
 *             that has no remaining route, and is refused there.
 *   blind     Routes do not change. Messages that take a dead link are lost.
 *   rerouted  Routes are recomputed for what remains; every route ends at its address.
 * Slow parts (slow:) stay: their links have a fraction of their rate, and computations on their hosts take
 * longer (bough_net.speeds). Of several on one part the slowest counts. They do not change routes.
 *
 * If any of several joined faults has mode=rerouted, routes avoid all masked and rerouted faults.
 *
 * Rerouting: networks with group_coverage keep their own routes. Each group stores which of its links still
 * lead to which subtrees, and which subtrees cannot be entered from outside. This takes one pass from the
 * endpoints up and one from the roots down, over affected groups only. Memory and time grow with the number
 * of dead parts and the groups beside and below them, not with switches times endpoints. Other networks
 * (imported fabrics) use all remaining shortest paths: O(switches x leaf switches x ports) time, 4 bytes per
 * switch and leaf switch. If these paths leave a switch by several groups, the largest subset within one
 * group is used. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTS_H
#define BOUGH_NETWORK_FAULTS_FAULTS_H

#include "base/memory/arena.h"
#include "network/net.h"

typedef struct bough_fault_marks bough_fault_marks; /* dead parts found so far */

typedef struct bough_fault_kind {
    const char *name, *summary, *source;
    const bough_param *params;
    bough_status (*mark)(const bough_args *args, bough_fault_marks *marks, bough_error *error);
} bough_fault_kind;

/* Ends with NULL. Networks with modules (bough_net.modules) also accept the plurals of their names as kinds,
 * with the parameters of the kind `parts`. */
extern const bough_fault_kind *const bough_fault_kinds[];

/* What was removed from a network (net->faults). */
struct bough_fault_report {
    const bough_net *base; /* the original network */
    char *spec;            /* canonical; NULL: made from bits */
    /* dead, in any mode; cables: those with one or both directions dead */
    uint64_t chips, switches, links, cables;
    uint64_t lost;      /* links that lose messages */
    uint64_t endpoints; /* endpoints that cannot send, or cannot be reached */
    /* slow parts that are alive; slow_cables: cables with a slow direction, those of endpoints included */
    uint64_t slow_links, slow_cables, slow_hosts;
    double rate_least, compute_most; /* fraction of the slowest link; factor of the slowest host */
    bool rerouted;
    uint64_t bytes; /* memory in addition to the network's own */
};

/* Creates base without the parts that spec names; "none" removes nothing. The result has the ids of base and
 * borrows it: destroy it before base. Capabilities that faults break are removed (EVEN, shapes); RANKS
 * remains for rerouted shortest paths only if routes still ascend. Cost: see above. Errors: INVALID for
 * fractions out of range, unknown kinds and names (with the nearest), kinds that the network does not have,
 * and faults that leave nothing of the parts drawn from or no endpoint that can send; TOO_LARGE from 2^32
 * links. */
bough_status bough_net_with_faults(const bough_net *base, const char *spec, bough_net **net,
                                   bough_error *error);

/* Names the dead part that leaves an endpoint without a live cable: "switch s1.2", else "the cable of h3".
 * Returns buffer; empty: the endpoint has a live cable. */
char *bough_dead_part(const bough_net *net, uint64_t endpoint, char *buffer, size_t size);

/* Joins specs: "a+b". The caller frees *joined; it is NULL if count is 0. Errors: NO_MEMORY. */
bough_status bough_faults_join(const char *const *spec, size_t count, arena *memory, char **joined,
                               bough_error *error);

#endif
