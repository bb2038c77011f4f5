/* What `bough check` knows of a fabric under a routing: who reaches whom, over how many switches, and how
 * flows share links under all-to-all, all shifts, and random permutations. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_ROUTING_H
#define BOUGH_FABRIC_CHECK_CHECK_ROUTING_H

#include "base/memory/arena.h"
#include "base/statistics.h"
#include "fabric/planes/planes.h"
#include "routing/routing.h"

#include <stdatomic.h>

typedef struct bough_check_options {
    arena *memory;               /* of the lists of the result */
    uint64_t seed, permutations; /* random permutations to draw; 0: none */
    unsigned threads;
    atomic_bool *stop;                             /* may be NULL */
    void (*progress)(void *context, double share); /* called by one thread at a time; may be NULL */
    void *progress_context;
} bough_check_options;

/* ---- rates of cables ---- */

/* The cables of one rate. A cable is host_cables' where one of its ends is an endpoint. */
typedef struct bough_rate_count {
    uint64_t rate; /* bit/s per direction, after line coding */
    char name[16]; /* "4xQDR"; "": the file does not say */
    uint64_t host_cables, switch_cables;
} bough_rate_count;

/* A cable below the nominal rate of its class. The classes are the cables of hosts, and for each level the
 * cables between switches whose lower end is of this level. */
typedef struct bough_slow_cable {
    uint64_t link;          /* the lower of its two links */
    uint64_t rate, nominal; /* bit/s */
    bool host;
    bool single; /* not one of so many that the class is mixed */
} bough_slow_cable;

/* One class. */
typedef struct bough_rate_class {
    unsigned level;        /* 0: of hosts */
    uint64_t nominal;      /* bit/s: the commonest rate of the class, of equally common ones the fastest */
    uint64_t cables, slow; /* with a known rate; those below nominal */
    uint64_t slowest, fastest_slow; /* rates of slow cables; 0: there is none */
    bool tie;                       /* a slower rate is as common as the nominal one */
} bough_rate_class;
/* Whether so many are slow that this is no defect of single cables: four, and a quarter of the class. */
bool bough_rate_class_mixed(const bough_rate_class *c);
/* "16 of 32 hosts have 25 Gb/s instead of 100 Gb/s"; returns buffer (200 characters are enough). */
const char *bough_rate_class_text(const bough_net *net, const bough_rate_class *c, char *buffer, size_t size);

/* Links have the rates that all methods take (bough_net_link_rate): those that the network states, and for
 * the others those of its physical setting, whose host_rate takes precedence on links of endpoints. The
 * nominal rate of a class is its commonest one, of equally common ones the fastest. */
typedef struct bough_link_rates {
    bool known;              /* the network states the rates of all links, and they are taken */
    bool equal;              /* it states none, and the setting has one rate for all links */
    bool host_rate;          /* links of endpoints have that of the setting */
    uint64_t low, high;      /* lowest and highest rate of a link, bit/s */
    uint64_t nominal;        /* of host cables, bit/s */
    uint64_t unknown;        /* cables without a rate, in a network where others may have one */
    bough_rate_count *count; /* [counts], the fastest first */
    size_t counts;
    bough_rate_class *kind; /* [kinds], ascending by level */
    size_t kinds;
    bough_slow_cable *slow; /* [slows], ascending by link */
    size_t slows;
} bough_link_rates;

/* Lists are in the memory. Dead cables are left out of counts. O(1) for networks without rates, else linear
 * in links. */
bough_status bough_link_rates_find(const bough_net *net, arena *memory, bough_link_rates *rates,
                                   bough_error *error);
