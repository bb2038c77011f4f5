/* Networks in arrays with all minimal routes, for imported fabrics. */
#ifndef BOUGH_NETWORK_IMPORTED_MINIMAL_PATHS_NET_H
#define BOUGH_NETWORK_IMPORTED_MINIMAL_PATHS_NET_H

#include "network/next_links.h"

/* One direction of a cable, as imported. */
typedef struct cable_end {
    uint32_t start, end;        /* nodes */
    uint32_t out_port, in_port; /* port numbers at both ends */
    uint32_t twin;              /* index of the other direction in the same array */
    uint32_t tag;               /* private to the importer (a fabric port) */
    uint64_t rate;              /* bit/s; 0: unknown */
} cable_end;

typedef struct imported_wiring {
    uint32_t nodes, endpoints; /* endpoints first; each has one cable, to a switch */
    cable_end *link;
    uint32_t links;
    uint32_t *hosts; /* [node]: cables to hosts, whether these are endpoints or not */
} imported_wiring;

/* A finished network; arrays are indexed by final ids. */
typedef struct flat {
    uint32_t nodes, endpoints, links, groups, switches;
    uint32_t *link_start, *link_end, *link_twin, *link_group, *link_tag;
    uint16_t *out_port, *in_port;
    uint64_t *rate;
    uint32_t *group_first, *group_node, *group_order; /* group_first has groups + 1 entries */
    uint32_t *node_group;                             /* nodes + 1 entries: first group of a node */
    uint8_t *level;
    uint32_t *attach;         /* the switch to which an endpoint is attached */
    uint32_t *destination_of; /* per switch: its destination index if endpoints are attached, or
                                 BOUGH_NO_INDEX */
    next_links minimal;       /* rows: switches; columns: destination indexes */
    /* Channels: subtree[level * endpoints + e], capacity[level * endpoints + subtree]. */
    uint32_t *subtree, *capacity;
    void *extra; /* private to the importer, freed by free_extra */
    void (*free_extra)(void *extra);
} flat;

/* Sets sizes, ops and capabilities of net from the wiring. Cost: O(switches^2 x ports). Errors: TOO_LARGE,
 * NO_MEMORY. */
bough_status minimal_paths_make(const imported_wiring *wiring, bough_net *net, bough_error *error);
const flat *minimal_paths_of(const bough_net *net); /* NULL for other networks */

#endif
