/* The groups of an adaptive routing as lists of links, by switch and address. */
#ifndef BOUGH_ROUTING_ADAPTIVE_ADAPTIVE_LISTS_H
#define BOUGH_ROUTING_ADAPTIVE_ADAPTIVE_LISTS_H

#include "network/forwarding_tables/ar_tables.h"
#include "network/next_links.h"
#include "routing/routing.h"

/* What lists are made from. */
typedef struct adaptive_source {
    const bough_net *net;
    const bough_tables *tables; /* may be NULL */
    const ar_tables *groups;    /* NULL: all links to the switch to which the tables lead */
} adaptive_source;

/* Entries whose group could not be used as it is. */
typedef struct adaptive_trouble {
    uint64_t split;    /* ports in several groups of the network: the largest part is used */
    uint64_t empty;    /* no port of the group has a link: the static port is used */
    uint64_t untabled; /* switches without a section in the file, and without a table */
} adaptive_trouble;

/* Rows are switches, columns addresses; zero-initialise lists. Dead links are left out. */
bough_status adaptive_lists_make(const adaptive_source *source, next_links *lists, adaptive_trouble *trouble,
                                 bough_error *error);

#endif
