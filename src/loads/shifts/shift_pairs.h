/* What shift_loads.c counts of the pairs of an endpoint: how their paths end, and how long they are. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_PAIRS_H
#define BOUGH_LOADS_SHIFTS_SHIFT_PAIRS_H

#include "loads/shifts/shift_loads.h"

/* Adds a pair whose path ends so, if it is one of the first. */
void shift_example_add(shift_loads *found, spread_end end, shift_pair pair);
/* Counts the pairs of an endpoint, whose other addresses may also not be reached. ends: [origins]: a
 * spread_end, of all addresses; links: [nodes]: on the path from a node to the first address. */
void shift_pairs_count(const origin_list *origins, const uint8_t *ends, const uint32_t *links,
                       uint32_t target, shift_loads *found);

#endif
