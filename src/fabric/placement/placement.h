/* How good a placement of a job is, and which one would be better. */
#ifndef BOUGH_FABRIC_PLACEMENT_PLACEMENT_H
#define BOUGH_FABRIC_PLACEMENT_PLACEMENT_H

#include "fabric/check/check.h"

/* Checks what can be checked without the network: --busy needs --place. */
bough_status placement_read(const bough_check_question *question, bough_error *error);
/* Fills report->placement: for each routing every job of the question, or all-to-all if there is none.
 * Errors: INVALID for hosts that are not in the fabric, twice or busy, or fewer free ones than wanted;
 * UNSUPPORTED for routings that select by load; TOO_LARGE; INTERRUPTED. */
bough_status placement_find(const bough_check_question *question, bough_check_report *report,
                            bough_error *error);

#endif
