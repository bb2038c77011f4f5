/* What fabric/failures/failures.h says, with everything computed anew for every failure. */
#ifndef TESTS_SUPPORT_FAILURE_ORACLE_H
#define TESTS_SUPPORT_FAILURE_ORACLE_H

#include "fabric/failures/failures.h"

/* dead: bit a link. As bough_failures_dead, under tables of the routing, or (made) minimal ones. */
bough_failure failure_oracle(const bough_routing *routing, bool made, const uint64_t *dead);
/* The fabric as it stands. */
bough_failure_load failure_oracle_whole(const bough_routing *routing, bool made);

#endif
