/* The load of every link when each endpoint sends one flow to every other one. */
#ifndef BOUGH_MODELS_LINK_LOAD_ALLTOALL_LOAD_H
#define BOUGH_MODELS_LINK_LOAD_ALLTOALL_LOAD_H

#include "bough/routing.h"

/* The walks that one call may take, at most: seconds. */
#define ALLTOALL_STEPS_MAX UINT64_C(2000000000)

/* load: net->links numbers, filled with flows on each link; expected values where the routing picks at random
 * (then *expected). A flow without a choice that does not arrive loads nothing; one with choices loads what
 * it passed. *lost: flows that do not arrive. By way of random nodes (valiant) both phases count. Cost:
 * O(pairs x hops) where paths are fixed, O(addresses x links) where routes leave a choice. Errors:
 * UNSUPPORTED for routings whose loads are unknown without a clock, TOO_LARGE beyond ALLTOALL_STEPS_MAX,
 * FAILED where routes that leave a choice run in a loop. */
bough_status alltoall_loads(const bough_routing *routing, double *load, bool *expected, double *lost,
                            bough_error *error);

#endif
