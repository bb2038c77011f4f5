/* Store and forward, step by step, on any network: one FIFO per directed link, at its tail. Each step every queue that is
 * not empty sends its head; then those that came are delivered, or appended to their next queue in the order of their ids.
 * Packets offered at time t are appended, in the order of their ids, before step t + 1: alone, a packet takes one step a
 * link. */
#ifndef BOUGH_TESTS_PACKET_STEPPER_H
#define BOUGH_TESTS_PACKET_STEPPER_H

#include "bough/routing.h"
#include "bough/traffic.h"

typedef struct packet_fate {
    uint64_t offered, delivered;
    uint32_t source, address, hops;
    bool arrived, lost; /* lost: somewhere there was no route */
} packet_fate;

typedef struct packet_result {
    packet_fate *fate; /* by message id */
    uint32_t count, queue_max;
    uint64_t steps, crossings; /* until the last delivery; links crossed in all */
} packet_result;

/* Runs until everything is delivered or `steps` have passed. A message is one packet. Free with packet_fini. */
void packet_step(const bough_routing *routing, bough_source *source, uint64_t steps, bough_key key,
                 packet_result *result);
void packet_fini(packet_result *result);

#endif
