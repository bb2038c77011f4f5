/* Adaptive routing: at each switch a packet may leave by any link of the group that the
 * switch has for its address. The routing kind is `adaptive`; engines ask it by bough_route_at like any
 * other. */
#ifndef BOUGH_ROUTING_ADAPTIVE_ADAPTIVE_H
#define BOUGH_ROUTING_ADAPTIVE_ADAPTIVE_H

#include "routing/routing.h"

typedef enum bough_adaptive_groups {
    BOUGH_ADAPTIVE_MINIMAL,     /* all links on shortest paths to the switch of the address */
    BOUGH_ADAPTIVE_SAME_SWITCH, /* all links to the switch to which the forwarding table leads */
    BOUGH_ADAPTIVE_FILE         /* those of a file: ibdiagnet2.far */
} bough_adaptive_groups;
/* "minimal", "same-switch", "file"; static. */
const char *bough_adaptive_name(bough_adaptive_groups groups);

/* How often switches have a choice. An entry is a pair of a switch and an address with at least one link. */
typedef struct bough_adaptive_counts {
    uint64_t entries;
    uint64_t choices; /* entries with two links or more */
    uint64_t links;   /* of all these */
    uint64_t largest; /* links of an entry */
} bough_adaptive_counts;

/* True if the routing is adaptive over known groups; groups and choose may be NULL. choose: "random",
 * "least" or "first", static. */
bool bough_routing_adaptive(const bough_routing *routing, bough_adaptive_groups *groups, const char **choose);
/* O(switches x addresses x links of an entry). */
void bough_adaptive_count(const bough_routing *routing, bough_adaptive_counts *counts);

#endif
