#include "topology/identity.h"

uint64_t net_node_guid(const bough_net *net, uint64_t node) {
    if (net->fabric) return net->fabric->node[bough_net_fabric_node(net, node)].guid;
    return node < net->endpoints ? UINT64_C(0x0002c90300000000) + 256 * node
                                 : UINT64_C(0x0002c90200400000) + 8 * (node - net->endpoints);
}

/* The fabric port of an endpoint's cable. */
static const bough_fabric_port *port_of(const bough_net *net, uint64_t endpoint) {
    uint64_t link = net->ops->group_links(net, net->ops->node_group(net, endpoint, 0)).first;
    return &net->fabric->port[bough_net_fabric_port(net, link)];
}

uint64_t net_port_guid(const bough_net *net, uint64_t node) {
    if (node >= net->endpoints) return net_node_guid(net, node);
    return net->fabric ? port_of(net, node)->guid : net_node_guid(net, node) + 1;
}

/* Endpoints of a family are alike. */
static uint64_t endpoint_ports(const bough_net *net) {
    uint64_t ports = 0;
    for (uint32_t g = 0; g < net->ops->node_group_count(net, 0); g++)
        ports += net->ops->group_links(net, net->ops->node_group(net, 0, g)).count;
    return ports;
}

uint32_t net_lid(const bough_net *net, uint64_t node, uint32_t port) {
    bool host = node < net->endpoints;
    if (net->fabric)
        return host ? port_of(net, node)->lid : net->fabric->node[bough_net_fabric_node(net, node)].lid;
    uint64_t ports = endpoint_ports(net);
    if (net->nodes > 0xBFFF || net->endpoints * ports + net->switches > 0xBFFF) return 0;
    return (uint32_t)(host ? node * ports + port + 1 : net->endpoints * ports + (node - net->endpoints) + 1);
}
