/* Messages with times, in order of time, as a source. It notes what it is told of. */
#ifndef BOUGH_TESTS_LISTED_H
#define BOUGH_TESTS_LISTED_H

#include "traffic/traffic.h"

typedef struct listed {
    bough_source base;
    bough_message *message;
    uint64_t *told; /* per id: 1 + the time its delivery was told */
    uint32_t count, ready, next;
    bool chained; /* ready: 1 at first; message i + 1 is ready when i is in, and starts in that cycle */
    bool trouble; /* told of what it did not send, or twice */
} listed;

listed listed_make(uint32_t count); /* messages of size 1, still without time, source, address */
void listed_again(listed *l);       /* from the start once more */
void listed_fini(listed *l);

/* Poisson arrivals: `rate` messages a cycle and endpoint, uniform destinations, sizes 1 .. size_max, each
 * offered in the cycle after it is born. */
listed listed_poisson(const bough_net *net, double rate, uint32_t count, uint32_t size_max, bough_key key);

#endif
