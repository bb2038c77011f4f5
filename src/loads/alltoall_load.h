/* The load of every link when each endpoint sends one flow to every other one. */
#ifndef BOUGH_LOADS_ALLTOALL_LOAD_H
#define BOUGH_LOADS_ALLTOALL_LOAD_H

#include "routing/routing.h"

#include <stdatomic.h>

/* Maximum steps that one call may take: seconds. */
#define ALLTOALL_STEPS_MAX UINT64_C(2000000000)
/* The same where flows are followed from switches to each address (all_pairs.h). */
#define ALLTOALL_TREES_MAX UINT64_C(20000000000)

typedef struct alltoall_result {
    bool expected; /* loads are expected values: the routing selects at random */
    double lost;   /* undelivered flows */
} alltoall_result;

/* load: array of net->links elements, set to the flows on each link. stop: if set, ends soon with
 * INTERRUPTED; may be NULL. An undelivered flow without a choice adds no load; one with choices loads the
 * links that it passed. With random intermediate nodes (valiant) both phases count.
 * Cost: that of all_pairs_loads for paths that do not depend on the source, O(pairs x hops) for other fixed
 * paths, O(addresses x links) if routes leave a choice. Errors: UNSUPPORTED
 * for routings whose loads depend on simulation, TOO_LARGE beyond ALLTOALL_STEPS_MAX or
 * ALLTOALL_TREES_MAX, FAILED if routes that
 * leave a choice form a loop. */
bough_status alltoall_loads(const bough_routing *routing, atomic_bool *stop, double *load,
                            alltoall_result *result, bough_error *error);

/* With intermediate nodes: whether a link is the first or last one of an endpoint whose messages turn at its
 * switch, so that it carries the flows of that endpoint only (bough_turn_node). */
bool alltoall_is_port(const bough_net *net, uint64_t link);

#endif
