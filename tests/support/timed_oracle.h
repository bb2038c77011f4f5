/* Worms over links with rates and delays, tick by tick and flit by flit: slow and plain, the oracle of
 * engines/wormhole/timed/worm_timed.h. It has a record for every flit on a link, and knows of nothing that
 * lies in the future. */
#ifndef BOUGH_TESTS_TIMED_ORACLE_H
#define BOUGH_TESTS_TIMED_ORACLE_H

#include "routing/routing.h"
#include "traffic/traffic.h"

/* Of a link, in ticks: time of a flit, delay, and delay of messages that go on at its end. */
typedef struct timed_link {
    uint64_t flit, delay, onward;
} timed_link;

typedef struct timed_fate {
    uint64_t entered, arrived; /* arrived: BOUGH_NONE while it has not */
    uint32_t hops;
} timed_fate;

typedef struct timed_result {
    timed_fate *fate; /* by message id; freed by the caller */
    uint32_t count;
    bool stuck; /* nothing moves any more */
} timed_result;

/* Every pair must have a route of at most 32 links, whose dependencies have no cycle unless nothing moves at
 * one instant through it. Ends the program if a flit starts before it is there, before the link has sent the
 * one before, or overtakes another. */
void timed_run(const bough_routing *routing, bough_source *source, const timed_link *link, uint32_t buffer,
               uint32_t messages, bough_key key, timed_result *result);

#endif
