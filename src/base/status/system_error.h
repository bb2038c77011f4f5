/* Failed system calls as errors. */
#ifndef BOUGH_BASE_STATUS_SYSTEM_ERROR_H
#define BOUGH_BASE_STATUS_SYSTEM_ERROR_H

#include "bough/status.h"

/* Reports "PLACE: WHAT: REASON", as in "a.csv: cannot be read: No such file or directory". reason: errno; 0:
 * unknown. Returns NO_MEMORY or IO for failures of the machine (disk full or broken, too many open files),
 * else INVALID: the argument was wrong. */
bough_status bough_fail_system(bough_error *error, const char *place, const char *what, int reason);

#endif
