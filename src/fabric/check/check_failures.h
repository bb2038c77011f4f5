#ifndef BOUGH_FABRIC_CHECK_CHECK_FAILURES_H
#define BOUGH_FABRIC_CHECK_CHECK_FAILURES_H

#include "fabric/check/check.h"
#include "fabric/check/check_faults.h"
#include "fabric/check/check_progress.h"

/* Fills part->failures; switches without which the fabric is faster become findings of the part, and single
 * points of failure, where the report could not look for them. Where the network is without
 * faults->missing, part->routing is of the network that is left. */
bough_status check_failures_find(check_progress *progress, const check_faults *faults,
                                 bough_check_report *report, bough_routing_report *part, bough_error *error);

#endif
