/* The loads of the links of one node under every shift, from the intervals of shifts that load them: a table
 * of differences by shift and link, summed over the shifts. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_SWEEP_H
#define BOUGH_LOADS_SHIFTS_SHIFT_SWEEP_H

#include "loads/shifts/shift_loads.h"

#define SHIFT_LANES 8 /* links whose loads are summed together */

/* The order of the links of every node in its table. A lane is a link, or padding: the links of one class
 * begin at a multiple of SHIFT_LANES. Links that end at an endpoint have none. */
typedef struct shift_lanes {
    uint32_t *lane; /* [links]: of a link, among those of its node */
    uint32_t widest;
} shift_lanes;

bough_status shift_lanes_make(const bough_net *net, const shift_question *question, shift_lanes *lanes,
                              bough_error *error);
/* Whether a link ends at an endpoint that is no switch: in a shift it has one flow at most. */
bool shift_link_is_last(const bough_net *net, uint64_t link);

/* Zero-initialise. One for each thread. */
typedef struct shift_sweep {
    const shift_question *question;
    const shift_lanes *lanes;
    uint64_t *total; /* [links], of the loads that are found; borrowed */
    uint32_t endpoints, width;
    uint64_t node;
    uint16_t *difference; /* [widest * (endpoints + 1)]: block of lanes, shift, lane of the block */
    uint32_t *addresses;  /* [widest]: number of addresses whose flows use the lane's link */
    uint64_t *flows;   /* [widest]: of all shifts, on the lane's link; threads would share lines of total */
    int16_t *max;      /* [(class * endpoints + shift) * SHIFT_LANES]: the load, less 32768 */
    uint8_t *class_of; /* [widest / SHIFT_LANES] */
} shift_sweep;

uint64_t shift_sweep_bytes(const bough_net *net, const shift_question *question, const shift_lanes *lanes);
bough_status shift_sweep_make(shift_sweep *sweep, const bough_net *net, bough_error *error);
void shift_sweep_fini(shift_sweep *sweep);

/* Begins a node. */
void shift_sweep_start(shift_sweep *sweep, uint64_t node);
/* The link carries the flows of the endpoints of a run to the endpoint `target`. */
void shift_sweep_add(shift_sweep *sweep, uint64_t link, endpoint_run run, uint32_t target);
/* The link carries flows to one more address, beside those of the endpoints whose paths begin at the node. */
static inline void shift_sweep_count(shift_sweep *sweep, uint64_t link) {
    sweep->addresses[sweep->lanes->lane[link]]++;
}
/* Sums the loads, and keeps the largest ones. own: endpoints whose paths begin at the node. Errors: TOO_LARGE
 * if a link may carry 65536 flows, as loads are numbers of 16 bits. */
bough_status shift_sweep_end(shift_sweep *sweep, uint32_t own, bough_error *error);
/* Adds the largest loads that were kept to those of max, as in shift_loads. */
void shift_sweep_collect(const shift_sweep *sweep, uint16_t *max);

#endif
