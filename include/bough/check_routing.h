/* What `bough check` knows of a fabric under a routing: who reaches whom, over how many switches, and how
 * flows share links under all-to-all, all shifts, and random permutations. */
#ifndef BOUGH_CHECK_ROUTING_H
#define BOUGH_CHECK_ROUTING_H

#include "bough/routing.h"
#include "bough/stats.h"

#include <stdatomic.h>

typedef struct bough_check_options {
    uint64_t seed, permutations; /* random permutations to draw; 0: none */
    unsigned threads;
    atomic_bool *stop;                             /* may be NULL */
    void (*progress)(void *context, double share); /* called by one thread at a time; may be NULL */
    void *progress_context;
} bough_check_options;

#define BOUGH_HOPS_MAX 64

/* Loads are flows on one directed link, endpoint links included. A share compares with a network in which
 * only the endpoints' own links limit: 1 is ideal; NAN where link rates are unknown. */
typedef struct bough_check_result {
    uint64_t endpoints, pairs, routed; /* pairs: ordered pairs of different endpoints (all their addresses) */
    uint64_t no_entry, wrong_adapter, loops;
    uint64_t hops[BOUGH_HOPS_MAX]; /* routed pairs by switches on the path (the first of several paths) */
    bool expected;                 /* loads are expected values, as the routing chooses at run time */
    double alltoall_max, alltoall_share;
    uint64_t alltoall_link;
    double shift_max, shift_mean, shift_share_mean, shift_share_min;
    uint64_t shift_worst_k;           /* the smallest k with the largest load */
    bough_stats random, random_share; /* largest load of a random permutation, and the share it leaves */
    uint64_t unused_links;            /* alive links that no pair uses */
    double *load;                     /* per link: flows under all-to-all; owned */
    double *shift;                    /* [k], k = 1 .. endpoints-1: largest load of shift k; owned */
} bough_check_result;

/* Adds to findings: pairs without a route (why, with examples), loops, a cycle of dependencies (an error of
 * tables, a warning of other routings; see deadlock.h), links never used. Cost: all pairs times path length.
 * Results are the same for any number of threads. */
bough_status bough_check_routing(const bough_routing *routing, const bough_check_options *options,
                                 bough_check_result *result, bough_findings *findings, bough_error *error);
void bough_check_fini(bough_check_result *result);

/* What is irregular about a fabric's wiring: unequal numbers of cables between a leaf and its spines, links
 * between switches of one level, switches without a way up, mixed link rates, endpoints above the leaves. */
bough_status bough_check_wiring(const bough_net *net, bough_findings *findings, bough_error *error);

#endif
