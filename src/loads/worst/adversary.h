/* Worst-case permutations: the largest load that any permutation of the endpoints puts on one directed link
 * under a routing, and a permutation with that load.
 *
 * Under an oblivious routing the path of a flow does not depend on other flows, so the pairs (source,
 * destination) that use a link are fixed. The flows of one permutation over the link are a matching among
 * these pairs, and its largest load is the size of a maximum matching. If paths are spread at random over
 * links, the largest expected load is the weight of a maximum-weight matching, with the fraction of each pair
 * on the link as weight. With an intermediate node drawn uniformly from all endpoints (Valiant), every
 * permutation without fixed points has the same expected load: twice the all-to-all load over n. Routings
 * that depend on free links or loads are refused. */
#ifndef BOUGH_LOADS_WORST_ADVERSARY_H
#define BOUGH_LOADS_WORST_ADVERSARY_H

#include "routing/routing.h"

#include <stdatomic.h>

typedef struct bough_adversary_options {
    unsigned threads;  /* 0: one */
    atomic_bool *stop; /* set by the caller: end with INTERRUPTED; may be NULL */
    void (*progress)(
        /* reports the completed fraction; called by one thread at a time; may be NULL */
        void *context, double share);
    void *progress_context;
} bough_adversary_options;

/* Result of bough_adversary_find. Flows run from endpoint to endpoint, to its first address. For routings
 * that use the key of the flow (hash), the flow of source s has key s, the message number in a
 * permutation. */
typedef struct bough_adversary_result {
    bool expected;  /* load is an expected value: the routing chooses at run time */
    bool any;       /* every permutation without fixed points has this expected load (Valiant) */
    double load;    /* flows of the worst permutation on its most loaded link; 0: no pair is routed */
    uint64_t link;  /* that link (smallest id); BOUGH_NONE: none */
    uint64_t flows; /* flows of the permutation on that link */
    uint64_t open;  /* links not ruled out by counting their sources and destinations; 0 if expected */
    /* [endpoints]: the permutation, owned. Endpoints without a flow over the link are matched in ascending
     * order, with fixed points only if unavoidable. */
    uint32_t *destination;

    /* Theorem 1 of valiant1982; deterministic routings only. bound <= counted <= load. */
    uint64_t bound;   /* bough_adversary_bound of the network; 0: expected, or some pairs are not routed */
    uint64_t counted; /* flows on one link in the theorem's construction for this routing */
    uint64_t counted_link;         /* BOUGH_NONE: none */
    uint32_t *counted_destination; /* [endpoints]: permutation of the construction; owned; NULL if expected */

    uint64_t pairs, routed; /* ordered pairs of different endpoints; unrouted pairs are left out */
    uint64_t failed_source, failed_destination; /* the first unrouted pair; BOUGH_NONE: none */
    uint64_t failed_at;                         /* the node where its path ends */
} bough_adversary_result;

/* Limit for deterministic routings: every pair is followed at least twice. */
#define BOUGH_ADVERSARY_ENDPOINTS 65536
/* Limit for random routings: every path of every pair is followed. */
#define BOUGH_ADVERSARY_CHOOSING 2048

/* Checks the preconditions of bough_adversary_find. Errors: UNSUPPORTED with the reason for routings that
 * depend on the state of the network, TOO_LARGE beyond the limits above. what: name of the caller, for the
 * message. O(1). */
bough_status bough_adversary_check(const bough_routing *routing, const char *what, bough_error *error);

/* Memory of bough_adversary_find with this number of threads, in bytes. It uses more only if a single link
 * has more than 16 million pairs, and fails if that does not fit. */
uint64_t bough_adversary_bytes(const bough_routing *routing, unsigned threads);

/* Finds a worst-case permutation, exactly (expected loads: except for rounding; loads closer than 1e-9 are
 * equal). The result does not depend on the number of threads. Cost: three times pairs x path length, and a
 * matching, O(pairs sqrt(endpoints)), for the few links that counting does not rule out. Errors: as
 * bough_adversary_check, INTERRUPTED; INVALID with a pair if an intermediate node is used and not all pairs
 * are routed. The caller frees the result with bough_adversary_fini. */
bough_status bough_adversary_find(const bough_routing *routing, const bough_adversary_options *options,
                                  bough_adversary_result *result, bough_error *error);
void bough_adversary_fini(bough_adversary_result *result);

/* Lower bound of Theorem 1 of valiant1982 (Borodin, Hopcroft: "Routing, merging and sorting on parallel
 * models of computation", 1985), with its constants: under every deterministic oblivious routing, some
 * permutation of `endpoints` puts at least this number of flows on one of `links` directed links, and so
 * takes at least as many steps. At most `degree` links (1 <= degree) end at a node.
 *
 * Proof: for a destination v, let S be the links used by the routes of at least k sources to v, and W their
 * start nodes, with v. A route from an endpoint outside W enters W by a link that is not in S (or it would
 * start in W), so by one of at most degree |W| links with at most k - 1 routes each: endpoints <= |W| (1 + (k
 * - 1) degree), and |S| >= |W| - 1. Summed over all v and averaged over the links, some link serves at least
 *     t = endpoints (endpoints / (1 + (k - 1) degree) - 1) / links
 * destinations, each for at least k sources, so min(k, t) sources and destinations can be paired on it
 * greedily. The result is the maximum over k, with all fractions rounded up. If all nodes are endpoints, it
 * is at least floor(sqrt(n) / degree), more than the paper's sqrt(n / degree^3). O(bound). */
uint64_t bough_adversary_bound(uint64_t endpoints, uint64_t degree, uint64_t links);

/* The largest load of transpose and of bit reversal on the hypercube of 2^dimensions nodes under bit fixing,
 * in either order of bits: 2^(m/2 - 1), m = dimensions rounded down to even; 0 for one dimension. */
uint64_t bough_bitfix_load(unsigned dimensions);

#endif
