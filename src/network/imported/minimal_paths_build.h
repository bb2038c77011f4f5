/* The construction of a network with all minimal routes: loops over pairs of switches, on a team of threads.
 * Switches are divided into parts; what a part stores of its switches does not depend on the others. */
#ifndef BOUGH_NETWORK_IMPORTED_MINIMAL_PATHS_BUILD_H
#define BOUGH_NETWORK_IMPORTED_MINIMAL_PATHS_BUILD_H

#include "base/memory/compressed_rows.h"
#include "base/memory/union_find.h"
#include "base/thread_team.h"
#include "network/imported/minimal_paths_net.h"

enum { PATHS_AT_ONCE = 64, PATHS_PARTS = 32 };

typedef struct paths_build {
    const imported_wiring *w;
    flat *f;
    thread_team *team;
    unsigned parts;      /* of the switches; <= PATHS_PARTS */
    compressed_rows out; /* links of a node in the wiring, by port */
    /* The same links between switches only: peer_first[s] .. of switch s. */
    uint32_t *peer_first, *peer, *peer_link; /* peer: the switch at the end of peer_link */
    uint32_t *destination;                   /* by column: a switch to which endpoints are attached */
    uint16_t *distance; /* [column % measured * switches + switch], of the current columns */
    uint32_t measured;  /* columns at a time; all, if the distances of all switches are few */
    bool measured_all;  /* distances to all columns are there */
    uint32_t *queue;    /* [worker * switches] */
    uint32_t *parent;   /* union-find over wiring links */
    uint32_t *final;    /* wiring link -> final id */
    uint32_t switches;
} paths_build;

/* Switches of a part: from the first to that of the next part. */
static inline uint32_t paths_part(const paths_build *b, unsigned part) {
    return (uint32_t)team_part(b->switches, b->parts, part);
}

/* Sets levels. Errors: NO_MEMORY. */
bough_status paths_find_levels(paths_build *b, bough_error *error);
/* Unites links that are eligible together for some destination, in b->parent. */
void paths_find_groups(paths_build *b);
/* Stores the next links of all switches, and hops_max. Errors: TOO_LARGE, NO_MEMORY. */
bough_status paths_find_lists(paths_build *b, bough_net *net, bough_error *error);
/* Computes the order of groups: order(next) > order(group) along every minimal route. *found: false if routes
 * are cyclic; then there is no order. Errors: TOO_LARGE, NO_MEMORY. */
bough_status paths_find_order(paths_build *b, bool *found, bough_error *error);

#endif
