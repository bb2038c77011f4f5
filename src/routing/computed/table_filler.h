/* Fills a forwarding table, on several threads and ranks.
 *
 * A node chooses among its links by counters that no other node reads or changes. So a row of the table needs
 * its destinations in their order, but rows are independent of each other. Destinations are taken in batches:
 * first the paths to them are searched, each search by one thread; then each row takes its links towards all
 * of them, each row by one thread. Ranks divide both, and send each other the paths, and at last the rows.
 * The table does not depend on the numbers of threads and ranks. */
#ifndef BOUGH_ROUTING_COMPUTED_TABLE_FILLER_H
#define BOUGH_ROUTING_COMPUTED_TABLE_FILLER_H

#include "routing/computed/up_down_paths.h"
#include "routing/tables/next_hop_table.h"

typedef struct table_filler {
    next_table *table;
    const up_down *paths; /* to destinations without a route of the network; may be NULL if all have one */
    bool routes;          /* use the routes of the network for destinations that have an address */
    uint64_t input_hash;  /* of the files on which it depends, which must be alike on all ranks */
    /* A node has no link towards table->order[destination]. Called by several threads at a time, in any
     * order, on the rank that has the row. May be NULL. */
    void (*missing)(void *context, uint64_t node, uint64_t destination);
    void *context;
} table_filler;

/* Threads: bough_net.threads; ranks: bough_net.group, all of which call it. Errors: NO_MEMORY; INVALID where
 * ranks differ. */
bough_status table_fill(const table_filler *filler, bough_error *error);

#endif
