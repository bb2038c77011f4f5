/* Parts of bough_adversary_find. Loads are doubles: integers if the routing is deterministic, expected values
 * if it chooses at random. */
#ifndef BOUGH_LOADS_WORST_ADVERSARY_INTERNAL_H
#define BOUGH_LOADS_WORST_ADVERSARY_INTERNAL_H

#include "loads/worst/adversary.h"
#include "loads/worst/bipartite_matching.h"

/* ---- all pairs, processed by threads ---- */

#define ADVERSARY_BLOCKS 32 /* of sources or destinations; independent of the number of threads */
#define ADVERSARY_HELD   (UINT64_C(64) << 20)

enum { ADVERSARY_LONGEST = 64 }; /* links of a path, as in flow_spread.c */

/* The links of a pair, each once; share NULL: the whole flow on each. links 0: the pair is not routed. */
typedef struct adversary_flow {
    uint32_t source, destination, links;
    const uint64_t *link;
    const double *share;
    bool joined; /* all links but the first are those of the flow before */
} adversary_flow;

typedef struct adversary_job {
    const bough_routing *routing;
    const bough_adversary_options *options;
    unsigned threads;
    bool chooses;  /* the routing spreads flows */
    uint64_t held; /* bytes of pairs held at a time, ADVERSARY_HELD */
    double told;   /* fraction of the work done before the current pass */
} adversary_job;

/* Calls visit for every pair of different endpoints, source by source or destination by destination. A row is
 * finished by the thread that started it; its context is context[block of the row] (by_block) or
 * context[thread]. part: fraction of the whole work, for progress. */
typedef struct adversary_pass {
    bool by_destination, by_block;
    void (*visit)(void *context, const adversary_flow *flow);
    void *const *context;
    double part;
} adversary_pass;
bough_status adversary_all_pairs(adversary_job *job, const adversary_pass *pass, bough_error *error);
void adversary_report_progress(adversary_job *job, double share);

/* The path of a flow of a deterministic routing, and its key: see bough_adversary_result. */
bough_flow adversary_flow_between(const bough_routing *routing, uint32_t source, uint32_t destination);

/* ---- bounds by counting ---- */

typedef struct adversary_link_bounds {
    uint64_t *pairs; /* per link: pairs that use it */
    double *bound;   /* per link: bound of the load, the smaller of two sums: of the largest fractions of its
                        sources, and of its destinations. Their numbers if flows are whole */
    uint64_t routed;
    uint64_t failed; /* first pair without a route, source * endpoints + destination; BOUGH_NONE: none */
} adversary_link_bounds;
bough_status adversary_bound_links(adversary_job *job, adversary_link_bounds *counts, bough_error *error);
void adversary_link_bounds_fini(adversary_link_bounds *counts);

/* The same bounds by one tree for each address (address_tree_fits); the arrays of counts exist.
 * adversary_trees_bytes: memory of a thread, if adapters have one cable each. */
uint64_t adversary_trees_bytes(const bough_routing *routing);
bough_status adversary_bound_by_trees(adversary_job *job, adversary_link_bounds *counts, bough_error *error);

/* ---- the remaining links ---- */

/* Flows over one link, at most one per source and one per destination. */
typedef struct adversary_matching {
    uint64_t rank; /* of the load; larger is worse */
    uint64_t link; /* BOUGH_NONE: none yet */
    double load;
    uint32_t *source, *destination; /* [flows], ascending in source; owned */
    uint64_t flows;
    size_t capacity;
} adversary_matching;
void adversary_matching_fini(adversary_matching *matching);

/* Loads that differ only by rounding have the same rank. */
uint64_t adversary_rank(double load);
/* True if a load of that rank on that link would replace the matching. Safe while other threads replace it.
 */
bool adversary_exceeds(uint64_t rank, uint64_t link, const adversary_matching *than);

/* The pairs that use a link, in any order. */
typedef struct adversary_pairs {
    uint64_t link, rank; /* rank: upper bound for this link */
    uint64_t count;
    const uint32_t *pair; /* source << 16 | destination */
    const double *share;  /* per pair; NULL: whole flows */
} adversary_pairs;

/* Workspace of one thread to match a link. */
typedef struct adversary_workspace {
    uint32_t endpoints;
    uint32_t *source, *destination; /* per endpoint: its pairs, then its number among endpoints with pairs */
    uint32_t *left_endpoint, *right_endpoint; /* left vertices are destinations, right ones sources */
    uint32_t *order, *to, *count;
    uint64_t *start;
    double *ordered, *weight;
    size_t order_capacity, to_capacity, ordered_capacity, weight_capacity;
    matching matching;
} adversary_workspace;

bough_status adversary_workspace_init(adversary_workspace *space, uint64_t endpoints, bough_error *error);
void adversary_workspace_fini(adversary_workspace *space);

/* Replaces the matchings that those of one link exceed. */
bough_status adversary_match_link(adversary_workspace *space, const adversary_pairs *pairs,
                                  adversary_matching *worst, adversary_matching *counted, bough_error *error);

/* The heaviest matching of all links, and (whole flows only) the largest by Theorem 1's argument. Ties: the
 * smallest link. */
bough_status adversary_search(adversary_job *job, const adversary_link_bounds *counts,
                              adversary_matching *worst, adversary_matching *counted, bough_error *error);

/* Assigns the endpoints without a destination (MATCHING_NONE) to each other, in ascending order. */
bough_status adversary_complete(uint32_t *destination, uint32_t endpoints, bough_error *error);

#endif
