/* A forwarding table of our own making: per node and address one link, like `lft` without LIDs. */
#ifndef BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H
#define BOUGH_ROUTING_TABLES_NEXT_HOP_TABLE_H

#include "routing/routing_list.h"

/* Zero-initialise. Rows are those of the nodes from first_row on: of switches alone where every endpoint has
 * one link. */
typedef struct next_table {
    const bough_net *net;
    uint64_t first_row, bytes; /* bytes: of all of it while it is filled */
    uint32_t *next;            /* [(node - first_row) * addresses + address]: a link, or BOUGH_NO_INDEX */
    uint32_t *load; /* per link: addresses that its start sends over it; while the table is filled */
    /* Destinations in the order in which OpenSM spreads them: those of the switches with the most adapters
     * first, switches alike in the order of their GUIDs' bytes from the last on (its maps compare them as
     * they lie in the memory of a little-endian machine), the adapters of one switch by its port. */
    struct next_table_destination {
        uint64_t address; /* of adapters that are no endpoints: one at the same switch, or NONE */
        uint64_t node;    /* where it ends: the endpoint; of those adapters the switch, from where on they
                             have no entries, but ports are counted as if they had */
        bool counted_only;
    } * order;
    uint64_t destinations;
} next_table;

/* Everything but the entries, which are all missing. Errors: TOO_LARGE with the size, NO_MEMORY. */
bough_status next_table_make(next_table *table, const bough_net *net, bough_error *error);
/* What only filling needs. */
void next_table_filled(next_table *table);
void next_table_fini(next_table *table);

static inline uint32_t *next_table_entry(const next_table *t, uint64_t node, uint64_t address) {
    return &t->next[(node - t->first_row) * t->net->addresses + address];
}

/* Of links, which leave one node, the one with the least load, and of those the one with the lowest port; it
 * is counted. */
uint32_t next_table_take(next_table *table, const uint32_t *links, uint32_t count);
/* The number of the port a link leaves by; where the network has none, the link's. */
uint32_t next_table_port(const bough_net *net, uint64_t link);

/* For bough_routing_kind: data is a next_table. */
void next_table_route(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                      bough_route *route);
void next_table_free(bough_routing *routing);

#endif
