#include "routing/over_routing.h"

/* The flow in the fabric: from NIC to NIC. */
static bough_flow in_fabric(const bough_routing *r, const bough_flow *flow) {
    const bough_compute_nodes *c = r->net->compute;
    return (bough_flow){bough_gpu_nic_towards(c, flow->source, flow->address),
                        bough_gpu_address(c, flow->address), flow->key};
}

/* With faults a sender may have no route, and then sends nothing. */
static bool is_silent(const bough_routing *r, const bough_flow *flow) {
    bough_flow outer = in_fabric(r, flow);
    bough_route route;
    if (!r->net->faults || bough_inside_node(r->net, flow->source, flow->address)) return false;
    bough_route_at(over_routing_inner(r), outer.source, &outer, &route);
    return route.count == 0;
}

void node_route(const bough_routing *r, uint64_t node, const bough_flow *flow, bough_route *out) {
    uint64_t link = bough_compute_link(r->net, node, flow->address);
    if (link == BOUGH_NONE) {
        bough_flow outer = in_fabric(r, flow);
        bough_route_at(over_routing_inner(r), node - r->net->compute->first_fabric_node, &outer, out);
    } else if (node == flow->source && is_silent(r, flow)) {
        out->count = 0;
    } else {
        *out = (bough_route){.group = r->net->ops->link_group(r->net, link), .first = link, .count = 1};
    }
}
