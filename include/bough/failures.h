/* What single failures do to a fabric: every cable, or every switch, taken away one at a time, under tables.
 *
 * A routing that names one link for (node, address) is a set of forwarding tables; where the network has none
 * (its routing chooses at run time), bough makes minimal ones, as below, from nothing. Something dies; there
 * are two answers:
 *   as is: the tables stay. Pairs whose path crosses what died are lost; the loads are those of the rest.
 *   rerouted: the tables are mended. Towards each address that lost a pair, every node from which it was not
 *     reached without crossing what died gets a new entry: of its links that lie on a shortest way that is
 *     left, one that fewest addresses use; where several do, the first of them counted round from the
 *     (node + endpoint)-th. Addresses have their turn in ascending order, and for each of them the nodes.
 *     All other entries stay. This is how minimal hop routing balances ports, but for its ties; it asks no
 *     question about deadlocks.
 * A pair is lost and not rerouted only where no way is left; it is then cut.
 *
 * Pairs go to an endpoint's first address. Loads are flows on directed links under all-to-all, and the
 * fullest link of each shift permutation, as in bough/check_routing.h. */
#ifndef BOUGH_FAILURES_H
#define BOUGH_FAILURES_H

#include "bough/faults.h"
#include "bough/routing.h"
#include "bough/stats.h"

#include <stdatomic.h>

typedef struct bough_failures_options {
    unsigned threads;                              /* 0: one */
    atomic_bool *stop;                             /* set from outside: ends with INTERRUPTED; may be NULL */
    void (*progress)(void *context, double share); /* called by one thread at a time; may be NULL */
    void *progress_context;
} bough_failures_options;

/* What a state of the fabric comes to. */
typedef struct bough_failure_load {
    uint64_t pairs;        /* that arrive */
    uint64_t alltoall_max; /* flows on the fullest link */
    double alltoall_mean;  /* flows on a link between switches that is alive, on average; 0: there is none */
    double slowdown; /* how long all-to-all takes on the slowest link between switches (flows over rate; flows
                        where rates are not known), of the same of the whole fabric; 1 where that is 0 */
    uint64_t shift_max; /* the fullest link of any shift */
    double shift_mean;  /* of each shift's fullest link */
} bough_failure_load;

typedef struct bough_failure {
    uint64_t link; /* a cable: the lower of its links; NONE: a switch */
    uint64_t node; /* a switch; NONE: a cable */
    uint64_t lost; /* pairs that crossed it */
    uint64_t cut;  /* of these, without any way that is left */
    uint64_t own;  /* of these, from or to endpoints on the switch itself */
    uint64_t gone; /* endpoints with which nobody can talk any more, of those that somebody could */
    /* Failures in a row, this one the first of them, with the same figures (shift_mean to two decimals); 0:
     * not the first. */
    uint64_t alike;
    bough_failure_load as_is, rerouted;
} bough_failure;

typedef struct bough_failures bough_failures; /* a fabric under tables, ready to be asked */

/* Whether it can be asked: UNSUPPORTED for routings that name a link by the source too, or look at loads (a
 * routing that chooses at random is replaced by tables that bough makes); TOO_LARGE from 2^16 endpoints on,
 * or where the memory of one thread is not there. O(1). */
bough_status bough_failures_check(const bough_routing *routing, bough_error *error);

/* Borrows the routing. Cost: all pairs times path length; memory 4 bytes for each node and endpoint, 4 for
 * each switch on the path of each pair, and for each thread 2 for each link and endpoint and 4 for each pair
 * of endpoints; as many threads as fit. Errors: those of bough_failures_check; INTERRUPTED. */
bough_status bough_failures_create(const bough_routing *routing, const bough_failures_options *options,
                                   bough_failures **failures, bough_error *error);
void bough_failures_destroy(bough_failures *failures);    /* NULL is fine */
bool bough_failures_made(const bough_failures *failures); /* the tables are bough's own */
/* The fabric as it stands; slowdown 1. */
const bough_failure_load *bough_failures_whole(const bough_failures *failures);

/* What happens when the links with set bits die, all at once; link and node are NONE, own is 0. */
bough_status bough_failures_dead(const bough_failures *failures, const uint64_t *dead, bough_failure *result,
                                 bough_error *error);

typedef struct bough_failure_list {
    char *spec;          /* canonical */
    const char *what;    /* "cable", "switch" */
    bough_failure *item; /* the worst first: by pairs cut but its own, then cut, by slowdown, fullest shift,
                            mean of shifts, pairs lost; then by id */
    size_t count;
    size_t idle;     /* that nothing crosses */
    size_t harmless; /* that cut nothing, and load no link and no shift more, once rerouted; idle ones too */
} bough_failure_list;

/* spec: "each:cable" or "each:switch", with of=leaf, spine or all (leaf: those that touch endpoints, or that
 * a cable joins to such a switch), level=; cables are those between switches unless level=0. Only what is
 * alive. Cost: pairs lost times path length, and for each failure and leaf switch whose endpoints lose pairs
 * one search through the fabric. Results are the same for any number of threads. Errors: INVALID for the
 * spec, or where nothing fits it; INTERRUPTED. */
bough_status bough_failures_each(bough_failures *failures, const char *spec,
                                 const bough_failures_options *options, bough_failure_list *list,
                                 bough_error *error);
void bough_failure_list_fini(bough_failure_list *list);
/* Single points of failure (warnings, "single-point"): what cuts off more than its own hosts. */
bough_status bough_failures_say(const bough_failures *failures, const bough_failure_list *list,
                                bough_findings *findings, bough_error *error);
/* For lists of what there is: it stands in no table, for it makes no network. */
extern const bough_fault_kind bough_fault_each;
/* Whether a fault spec asks for single failures: its kind is `each`. */
bool bough_failures_is_each(const char *spec);
/* Whether it asks for a curve of degradation: its share is a range, a..b. */
bool bough_failures_is_curve(const char *spec);

/* A curve of degradation: at each share so many draws of a fault kind with a share and a key (`links`,
 * `cables`, `chips`, parts). The keys are that of the spec and those after it, so the draws of one key are
 * nested along the curve. */
typedef struct bough_degradation_step {
    double share;
    bough_stats as_is, rerouted;            /* connected pairs, of those of the whole fabric */
    bough_stats max, mean, slowdown, shift; /* rerouted: alltoall_max, alltoall_mean, slowdown, shift_mean */
    double worst;                           /* the fewest connected pairs of any draw, rerouted, as a share */
} bough_degradation_step;

typedef struct bough_degradation {
    char *spec; /* as given, without its share */
    bough_degradation_step *step;
    size_t count;
    uint64_t trials;
} bough_degradation;

/* spec: without a share ("links:level=1,key=7"). Errors: INVALID for the spec, for draws that kill
 * everything; INTERRUPTED. Cost: trials times shares times all pairs. */
bough_status bough_failures_degrade(bough_failures *failures, const char *spec, const double *share,
                                    size_t shares, uint64_t trials, const bough_failures_options *options,
                                    bough_degradation *result, bough_error *error);
void bough_degradation_fini(bough_degradation *result);

#endif
