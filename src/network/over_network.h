/* Common parts of networks that are made from another one and keep its links in front of their own: compute
 * nodes, aggregation nodes. */
#ifndef BOUGH_NETWORK_OVER_NETWORK_H
#define BOUGH_NETWORK_OVER_NETWORK_H

#include "network/net.h"

/* The marks of links, owned by the caller. */
typedef struct over_marks {
    uint64_t *dead, *lost;
} over_marks;

/* Takes what does not depend on the new nodes: spec, faults and marks of links, setting, registry. net has
 * its number of links. Errors: NO_MEMORY. */
bough_status over_network_inherit(const bough_net *base, bough_net *net, over_marks *marks,
                                  bough_error *error);

#endif
