/* The schedule that repeats a recorded program. */
#ifndef BOUGH_TRAFFIC_RECORDED_RECORDING_SCHEDULE_H
#define BOUGH_TRAFFIC_RECORDED_RECORDING_SCHEDULE_H

#include "formats/traces/recording.h"
#include "traffic/schedules/schedule.h"
#include "traffic/traffic.h"

typedef struct recording_options {
    const char *name;      /* of the schedule */
    const char *algorithm; /* of allreduce; matching ones for the others (collective_matching) */
    uint64_t reduce_ps;    /* time to add one byte to another */
} recording_options;

/* Creates the schedule. Ranks that a group names must exist. Errors: INVALID for collectives in which the
 * members of a group differ, and for receives of any tag from ranks that send several; TOO_LARGE,
 * NO_MEMORY. */
bough_status recording_schedule(const recording *r, const recording_options *options,
                                bough_schedule **schedule, bough_error *error);

extern const bough_traffic_kind bough_traffic_mpitrace, bough_traffic_chakra, bough_traffic_otf2;

#endif
