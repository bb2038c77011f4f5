/* Effects of single failures under forwarding tables: every cable or every switch removed, one at a time.
 *
 * A routing with one link per (node, address) is a set of forwarding tables. For routings that choose at run
 * time, bough computes minimal tables by the rule below. Each failure is evaluated twice:
 *   as is     Tables stay. Pairs whose path crosses the dead element are lost; loads are those of the rest.
 *   rerouted  Engines that bough has (minhop, updn) compute their tables anew, without the dead element
 *             (`anew`), unless that takes more than BOUGH_FAILURES_ANEW_STEPS for all failures of a list or
 *             curve. Other tables are repaired locally, as follows.
 *
 * For each address that lost a pair, every node whose path to it crossed the dead element gets a new entry:
 * among its links on remaining shortest paths, one with the fewest addresses; ties are broken round robin,
 * from link number (node + endpoint). Addresses are processed in ascending order, and for each of them the
 * nodes. All other entries stay. This is how minimal-hop routing balances ports, except for ties. Deadlocks
 * are not considered. A lost pair is disconnected (`cut`) if no path remains.
 *
 * Each endpoint is represented by its first address. Loads are flows on directed links under all-to-all, and
 * the maximum link load of each shift permutation, as in fabric/check/check_routing.h. */
#ifndef BOUGH_FABRIC_FAILURES_FAILURES_H
#define BOUGH_FABRIC_FAILURES_FAILURES_H

#include "base/memory/arena.h"
#include "base/statistics.h"
#include "network/faults/faults.h"
#include "routing/routing.h"

#include <stdatomic.h>

typedef struct bough_failures_options {
    unsigned threads;  /* 0: one */
    atomic_bool *stop; /* set by the caller: end with INTERRUPTED; may be NULL */
    void (*progress)(
        /* reports the completed fraction; called by one thread at a time; may be NULL */
        void *context, double share);
    void *progress_context;
    arena *memory; /* of the lists and curves that are found; needed for these */
} bough_failures_options;

/* Loads of the fabric in one state. */
typedef struct bough_failure_load {
    uint64_t pairs;        /* pairs that are routed */
    uint64_t alltoall_max; /* flows on the most loaded link */
    double alltoall_mean;  /* mean flows on live links between switches; 0: there are none */
    /* Time of all-to-all, relative to the whole fabric: that of its slowest link (flows over rate; flows if
     * rates are unknown), links of endpoints included; 1 if that is 0. NAN if pairs of the whole fabric are
     * missing: less traffic takes less time. */
    double slowdown;
    bool hosts_limit;   /* no link takes longer than the slowest one of an endpoint */
    uint64_t shift_max; /* maximum link load over all shifts */
    double shift_mean;  /* mean over shifts of their maximum link load */
} bough_failure_load;

typedef struct bough_failure {
    uint64_t link; /* a cable: the lower of its two links; BOUGH_NONE: a switch */
    uint64_t node; /* a switch; BOUGH_NONE: a cable */
    uint64_t lost; /* pairs whose path crossed it */
    uint64_t cut;  /* lost pairs without a remaining path */
    uint64_t own;  /* cut pairs from or to endpoints attached to the switch itself */
    uint64_t gone; /* endpoints that lost all of their pairs */
    /* Number of consecutive failures with the same figures (shift_mean to two decimals), of which this is the
     * first; 0: not the first. */
    uint64_t alike;
    bough_failure_load as_is, rerouted;
    bool anew; /* rerouted: the routing was computed anew; else its tables were repaired locally */
} bough_failure;

typedef struct bough_failures bough_failures; /* a fabric under tables, prepared for queries */

/* Checks the preconditions of bough_failures_create. Errors: UNSUPPORTED for routings whose links depend on
 * the sender or on loads (routings that choose at random are replaced by computed tables); TOO_LARGE from
 * 2^16 endpoints, or if the memory of one thread is not available. O(1). */
bough_status bough_failures_check(const bough_routing *routing, bough_error *error);

/* Prepares a fabric; borrows the routing. Cost: pairs x path length. Memory: 4 bytes per node and endpoint, 4
 * per switch on the path of each pair; per thread 2 per link and endpoint, and 4 per pair of endpoints. Uses
 * as many threads as fit. Errors: those of bough_failures_check; INTERRUPTED. */
bough_status bough_failures_create(const bough_routing *routing, const bough_failures_options *options,
                                   bough_failures **failures, bough_error *error);
void bough_failures_destroy(bough_failures *failures);    /* NULL is allowed */
bool bough_failures_made(const bough_failures *failures); /* true: bough computed the tables */
/* The loads of the whole fabric; slowdown 1. */
const bough_failure_load *bough_failures_whole(const bough_failures *failures);

/* Evaluates the simultaneous failure of all links whose bits are set. link and node of the result are
 * BOUGH_NONE, own is 0. */
bough_status bough_failures_dead(const bough_failures *failures, const uint64_t *dead, bough_failure *result,
                                 bough_error *error);

/* Each failure takes endpoints x (endpoints + links). */
#define BOUGH_FAILURES_ANEW_STEPS 1e10

