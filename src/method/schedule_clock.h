/* The clock of engines that count steps or cycles while they run a schedule. A tick is the time that a unit
 * (a packet, a flit) takes on a link. */
#ifndef BOUGH_METHOD_SCHEDULE_CLOCK_H
#define BOUGH_METHOD_SCHEDULE_CLOCK_H

#include "bough/method.h"

#define SCHEDULE_RATE_TEXT                                                                                   \
    "schedules: rate of all links; default: the network's slowest link, or 100Gb/s if it has no rates"

/* Sets *clock. unit: index of the parameter with the bytes of a unit; rate: index of the parameter with the
 * link rate, whose default is set here. Ticks are rounded up to whole picoseconds. Without a schedule the
 * clock is 0 and both parameters are refused. Errors: INVALID. */
bough_status schedule_clock(bough_run *run, unsigned unit, unsigned rate, bough_clock *clock,
                            bough_error *error);
/* Total size of all messages of a schedule in units: an upper bound of the units in flight. */
uint64_t schedule_units(const bough_traffic *traffic, uint64_t unit_bytes);

#endif
