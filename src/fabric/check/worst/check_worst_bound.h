#ifndef BOUGH_FABRIC_CHECK_WORST_CHECK_WORST_BOUND_H
#define BOUGH_FABRIC_CHECK_WORST_CHECK_WORST_BOUND_H

#include "fabric/check/check.h"

/* Sets part->worst_least, which does not depend on the number of threads, nor on that of ranks, which divide
 * the work. The result of the routing is known.
 * Time: a few seconds for 65,536 endpoints. */
bough_status check_worst_bound(bough_routing_report *part, unsigned threads, bough_error *error);

#endif
