/* clang-format off */
/* Packets: store and forward, step by step, on any network.
 *
 * Where links have rates and delays, packet_timed.h is used. Where they have none it has the same results; this
 * engine is 12 times as fast there (Valiant's routing on cube:n=2^18) and needs an eighth of the memory.
 *
 * Order of the step from time t to t + 1:
 *   1. Packets that crossed a link in the previous step are at its end. In order of their numbers, they are
 *      delivered at time t, or join the queue of their next link.
 *   2. Messages with a time of t or before are taken from the source. Their packets join their first queues,
 *      in order of their numbers; a packet that is at its destination already is delivered at time t.
 *   3. With a synchronous second phase, if all queues are empty: packets that wait at their intermediate
 *      nodes join queues, in order of their numbers. (If some of them are at their destination, the source is
 *      notified and may have more messages for time t: then steps 2 and 3 are repeated.)
 *   4. Every queue that is not empty sends one packet, which is at the end of the link at time t + 1.
 * So alone a packet takes one step per link. Unless `buffer` is set, queues are unlimited and packets never
 * wait for space, so there is no deadlock.
 *
 * A message of size k is k packets (of size 0: one packet), numbered from 0 in order of creation. It is
 * delivered with the last of them. Packets of one message are one flow (bough_flow.key is the message's
 * number), but under a routing with a via each draws its own via, by its own number. At the via a packet
 * continues at once, in the order of processing, or (synchronous) in step 3.
 *
 * A link has one queue, at its start. A packet selects its queue when it arrives at a node, by
 * bough_select_free among the live links of its route, regardless of queue lengths. Occasion: t. served:
 * packets that have joined queues of the group at time t before it. load: the lengths of the queues.
 *
 * Queue disciplines (arrivals are in the order of steps 1 to 3):
 *   fifo      sends the first arrival
 *   lifo      sends the last arrival
 *   farthest  sends the packet with the most links to go, through both phases; ties: the smallest number.
 *             Links are counted at creation, along the first live link of every route; each crossing
 *             subtracts one.
 *   random    The queue is a list; arrivals are appended. Of n packets the one at position
 *             bough_scale(bough_word(key, BOUGH_DRAW_QUEUE, link, t), n), counted from 0, is sent, and the
 *             last packet of the list takes its place.
 *
 * Half duplex (half): the two directions of a cable, a link and its twin, carry one packet per step together.
 * If both can send in step 4, the direction that did not carry the last packet of the cable sends. Before its
 * first packet, the smaller link sends if bough_bit(key, BOUGH_DRAW_DUPLEX, smaller link, 0) is 0, else its
 * twin. Links without a twin are as before.
 *
 * Finite buffers (buffer = B > 0): a queue holds at most B packets. What changes:
 *   1. A packet at the end of a link selects among the queues of its route that have room. If none has, it
 *      stays at the end of the link and tries again in every step, in order of numbers with those that
 *      arrive: the oldest first. At its destination, and where it is held for a synchronous second phase,
 *      there is always room.
 *   2. A new packet that finds no room waits at its source, behind those that wait there: they enter first
 *      come, first served, and the first blocks the others. Those that wait are tried before new messages,
 *      and after the packets of step 1.
 *   3. The same for packets that begin their second phase; this begins when nothing waits for room.
 *   4. A link sends only if no packet waits at its end. (A link that could not send does not prevent its twin
 *      from sending.)
 * So room counts from the step after the one in which a packet left the queue, and a link with its end holds
 * B + 1 packets at most. A line of packets with B = 1 moves one link per step.
 * Packets can deadlock. The run ends when nothing moves and no message is to come, and `stuck` counts the
 * messages: a packet at the end of a link can move eventually if a queue that it may join has room, or sends;
 * a queue sends eventually if no packet is at the end of its link, or one that can move. */
/* clang-format on */
#ifndef BOUGH_ENGINES_PACKET_PACKET_H
#define BOUGH_ENGINES_PACKET_PACKET_H

#include "method/engine.h"

typedef enum packet_discipline { PACKET_FIFO, PACKET_LIFO, PACKET_FARTHEST, PACKET_RANDOM } packet_discipline;

typedef struct packet_options {
    packet_discipline queue;
    unsigned hops;    /* links of the longest route (of one phase) */
    bool trace;       /* keep all routes; for batches */
    bool half;        /* half duplex */
    uint32_t buffer;  /* packets of a queue; 0: unlimited */
    uint64_t packets; /* that the engine makes room for at first, on large pages */
    unsigned threads; /* of a step; 0: one */
} packet_options;

/* Without a via the whole run is the first phase. delay: steps that packets spent in queues beyond one per
 * link, without the wait between the phases. */
typedef struct packet_phase {
    /* packets that completed the phase; links crossed; on the most loaded link */
    uint64_t packets, crossings, load_max;
    uint64_t delay, delay_max, end; /* sum, maximum; time at which the last packet completed the phase */
} packet_phase;

/* Statistics since the last reset. */
typedef struct packet_figures {
    packet_phase phase[2];
    uint64_t packets, delay, delay_max; /* delivered packets; both phases together */
    uint64_t load_max, queue_max;       /* both phases; the longest queue */
} packet_figures;

/* Packets of a traced run, by number. Owned by the engine, valid until the next trial. */
typedef struct packet_trace {
    uint64_t packets, links; /* link ids are less than `links` */
    unsigned stride;
    const uint32_t *route;       /* [packet * stride + k]: the k-th link it crossed */
    const uint16_t (*length)[2]; /* links in the first phase, and in total */
    const uint32_t (*delay)[2];  /* per phase */
} packet_trace;

/* Checks that the engine's counters are large enough. Errors: TOO_LARGE; UNSUPPORTED, half duplex on a
 * network without two directions of a cable. */
bough_status packet_check(const bough_routing *routing, const packet_options *options, bough_error *error);
/* packets: number that can be in flight at a time. With options->threads > 1, PACKET_BYTES_EACH bytes a
 * packet are added for each further thread. */
#define PACKET_BYTES_EACH 24
/* Whether the threads of a team divide large steps. */
bool packet_divides(const bough_routing *routing, const packet_options *options);
uint64_t packet_bytes(const bough_routing *routing, const packet_options *options, uint64_t packets);
/* The engine borrows routing. The `hops` of a delivery are those of the packet that crossed most links;
 * `entered` is when the first packet left its first queue. Errors: TOO_LARGE, NO_MEMORY. */
bough_status packet_make(const bough_routing *routing, const packet_options *options, sim_engine **engine,
                         bough_error *error);
/* O(links). */
void packet_figures_of(const sim_engine *engine, packet_figures *figures);
void packet_trace_of(const sim_engine *engine, packet_trace *trace);
/* Endpoints of a packet of a traced run. */
void packet_ends_of(const sim_engine *engine, uint64_t number, uint32_t *source, uint32_t *address);
/* Number of crossings of a link in a phase (0: the first of two, or the only one). */
uint64_t packet_crossed(const sim_engine *engine, uint64_t link, unsigned phase);

#endif
