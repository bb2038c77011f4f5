/* The events of one rank in an OTF2 trace, as operations of a recording. The reader of the files calls these
 * functions in the order of events; times are nanoseconds. Errors: INVALID, with the number of the event;
 * NO_MEMORY. */
#ifndef BOUGH_FORMATS_TRACES_OTF2_EVENTS_H
#define BOUGH_FORMATS_TRACES_OTF2_EVENTS_H

#include "base/text/scanner.h"
#include "formats/traces/recording.h"

typedef struct otf2_request {
    uint64_t id;
    uint32_t op;
    bool known; /* of a receive: what it receives; it is known at its end */
} otf2_request;

/* Zero-initialise, then set the first part. */
typedef struct otf2_events {
    recording *out;
    scanner in; /* file and error; line: events so far */
    recorded_tail tail;

    uint64_t clock, now;
    unsigned inside; /* regions of MPI */
    bool begun;
    bough_status status; /* of regions */
    otf2_request *request;
    size_t requests, request_capacity;
} otf2_events;

/* A message: peer is a rank of the job. */
typedef struct otf2_message {
    uint64_t size;
    uint32_t peer, tag, group;
} otf2_message;

/* Every event. */
bough_status otf2_at(otf2_events *e, uint64_t ns);
/* After otf2_at, by the kind of event. Regions of MPI are not computation, all others are. */
void otf2_enter(otf2_events *e);
void otf2_leave(otf2_events *e);
bough_status otf2_send(otf2_events *e, otf2_message message);
bough_status otf2_recv(otf2_events *e, otf2_message message);
bough_status otf2_isend(otf2_events *e, otf2_message message, uint64_t request);
bough_status otf2_irecv_request(otf2_events *e, uint64_t request);
bough_status otf2_isend_complete(otf2_events *e, uint64_t request);
bough_status otf2_irecv(otf2_events *e, otf2_message message, uint64_t request);
bough_status otf2_cancelled(otf2_events *e, uint64_t request);
bough_status otf2_collective(otf2_events *e, recorded_op collective);
/* After the last event; frees the rest. */
bough_status otf2_end(otf2_events *e);

#endif
