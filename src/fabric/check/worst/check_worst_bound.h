#ifndef BOUGH_FABRIC_CHECK_WORST_CHECK_WORST_BOUND_H
#define BOUGH_FABRIC_CHECK_WORST_CHECK_WORST_BOUND_H

#include "bough/check.h"

/* Sets part->worst_least. The result of the routing is known. Time: a few seconds for 65,536 endpoints. */
bough_status check_worst_bound(bough_routing_report *part, bough_error *error);

#endif
