/* Wormhole routing: worms of flits that hold the channels behind their heads.
 *
 * Time (docs/greenberg1997.md). A message offered in cycle t0 asks for its first link
 * from t0 on. A link carries one flit a cycle and has a buffer of `buffer` flits at its end. A head that
 * crossed a link in cycle a may cross the next from a + 1 on. It waits in its group's queue, first come,
 * first served; heads that come in one cycle are queued in keyed random order; a free link goes to the first
 * waiter that may take it. The next head may cross a link from the cycle on in which the tail of the one
 * before leaves the buffer at its end. A sink takes a flit a cycle. Delivered, tail and all, F cycles after
 * the head crossed the last link; latency counts from t0, so over D links it is F + D - 1 without load. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_H
#define BOUGH_ENGINES_WORMHOLE_WORM_H

#include "method/engine.h"

typedef struct worm_options {
    uint64_t flits;  /* per unit of a message's size */
    uint32_t buffer; /* flits that the end of a link (of a virtual channel of it) can hold; >= 1 */
    uint32_t vcs;    /* virtual channels of a link; 1: the event-driven engine */
    uint32_t credit; /* cycles from a flit's leaving a buffer until the link's start knows */
    bool detect;     /* report deadlock instead of running on */
} worm_options;

#endif
