/* The routers of engines/wormhole/routers/worm_router.h, cycle by cycle, over all channels, with arrays for
 * every allocation: slow and plain, the oracle of that engine, of which it knows no more than the page at the
 * top of its header. */
#ifndef BOUGH_TESTS_ROUTER_ORACLE_H
#define BOUGH_TESTS_ROUTER_ORACLE_H

#include "engines/wormhole/routers/worm_router.h"

typedef struct router_fate {
    uint64_t offered, entered, arrived;
    uint32_t source, address, flits, hops;
} router_fate;

typedef struct router_result {
    router_fate *fate; /* by message id */
    uint32_t count;
    uint64_t cycles;                     /* the cycle after the last */
    uint64_t *grants, *waited, *crossed; /* by link: heads that took it, their waits, flits */
} router_result;

/* A run: every pair must have a route; `messages` is how many the source has. */
typedef struct router_case {
    const bough_routing *routing;
    worm_options options;
    worm_stages stages;
    uint32_t messages;
    bough_key key;
} router_case;

/* Runs until everything is delivered. The test fails if that takes more than a million cycles, if a buffer
 * overflows, or if flits come out of order. */
void router_run(const router_case *q, bough_source *source, router_result *result);
void router_result_fini(router_result *result);

#endif
