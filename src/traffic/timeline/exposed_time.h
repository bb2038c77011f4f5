/* Exposed communication of a recorded trial: time in which a rank computes on none of its CPUs while a send
 * or a receive that it has started has not ended. Of several, it counts for the one that ends first. */
#ifndef BOUGH_TRAFFIC_TIMELINE_EXPOSED_TIME_H
#define BOUGH_TRAFFIC_TIMELINE_EXPOSED_TIME_H

#include "traffic/timeline/timeline.h"

/* Adds the exposed time of all ranks, in ps, to sum[label]; sum has 256 elements. Errors: NO_MEMORY.
 * O(ops log ops). */
bough_status exposed_time_add(const bough_schedule *schedule, const timeline *timeline, uint64_t *sum,
                              bough_error *error);

#endif
