/* The load of every link when each endpoint sends one flow to every other one. */
#ifndef BOUGH_MODELS_LINK_LOAD_ALLTOALL_LOAD_H
#define BOUGH_MODELS_LINK_LOAD_ALLTOALL_LOAD_H

#include "bough/routing.h"

/* Maximum steps that one call may take: seconds. */
#define ALLTOALL_STEPS_MAX UINT64_C(2000000000)

/* load: array of net->links elements, set to the flows on each link; expected values if the routing selects
 * at random (then *expected). An undelivered flow without a choice adds no load; one with choices loads the
 * links that it passed. *lost: undelivered flows. With random intermediate nodes (valiant) both phases count.
 * Cost: O(pairs x hops) for fixed paths, O(addresses x links) if routes leave a choice. Errors: UNSUPPORTED
 * for routings whose loads depend on simulation, TOO_LARGE beyond ALLTOALL_STEPS_MAX, FAILED if routes that
 * leave a choice form a loop. */
bough_status alltoall_loads(const bough_routing *routing, double *load, bool *expected, double *lost,
                            bough_error *error);

#endif
