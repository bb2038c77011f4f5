/* Reachability of addresses in a network with faults, for networks whose groups have covered ranges and an
 * order.
 *
 * Groups are visited in descending order: in a tree, downward groups from the endpoints up, then upward
 * groups from the roots down. A group misses an address if each of its links is cut or ends at a switch whose
 * own group for the address misses it. Only groups that can be affected are visited: those with a cut link,
 * and those with a link to a switch one of whose groups misses something.
 *
 * Addresses that every entry group of a range misses (in a tree: all groups into a subtree) are
 * unreachable from all endpoints outside the home range. Storing this in every group elsewhere would take
 * switches times subtrees. It is stored once, as an island: addresses that only endpoints of their home range
 * can reach. The home range may be empty (the stages of a bidelta network have none). Groups before the entry
 * groups do not store islands. */
#ifndef BOUGH_NETWORK_FAULTS_REACHABILITY_H
#define BOUGH_NETWORK_FAULTS_REACHABILITY_H

#include "network/faults/remaining_links.h"

/* Addresses from .. to - 1. */
typedef struct interval {
    uint32_t from, to;
} interval;

typedef struct island {
    interval own, home;
} island;

typedef struct reach {
    island *island; /* disjoint, ascending */
    uint64_t islands, island_addresses;
    choices missed; /* of endpoint groups: pieces with count 1 are missed; without foreign islands */
    /* Number of island addresses whose home range contains an address: home_count[i].to from address
     * home_count[i].from on. */
    interval *home_count;
    uint64_t home_counts;
} reach;

/* cut: one bit per link that messages cannot pass. left: if not NULL, receives the remaining links of each
 * group by address (without islands; groups of one link are omitted except at endpoints, because no message
 * that reaches them has an address that they miss). Errors: UNSUPPORTED (no covered ranges), TOO_LARGE,
 * NO_MEMORY. */
bough_status reach_find(const bough_net *net, const uint64_t *cut, reach *reach, choices *left,
                        bough_error *error);
void reach_fini(reach *reach);
uint64_t reach_bytes(const reach *reach);

/* Returns whether an island blocks the pair. source: an address of the sender. */
bool reach_bars(const reach *reach, uint64_t source, uint64_t address);
/* Returns whether the group that the sender uses for the address leads there. */
bool reach_has(const reach *reach, uint64_t source, uint64_t group, uint64_t address);
/* The number of addresses that an endpoint does not reach. */
uint64_t reach_count_missed(const reach *reach, const bough_net *net, uint64_t endpoint);

#endif
