#include "network/families/routers/router_graph.h"

#include "base/memory/memory.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ENDPOINTS_MAX (UINT64_C(1) << 40)
enum { ORDER_LAST = 64 }; /* of links to endpoints */

static const router_graph *of(const bough_net *net) {
    return net->data;
}

/* Links: from each endpoint, to each endpoint, then by router and port. */
typedef struct place {
    uint64_t node;
    uint32_t port; /* output port: endpoints first */
} place;

static uint64_t router_link(const bough_net *net, uint64_t router, uint32_t port) {
    return 2 * net->endpoints + router * of(net)->ports + port;
}

static place place_of(const bough_net *net, uint64_t link) {
    const router_graph *g = of(net);
    const uint64_t n = net->endpoints;
    if (link < n) return (place){link, 0};
    if (link < 2 * n) return (place){n + (link - n) / g->endpoints, (uint32_t)((link - n) % g->endpoints)};
    const uint64_t cable = link - 2 * n;
    return (place){n + cable / g->ports, g->endpoints + (uint32_t)(cable % g->ports)};
}

static router_end far_end(const bough_net *net, uint64_t link) {
    const uint64_t cable = link - 2 * net->endpoints;
    return of(net)->neighbour(of(net), cable / of(net)->ports, (uint32_t)(cable % of(net)->ports));
}

static bough_link_end link_end(const bough_net *net, uint64_t link) {
    const router_graph *g = of(net);
    const uint64_t n = net->endpoints;
    if (link < n) return (bough_link_end){n + link / g->endpoints, (uint32_t)(link % g->endpoints)};
    if (link < 2 * n) return (bough_link_end){link - n, 0};
    const router_end end = far_end(net, link);
    return (bough_link_end){n + end.router, g->endpoints + end.port};
}

static uint64_t link_twin(const bough_net *net, uint64_t link) {
    const uint64_t n = net->endpoints;
    if (link < 2 * n) return link < n ? link + n : link - n;
    const router_end end = far_end(net, link);
    return router_link(net, end.router, end.port);
}

static uint64_t link_group(const bough_net *net, uint64_t link) {
    (void)net;
    return link;
}

static uint64_t group_node(const bough_net *net, uint64_t group) {
    return place_of(net, group).node;
}

static uint32_t link_port(const bough_net *net, uint64_t link) {
    return place_of(net, link).port;
}

static bough_range group_links(const bough_net *net, uint64_t group) {
    (void)net;
    return (bough_range){group, 1};
}

static uint32_t node_group_count(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? 1 : of(net)->endpoints + of(net)->ports;
}

static uint64_t node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const uint64_t n = net->endpoints, router = node - n;
    if (node < n) return node;
    return i < of(net)->endpoints ? n + router * of(net)->endpoints + i
                                  : router_link(net, router, i - of(net)->endpoints);
}

static unsigned node_level(const bough_net *net, uint64_t node) {
    return node >= net->endpoints;
}

static unsigned node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

static void route(const bough_net *net, uint64_t node, uint64_t address, bough_route *r) {
    const router_graph *g = of(net);
    const uint64_t n = net->endpoints, router = node - n, target = address / g->endpoints;
    uint64_t link = node;
    if (node >= n)
        link = router == target ? n + address : router_link(net, router, g->next(g, router, target));
    *r = (bough_route){.group = link, .first = link, .count = 1};
}

static uint32_t group_order(const bough_net *net, uint64_t group) {
    const place p = place_of(net, group);
    if (group < net->endpoints) return 0;
    return group < 2 * net->endpoints ? ORDER_LAST : of(net)->order(of(net), p.port - of(net)->endpoints);
}

static void node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    if (node < net->endpoints)
        snprintf(buffer, size, "h%" PRIu64, node);
    else
        of(net)->name(of(net), node - net->endpoints, buffer, size);
}

#define OPS                                                                                                  \
    .destroy = net_free_data, .link_end = link_end, .link_group = link_group, .link_twin = link_twin,        \
    .group_node = group_node, .group_links = group_links, .node_group_count = node_group_count,              \
    .node_group = node_group, .node_level = node_level, .node_roles = node_roles, .route = route,            \
    .node_name = node_name, .link_port = link_port
static const bough_net_ops ordered = {OPS, .group_order = group_order}, unordered = {OPS};

bough_status router_graph_fill(router_graph *g, bough_net *net, bough_error *error) {
    net->data = g;
    net->ops = g->order ? &ordered : &unordered;
    if (g->routers > ENDPOINTS_MAX / g->endpoints)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s: more than 2^40 endpoints", net->family->name);
    net->endpoints = net->addresses = g->routers * g->endpoints;
    net->switches = g->routers;
    net->nodes = net->endpoints + g->routers;
    net->links = net->groups = 2 * net->endpoints + g->routers * g->ports;
    net->cables = g->routers * g->ports / 2;
    net->group_max = net->levels = 1;
    net->hops_max = 2 + g->diameter;
    net->capabilities = BOUGH_HAS_ROUTES | (g->order ? BOUGH_HAS_ORDER : 0);
    return BOUGH_OK;
}
