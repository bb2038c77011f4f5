/* clang-format off */
/* Packets in time: store and forward over links with rates and delays.
 *
 * Time is in whole picoseconds, sizes are in units of o.unit bytes. A message of S bytes is cut into packets of o.packet
 * bytes, at least one; the last one has the rest. A packet occupies a link for the time of its data and its
 * header at the rate of the link. While a link sends without a pause, its packets end at the exact times
 * rounded to the nearest ps: roundings do not add up. The link's delay later all of the packet is at the end of the
 * link; unless this is its destination, it joins the queue of its next link the delay of the switch later. So
 * a packet takes along its path the sum of its times on the links and bough_physical_delay, and a message
 * that is alone ends with the last of its packets, each of which follows the one before it.
 *
 * Order within one instant:
 *   1. Links whose packet has left them become free.
 *   2. Packets that are at their destinations are delivered, in order of their numbers.
 *   3. Packets that have passed a switch join the queues of their next links, in order of their numbers.
 *   4. Messages of this time are taken from the source, in order of id. Their packets join their first queues,
 *      in order of their numbers. A message within its endpoint is delivered. Deliveries may make more
 *      messages ready, which are taken too.
 *   5. Every free link with a queue sends one packet.
 * Packets without bytes and links without delay may cause further events at the same instant. They are
 * processed by repeating these steps, until none is left.
 *
 * Packets are numbered from 0 in order of creation. Routes, vias and queue disciplines are those of
 * packet.h, with these differences: `t` is in picoseconds; there is no synchronous second phase; the load of a
 * link is the length of its queue and the packet on it, if there is one. Queues are unlimited.
 *
 * Half duplex: a link is free if neither it nor its twin sends. If both have a queue, the one that did not
 * send last sends; before the first packet of the cable as in packet.h. Delays do not count: one direction
 * can start while the last packet of the other is still on its way. */
/* clang-format on */
#ifndef BOUGH_ENGINES_PACKET_PACKET_TIMED_H
#define BOUGH_ENGINES_PACKET_PACKET_TIMED_H

#include "engines/packet/packet.h"
#include "method/method.h"

#define PACKET_TIME_MAX (UINT64_C(1) << 62) /* ps: 53 days */

typedef struct packet_timed_options {
    packet_discipline queue;
    unsigned hops;   /* links of the longest route (of one phase) */
    uint64_t packet; /* bytes of data */
    uint64_t unit;   /* bytes in a unit of a message's size */
    uint64_t rate;   /* bit/s of all links; 0: the network's */
    bool half;       /* half duplex */
} packet_timed_options;

/* Statistics of a run, or since the last reset. wait: time of a packet in queues, without that at its source.
 */
typedef struct packet_timed_totals {
    uint64_t end;           /* ps: the last arrival */
    uint64_t unrouted;      /* messages without a route, which are left out */
    bough_message lost;     /* the first of them */
    uint64_t arrived, hops; /* messages; total of their links (of the packet that crossed most) */
    uint64_t crossings, packets;
    double bits;            /* of data in arrived messages */
    double inside;          /* of these, within compute nodes */
    uint64_t senders;       /* endpoints that sent arrived messages */
    uint64_t queue_max;     /* packets at a link, as found by one that has crossed another link */
    uint64_t wait_max;      /* ps */
    unsigned __int128 wait; /* ps, of all packets */
} packet_timed_totals;

typedef struct packet_timed packet_timed;

/* Checks that the engine's counters are large enough. Errors: INVALID (a packet that takes too long),
 * TOO_LARGE. */
bough_status packet_timed_check(const bough_routing *routing, const packet_timed_options *options,
                                bough_error *error);

/* What is in flight at a time, at most, and how many messages there are. */
typedef struct packet_timed_load {
    uint64_t messages_live, packets_live, messages;
} packet_timed_load;
uint64_t packet_timed_bytes(const bough_routing *routing, const packet_timed_options *options,
                            const packet_timed_load *load);

/* The engine borrows routing. Errors: NO_MEMORY. */
bough_status packet_timed_make(const bough_routing *routing, const packet_timed_options *options,
                               packet_timed **engine, bough_error *error);
void packet_timed_destroy(packet_timed *engine); /* NULL is allowed */

/* What an engine runs. */
typedef struct packet_timed_input {
    bough_source *source; /* counts picoseconds and bytes */
    bough_key key;
    const bough_run *run;  /* provides the stop flag and receives the progress; may be NULL */
    uint64_t messages;     /* of the source, for the progress; 0: unknown */
    struct timeline *seen; /* the record of a schedule; NULL: none */
} packet_timed_input;

/* The same as an engine that stops and goes on (method/engine.h), for batches and streams. `entered` of a
 * delivery is when it was offered. */
sim_engine *packet_timed_engine(packet_timed *engine);
packet_timed *packet_timed_of(sim_engine *engine);

/* Runs a source to its end. Errors: FAILED (a message without a route, a path longer than planned, a time
 * beyond PACKET_TIME_MAX), TOO_LARGE, NO_MEMORY, INTERRUPTED. */
bough_status packet_timed_run(packet_timed *engine, const packet_timed_input *input, bough_error *error);
const packet_timed_totals *packet_timed_result(const packet_timed *engine);
/* Times from start to arrival in ps, in order of arrival. Owned by the engine; the caller may reorder
 * them. */
uint64_t *packet_timed_times(packet_timed *engine);
/* Time during which a link sent packets, ps. */
uint64_t packet_timed_busy(const packet_timed *engine, uint64_t link);

#endif
