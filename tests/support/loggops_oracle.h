/* Schedules under LogGOPS, the slow way: an event for everything, tried again and again until CPU and NIC are
 * free, and matched by looking through lists. What src/traffic/schedules/ranks.c must equal. */
#ifndef TESTS_SUPPORT_LOGGOPS_ORACLE_H
#define TESTS_SUPPORT_LOGGOPS_ORACLE_H

#include "traffic/schedules/schedule.h"

/* end: [ranks], when the last operation of each ended, ps. Returns how many operations ended. */
uint64_t loggops_oracle(const bough_workload *workload, uint64_t *end);

typedef struct random_schedule {
    uint32_t ranks, messages;
    unsigned cpus, nics;
    bool starts, wildcards;
} random_schedule;

/* Matched pairs of sends and receives, and computations; every operation waits for earlier ones of its rank
 * only. It may hang all the same, where receives of one source and tag are posted in another order than they
 * were made. Freed by bough_schedule_destroy. */
bough_schedule *schedule_random(const random_schedule *how, uint64_t seed);

#endif
