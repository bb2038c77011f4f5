/* Routing of networks with compute nodes (bough/compute_nodes.h): a routing of the fabric, with the links
 * inside the nodes before and after it. */
#ifndef BOUGH_ROUTING_NODE_ROUTING_H
#define BOUGH_ROUTING_NODE_ROUTING_H

#include "bough/routing.h"

/* Takes ownership of `inner`, a routing of net->compute->fabric, also on error. Errors: UNSUPPORTED for
 * routings through intermediate nodes; NO_MEMORY. */
bough_status node_routing_make(const bough_net *net, bough_routing *inner, bough_routing **routing,
                               bough_error *error);

#endif
