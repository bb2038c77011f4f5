/* How a flow spreads over links: one path under an oblivious routing, equal fractions over the eligible links
 * under random selection. */
#ifndef BOUGH_LOADS_FLOW_SPREAD_H
#define BOUGH_LOADS_FLOW_SPREAD_H

#include "routing/routing.h"

/* The longest path in links; a longer one counts as a loop. */
#define SPREAD_DEPTH_MAX 256

typedef enum spread_end { SPREAD_ARRIVES, SPREAD_NO_ENTRY, SPREAD_WRONG_ADAPTER, SPREAD_LOOP } spread_end;

/* Checks that flows have a static distribution: `first` and `least` select by free or loaded links, which
 * requires a simulation. what: name of the caller, for the error (UNSUPPORTED). */
bough_status spread_check(const bough_routing *routing, const char *what, bough_error *error);

/* Called for every link that carries part of the flow. */
typedef void (*spread_visit)(void *context, uint64_t link, double share);

/* Adds to an array of loads; context: double [links]. */
void spread_add(void *context, uint64_t link, double share);

typedef struct spread_result {
    unsigned hops;  /* links of a path, if it is single and arrives */
    uint64_t at;    /* the node where it stopped; NONE: it did not */
    double arrives; /* the fraction that arrives */
} spread_result;

/* Follows a flow. Without a choice: visits its links in order, all of them or, if it does not arrive, none.
 * With choices: visits every branch, depth first (cost: the number of paths, counting parallel links as one),
 * and reports the worst end; a branch that does not arrive has loaded its links after the first choice. A
 * flow that takes a link that leads nowhere (bough_net.lost) ends there without an entry. */
spread_end spread_flow(const bough_routing *routing, const bough_flow *flow, spread_visit visit,
                       void *context, spread_result *result);

/* How a flow ends, without a visit. */
spread_end spread_end_of(const bough_routing *routing, const bough_flow *flow, spread_result *result);

/* As spread_flow, but a flow that does not arrive loads all links that it reaches, also those before the
 * first choice; the links of a loop once. */
spread_end spread_reached(const bough_routing *routing, const bough_flow *flow, spread_visit visit,
                          void *context, spread_result *result);

/* Follows a message, first to its intermediate node if the routing has one, which it draws by key. flow->key
 * is the number of the message. Visits as spread_reached does. Returns the fraction that arrives. */
double spread_message(const bough_routing *routing, bough_key key, const bough_flow *flow, spread_visit visit,
                      void *context);

#endif
