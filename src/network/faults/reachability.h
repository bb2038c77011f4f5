/* Which addresses a network with faults still brings heads to. For networks whose groups have scopes and
 * ranks.
 *
 * Groups are visited by descending rank: in a tree from the endpoints up those that lead down, then from the
 * roots down those that lead up. A group misses an address when each of its links is cut, or ends at a switch
 * whose own group for the address misses it. Only groups that can be affected are visited: those with a cut
 * link, and those with a link to a switch of which a group misses something.
 *
 * What every gate to a range of addresses misses (in a tree: every way into a subtree), all but the endpoints
 * of their home miss; to note that in every group elsewhere would take switches times subtrees. It is noted
 * once, as an island: addresses that only endpoints of their home can reach, which may be none (the stages of
 * a bidelta network have no home: heads from everywhere pass them). Before the gates nobody asks for them any
 * more. */
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
    choices missed; /* of groups of endpoints: pieces with count 1 are missed, islands of others apart */
    /* Addresses in islands that are home to an address: homely[i].to of them from address homely[i].from on.
     */
    interval *homely;
    uint64_t homelies;
} reach;

/* cut: bit a link, heads do not pass it. left: if not NULL, gets the links of each group that lead on to
 * an address (islands apart; groups of one link are left out but for those of endpoints, as no head that
 * comes to them asks for what they miss). Errors: UNSUPPORTED (no scopes), TOO_LARGE, NO_MEMORY. */
bough_status reach_find(const bough_net *net, const uint64_t *cut, reach *reach, choices *left,
                        bough_error *error);
void reach_fini(reach *reach);
uint64_t reach_bytes(const reach *reach);

/* source: an address of the endpoint that sends. */
bool reach_bars(const reach *reach, uint64_t source, uint64_t address);
/* Whether a group of that endpoint, the one that is asked for the address, brings heads there. */
bool reach_has(const reach *reach, uint64_t source, uint64_t group, uint64_t address);
/* How many addresses an endpoint does not reach. */
uint64_t reach_count_missed(const reach *reach, const bough_net *net, uint64_t endpoint);

#endif