typedef struct bough_failure_list {
    char *spec;       /* canonical */
    bool anew;        /* `rerouted` is the routing computed anew; else a local repair of its tables */
    const char *what; /* "cable", "switch" */
    /* Worst first: by cut - own, cut, slowdown, shift_max, shift_mean, lost; then by id. */
    bough_failure *item;
    size_t count;
    size_t idle;     /* elements that no pair crosses */
    size_t harmless; /* failures that disconnect no pair and increase no load after rerouting; includes idle
                        ones */
} bough_failure_list;

/* Evaluates every single failure. spec: "each:cable" or "each:switch", with of=leaf, spine or all (leaf:
 * switches with endpoints, and their cables) and level=. Cables of endpoints are included only with level=0.
 * Dead elements are skipped. Cost: lost pairs x path length, and per failure and leaf switch with lost pairs
 * one search of the fabric. Results do not depend on the number of threads. Errors: INVALID for the spec, or
 * if nothing matches it; INTERRUPTED. */
bough_status bough_failures_each(bough_failures *failures, const char *spec,
                                 const bough_failures_options *options, bough_failure_list *list,
                                 bough_error *error);
/* Adds a warning ("faster-without") for the failure of the list that speeds all-to-all up most, where one
 * does without disconnecting a pair. */
bough_status bough_failures_faster(const bough_failures *failures, const bough_failure_list *list,
                                   bough_findings *findings, bough_error *error);
/* The failure of a list after which all-to-all is fastest, if it disconnects no pair and takes less time than
 * that of the whole fabric by BOUGH_FAILURE_FASTER or more, as less can be due to the order in which tables
 * are rerouted; else NULL. */
#define BOUGH_FAILURE_FASTER 0.05
const bough_failure *bough_failure_fastest(const bough_failure_list *list);
/* Adds a warning ("single-point") for every failure that disconnects more than the hosts attached to it. */
bough_status bough_failures_warn(const bough_failures *failures, const bough_failure_list *list,
                                 bough_findings *findings, bough_error *error);
/* Description of `each`, for lists of kinds only: it creates no network and is not in bough_fault_kinds. */
extern const bough_fault_kind bough_fault_each;
/* True if the kind of a fault spec is `each`. */
bool bough_failures_is_each(const char *spec);
/* Whether it asks for a curve of degradation: its share is a range, a..b. */
bool bough_failures_is_curve(const char *spec);

/* ---- single points of failure, whatever the routing ---- */

/* A cable or a switch without which pairs of endpoints have no path. */
typedef struct bough_single_point {
    uint64_t link;  /* a cable: the lower of its two links; BOUGH_NONE: a switch */
    uint64_t node;  /* a switch; BOUGH_NONE: a cable */
    uint64_t own;   /* endpoints of the switch itself */
    uint64_t pairs; /* ordered pairs that it alone joins; of a switch without those of its own endpoints */
} bough_single_point;

typedef struct bough_single_points {
    const char *unknown;      /* why they were not looked for, static; NULL: they were */
    uint64_t pairs;           /* ordered pairs of endpoints that have a path */
    bough_single_point *item; /* [count], the worst first */
    size_t count, cables, switches;
} bough_single_points;

/* Cables of endpoints are left out. Needs cables that work in both directions, and endpoints with one switch
 * each. Linear in nodes and links. memory: of the items. Errors: TOO_LARGE, NO_MEMORY. */
bough_status bough_single_points_find(const bough_net *net, arena *memory, bough_single_points *points,
                                      bough_error *error);
/* Adds a warning ("single-point") for each, up to 20. */
bough_status bough_single_points_warn(const bough_net *net, const bough_single_points *points,
                                      bough_findings *findings, bough_error *error);

/* Degradation curve: for each fraction, a number of draws of a fault kind with share and key (`links`,
 * `cables`, `chips`, modules). Keys count up from the key of the spec, so draws with one key are nested along
 * the curve. */
typedef struct bough_degradation_step {
    double share;
    bough_stats as_is, rerouted;            /* connected pairs as a fraction of those of the whole fabric */
    bough_stats max, mean, slowdown, shift; /* rerouted: alltoall_max, alltoall_mean, slowdown, shift_mean;
                                               slowdown: of the draws in which no pair is disconnected */
    double worst;                           /* minimum of rerouted over the draws */
} bough_degradation_step;

typedef struct bough_degradation {
    char *spec; /* as given, without its share= */
    bough_degradation_step *step;
    size_t count;
    uint64_t trials;
    bool anew; /* as in bough_failure_list */
} bough_degradation;

typedef struct bough_degradation_ask {
    const char *spec;    /* a fault without share=, as "links:level=1,key=7" */
    const double *share; /* the fractions */
    size_t shares;
    uint64_t trials; /* draws of each */
} bough_degradation_ask;

/* Computes a degradation curve. Errors: INVALID for the spec and for draws that leave nothing; INTERRUPTED.
 * Cost: trials x shares x all pairs. */
bough_status bough_failures_degrade(bough_failures *failures, const bough_degradation_ask *ask,
                                    const bough_failures_options *options, bough_degradation *result,
                                    bough_error *error);

#endif
