/* Islands: addresses that all entry groups of their range miss (reachability.h). */
#ifndef BOUGH_NETWORK_FAULTS_REACHABILITY_ISLANDS_H
#define BOUGH_NETWORK_FAULTS_REACHABILITY_ISLANDS_H

#include "base/memory/index_map.h"
#include "network/faults/address_sets.h"

/* A group that misses something; kept while groups of its order are processed. */
typedef struct loss {
    uint32_t group, set;
    bool entry;
    interval range, home; /* of an entry group */
} loss;

typedef struct island_finder {
    const bough_net *net;
    address_sets *sets;
    reach *r;
    uint64_t *islanded;           /* one bit per address: in an island */
    bough_index_map entry_counts; /* number of entry groups of each range, from << 32 | to */
    size_t island_capacity;
} island_finder;

bough_status islands_make(island_finder *f, const bough_net *net, address_sets *sets, reach *r);
void islands_fini(island_finder *f);

/* Processes the sorted losses of one order: removes addresses in new or old islands from the sets of entry
 * groups. */
void islands_find(island_finder *f, loss *losses, uint64_t count);
/* After all groups: sorts the islands and sums up their home ranges. */
void islands_end(island_finder *f);

#endif
