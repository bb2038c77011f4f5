/* One pass over all pairs under one routing: shift by shift, and random permutations. */
#ifndef BOUGH_FABRIC_CHECK_PAIRS_CHECK_PASS_H
#define BOUGH_FABRIC_CHECK_PAIRS_CHECK_PASS_H

#include "fabric/check/check_routing.h"
#include "loads/link_sums.h"
#include "loads/pair_tally.h"
#include "network/hosts.h"

typedef struct failed_pair {
    uint64_t source, address, at;
} failed_pair;

/* What a permutation comes to: its most loaded link, the time (flows over rate) of its slowest one, and what
 * the endpoints' own links would take at the nominal rate, which is all that an ideal network takes. */
typedef struct outcome {
    double max, time, ideal;
} outcome;

typedef struct check_pass {
    const bough_routing *routing;
    const bough_net *net;
    const bough_check_options *options;
    arena *memory; /* of the pass */
    bough_check_result *result;
    net_plane_order planes;                             /* shifts and permutations are within planes */
    outcome *shift;                                     /* per k */
    failed_pair failed[SPREAD_LOOP + 1][PAIR_EXAMPLES]; /* by the way they end; in the order of shifts */
    unsigned failures[SPREAD_LOOP + 1];
    bool *of_endpoint; /* [links]: check_endpoint_links */
    bough_link_rates rates;
    struct check_channels *channels; /* where messages across channels are counted; else NULL */
    double part;                     /* of the progress: that of all shifts */
    outcome *random;                 /* per permutation */
    uint64_t found;                  /* the first permutations, whose outcomes were found with the shifts */
    uint64_t flows;                  /* of the pairs that are followed one by one */
    atomic_ullong done;              /* of these */
} check_pass;

/* Reports progress after some flows. Called after every one that is followed alone: on a large tree it can
 * have many thousand paths. Errors: INTERRUPTED. */
bough_status check_flows_done(check_pass *pass, unsigned count, bough_error *error);
/* Follows a flow to the first address of an endpoint, and adds its loads. */
bough_status check_send(check_pass *pass, link_sums *sums, uint64_t source, uint64_t target,
                        bough_error *error);
/* What the loads that were added come to; adds them to total (may be NULL) and clears them. */
outcome check_settle(const check_pass *pass, link_sums *sums, double *total);

/* Sets what the result and the examples say about pairs. */
void check_take_pairs(check_pass *pass, const pair_tally *tally);

/* The outcome of every shift, result->load, and the counts of pairs. One pair after the other; on one tree
 * for each address, where the routing allows it. */
bough_status check_pairs_follow(check_pass *pass, bough_error *error);
bool check_trees_fit(const check_pass *pass);
/* Also the first pass->found permutations; found <= PERMUTATION_BATCH. */
bough_status check_trees_follow(check_pass *pass, bough_error *error);

/* The outcomes of the random permutations from pass->found on; the same for any number of threads. Errors:
 * NO_MEMORY, INTERRUPTED. */
bough_status check_permutations(check_pass *pass, bough_error *error);

/* ---- messages across channels, on trees that spread evenly ---- */

typedef struct check_channels check_channels;
/* Whether loads follow from channels: a tree that spreads evenly, and a routing that selects at random. */
bool check_channels_fit(const bough_routing *routing);
/* *channels is NULL if loads do not follow from channels. Memory: endpoints x levels. */
bough_status check_channels_make(const check_pass *pass, check_channels **channels, bough_error *error);
/* As check_pairs_follow. Cost: endpoints x levels. */
void check_channels_follow(check_pass *pass, const check_channels *channels);
/* image: [endpoints]: endpoint e sends to image[e], or nothing if that is e. */
outcome check_channels_permutation(const check_pass *pass, check_channels *channels, const uint32_t *image);

/* ---- rates ---- */

/* Of the links of endpoints: [links]. */
bough_status check_endpoint_links(const bough_net *net, arena *memory, bool **of_endpoint,
                                  bough_error *error);
/* 1 for all links where they are equal. */
static inline double check_rate(const check_pass *p, uint64_t link) {
    return (double)bough_link_actual(p->net, &p->rates, link);
}
/* Adds a link of this rate to an outcome. */
static inline void outcome_add(outcome *o, double load, double rate) {
    if (load > o->max) o->max = load;
    if (load / rate > o->time) o->time = load / rate;
}
static inline void outcome_join(outcome *o, const outcome *from) {
    if (from->max > o->max) o->max = from->max;
    if (from->time > o->time) o->time = from->time;
    if (from->ideal > o->ideal) o->ideal = from->ideal;
}
/* Adds an endpoint's link. */
static inline void outcome_add_ideal(const check_pass *p, outcome *o, double load) {
    double ideal = load / (p->rates.equal ? 1 : (double)p->rates.nominal);
    if (ideal > o->ideal) o->ideal = ideal;
}

#endif
