/* Packets: store and forward, step by step, on any network.
 *
 * Time t of a run, and the step from t to t + 1, in this order:
 *   1. Packets that crossed a link in the step before are at its end. One after the other, by number, they
 * are delivered at time t, or join the queue of their next link.
 *   2. Messages with a time of t or before are taken from the source. Their packets join their first queues,
 *      by number; a packet that is where it wants to be is delivered at time t.
 *   3. With a synchronous second phase, if all queues are empty: the packets that wait at their intermediate
 *      nodes join queues, by number. (Of those that are where they want to be the source is told, and may
 *      have more messages for time t: then 2 and 3 again.)
 *   4. Every queue that is not empty sends one packet, which is at the end of the link at time t + 1.
 * So alone a packet takes one step a link. Queues have no limit, and nobody waits for room: nothing can be
 * stuck.
 *
 * A message of size k is k packets (of size 0: one), numbered from 0 in the order of their birth; it is
 * delivered with the last of them. Packets of one message are one flow (bough_flow.key is the message's
 * number), but under a routing with a via each draws its own, by its own number. At the via a packet goes on
 * at once, in the order it is treated, or (synchronous) in 3.
 *
 * A link has one queue, at its start. A packet chooses its queue when it comes to a node: by
 * bough_pick_free among the links of its route that are alive, however long their queues. Occasion: t.
 * served: packets that have joined queues of the group at time t before it. load: the lengths of the queues.
 *
 * Which packet a queue sends (all come in the order of 1 to 3):
 *   fifo      the first that came
 *   lifo      the last that came
 *   farthest  the one with the most links to go, through both phases; the smallest number of several. Links
 *             are counted when it is born, along the first link that is alive of every route; each that it
 *             crosses is one less.
 *   random    The queue is a list; who comes is put at its end. Of n packets the one at position
 *             bough_scale(bough_word(key, BOUGH_DRAW_QUEUE, link, t), n), counted from 0, is sent, and the
 *             last of the list takes its place. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_H
#define BOUGH_ENGINES_PACKET_PACKET_H

#include "method/engine.h"

typedef enum packet_discipline { PACKET_FIFO, PACKET_LIFO, PACKET_FARTHEST, PACKET_RANDOM } packet_discipline;

typedef struct packet_options {
    packet_discipline queue;
    unsigned hops; /* links of the longest route (of one phase) */
    bool trace;    /* keep all routes; for batches */
} packet_options;

/* Without a via all of a run is its first phase. delay: steps that a packet spent in queues beyond one a
 * link; the wait between the phases is none. */
typedef struct packet_phase {
    uint64_t packets, crossings, load_max; /* that came to the phase's end; links crossed; on the fullest */
    uint64_t delay, delay_max, end;        /* sum, largest; when the last one came to its end */
} packet_phase;

/* Since the last reset. */
typedef struct packet_figures {
    packet_phase phase[2];
    uint64_t packets, delay, delay_max; /* delivered; of both phases together */
    uint64_t load_max, queue_max;       /* both phases; the longest queue */
} packet_figures;

/* What became of the packets of a traced run, by number. Owned by the engine, until the next trial. */
typedef struct packet_trace {
    uint64_t packets, links; /* link ids are below links */
    unsigned stride;
    const uint32_t *route;       /* [packet * stride + k]: the k-th link it crossed */
    const uint16_t (*length)[2]; /* links up to the end of the first phase, and in all */
    const uint32_t (*delay)[2];  /* per phase */
} packet_trace;

/* Whether the engine can count so far. Errors: TOO_LARGE. */
bough_status packet_check(const bough_routing *routing, const packet_options *options, bough_error *error);
/* packets: that can be under way at one time. */
uint64_t packet_bytes(const bough_routing *routing, const packet_options *options, uint64_t packets);
/* The engine borrows routing. Its delivery's hops are those of the packet that crossed most links, `entered`
 * is when the first of them left its first queue. Errors: TOO_LARGE, NO_MEMORY. */
bough_status packet_make(const bough_routing *routing, const packet_options *options, sim_engine **engine,
                         bough_error *error);
/* O(links). */
void packet_figures_of(const sim_engine *engine, packet_figures *figures);
void packet_trace_of(const sim_engine *engine, packet_trace *trace);
/* Of a packet of a traced run. */
void packet_ends_of(const sim_engine *engine, uint64_t packet, uint32_t *source, uint32_t *address);
/* How often a link was crossed in a phase (0: the first of two, or the only one). */
uint64_t packet_crossed(const sim_engine *engine, uint64_t link, unsigned phase);

#endif
