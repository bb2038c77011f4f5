/* Lower bounds of the objectives: no table has less, whatever its paths. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_BOUND_H
#define BOUGH_FABRIC_TUNE_TUNE_BOUND_H

#include "fabric/tune/tune.h"
#include "fabric/tune/tune_graph.h"

/* A set of leaves with the switches below them, as one of its links or flows leaves or enters it. */
typedef struct tune_cut {
    uint32_t switches, node; /* in it; one of them */
    uint32_t arcs;           /* that leave it; as many enter it */
    uint32_t *leave, *enter; /* borrowed from the list */
} tune_cut;

/* Single leaves, and the connected parts of the switches up to each level. */
typedef struct tune_cuts {
    tune_cut *cut; /* [count] */
    uint32_t count;
    uint32_t layers; /* partitions of the leaves into cuts; leaf cuts are the first */
    uint32_t *of;    /* [layer * leaves + leaf]: its cut in this partition, or BOUGH_NO_INDEX */
    uint32_t *arcs;  /* memory of all lists */
} tune_cuts;

bough_status tune_cuts_make(tune_cuts *cuts, const tune_graph *graph, bough_error *error);
void tune_cuts_fini(tune_cuts *cuts);

/* The least t for which `arcs` carry `flow`, in portions of `unit`, if each carries at most t after scaling.
 * unit 0: flow is divisible. */
typedef struct tune_portions {
    const double *scale; /* of the graph */
    const uint32_t *arc;
    uint32_t arcs;
    double unit;
} tune_portions;
double tune_portions_least(const tune_portions *p, double flow);

/* The greatest common divisor of two portions; 0: of the other one alone. */
double tune_common_unit(double a, double b);

/* What is sent: between leaves [from * leaves + to]; what a leaf sends to one host is a multiple of
 * unit[leaf], 0: of nothing. */
typedef struct tune_demand {
    double *flow; /* [leaves * leaves] */
    double *unit; /* [leaves] */
} tune_demand;
/* host_flow: [host * leaves + leaf], NULL: one flow between any two hosts. Zero-initialise *demand. */
bough_status tune_demand_make(tune_demand *demand, const tune_graph *graph, const double *host_flow,
                              bough_error *error);
void tune_demand_fini(tune_demand *demand);

/* Raises *bound where a cut shows more. */
bough_status tune_bound_cuts(const tune_graph *graph, const tune_cuts *cuts, const tune_demand *demand,
                             bough_tune_bound *bound, bough_error *error);
/* The same by lengths of links, which iterations of multiplicative weights improve. Ends when the bound
 * reaches `goal`. */
typedef struct tune_dual_options {
    double goal;
    unsigned iterations;
    atomic_bool *stop;
    void (*progress)(void *context, double share);
    void *context;
} tune_dual_options;
bough_status tune_bound_dual(const tune_graph *graph, const tune_demand *demand,
                             const tune_dual_options *options, bough_tune_bound *bound, bough_error *error);

/* The iterations that take a second at most: searches of all leaves take leaves * arcs steps. */
unsigned tune_dual_iterations(const tune_graph *graph);

/* Raises *bound of BOUGH_TUNE_WORST: hosts of a leaf send to the hosts behind one of its links. */
void tune_bound_worst(const tune_graph *graph, const tune_cuts *cuts, bough_tune_bound *bound);

#define TUNE_BOUND_STEPS 5e7 /* leaves x links */

/* The bound of all-to-all, in time at the nominal rate of `rates`: first by hosts and cuts; where it is below
 * `enough`, also by lengths, up to `goal`. *bound: 0: none was looked for, as hosts have several cables or
 * the network has too many leaves and links. Errors: TOO_LARGE, NO_MEMORY. */
typedef struct tune_alltoall {
    const bough_net *net;
    const bough_link_rates *rates;
    double goal, enough;
} tune_alltoall;
bough_status tune_bound_alltoall(const tune_alltoall *ask, double *bound, bough_error *error);

#endif
