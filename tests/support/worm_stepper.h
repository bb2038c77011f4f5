/* Wormhole routing, cycle by cycle and flit by flit, on any network: slow and plain, the oracle of a fast
 * engine.
 *
 * A worm of F flits moves in lockstep; a channel carries one flit a cycle and buffers one at its end. A head
 * that crossed a channel in cycle a may cross the next from a + 1 on; it waits in its group's queue, first
 * come, first served; heads that come in the same cycle are queued in keyed random order; a free link goes to
 * the first waiter that may take it. A buffer that empties in a cycle can be filled in the same one. Sinks
 * never block; the tail is in a cycle after it crossed the last channel. */
#ifndef BOUGH_TESTS_WORM_STEPPER_H
#define BOUGH_TESTS_WORM_STEPPER_H

#include "method/method.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

typedef struct worm_fate {
    uint64_t offered, delivered, flits;
    uint32_t source, address, hops; /* hops: channels crossed */
    bool arrived;
} worm_fate;

typedef struct worm_result {
    worm_fate *fate; /* by message id */
    uint32_t count;
    uint64_t cycles, crossings; /* the cycle after the last; flits over channels in all */
} worm_result;

/* Every pair must have a route. Runs until everything is delivered or `cycles` have passed; takes at most
 * `messages` messages of the source, whose ids count from 0. A message is size * flits flits long. Calls
 * source->delivered in the cycle in which its tail is in. The caller frees fate. */
void worm_step(const bough_routing *routing, bough_source *source, uint64_t flits, uint32_t messages,
               uint64_t cycles, bough_key key, worm_result *result);

/* The mean latency of messages 2000 to 11,999 of a stream of worms of one size; its 95 % interval is about 1
 * % at moderate load. All must arrive. */
double worm_step_latency(const bough_point *point);

#endif
