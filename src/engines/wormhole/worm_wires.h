/* Rates and delays of links, for worms of schedules. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_WIRES_H
#define BOUGH_ENGINES_WORMHOLE_WORM_WIRES_H

#include "bough/status.h"
#include "network/net.h"

typedef struct worm_wire {
    uint64_t rate;   /* bit/s */
    uint64_t delay;  /* ps from one end to the other */
    uint64_t onward; /* ps in the node at its end, for messages that go on from there */
} worm_wire;

/* The wires of all links, from the physical setting of the network. rate: of all links; 0: their own. The
 * caller frees *wires. Errors: NO_MEMORY. */
bough_status worm_wires_make(const bough_net *net, uint64_t rate, worm_wire **wires, bough_error *error);

/* Time of a number of bytes at a rate in bit/s, in ps, rounded up; at most UINT64_MAX. */
uint64_t worm_wire_time(uint64_t bytes, uint64_t rate);

/* Number of flits that are on the wire, and in the node at its end, when flits of this many bytes follow each
 * other without gaps. */
uint64_t worm_wire_flits(const worm_wire *wire, uint64_t flit);

#endif
