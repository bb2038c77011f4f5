/* Fills a forwarding table, on several threads.
 *
 * A node chooses among its links by counters that no other node reads or changes. So a row of the table needs
 * its destinations in their order, but rows are independent of each other. Destinations are taken in batches:
 * first the paths to them are searched, each search by one thread; then each row takes its links towards all
 * of them, each row by one thread. The table does not depend on the number of threads. */
#ifndef BOUGH_ROUTING_COMPUTED_TABLE_FILLER_H
#define BOUGH_ROUTING_COMPUTED_TABLE_FILLER_H

#include "routing/computed/up_down_paths.h"
#include "routing/tables/next_hop_table.h"

typedef struct table_filler {
    next_table *table;
    const up_down *paths; /* to destinations without a route of the network; may be NULL if all have one */
    bool routes;          /* use the routes of the network for destinations that have an address */
    /* A node has no link towards table->order[destination]. Called by several threads at a time, in any
     * order. May be NULL. */
    void (*missing)(void *context, uint64_t node, uint64_t destination);
    void *context;
} table_filler;

/* Threads: bough_net.threads. Errors: NO_MEMORY. */
bough_status table_fill(const table_filler *filler, bough_error *error);

#endif
