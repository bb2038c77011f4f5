/* Networks from lists of cables: of a program's arrays, or of a plug-in. */
#ifndef BOUGH_EXTENSION_CABLE_NETWORK_H
#define BOUGH_EXTENSION_CABLE_NETWORK_H

#include "network/net.h"

typedef struct cable {
    uint64_t a, b; /* nodes */
    double rate;   /* bit/s; 0: unknown */
} cable;

typedef struct cable_set {
    uint64_t nodes, endpoints; /* endpoints first */
    cable *cable;
    size_t count;
    const char *const *node_name; /* [nodes]; NULL: none */
} cable_set;

/* Fills net but for its spec; copies everything. Errors: INVALID for a node that does not exist, a cable from
 * a node to itself, an endpoint without exactly one cable to a switch, a rate that is no number or negative,
 * equal names; TOO_LARGE. Cost: O(switches x links). */
bough_status cable_network_fill(const cable_set *set, bough_net *net, bough_error *error);

#endif
