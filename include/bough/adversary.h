/* The permutation that hurts a routing most: the largest load that any permutation of the endpoints can put
 * on one directed link, with a permutation that does it.
 *
 * A flow of an oblivious routing goes the same way whatever else is sent, so the pairs (source, destination)
 * that use a link are known, and the flows that one permutation can send over it are a matching of sources
 * to destinations among these pairs. The largest load of a link is the size of its largest matching; where
 * routes are spread at random over links, the largest expected load is the weight of the heaviest one, by
 * the pairs' shares. Under a via that is uniform over all endpoints (Valiant) every permutation that moves
 * every endpoint comes to the same expected load, twice the all-to-all load over n. A routing that looks at
 * what is free or loaded has no such pairs and is refused. */
#ifndef BOUGH_ADVERSARY_H
#define BOUGH_ADVERSARY_H

#include "bough/routing.h"

#include <stdatomic.h>

typedef struct bough_adversary_options {
    unsigned threads;                              /* 0: one */
    atomic_bool *stop;                             /* set from outside: ends with INTERRUPTED; may be NULL */
    void (*progress)(void *context, double share); /* called by one thread at a time; may be NULL */
    void *progress_context;
} bough_adversary_options;

/* Flows are counted from endpoint to endpoint, at its first address; of a routing that looks at the flow's
 * key (hash), that of source s has the key s, which is what a permutation's message has that is sent by every
 * endpoint in order. */
typedef struct bough_adversary_result {
    bool expected;  /* load is an expected value: the routing chooses at run time */
    bool any;       /* every permutation without fixed points has this expected load (Valiant) */
    double load;    /* flows on the fullest link of the worst permutation; 0: no pair is routed */
    uint64_t link;  /* that link: the smallest id, where several can have the load; BOUGH_NONE: none */
    uint64_t flows; /* of the permutation over that link */
    uint64_t open;  /* links that counting their sources and destinations did not rule out; 0 if expected */
    uint32_t *destination; /* [endpoint]: the permutation, owned. Endpoints without a flow over the link are
                            * put together in ascending order, fixed points only where nothing else is left */

    /* Theorem 1 of valiant1982; deterministic routings only. bound <= counted <= load. */
    uint64_t bound;        /* bough_adversary_bound of the network; 0: expected, or pairs are not routed */
    uint64_t counted;      /* flows on one link that the theorem's own argument finds under this routing */
    uint64_t counted_link; /* BOUGH_NONE: none */
    uint32_t *counted_destination; /* [endpoint]: its permutation; NULL if expected; owned */

    uint64_t pairs, routed; /* ordered pairs of different endpoints; those that are not routed are left out */
    uint64_t failed_source, failed_destination; /* the first of these pairs; BOUGH_NONE: none */
    uint64_t failed_at;                         /* the node where its way ends */
} bough_adversary_result;

/* Every pair is followed twice or more. */
#define BOUGH_ADVERSARY_ENDPOINTS 65536
/* ... and on every way there is, where the routing chooses. */
#define BOUGH_ADVERSARY_CHOOSING 2048

/* Whether the routing can be asked: UNSUPPORTED with the reason for picks that see the network's state,
 * TOO_LARGE beyond the limits above. what: who asks, for the message. O(1). */
bough_status bough_adversary_check(const bough_routing *routing, const char *what, bough_error *error);

/* Bytes that bough_adversary_find takes with so many threads; more only where one link alone has more than
 * 16 million pairs (it says so if that does not fit). */
uint64_t bough_adversary_bytes(const bough_routing *routing, unsigned threads);

/* Finds it, exactly (expected values: but for rounding; loads closer than 1e-9 are equal). The same result
 * for any number of threads. Cost: all pairs times path length, three times; then a matching, O(pairs
 * sqrt(endpoints)), for the few links whose numbers of sources and destinations leave it open. Errors: as
 * bough_adversary_check, INTERRUPTED; INVALID under a via, naming a pair, where not all are routed. The
 * result is to be freed with bough_adversary_fini. */
bough_status bough_adversary_find(const bough_routing *routing, const bough_adversary_options *options,
                                  bough_adversary_result *result, bough_error *error);
void bough_adversary_fini(bough_adversary_result *result);

/* Writes the permutation for `messages:FILE`, with a comment that says what it is of:
 * bough_permutation_write. */
bough_status bough_adversary_write(const bough_routing *routing, const bough_adversary_result *result,
                                   const char *path, bough_error *error);

/* Theorem 1 of valiant1982 (Borodin, Hopcroft: "Routing, merging and sorting on parallel models of
 * computation", 1985) with its constants: whatever the deterministic oblivious routing, a permutation of
 * `endpoints` puts at least so many flows on one of `links` directed links, and needs as many steps, if at
 * most `degree` links end at a node (1 <= degree).
 *
 * To a destination v, let S be the links that at least k sources' routes to v use, and W the nodes where they
 * start, with v. A route from an endpoint outside W enters W by a link that is not in S (or it would start in
 * W), so by one of at most degree |W| links that k - 1 routes use at most: endpoints <= |W| (1 + (k - 1)
 * degree), and |S| >= |W| - 1. Summed over all v and shared out over the links, some link serves
 *     t = endpoints (endpoints / (1 + (k - 1) degree) - 1) / links
 * destinations or more, each for k sources or more, so min(k, t) sources and destinations can be paired on
 * it one after the other. The bound is the best over k, with every fraction rounded up; with all nodes
 * endpoints it is at least the whole part of sqrt(n) / degree, more than the paper's sqrt(n / degree^3).
 * O(bound). */
uint64_t bough_adversary_bound(uint64_t endpoints, uint64_t degree, uint64_t links);

/* The largest load of transpose and of bit reversal on the hypercube of 2^dimensions nodes under bit fixing,
 * from either end: 2^(m/2 - 1), m = dimensions rounded down to even; 0 for one dimension. */
uint64_t bough_bitfix_load(unsigned dimensions);

#endif
