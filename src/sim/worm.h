/* Wormhole routing: what its engines share. The steady state and the metrics are the method's; an engine
 * simulates cycles and hands out what has arrived. */
#ifndef BOUGH_SIM_WORM_H
#define BOUGH_SIM_WORM_H

#include "bough/method.h"

typedef struct worm_options {
    uint64_t flits;  /* per unit of a message's size */
    uint32_t buffer; /* flits that the end of a link (of a virtual channel of it) can hold; >= 1 */
    uint32_t vcs;    /* virtual channels of a link; 1: the event-driven engine */
    uint32_t credit; /* cycles from a flit's leaving a buffer until the link's start knows */
    bool detect;     /* report deadlock instead of running on */
} worm_options;

/* A message that has arrived: offered and arrived are cycles (the tail is in at `arrived`). */
typedef struct worm_delivery {
    uint64_t offered, entered, arrived; /* entered: its head took the first link */
    uint32_t id, source, address, hops;
} worm_delivery;

/* Counters since the last worm_*_reset: arrays by link. */
typedef struct worm_counts {
    uint64_t *grants, *waited, *held; /* heads that took a link, cycles they waited for it in all, cycles it
                                         was held (in switch: flits that crossed) */
} worm_counts;

#endif
