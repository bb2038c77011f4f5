/* Lower bounds for any run of a schedule: bytes over the rate of a link, a CPU's work, a chain of
 * computations. */
#ifndef BOUGH_MODELS_LINK_LOAD_SCHEDULE_LOAD_H
#define BOUGH_MODELS_LINK_LOAD_SCHEDULE_LOAD_H

#include "method/method_run.h"

typedef struct schedule_load {
    double bytes_max, bytes_mean; /* over links with traffic; expected values under random selection */
    double link_time;             /* s: maximum over links of the time for their bytes */
    uint64_t link;                /* the link of link_time; BOUGH_NONE: no message enters the network */
    uint64_t cpu, chain;          /* ps: the busiest CPU; the longest chain of computations of a rank */
    double messages, unrouted;
} schedule_load;

/* load: [links], set to bytes. rate: bit/s of all links, 0: the network's own. Errors: NO_MEMORY. */
bough_status schedule_load_find(const method_trial *trial, uint64_t rate, double *load, schedule_load *found,
                                bough_error *error);

#endif
