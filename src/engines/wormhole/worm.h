/* Wormhole routing: worms of flits that hold the channels behind their heads.
 *
 * Time (docs/greenberg1997.md). A message offered in cycle t0 requests its first link from t0 on. A link
 * carries one flit per cycle and has a buffer of `buffer` flits at its end. A head that crossed a link in
 * cycle a may cross the next from a + 1 on. It waits in the queue of its group, first come, first served;
 * heads that arrive in one cycle are queued in keyed random order; a free link goes to the first waiting head
 * that may take it. The next head may cross a link from the cycle in which the tail of the previous one
 * leaves the buffer at its end. A sink takes one flit per cycle. A message is delivered, tail included, F
 * cycles after the head crossed the last link. Latency counts from t0, so over D links it is F + D - 1
 * without load. Links with rates and delays, and buffers that messages share: worm_timed.h. Virtual channels:
 * worm_switch.h. Routers with a pipeline: worm_router.h. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_H
#define BOUGH_ENGINES_WORMHOLE_WORM_H

#include "engines/wormhole/worm_wires.h"
#include "method/engine.h"

typedef struct worm_options {
    uint64_t flits;  /* per unit of a message's size */
    uint32_t buffer; /* flits in the buffer at the end of a link (of a virtual channel of it); >= 1 */
    uint32_t vcs;    /* virtual channels of a link; 1: the event-driven engine */
    /* cycles from a flit's leaving a buffer until this is visible at the start of the link */
    uint32_t credit;
    bool detect; /* report deadlocks instead of refusing routes that allow them */
    bool by_hop; /* virtual channels by the cable of the path, not by which is free */
    bool owned;  /* a buffer belongs to a message until its tail has left; else flits share it */
    /* Bytes of a flit; ps of a cycle; links [links], read while the engine is made. NULL: a link carries one
     * flit in each cycle and has no delay. */
    uint64_t flit, tick;
    const worm_wire *wires;
} worm_options;

/* The flits of a message. Errors: INVALID for none, and for 2^32 or more. */
bough_status worm_count_flits(uint64_t size, uint64_t flits, uint32_t *count, bough_error *error);

#endif
