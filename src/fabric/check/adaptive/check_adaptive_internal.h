/* Adaptive routing in a check: fabric/check/adaptive/check_adaptive.h. */
#ifndef BOUGH_FABRIC_CHECK_ADAPTIVE_CHECK_ADAPTIVE_INTERNAL_H
#define BOUGH_FABRIC_CHECK_ADAPTIVE_CHECK_ADAPTIVE_INTERNAL_H

#include "fabric/check/adaptive/check_adaptive.h"
#include "fabric/failures/failures.h"

/* Sets known, groups and counts. */
void check_adaptive_find(const bough_routing *routing, bough_check_adaptive *adaptive);
/* Whether single failures are looked at here: a routing of tables is left to bough_failures_each. */
bool check_adaptive_fails(const bough_routing *routing);

/* Every failure of an `each:` spec, as in bough_failures_each. Appends to the lists, which have room. Results
 * do not depend on the number of threads. Cost: for each failure and each endpoint whose flows may meet it,
 * twice O(switches x links of an entry). Memory: one bit per endpoint and link, 16 bytes per link and thread.
 * Errors: INVALID for the spec, or if nothing matches it; TOO_LARGE, NO_MEMORY, INTERRUPTED. */
bough_status check_adaptive_failures(const bough_routing *routing, const char *spec,
                                     const bough_failures_options *options, bough_check_adaptive *adaptive,
                                     bough_error *error);

#endif
