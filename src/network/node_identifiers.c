#include "network/node_identifiers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint64_t net_node_guid(const bough_net *net, uint64_t node) {
    if (net->fabric) return net->fabric->node[bough_net_fabric_node(net, node)].guid;
    return node < net->endpoints ? UINT64_C(0x0002c90300000000) + 256 * node
                                 : UINT64_C(0x0002c90200400000) + 8 * (node - net->endpoints);
}

/* The fabric port of an endpoint. */
static const bough_fabric_port *port_of(const bough_net *net, uint64_t endpoint) {
    uint64_t link = bough_injection_link(net, endpoint);
    return &net->fabric->port[bough_net_fabric_port(net, link)];
}

uint64_t net_port_guid(const bough_net *net, uint64_t node) {
    if (node >= net->endpoints) return net_node_guid(net, node);
    return net->fabric ? port_of(net, node)->guid : net_node_guid(net, node) + 1;
}

/* All endpoints of a family are alike. */
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

bool net_guid_read(const char *text, size_t length, uint64_t *guid) {
    bool id = length == 18 && text[0] == 'S' && text[1] == '-';
    bool number = length > 2 && length <= 18 && text[0] == '0' && (text[1] | 32) == 'x';
    char digits[17] = "";
    if (!id && !number) return false;
    memcpy(digits, text + 2, length - 2);
    if (strspn(digits, "0123456789abcdefABCDEF") != length - 2) return false;
    *guid = strtoull(digits, NULL, 16);
    return true;
}

static bool same_text(const char *own, const char *name, size_t length) {
    return strncmp(own, name, length) == 0 && own[length] == 0;
}

bool net_node_has_name(const bough_net *net, uint64_t node, const char *name, size_t length) {
    char own[160];
    if (same_text(bough_node_name(net, node, own, sizeof own), name, length)) return true;
    return net->fabric && node >= net->endpoints &&
           same_text(net->fabric->node[bough_net_fabric_node(net, node)].description, name, length);
}

static bool named(const bough_net *net, uint64_t node, const char *name) {
    return net_node_has_name(net, node, name, strlen(name));
}

uint64_t net_node_numbered(const bough_net *net, const char *name) {
    size_t length = strlen(name), digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - 1 - digits])) digits++;
    if (digits == 0 || digits > 19) return BOUGH_NONE;
    uint64_t node = strtoull(name + length - digits, NULL, 10);
    return node < net->nodes && named(net, node, name) ? node : BOUGH_NONE;
}

uint64_t net_node_named(const bough_net *net, const char *name) {
    uint64_t node = net_node_numbered(net, name);
    if (node != BOUGH_NONE) return node;
    for (uint64_t v = 0; v < net->nodes; v++)
        if (named(net, v, name)) return v;
    return BOUGH_NONE;
}
