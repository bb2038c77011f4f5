/* The islands among what groups miss: what all gates to a range of addresses miss (reach.h). */
#ifndef BOUGH_NETWORK_FAULTS_REACHABILITY_ISLANDS_H
#define BOUGH_NETWORK_FAULTS_REACHABILITY_ISLANDS_H

#include "network/faults/address_sets.h"

/* A group that misses something, until its rank is done. */
typedef struct loss {
    uint32_t group, set;
    bool gate;
    interval scope, home; /* of a gate */
} loss;

/* How many gates there are to a range of addresses. */
typedef struct gates {
    uint64_t *key; /* from << 32 | to; 0: empty */
    uint32_t *count;
    uint64_t used, slots;
} gates;

typedef struct island_finder {
    const bough_net *net;
    address_sets *sets;
    reach *r;
    uint64_t *islanded; /* bit an address: in an island */
    gates gates;
    size_t island_capacity;
} island_finder;

bough_status islands_make(island_finder *f, const bough_net *net, address_sets *sets, reach *r);
void islands_fini(island_finder *f);

/* The losses of one rank, which are sorted: what is in islands, new or old, gates do not miss any more. */
void islands_find(island_finder *f, loss *losses, uint64_t count);
/* After all ranks: islands ascend, and reach knows how many are home to whom. */
void islands_end(island_finder *f);

#endif
