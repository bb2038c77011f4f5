/* GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, 2009), in LogGOPSim's dialect. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_GOAL_H
#define BOUGH_TRAFFIC_SCHEDULES_GOAL_H

#include "base/files/input.h"
#include "traffic/schedules/schedule.h"

/* Reads the pieces of an input as one file in text, or a single piece in binary. Errors:
 * INVALID with the place, TOO_LARGE, NO_MEMORY. */
bough_status goal_read(const bough_input *input, const char *name, bough_schedule **schedule,
                       bough_error *error);

#endif
