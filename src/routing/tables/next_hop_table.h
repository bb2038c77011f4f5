/* A computed forwarding table: one link per node and address, like `lft` without LIDs. */
#ifndef BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H
#define BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H

#include "routing/routing_list.h"

/* Addresses, rounded up to an odd number of cache lines: the entries of one address in all rows would
 * otherwise share few places of the cache where addresses are a power of two. */
static inline uint64_t next_table_stride(uint64_t addresses) {
    return ((addresses + 15) / 16 | 1) * 16;
}

/* Zero-initialise; `place` may be set. Rows are the nodes from first_row on: only switches if every endpoint
 * has one link. */
typedef struct next_table {
    const bough_net *net;
    uint64_t first_row, bytes; /* bytes: total while it is filled */
    const uint32_t *place;     /* [endpoints]: 1, 2, .. of those that come first in the order; NULL: none */
    uint64_t stride;           /* entries from one row to the next: next_table_stride */
    uint32_t *next;            /* [(node - first_row) * stride + address]: a link, or BOUGH_NO_INDEX */
    uint32_t *load;            /* per link: addresses routed over it at its start; only while filling */
    uint32_t *port;            /* per link: next_table_port; only while filling */
    /* Destinations in the order in which OpenSM assigns ports: those with a place, then switches with the
     * most adapters first, ties by the GUID bytes from the last to the first (its maps compare them as stored
     * on a little-endian machine); adapters of one switch by its port. */
    struct next_table_destination {
        uint64_t address; /* of adapters that are not endpoints: one at the same switch, or BOUGH_NONE */
        /* Where it ends: the endpoint; for those adapters their switch. They have no entries, but count for
         * the load of ports. */
        uint64_t node;
        bool counted_only;
    } * order;
    uint64_t destinations;
} next_table;

/* Allocates the table; its entries are set by table_fill. Errors: TOO_LARGE with the size, NO_MEMORY. */
bough_status next_table_make(next_table *table, const bough_net *net, bough_error *error);
/* Frees the data that is only needed while filling. */
void next_table_filled(next_table *table);

static inline uint32_t *next_table_entry(const next_table *t, uint64_t node, uint64_t address) {
    return &t->next[(node - t->first_row) * t->stride + address];
}

/* Who follows all paths to an address continues with the next one: fetches the next cache line of a row in
 * time. */
static inline void next_table_ahead(const uint32_t *entry, uint64_t address) {
    if (address % 16 == 0) __builtin_prefetch(entry + 16);
}

/* The number of the output port of a link; if the network has no port numbers, the id of the link. */
uint32_t next_table_port(const bough_net *net, uint64_t link);

/* For the `route` of kinds with `next`. */
void next_table_route(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                      bough_route *route);
/* For bough_routing_kind: data is a next_table. */
uint64_t next_table_next(const bough_routing *routing, uint64_t node, const bough_flow *flow);
const uint32_t *next_table_row(const bough_routing *routing, uint64_t node);
void next_table_free(bough_routing *routing);

#endif
