/* When messages make their next request: a ring of lists of messages, one per cycle and phase (phase 0:
 * endpoints request injection links, phase 1: routers). Lists consist of slips, which do not move. The last
 * message to be scheduled is the first of a list. */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_CALENDAR_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_CALENDAR_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

#define NO_MESSAGE UINT32_MAX

enum { CALENDAR_SLIP = 61 };

typedef struct calendar_slip {
    struct calendar_slip *next;
    uint32_t count;
    uint32_t message[CALENDAR_SLIP]; /* the last one comes first */
} calendar_slip;

typedef struct circuit_calendar {
    calendar_slip **ring; /* [cycle & mask][phase] */
    calendar_slip *unused;
    calendar_slip **block; /* memory of the slips */
    uint32_t *far;         /* messages beyond the ring */
    uint64_t *far_time;    /* cycle << 1 | phase */
    size_t blocks, block_capacity, far_capacity, time_capacity;
    uint64_t far_count;
    uint32_t mask;
} circuit_calendar;

typedef struct calendar_time {
    uint64_t now, cycle;
    unsigned phase;
} calendar_time;

/* size: cycles, a power of two. */
bough_status calendar_make(circuit_calendar *calendar, uint32_t size, bough_error *error);
void calendar_fini(circuit_calendar *calendar);
/* Removes all messages. */
void calendar_clear(circuit_calendar *calendar);
bough_status calendar_add(circuit_calendar *calendar, uint32_t message, calendar_time at, bough_error *error);
/* Called in every cycle: moves messages that have come within reach into the ring. */
bough_status calendar_turn(circuit_calendar *calendar, uint64_t now, bough_error *error);
/* Removes the list of a cycle and phase, which the caller returns with calendar_return. */
calendar_slip *calendar_take(circuit_calendar *calendar, uint64_t cycle, unsigned phase);
void calendar_return(circuit_calendar *calendar, calendar_slip *list);

#endif
