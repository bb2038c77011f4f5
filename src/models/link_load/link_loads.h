/* What every link carries under a traffic: flows (a message is one flow) and bytes. */
#ifndef BOUGH_MODELS_LINK_LOAD_LINK_LOADS_H
#define BOUGH_MODELS_LINK_LOAD_LINK_LOADS_H

#include "routing/routing.h"
#include "traffic/traffic.h"

#include <stdatomic.h>

/* Messages of this traffic have sizes in bytes: a schedule, or a list. */
bool link_loads_sized(const bough_traffic *traffic);

/* Arrays of the caller, of one element for each link, in the order of link numbers; either may be NULL. */
typedef struct link_loads {
    double *flows;
    double *bytes;     /* on the wire, with the headers of packets */
    atomic_bool *stop; /* ends soon with INTERRUPTED; may be NULL */
    bool arriving;     /* messages of which a part does not arrive load nothing */
    double lost;       /* set: messages, or parts of them, that do not arrive */
    uint64_t messages; /* set: of a traffic; of a stream pairs */
} link_loads;

/* Sets the arrays; expected values under random selection. traffic NULL: every endpoint sends one flow to
 * every other one, at the cost of alltoall_loads; else the messages of trial 0 of the seed, at the cost of
 * following each; of a stream one message of every endpoint that sends, in the mean, which is divided among
 * all its destinations, at the cost of following a message for each. A message that does not arrive loads the
 * links that it reaches (spread_reached).
 *
 * Errors: UNSUPPORTED for routings that select by load, and for bytes of a traffic
 * without sizes; those of alltoall_loads; NO_MEMORY. */
bough_status link_loads_of(const bough_routing *routing, const bough_traffic *traffic, uint64_t seed,
                           link_loads *loads, bough_error *error);

/* The same for a method. */
typedef struct link_loads_question {
    const bough_routing *routing;
    const bough_traffic *traffic; /* not NULL */
    bough_key key;                /* of the trial */
    uint64_t unit; /* bytes per unit of a message's size; sizes in bytes are rounded up to it */
} link_loads_question;
bough_status link_loads_find(const link_loads_question *question, link_loads *loads, bough_error *error);

#endif
