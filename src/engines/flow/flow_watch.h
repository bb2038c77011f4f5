/* Records the flows of a trial (traffic/timeline/timeline.h): what links carry, and on which link each
 * message loses most time. A flow loses (1 - rate / full rate) of a phase on the link that limits it, so the
 * sum over its phases is the time by which it is late. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_WATCH_H
#define BOUGH_ENGINES_FLOW_FLOW_WATCH_H

#include "engines/flow/max_min/max_min_rates.h"
#include "traffic/timeline/timeline.h"

typedef struct flow_seen {
    uint64_t full;  /* units: the capacity of the slowest link */
    uint32_t limit; /* the link that limits it since its last change of rate */
} flow_seen;

/* Zero-initialise. */
typedef struct flow_watch {
    timeline *seen; /* NULL: nothing is recorded */
    double unit;    /* bits a second of a unit of rates */
    flow_seen *flow;
    double *lost; /* by crossing: ps */
    size_t flows, crossings;
} flow_watch;

void flow_watch_fini(flow_watch *w);
/* A flow has entered; it has no rate yet. Errors: NO_MEMORY. */
bough_status flow_watch_enter(flow_watch *w, const max_min *share, uint32_t flow, bough_error *error);
/* A flow had a rate from one time to another. */
typedef struct flow_phase {
    uint32_t flow, id; /* id: of its message */
    uint64_t from, to, rate;
} flow_phase;
void flow_watch_phase(flow_watch *w, const max_min *share, const flow_phase *phase);
/* It has another rate from now on. */
void flow_watch_limit(flow_watch *w, const max_min *share, uint32_t flow);
/* Its last phase has ended. */
void flow_watch_leave(flow_watch *w, const max_min *share, uint32_t flow, uint32_t id);

#endif
