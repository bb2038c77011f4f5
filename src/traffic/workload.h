/* What traffics that are schedules share: where ranks sit, hosts as LogGOPS sees them, one source. A kind
 * makes a schedule and calls workload_make; its descriptor has WORKLOAD_PARAM_LIST behind its own parameters,
 * workload_open and workload_fini. */
#ifndef BOUGH_TRAFFIC_WORKLOAD_H
#define BOUGH_TRAFFIC_WORKLOAD_H

#include "traffic/match.h"

#include "bough/traffic.h"

#define WORKLOAD_PARAM_LIST                                                                                  \
    {"place",                                                                                                \
     "which endpoint a rank sits on: linear (rank r on endpoint r), random, or a file of lines of a rank "   \
     "and an endpoint's number or name",                                                                     \
     BOUGH_TEXT, "linear"},                                                                                  \
        {"key", "of place=random: another placement for every key", BOUGH_INT, "0", 0, 0x1p53},              \
        {"L", "without a network: from the last byte sent to the last byte there", BOUGH_TIME, "2500ns", 0,  \
         1e15},                                                                                              \
        {"o", "CPU time of a message, at either end", BOUGH_TIME, "1500ns", 0, 1e15},                        \
        {"g", "between two messages of a NIC, at least", BOUGH_TIME, "1000ns", 0, 1e15},                     \
        {"G", "without a network: of a NIC for each byte after the first", BOUGH_TIME, "6ns", 0, 1e15},      \
        {"O", "CPU time for each byte after the first", BOUGH_TIME, "0ps", 0, 1e15}, {                       \
        "S", "sends of more bytes have ended when a receive has taken the message (rendezvous); 0: none do", \
            BOUGH_BYTES, "65535", 0, 0x1p62                                                                  \
    }

/* Makes `traffic` one of this schedule, which it takes over, also after an error. payload, bus_factor: as in
 * bough_workload. Errors: INVALID (sends and receives that cannot come out even, ranks that do not fit onto
 * the endpoints, a placement that is wrong), NO_MEMORY. */
bough_status workload_make(bough_schedule *schedule, uint64_t payload, double bus_factor,
                           bough_traffic *traffic, bough_error *error);
bough_status workload_open(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                           bough_source **source, bough_error *error);
void workload_fini(bough_traffic *traffic);

/* What a trial without an engine needs. Of a traffic that has a workload. */
const match_plan *workload_match(const bough_traffic *traffic);

extern const bough_traffic_kind bough_traffic_goal;

#endif
