/* The network in which endpoints that forward messages have one port each way. Endpoint e stays node e, and
 * the node that it was is a switch beside it, node endpoints + e. Links and groups of the network below come
 * first, with their own numbers; then the link from every endpoint to its switch, and the link back, each a
 * group of its own. Everything is computed from the numbers. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/net.h"
#include "network/over_network.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct port_network {
    const bough_net *base;
    bough_net_ops ops;
    bough_speeds speeds; /* of hosts; those of links are in link_rate */
    uint32_t port, last; /* of switches, to and from their endpoints; the order of links to endpoints */
    over_marks marks;
} port_network;

static inline const port_network *of(const bough_net *net) {
    return net->data;
}

static inline bool in_base(const bough_net *net, uint64_t link) {
    return link < of(net)->base->links;
}

/* The endpoint of a link, or group, by its number among the new ones. */
static inline uint64_t endpoint_of(const bough_net *net, uint64_t number) {
    return number < net->endpoints ? number : number - net->endpoints;
}

/* ---- links ---- */

static bough_link_end link_end(const bough_net *net, uint64_t link) {
    const port_network *p = of(net);
    if (in_base(net, link)) {
        bough_link_end end = p->base->ops->link_end(p->base, link);
        end.node += net->endpoints;
        return end;
    }
    uint64_t number = link - p->base->links, e = endpoint_of(net, number);
    return number < net->endpoints ? (bough_link_end){net->endpoints + e, p->port} : (bough_link_end){e, 0};
}

static uint32_t link_port(const bough_net *net, uint64_t link) {
    const port_network *p = of(net);
    if (in_base(net, link)) return p->base->ops->link_port(p->base, link);
    return link - p->base->links < net->endpoints ? 0 : p->port;
}

static uint64_t link_twin(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    if (in_base(net, link)) return bough_link_twin(base, link);
    return link < base->links + net->endpoints ? link + net->endpoints : link - net->endpoints;
}

static uint64_t link_rate(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    if (!in_base(net, link)) link = bough_injection_link(base, endpoint_of(net, link - base->links));
    uint64_t own = base->ops->link_rate ? base->ops->link_rate(base, link) : 0;
    return bough_net_slowed_rate(base, link, own ? own : bough_net_physical(base)->rate);
}

static uint64_t link_delay(const bough_net *net, uint64_t link) {
    return in_base(net, link) ? bough_net_link_delay(of(net)->base, link) : 0;
}

static double link_length(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    return in_base(net, link) ? base->ops->link_length(base, link) : 0;
}

/* ---- nodes and groups ---- */

static uint64_t node_delay(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? 0 : bough_net_node_delay(of(net)->base, node - net->endpoints);
}

static uint64_t group_of(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    return in_base(net, link) ? base->ops->link_group(base, link) : base->groups + (link - base->links);
}

static bough_range group_links(const bough_net *net, uint64_t group) {
    const bough_net *base = of(net)->base;
    if (group < base->groups) return base->ops->group_links(base, group);
    return (bough_range){base->links + (group - base->groups), 1};
}

static uint64_t group_node(const bough_net *net, uint64_t group) {
    const bough_net *base = of(net)->base;
    if (group < base->groups) return net->endpoints + base->ops->group_node(base, group);
    return group - base->groups; /* of an endpoint, or of the switch of that number */
}

static uint32_t group_order(const bough_net *net, uint64_t group) {
    const port_network *p = of(net);
    if (group < p->base->groups) return p->base->ops->group_order(p->base, group) + 1;
    return group < p->base->groups + net->endpoints ? 0 : p->last;
}

static uint32_t node_group_count(const bough_net *net, uint64_t node) {
    const bough_net *base = of(net)->base;
    if (node < net->endpoints) return 1;
    return base->ops->node_group_count(base, node - net->endpoints) + (node < 2 * net->endpoints);
}

static uint64_t node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const bough_net *base = of(net)->base;
    if (node < net->endpoints) return base->groups + node;
    uint32_t count = base->ops->node_group_count(base, node - net->endpoints);
    return i < count ? base->ops->node_group(base, node - net->endpoints, i) : base->groups + node;
}

static unsigned node_level(const bough_net *net, uint64_t node) {
    const bough_net *base = of(net)->base;
    return base->ops->node_level(base, node < net->endpoints ? node : node - net->endpoints);
}

static unsigned node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

/* An endpoint keeps its name. */
static void node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    char name[128];
    if (node < net->endpoints)
        bough_node_name(of(net)->base, node, buffer, size);
    else
        snprintf(buffer, size, "%s.router",
                 bough_node_name(of(net)->base, node - net->endpoints, name, sizeof name));
}

static uint64_t node_chip(const bough_net *net, uint64_t node) {
    const bough_net *base = of(net)->base;
    return base->ops->node_chip(base, node < net->endpoints ? node : node - net->endpoints);
}

/* ---- routes ---- */

static void set_port(const bough_net *net, uint64_t number, bough_route *out) {
    const bough_net *base = of(net)->base;
    *out = (bough_route){.group = base->groups + number, .first = base->links + number, .count = 1};
}

static void route(const bough_net *net, uint64_t node, uint64_t address, bough_route *out) {
    const bough_net *base = of(net)->base;
    uint64_t target = bough_address_node(base, address);
    if (node < net->endpoints) {
        out->count = 1;
        if (net->faults) base->ops->route(base, node, address, out); /* a sender may have no route */
        if (out->count) set_port(net, node, out);
    } else if (node - net->endpoints == target) {
        set_port(net, net->endpoints + target, out);
    } else {
        base->ops->route(base, node - net->endpoints, address, out);
    }
}

