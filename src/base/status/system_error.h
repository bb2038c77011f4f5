/* A failed system call as an error value. */
#ifndef BOUGH_BASE_STATUS_SYSTEM_ERROR_H
#define BOUGH_BASE_STATUS_SYSTEM_ERROR_H

#include "bough/status.h"

/* "PLACE: WHAT: REASON", as in "a.csv: cannot be read: No such file or directory". reason: of errno; 0:
 * unknown. Returns NO_MEMORY or IO where the machine failed (a full disk, a broken one, too many open files),
 * else INVALID: the caller named something wrong. */
bough_status bough_fail_system(bough_error *error, const char *place, const char *what, int reason);

#endif
