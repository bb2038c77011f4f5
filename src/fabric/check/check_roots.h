/* Spines that endpoints are plugged into, and what they cost up/down routing. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_ROOTS_H
#define BOUGH_FABRIC_CHECK_CHECK_ROOTS_H

#include "bough/check.h"
#include "fabric/check/check_progress.h"

/* Switches that look like spines with endpoints; 0 where all switches are alike. */
uint64_t check_roots_count(const bough_net *net);
/* Fills report->spines, and adds a warning for each such switch. options: of the routings that are tried. */
bough_status check_roots_find(check_progress *progress, const bough_check_options *options,
                              bough_check_report *report, bough_error *error);
void check_roots_fini(bough_check_spines *spines);

#endif
