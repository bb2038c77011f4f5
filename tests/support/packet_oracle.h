/* What engines/packet/packet.h says, done as it stands there, one packet after the other: slow, plain, and
 * with a record of everything. */
#ifndef BOUGH_TESTS_PACKET_ORACLE_H
#define BOUGH_TESTS_PACKET_ORACLE_H

#include "engines/packet/packet.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* Of a packet, by number. */
typedef struct oracle_packet {
    uint32_t message, source, address, port, link, links; /* links: how many it has crossed */
    uint64_t aim, node, entered;                          /* entered: BOUGH_NONE until it leaves its source */
    uint64_t since;                                       /* when the phase it is in began */
    uint32_t phase, to_go, turn;                          /* turn: links of the first phase */
    uint64_t delay[2];
    /* CROSSING: on a link, or at its end without room in its next queue. WAITING: at its source, or where it
     * was held, without room */
    enum { ORACLE_BORN, ORACLE_QUEUED, ORACLE_CROSSING, ORACLE_HELD, ORACLE_WAITING, ORACLE_DONE } state;
    uint32_t *route; /* links crossed */
} oracle_packet;

/* Of a message, by id. */
typedef struct oracle_fate {
    uint64_t offered, entered, arrived; /* BOUGH_NONE: not */
    uint32_t source, address, left, links;
} oracle_fate;

typedef struct oracle_result {
    oracle_packet *packet;
    oracle_fate *fate;
    uint32_t packets, messages;
    uint64_t queue_max, end[2], crossings;
    uint64_t sent_until;  /* the end of the last step in which a link was crossed */
    uint64_t *crossed[2]; /* per phase: [link] */
    uint64_t *waited;     /* [link]: steps that packets in its queue were not sent in */
    uint32_t stuck;       /* messages that never arrive, because nothing moves any more */
} oracle_result;

/* Runs until nothing is left to do or time `until` is over; takes at most `messages` messages. A message
 * without a route ends the program. Of the options it reads queue, half and buffer. */
void oracle_run(const bough_routing *routing, bough_source *source, const packet_options *options,
                uint32_t messages, uint64_t until, bough_key key, oracle_result *result);
void oracle_fini(oracle_result *result);

/* |S| of a packet in a phase (0 or 1), route by route; *again: a packet whose route it leaves in that phase
 * and meets again, or UINT32_MAX. */
uint32_t oracle_sharers(const oracle_result *result, uint32_t packet, unsigned phase, uint32_t *again);

#endif
