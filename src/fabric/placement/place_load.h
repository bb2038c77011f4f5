/* The load of links under the traffic of one job on some endpoints. */
#ifndef BOUGH_FABRIC_PLACEMENT_PLACE_LOAD_H
#define BOUGH_FABRIC_PLACEMENT_PLACE_LOAD_H

#include "fabric/check/check.h"
#include "loads/link_sums.h"
#include "traffic/traffic.h"

/* The messages of a job among ranks 0 .. ranks-1: of a traffic on a crossbar with so many endpoints, or one
 * flow from each to every other. */
typedef struct place_job {
    uint64_t ranks;
    bough_net *crossbar; /* NULL: every pair */
    bough_traffic *traffic;
    bough_batch batch;
    bool bytes; /* sizes in bytes; else every message is a flow */
} place_job;

/* spec NULL: every pair. Errors: those of the traffic; TOO_LARGE. */
bough_status place_job_make(const bough_check_question *question, const char *spec, uint64_t ranks,
                            place_job *job, bough_error *error);
void place_job_fini(place_job *job);

typedef struct place_result {
    double load;     /* flows, or bytes, on the link that takes longest */
    uint64_t link;   /* that link; BOUGH_NONE: no message enters the network */
    uint64_t limits; /* links that take as long */
    double time;     /* its load over its rate */
    double ratio;    /* that over the time of the slowest link of a host: 1 is ideal */
    double lost;     /* messages that do not arrive */
} place_result;

/* Of one placement at a time. */
typedef struct place_loads {
    const bough_routing *routing;
    uint64_t seed;
    link_sums sums;
    uint64_t steps; /* links visited by flows, in all */
} place_loads;

/* what: the option that asks, for messages. */
bough_status place_loads_make(const bough_routing *routing, uint64_t seed, const char *what,
                              place_loads *loads, bough_error *error);
void place_loads_fini(place_loads *loads);

/* endpoint: [job->ranks]. Expected values under random selection. */
void place_loads_of(place_loads *loads, const place_job *job, const uint32_t *endpoint, place_result *result);

/* Adds the loads of a job, and leaves them in loads->sums; of *result only `lost` is set. */
void place_loads_add(place_loads *loads, const place_job *job, const uint32_t *endpoint,
                     place_result *result);

#endif
