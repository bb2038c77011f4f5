/* The schedule of a collective. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_BUILD_H
#define BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_BUILD_H

#include "traffic/collectives/collective.h"

typedef struct collective_building {
    uint32_t rounds;  /* repetitions */
    unsigned threads; /* 0: one. The schedule does not depend on their number */
    const char *name; /* of the schedule */
} collective_building;

/* Sets c->made. c has no builder, and `last` has room for all ranks. Errors: INVALID, TOO_LARGE,
 * NO_MEMORY. */
bough_status collective_build(const collective_algorithm *algorithm, collective *c,
                              const collective_building *how, bough_schedule **schedule);

#endif
