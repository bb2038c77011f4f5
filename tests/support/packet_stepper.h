/* Store and forward, step by step, on any network: one FIFO per directed link, at its tail. Each step every
 * queue that is not empty sends its head; then those that came are delivered, or appended to their next queue
 * in the order of their ids. Packets offered at time t are appended after those, in the order of their ids,
 * before step t + 1: alone, a packet takes one step a link. With a via a packet goes on from there in the
 * step it comes, or all do once all have come. */
#ifndef BOUGH_TESTS_PACKET_STEPPER_H
#define BOUGH_TESTS_PACKET_STEPPER_H

#include "routing/routing.h"
#include "traffic/traffic.h"

typedef struct packet_fate {
    uint64_t offered, delivered;
    uint32_t source, address, hops;
    bool arrived;
} packet_fate;

typedef struct packet_result {
    packet_fate *fate; /* by message id */
    uint32_t count, queue_max;
    uint64_t steps, crossings; /* until the last delivery; links crossed in all */
} packet_result;

/* Every pair must have a route. Runs until everything is delivered or `steps` have passed; takes at most
 * `packets` messages of the source, whose ids count from 0; each is one packet. The caller frees fate. */
void packet_step(const bough_routing *routing, bough_source *source, uint32_t packets, uint64_t steps,
                 bough_key key, packet_result *result);

#endif
