/* Routings of networks that are made from another one (compute nodes, aggregation nodes): a routing of the
 * network below, and the links that are new. */
#ifndef BOUGH_ROUTING_OVER_ROUTING_H
#define BOUGH_ROUTING_OVER_ROUTING_H

#include "routing/routing.h"

typedef void over_route(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                        bough_route *route);

/* As bough_routing_kind.route. Of networks with compute nodes: a routing of net->compute->fabric, with the
 * links inside the nodes before and after it. Of networks with aggregation nodes: one of
 * net->aggregation->base, with their links. */
over_route node_route, aggregation_route;

/* Takes ownership of `inner`, a routing of the network below, also on error. Errors: UNSUPPORTED for routings
 * through intermediate nodes; NO_MEMORY. */
bough_status over_routing_make(const bough_net *net, bough_routing *inner, over_route *route,
                               bough_routing **routing, bough_error *error);
const bough_routing *over_routing_inner(const bough_routing *routing);

#endif
