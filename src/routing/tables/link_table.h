/* The entries of a forwarding table: a link by node and address. A node has few links, so an entry is a byte:
 * the slot of a link among those of its node; slot 0: none. Where a node has more links than a byte can
 * number, entries are links themselves. */
#ifndef BOUGH_ROUTING_TABLES_LINK_TABLE_H
#define BOUGH_ROUTING_TABLES_LINK_TABLE_H

#include "routing/routing.h"

enum { LINK_SLOTS_MAX = 255 }; /* links of a node that slots can number: 1 .. 255 */

/* Zero-initialise. */
typedef struct link_table {
    uint64_t first_row, rows; /* rows are the nodes first_row .. first_row + rows - 1 */
    uint64_t stride;          /* entries from one row to the next */
    uint32_t slots;           /* of a node, with slot 0; 0: entries are links */
    uint8_t *slot;            /* [row * stride + address]; NULL: entries are links */
    /* [row * slots + slot], or [row * stride + address]: BOUGH_NO_INDEX: none */
    uint32_t *link;
} link_table;

/* Sets the shape of a table for nodes with up to `links` links each, and returns its bytes, UINT64_MAX if too
 * many. first_row and rows are set. */
uint64_t link_table_shape(link_table *table, uint64_t addresses, uint64_t links);
/* Allocates it. Links of slots are BOUGH_NO_INDEX; entries are not set. Errors: NO_MEMORY. */
bough_status link_table_make(link_table *table, bough_error *error);
void link_table_fini(link_table *table);
/* Entries of the rows first .. end - 1 (not nodes) become none. */
void link_table_clear(const link_table *table, uint64_t first, uint64_t end);

/* The entries as bytes, and those of one row. */
static inline void *link_table_entries(const link_table *t) {
    return t->slot ? (void *)t->slot : (void *)t->link;
}
static inline uint64_t link_table_row_bytes(const link_table *t) {
    return t->stride * (t->slot ? sizeof *t->slot : sizeof *t->link);
}

/* The links of a node by slot. */
static inline uint32_t *link_table_slots(const link_table *t, uint64_t node) {
    return t->link + (node - t->first_row) * t->slots;
}

/* entry: the slot of a link; the link where table->slot is NULL. */
static inline void link_table_set(const link_table *t, uint64_t node, uint64_t address, uint32_t entry) {
    const uint64_t at = (node - t->first_row) * t->stride + address;
    if (t->slot)
        t->slot[at] = (uint8_t)entry;
    else
        t->link[at] = entry;
}

static inline bough_table_row link_table_row(const link_table *t, uint64_t node) {
    const uint64_t row = node - t->first_row;
    if (t->slot) return (bough_table_row){t->slot + row * t->stride, t->link + row * t->slots, t->slots};
    return (bough_table_row){NULL, t->link + row * t->stride, 0};
}

/* Fetches the cache line of an entry. */
static inline void link_row_fetch(const bough_table_row *row, uint64_t address) {
    __builtin_prefetch(row->slot ? (const void *)(row->slot + address) : (const void *)(row->link + address));
}

/* For who follows all paths to an address and then those to the next: fetches the next cache line of a row in
 * time. */
static inline void link_row_ahead(const bough_table_row *row, uint64_t address) {
    const uint64_t line = row->slot ? 64 : 16; /* entries */
    if (address % line == 0) link_row_fetch(row, address + line);
}

/* The entry of a node, with the next cache line. */
static inline uint32_t link_table_next(const link_table *t, uint64_t node, uint64_t address) {
    const bough_table_row row = link_table_row(t, node);
    const uint32_t link = bough_table_link(&row, address);
    link_row_ahead(&row, address);
    return link;
}

#endif
