/* How a flow spreads over links: all on one path under an oblivious routing, in equal shares over the
 * eligible links under a random pick. */
#ifndef BOUGH_MODELS_LINK_LOAD_FLOW_SPREAD_H
#define BOUGH_MODELS_LINK_LOAD_FLOW_SPREAD_H

#include "bough/routing.h"

typedef enum spread_end { SPREAD_ARRIVES, SPREAD_NO_ENTRY, SPREAD_WRONG_ADAPTER, SPREAD_LOOP } spread_end;

/* Whether flows spread at all: `first` and `least` choose by what is free or loaded, which nothing is without
 * a clock. what: who asks, for the error (UNSUPPORTED). */
bough_status spread_check(const bough_routing *routing, const char *what, bough_error *error);

/* Called for every link that carries part of the flow. */
typedef void (*spread_visit)(void *context, uint64_t link, double share);

typedef struct spread_result {
    unsigned hops;  /* links of one path that arrives */
    uint64_t at;    /* where it stopped; NONE: nowhere */
    double arrives; /* the share that does */
} spread_result;

/* Walks a flow. Without a choice: its links in order, all of them or, when it does not arrive, none. With
 * choices: every branch, depth first (cost: the number of paths, parallel links as one), and the worst end; a
 * branch that does not arrive has loaded its links after the first choice. What takes a link that leads
 * nowhere (bough_net.lost) ends there without an entry. */
spread_end spread_flow(const bough_routing *routing, const bough_flow *flow, spread_visit visit,
                       void *context, spread_result *result);

#endif