/* The nominal rate of the link of a single slow cable, the rate of any other; 1 where all are equal. */
uint64_t bough_link_nominal(const bough_net *net, const bough_link_rates *rates, uint64_t link);
/* The rate of any link as it is; 1 where all are equal. */
uint64_t bough_link_actual(const bough_net *net, const bough_link_rates *rates, uint64_t link);
/* Whether links have different rates. */
static inline bool bough_link_rates_mixed(const bough_link_rates *rates) {
    return !rates->equal && rates->low < rates->high;
}
/* How many times as long a flow takes on a link as at the nominal rate of hosts; 1 where rates are not mixed.
 */
double bough_link_weight(const bough_net *net, const bough_link_rates *rates, uint64_t link);
/* What drawings that weigh flows so say; returns buffer (120 characters are enough). */
const char *bough_link_weight_text(const bough_link_rates *rates, char *buffer, size_t size);

/* ---- a routing ---- */

#define BOUGH_HOPS_MAX 64

/* Loads are flows on one directed link, endpoint links included. A share compares with the ideal: every host
 * has a link of the nominal rate (bough_link_rates), and nothing else limits. 1 is ideal; NAN where the
 * network states no rate and all links are equally fast. That of several permutations is the time of the
 * ideal over their mean time. */
typedef struct bough_check_result {
    uint64_t endpoints, pairs, routed; /* pairs: ordered pairs of different endpoints (all their addresses) */
    uint64_t no_entry, wrong_adapter, loops;
    uint64_t hops[BOUGH_HOPS_MAX]; /* routed pairs by switches on the path (the first of several paths) */
    bool expected;                 /* loads are expected values, as the routing chooses at run time */
    double alltoall_max, alltoall_share;
    uint64_t alltoall_link;  /* the most loaded one */
    uint64_t alltoall_limit; /* the one that takes longest, flows over rate: it limits alltoall_share */
    uint64_t cycle;          /* links in a cycle of dependencies, all on one virtual lane; 0: there is none */
    double shift_max, shift_mean, shift_share_mean, shift_share_min;
    uint64_t shift_worst_k; /* the smallest k with the largest load */
    uint64_t shifts;        /* k = 1 .. shifts: endpoints of the largest plane, less one */
    bough_stats random;     /* largest load of a random permutation */
    double random_share;    /* of all of them together */
    uint64_t unused_links;  /* alive links that no pair uses */
    /* As the shares, also where no rate is stated. */
    double alltoall_score, shift_score, random_score;
    double
        alltoall_repaired; /* alltoall_score if every single slow cable had the nominal rate of its class */
    double shift_time;     /* mean over shifts of the time over that of the ideal; NAN: there is none */
    double *random_time;   /* [random.count]: of each draw, over that of the ideal, 0: nothing sent */
    double *load;          /* per link: flows under all-to-all */
    double *shift;         /* [k], k = 1 .. endpoints-1: largest load of shift k */
} bough_check_result;

/* alltoall_score of each plane alone: score[planes->count]; NAN where nothing is sent. O(links). */
void bough_check_plane_scores(const bough_check_result *result, const bough_net *net,
                              const bough_link_rates *rates, const bough_planes *planes,
                              double score[BOUGH_PLANES_MAX]);

/* Whether a network is small enough, before its routings are computed. Errors: TOO_LARGE. */
bough_status bough_check_size(const bough_net *net, bough_error *error);
/* Adds to findings: pairs without a route (why, with examples), loops, a cycle of dependencies (an error of
 * tables, a warning of other routings; see deadlock.h), links never used. Cost: endpoints x
 * levels on trees that spread evenly under a random selection; endpoints x (nodes + switches with endpoints x
 * hops + links / 8) where routes depend on node and address only; else all pairs times path length. Results
 * are the same for any number of threads. */
bough_status bough_check_routing(const bough_routing *routing, const bough_check_options *options,
                                 bough_check_result *result, bough_findings *findings, bough_error *error);

/* What is irregular about a fabric's wiring: unequal numbers of cables between a leaf and its spines, links
 * between switches of one level, switches without a way up, slow cables, mixed link rates. */
bough_status bough_check_wiring(const bough_net *net, bough_findings *findings, bough_error *error);

#endif
