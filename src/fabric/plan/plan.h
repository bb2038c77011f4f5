/* Planning: the fat-trees for a number of hosts and a switch radix, with their costs. */
#ifndef BOUGH_FABRIC_PLAN_PLAN_H
#define BOUGH_FABRIC_PLAN_PLAN_H

#include "bough/status.h"
#include "network/registry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_PLAN_LEVELS 4 /* levels of switches */

/* Prices of a switch, of a cable between switches, and of a host cable with its adapter. */
typedef struct bough_prices {
    double switches, cables, hosts;
    char currency[16]; /* as in the file; empty: not given */
    bool given;
} bough_prices;

/* Reads lines `item,price` (items switch, cable, host; and `currency,EUR`); # starts a comment. Errors:
 * INVALID with file:line. */
bough_status bough_prices_read(const char *path, bough_prices *prices, bough_error *error);

typedef struct bough_plan_ask {
    uint64_t hosts;  /* 1 .. 2^40 */
    uint32_t radix;  /* ports per switch: 2 .. 1024 */
    double taper;    /* largest accepted taper; >= 1 */
    unsigned levels; /* levels of switches; 0: any */
    bough_prices prices;
    void (*progress)(void *context, double share); /* may be NULL */
    void *context;
    const atomic_bool *stop; /* set from outside: ends with INTERRUPTED; may be NULL */
} bough_plan_ask;

/* An XGFT with the hosts spread evenly over its leaf switches. A node of level i has down[i] children; each
 * child has up[i] parents, with links[i] cables to each. Leaf level first, as in the spec of `xgft`. */
typedef struct bough_plan_tree {
    unsigned levels;
    uint32_t down[BOUGH_PLAN_LEVELS], up[BOUGH_PLAN_LEVELS], links[BOUGH_PLAN_LEVELS];
    uint64_t endpoints;        /* the hosts; other ports for endpoints stay free */
    uint64_t switches, cables; /* cables: between switches */
    uint64_t free_ports;
    double taper;     /* maximum over subtrees of endpoints below a switch or subtree over its cables up */
    double bisection; /* cables across the middle over half the endpoints; 1: full bisection */
    double cost;      /* 0 if prices are not given */
    char spec[160];   /* "xgft:down=16x16,up=1x8,links=1x2" */
} bough_plan_tree;

/* Returns the trees that are Pareto-optimal in switches, cables (with prices: in cost) and taper; sorted by
 * cost, or else by switches and cables. All shapes of up to three levels are considered; with four levels,
 * only those whose middle levels have equally many ports up and down. The caller frees *trees. Errors:
 * INVALID for values out of range; UNSUPPORTED if no tree fits, with values that would. Cost: about a second
 * for 128 ports and three levels, seconds for 256. */
bough_status bough_plan(const bough_plan_ask *ask, bough_plan_tree **trees, size_t *count,
                        bough_error *error);

/* Flows on the most loaded link under D-mod-K. */
typedef struct bough_plan_loads {
    double tornado;             /* every endpoint sends to the one half way around */
    double random, random_ci95; /* mean over 16 random permutations, and its 95 % interval */
} bough_plan_loads;

typedef struct bough_plan_loads_options {
    uint64_t seed;
    void (*progress)(void *context, double share); /* may be NULL */
    void *progress_context;
    const atomic_bool *stop; /* may be NULL */
} bough_plan_loads_options;

/* Beyond this number of endpoints loads are not computed. */
#define BOUGH_PLAN_LOADS_ENDPOINTS (UINT64_C(1) << 18)

/* loads: [trees]; NAN below 2 endpoints, and where there are too many. The trees have the same endpoints, as
 * those of one plan. The values are those of the method `linkload`. Cost: about 2 ms a tree for 10,000
 * endpoints, 70 ms for 100,000. */
bough_status bough_plan_loads_find(const bough_plan_tree *const *tree, size_t trees,
                                   const bough_plan_loads_options *options, bough_plan_loads *loads,
                                   bough_error *error);

/* A job to run on trees. NULL members: D-mod-K, the default setting, the built-in names, nothing to call. */
typedef struct bough_plan_job {
    const char *traffic; /* a spec: a batch or a schedule; or a file: NAME.yaml is train:NAME.yaml */
    const char *routing, *physical;
    bool spray; /* messages are divided over all their paths, as under adaptive routing */
    const bough_registry *registry;
    uint64_t seed;
    unsigned threads; /* 0: one per processor */
    atomic_bool *stop;
    /* Called once, before the first run: about how long all of them take, where it is more than
     * FORECAST_SAID_S. */
    void (*expect)(void *context, double seconds);
    void (*progress)(void *context, double share);
    void *context;
} bough_plan_job;

typedef struct bough_plan_time {
    double seconds; /* NAN: the job does not end */
    double ci95;    /* 0: exact */
    bool spray;     /* messages were divided */
    bool pareto; /* no other tree is at most as expensive (without prices: in switches and in cables) and as
                    slow, and better in one of these */
} bough_plan_time;

/* The traffic of the job as a spec, which the caller frees. Errors: INVALID, for traffic that never ends,
 * too.
 */
bough_status bough_plan_job_spec(const bough_plan_job *job, char **spec, bough_error *error);
/* What can be refused before there are trees. Errors: as below. */
bough_status bough_plan_job_check(const bough_plan_job *job, bough_error *error);

/* time: [trees], by the method `flow`. Errors: those of specs; INVALID for traffic that never ends;
 * TOO_LARGE; INTERRUPTED. */
bough_status bough_plan_times_find(const bough_plan_tree *const *tree, size_t trees,
                                   const bough_plan_job *job, bough_plan_time *time, bough_error *error);

#endif
