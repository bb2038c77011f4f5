/* Flows of the solver of fair rates that come and leave one by one. */
#ifndef TESTS_SUPPORT_MAX_MIN_FLOWS_H
#define TESTS_SUPPORT_MAX_MIN_FLOWS_H

#include "engines/flow/max_min/max_min_rates.h"

void max_min_enter(max_min *f, uint32_t id, const uint32_t *path, uint32_t hops);
/* With a weight for each crossing; NULL: 1 each. */
void max_min_enter_parts(max_min *f, uint32_t id, const uint32_t *link, const uint32_t *weight,
                         uint32_t parts);
void max_min_leave(max_min *f, uint32_t id);

#endif
