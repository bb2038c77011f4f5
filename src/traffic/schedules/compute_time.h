/* Times of computations: as the schedule has them, longer on slow hosts (bough_net.speeds), varied by the
 * jitter of hosts. The variation is a function of the trial's key and the operation, so it is the same for
 * every method. Computations that only wait for a clock (BOUGH_CALC_CLOCK) keep their time. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_COMPUTE_TIME_H
#define BOUGH_TRAFFIC_SCHEDULES_COMPUTE_TIME_H

#include "traffic/traffic.h"

typedef struct compute_times {
    const bough_workload *workload;
    const bough_net *net; /* of the endpoints; NULL: not known, all hosts are equally fast */
    bough_key key;        /* of the trial */
} compute_times;

/* False: all are as the schedule has them. */
bool compute_times_vary(const compute_times *times);
/* The time of computation `op` of a rank in ps; at most RANKS_TIME_MAX. */
uint64_t compute_time(const compute_times *times, uint32_t rank, uint32_t op);

#endif
