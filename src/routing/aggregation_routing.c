#include "routing/over_routing.h"

/* Routes of the network below to a host. Aggregation nodes are no endpoints there: their flows count as those
 * of the receiver, which matters only where a routing goes up by the source. */
static void route_below(const bough_routing *r, uint64_t node, const bough_flow *flow, bough_route *out) {
    const bough_aggregation *a = r->net->aggregation;
    uint64_t source = flow->source < a->hosts ? flow->source : flow->address;
    bough_flow below = {source, bough_endpoint_address(a->base, flow->address), flow->key};
    bough_route_at(over_routing_inner(r), node, &below, out);
}

void aggregation_route(const bough_routing *r, uint64_t node, const bough_flow *flow, bough_route *out) {
    const bough_net *net = r->net;
    const bough_aggregation *a = net->aggregation;
    uint64_t link;
    if (flow->address >= a->hosts) {
        link = bough_aggregation_link(net, node, flow->source, flow->address);
    } else if (bough_is_aggregation_node(a, node)) {
        route_below(r, a->at[node - a->hosts], flow, out);
        link = bough_aggregation_exit(net, node, flow->address, out);
    } else {
        route_below(r, bough_aggregation_base_node(a, node), flow, out);
        return;
    }
    *out = (bough_route){.count = 0};
    if (link != BOUGH_NONE)
        *out = (bough_route){.group = net->ops->link_group(net, link), .first = link, .count = 1};
}
