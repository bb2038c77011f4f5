/* Shared links of routes: Lemmas 3 and 4 of valiant1982, checked on the routes of a run. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_MEETINGS_H
#define BOUGH_ENGINES_PACKET_PACKET_MEETINGS_H

#include "engines/packet/packet.h"

/* Results for one phase. S of a packet: the other packets whose routes share a link with its route. */
typedef struct packet_meetings {
    uint64_t pairs;                /* pairs of packets that share a link */
    uint64_t sharers, sharers_max; /* |S|: sum over all packets, maximum */
    uint64_t returns;              /* times that two routes meet again after they separated */
    uint32_t back[2];              /* the first two such packets */
    uint64_t back_link;            /* the link where they meet again */
    uint64_t late;                 /* packets delayed by more than |S| */
    uint32_t late_packet, late_by; /* the first of them, its delay */
    uint64_t late_sharers;         /* its |S| */
} packet_meetings;

/* The routes of a run, and where they meet in each of its phases. */
typedef struct packet_routes {
    bool idle; /* links can be idle while packets wait for them: half duplex, finite buffers */
    packet_trace trace;
    packet_meetings meetings[2];
} packet_routes;

/* phase: 0 or 1. Time: the sum over links of the square of the number of routes. Memory: 4 bytes per link, 8
 * per link of a route, 12 per packet. Errors: TOO_LARGE (2^32 links of routes), NO_MEMORY. */
bough_status packet_meet(const packet_trace *trace, unsigned phase, packet_meetings *m, bough_error *error);

#endif
