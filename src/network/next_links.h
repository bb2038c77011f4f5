/* Next links by node and destination: a table of lists of links. A node has few different lists, so equal
 * ones are stored once. */
#ifndef BOUGH_NETWORK_NEXT_LINKS_H
#define BOUGH_NETWORK_NEXT_LINKS_H

#include "network/net.h"

typedef struct link_list {
    uint32_t first, count; /* in pool */
} link_list;

/* Set rows and columns before next_links_make; zero-initialise the rest. */
typedef struct next_links {
    uint64_t rows, columns; /* nodes; destinations */
    uint32_t *list_of;      /* [row * columns + column]: a list; 0: no link */
    link_list *list;        /* list 0 is empty */
    uint32_t *pool;         /* links of all lists */
    uint64_t lists, pooled;
    size_t list_capacity, pool_capacity, older_capacity;
    uint32_t *newest, *older; /* per row: its newest list; per list: the previous one of its row */
    bool part;                /* of another table, which has list_of */
} next_links;

/* Allocates the table with empty lists. Errors: TOO_LARGE, NO_MEMORY. */
bough_status next_links_make(next_links *table, bough_error *error);
/* Sets the links of an entry (row * columns + column). Cost: O(lists of the row x count). Errors: NO_MEMORY.
 */
bough_status next_links_set(next_links *table, uint64_t entry, const uint32_t *link, uint32_t count,
                            bough_error *error);
/* Several threads fill a table by parts: rows of it, with lists of their own and the entries of the table.
 * part: zero-initialised; fini when it was joined. Errors: NO_MEMORY. */
bough_status next_links_part(const next_links *table, uint64_t first, uint64_t rows, next_links *part,
                             bough_error *error);
/* Joins all parts, in the order of their rows; fills the table. The lists and bytes of the table do not
 * depend on the parts but for their order. Errors: NO_MEMORY. */
bough_status next_links_join(next_links *table, next_links *const *part, unsigned parts, bough_error *error);
/* Frees what only next_links_set needs. */
void next_links_filled(next_links *table);
void next_links_fini(next_links *table);
uint64_t next_links_bytes(const next_links *table);

/* The links of an entry. */
static inline link_list next_links_at(const next_links *table, uint64_t entry) {
    return table->list[table->list_of[entry]];
}

#endif
