/* How engines that count steps or cycles keep time with a schedule: a tick is what a unit (a packet, a flit)
 * takes on a link. */
#ifndef BOUGH_METHOD_SCHEDULE_CLOCK_H
#define BOUGH_METHOD_SCHEDULE_CLOCK_H

#include "bough/method.h"

#define SCHEDULE_RATE_TEXT                                                                                   \
    "of a schedule: of all links; default: of the network's slowest link, or 100Gb/s where it names none"

/* unit: the parameter with the bytes of a unit; rate: the one with the links' rate, whose default this sets.
 * units: of the smallest message. Ticks are rounded up to whole picoseconds. Without a schedule the clock
 * stays 0, and both parameters are refused. Errors: INVALID. */
bough_status schedule_clock(bough_run *run, unsigned unit, unsigned rate, uint64_t units, bough_clock *clock,
                            bough_error *error);
/* The default rate above, in bit/s. O(links). */
uint64_t schedule_rate(const bough_net *net);
/* Units of all messages together: what may be under way at a time. Of a schedule. */
uint64_t schedule_units(const bough_traffic *traffic, uint64_t unit_bytes);

#endif