/* For networks below that have it. */
static void step(const bough_net *net, uint64_t link, uint64_t address, bough_step *out) {
    const port_network *p = of(net);
    if (!in_base(net, link)) {
        bough_link_end end = link_end(net, link);
        out->node = end.node;
        out->port = end.port;
        if (end.node == bough_address_node(p->base, address)) return;
        route(net, end.node, address, &out->route);
    } else {
        p->base->ops->step(p->base, link, address, out);
        bool there = out->node == bough_address_node(p->base, address);
        out->node += net->endpoints;
        if (!there) return;
        set_port(net, out->node, &out->route);
    }
    bough_range links = group_links(net, out->route.group);
    out->first = links.first;
    out->size = (uint32_t)links.count;
}

static uint64_t address_node(const bough_net *net, uint64_t address) {
    return bough_address_node(of(net)->base, address);
}

static uint64_t address_of(const bough_net *net, uint64_t endpoint) {
    return bough_endpoint_address(of(net)->base, endpoint);
}

static bool reaches(const bough_net *net, uint64_t endpoint, uint64_t address) {
    return of(net)->base->ops->reaches(of(net)->base, endpoint, address);
}

static uint64_t reached(const bough_net *net, uint64_t endpoint) {
    return of(net)->base->ops->reached(of(net)->base, endpoint);
}

/* ---- creation ---- */

static void destroy(bough_net *net) {
    port_network *p = net->data;
    if (p) FREE_ALL(p->marks.dead, p->marks.lost, p);
}

/* The operations that the network below has. */
static bough_net_ops ops_over(const bough_net *base) {
    const bough_net_ops *b = base->ops;
    return (bough_net_ops){
        .destroy = destroy,
        .link_end = link_end,
        .link_group = group_of,
        .link_twin = link_twin,
        .group_node = group_node,
        .group_links = group_links,
        .node_group_count = node_group_count,
        .node_group = node_group,
        .node_level = node_level,
        .node_roles = node_roles,
        .route = route,
        .step = b->step ? step : NULL,
        .address_node = b->address_node ? address_node : NULL,
        .address_of = b->address_of ? address_of : NULL,
        .group_order = b->group_order ? group_order : NULL,
        .link_rate = bough_net_knows_rates(base) ? link_rate : NULL,
        .link_delay = link_delay,
        .node_delay = node_delay,
        .link_length = b->link_length ? link_length : NULL,
        .node_chip = b->node_chip ? node_chip : NULL,
        .reaches = b->reaches ? reaches : NULL,
        .reached = b->reached ? reached : NULL,
        .node_name = node_name,
        .link_port = b->link_port ? link_port : NULL,
    };
}

static void place_behind(const bough_net *base, uint64_t node, port_network *p) {
    for (uint32_t i = 0; i < base->ops->node_group_count(base, node); i++) {
        const uint64_t group = base->ops->node_group(base, node, i);
        const bough_range links = base->ops->group_links(base, group);
        for (uint64_t l = links.first; l < links.first + links.count; l++) {
            const uint32_t in = base->ops->link_end(base, l).port;
            const uint32_t out = base->ops->link_port ? base->ops->link_port(base, l) : 0;
            if (in >= p->port) p->port = in + 1;
            if (out >= p->port) p->port = out + 1;
        }
        const uint32_t order = base->ops->group_order ? base->ops->group_order(base, group) + 2 : 0;
        if (order > p->last) p->last = order;
    }
}

/* Behind the ports and the groups of the network below. Groups along a dimension ascend with the distance
 * from where they begin: the last ones leave the last node, or lead to the first one. */
static void place_ports(const bough_net *base, port_network *p) {
    place_behind(base, 0, p);
    place_behind(base, base->nodes - 1, p);
    for (uint32_t i = 0; i < base->ops->node_group_count(base, 0); i++) {
        const bough_range links = base->ops->group_links(base, base->ops->node_group(base, 0, i));
        place_behind(base, base->ops->link_end(base, links.first).node, p);
    }
}

static void set_counts(const bough_net *base, bough_net *net) {
    const uint64_t n = base->endpoints;
    net->ports = base;
    net->endpoints = n;
    net->nodes = base->nodes + n;
    net->switches = base->nodes;
    net->addresses = base->addresses;
    net->links = base->links + 2 * n;
    net->groups = base->groups + 2 * n;
    net->cables = base->cables;
    net->chips = base->chips;
    net->group_max = base->group_max;
    net->levels = base->levels;
    net->hops_max = base->hops_max ? base->hops_max + 2 : 0;
    net->capabilities = base->capabilities & (BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_RATES);
    net->bytes = base->bytes;
    net->routing = base->routing;
}

bough_status bough_ports_create(const bough_net *base, bough_net **out, bough_error *error) {
    bough_net *net = NULL;
    port_network *p = NULL;
    *out = NULL;
    bough_status status = bough_alloc(&net, 1, sizeof *net, error);
    TRY(bough_alloc(&p, 1, sizeof *p, error));
    if (status) {
        free(net);
        return status;
    }
    *p = (port_network){.base = base, .ops = ops_over(base)};
    place_ports(base, p);
    net->ops = &p->ops;
    net->data = p;
    set_counts(base, net);
    if (base->speeds && base->speeds->compute) {
        p->speeds.compute = base->speeds->compute;
        net->speeds = &p->speeds;
    }
    status = over_network_inherit(base, net, &p->marks, error);
    if (status)
        bough_net_destroy(net);
    else
        *out = net;
    return status;
}
