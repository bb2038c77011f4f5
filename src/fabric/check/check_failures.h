#ifndef BOUGH_FABRIC_CHECK_CHECK_FAILURES_H
#define BOUGH_FABRIC_CHECK_CHECK_FAILURES_H

#include "bough/check.h"
#include "fabric/check/check_faults.h"

/* Fills part->failures; single points of failure become findings of the part. Where the network is without
 * faults->missing, part->routing is of the network that is left. */
bough_status check_failures_find(const bough_check_question *question, const check_faults *faults,
                                 bough_routing_report *part, bough_error *error);
void check_failures_fini(bough_check_failures *failures);

#endif
