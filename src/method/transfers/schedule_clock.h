/* The clock of engines that count steps or cycles while they run a schedule. A tick is the time that a unit
 * (a packet, a flit) takes on a link. */
#ifndef BOUGH_METHOD_TRANSFERS_SCHEDULE_CLOCK_H
#define BOUGH_METHOD_TRANSFERS_SCHEDULE_CLOCK_H

#include "bough/method.h"

#define SCHEDULE_RATE_TEXT "schedules: rate of all links; default: that of the slowest link"

/* What the engine moves in a tick. */
typedef struct schedule_unit {
    unsigned size, rate;    /* indices of the parameters with the bytes of a unit and the rate of links */
    uint64_t bytes, header; /* the default of size; bytes that are added to every unit */
} schedule_unit;

/* Sets *clock. Ticks are rounded up to whole picoseconds. Without a schedule the clock is 0 and both
 * parameters are refused. Errors: INVALID. */
bough_status schedule_clock(const bough_run *run, const schedule_unit *unit, bough_clock *clock,
                            bough_error *error);
/* Total size of all messages of a schedule in units: an upper bound of the units in flight. */
uint64_t schedule_units(const bough_traffic *traffic, uint64_t unit_bytes);

#endif
