/* The switches of engines/wormhole/switches/worm_switch.h, cycle by cycle, over all channels and with a
 * record for every flit: slow and plain, the oracle of that engine, of which it knows no more than the page
 * at the top of its header. */
#ifndef BOUGH_TESTS_SWITCH_ORACLE_H
#define BOUGH_TESTS_SWITCH_ORACLE_H

#include "engines/wormhole/worm.h"

typedef struct switch_fate {
    uint64_t offered, entered, arrived; /* arrived: BOUGH_NONE while it has not */
    uint32_t source, address, hops;
} switch_fate;

/* By link: heads that took it, cycles they waited for it in all, flits that crossed it. */
typedef struct switch_counts {
    uint64_t *grants, *waited, *held;
} switch_counts;

typedef struct switch_result {
    switch_fate *fate; /* by message id */
    uint32_t count;
    uint64_t cycles; /* the cycle after the last */
    switch_counts counts;
    bool stuck; /* nothing moves any more, and nothing will */
} switch_result;

/* Every pair must have a route of at most 64 links. Runs until everything is delivered, nothing can move, or
 * `cycles` have passed; `messages` is how many the source has. Ends the program where a buffer overflows or
 * flits come out of order. */
void switch_run(const bough_routing *routing, bough_source *source, const worm_options *options,
                uint32_t messages, uint64_t cycles, bough_key key, switch_result *result);
void switch_result_fini(switch_result *result);

#endif
