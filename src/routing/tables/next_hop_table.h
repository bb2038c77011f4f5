/* A computed forwarding table: one link per node and address, like `lft` without LIDs. */
#ifndef BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H
#define BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H

#include "routing/routing_list.h"
#include "routing/tables/link_table.h"

/* Zero-initialise; `place` may be set. Rows are the nodes from first_row on: only switches if every endpoint
 * has one link. */
typedef struct next_table {
    const bough_net *net;
    link_table entries;
    uint64_t bytes;        /* total while it is filled */
    const uint32_t *place; /* [endpoints]: 1, 2, .. of those that come first in the order; NULL: none */
    uint32_t *load;        /* per link: addresses routed over it at its start; only while filling */
    uint32_t *port;        /* per link: next_table_port; only while filling */
    uint8_t *slot;         /* per link: its slot; only while filling; NULL: entries are links */
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

/* link: one that starts at the node, or BOUGH_NO_INDEX. Only while filling. */
static inline void next_table_set(const next_table *t, uint64_t node, uint64_t address, uint32_t link) {
    const uint32_t slot = t->slot && link != BOUGH_NO_INDEX ? t->slot[link] : 0;
    link_table_set(&t->entries, node, address, t->slot ? slot : link);
}

/* The number of the output port of a link; if the network has no port numbers, the id of the link. */
uint32_t next_table_port(const bough_net *net, uint64_t link);

/* For the `route` of kinds with `next`. */
void next_table_route(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                      bough_route *route);
/* For bough_routing_kind: data is a next_table. */
uint64_t next_table_next(const bough_routing *routing, uint64_t node, const bough_flow *flow);
bough_table_row next_table_row(const bough_routing *routing, uint64_t node);
void next_table_free(bough_routing *routing);

#endif
