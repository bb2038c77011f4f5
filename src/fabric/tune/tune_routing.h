/* Tables as a routing, and a routing as tables. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_ROUTING_H
#define BOUGH_FABRIC_TUNE_TUNE_ROUTING_H

#include "fabric/tune/tune_tables.h"

/* A routing with the entries of the tables, which copies them. */
bough_status tune_routing_make(const tune_tables *tables, bough_routing **routing, bough_error *error);

/* The entries of a routing that depends on node and address only, as they are. Entries of switches from which
 * a path does not arrive become BOUGH_NO_INDEX. unrouted: connected pairs without a path; outside: entries
 * that are no choices. Errors: NO_MEMORY. */
typedef struct tune_raw {
    uint64_t unrouted, outside;
} tune_raw;
bough_status tune_routing_read(const bough_routing *routing, tune_tables *tables, tune_raw *raw,
                               bough_error *error);

#endif
