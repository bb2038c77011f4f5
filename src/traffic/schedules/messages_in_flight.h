/* How many messages of a schedule may be in flight at a time, from its dependencies alone: for estimates of
 * memory. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_MESSAGES_IN_FLIGHT_H
#define BOUGH_TRAFFIC_SCHEDULES_MESSAGES_IN_FLIGHT_H

#include "traffic/traffic.h"

typedef struct messages_in_flight {
    uint64_t messages, packets; /* packets: of at most packet_bytes; at least one for each message */
} messages_in_flight;

/* Of traffic of shape BOUGH_SCHEDULE. The sends of a rank that follow the same number of receives and of
 * sends by rendezvous, along the longest chain of dependencies, are in flight together, and each rank has as
 * many messages in flight as possible. A list of messages has no ranks: all of its messages count. Visits
 * every operation once. Errors: NO_MEMORY. */
bough_status messages_in_flight_of(const bough_traffic *traffic, uint64_t packet_bytes,
                                   messages_in_flight *result, bough_error *error);

#endif
