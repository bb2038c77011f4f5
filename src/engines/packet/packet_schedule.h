/* Schedules and lists of messages under `packet`: runs of the timed engine, and their results. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_SCHEDULE_H
#define BOUGH_ENGINES_PACKET_PACKET_SCHEDULE_H

#include "engines/packet/packet_timed.h"
#include "method/method_run.h"

typedef struct packet_schedule {
    packet_timed_options o; /* hops is set by packet_schedule_open */
    bool levels;            /* report the use of links by level */
    bool critical;          /* the parameter TIMELINE_PARAM */
    unsigned hot;           /* number of hottest links to report */
} packet_schedule;

/* Checks a point and sets run->bytes. Errors: those of survey_message_routes and packet_timed_check;
 * UNSUPPORTED, NO_MEMORY. */
bough_status packet_schedule_open(bough_run *run, packet_schedule *schedule, bough_error *error);
/* *engine: NULL in the first trial; the caller destroys it. */
bough_status packet_schedule_trial(const method_trial *trial, const packet_schedule *schedule,
                                   packet_timed **engine, bough_rows *rows, bough_error *error);

#endif
