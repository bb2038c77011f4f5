/* The network with aggregation nodes. Links and groups of the network below come first, with their own
 * numbers; then each lane has two links, each a group of its own: from the switch, and to it. */
#include "network/aggregation/aggregation.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/net.h"
#include "network/over_network.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ports of a switch to its lanes; those of the network below are smaller, and ports have 20 bits. */
enum { PORT_OF_LANE = 0xf8000, LANES_MAX = 0x8000 };

typedef struct aggregation_network {
    bough_aggregation a;
    uint32_t *at, *index_of, *first, *lane, *node_of; /* node_of: of a lane */
    over_marks marks;
} aggregation_network;

static inline const bough_aggregation *of(const bough_net *net) {
    return net->aggregation;
}

static inline uint64_t outer_node(const bough_aggregation *a, uint64_t node) {
    return node < a->hosts ? node : node + a->count;
}

/* ---- links ---- */

static inline bool in_base(const bough_net *net, uint64_t link) {
    return link < of(net)->base->links;
}

static inline uint32_t lane_of(const bough_net *net, uint64_t link) {
    return (uint32_t)((link - of(net)->base->links) / 2);
}

/* The aggregation node of a link. */
static inline uint32_t number_of(const bough_net *net, uint64_t link) {
    return ((const aggregation_network *)net->data)->node_of[lane_of(net, link)];
}

/* Of its lanes. */
static inline uint32_t port_of(const bough_net *net, uint64_t link) {
    return lane_of(net, link) - of(net)->first[number_of(net, link)];
}

static inline bool leaves_switch(const bough_net *net, uint64_t link) {
    return (link - of(net)->base->links) % 2 == 0;
}

static uint64_t switch_of(const bough_net *net, uint64_t number) {
    return outer_node(of(net), of(net)->at[number]);
}

static bough_link_end link_end(const bough_net *net, uint64_t link) {
    const bough_aggregation *a = of(net);
    if (in_base(net, link)) {
        bough_link_end end = a->base->ops->link_end(a->base, link);
        end.node = outer_node(a, end.node);
        return end;
    }
    uint64_t number = number_of(net, link);
    uint32_t port = port_of(net, link);
    return leaves_switch(net, link) ? (bough_link_end){a->hosts + number, port}
                                    : (bough_link_end){switch_of(net, number), PORT_OF_LANE + port};
}

static uint32_t link_port(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    if (in_base(net, link)) return base->ops->link_port(base, link);
    return port_of(net, link) + (leaves_switch(net, link) ? PORT_OF_LANE : 0);
}

static uint64_t link_twin(const bough_net *net, uint64_t link) {
    const bough_net *base = of(net)->base;
    if (in_base(net, link)) return bough_link_twin(base, link);
    return base->links + ((link - base->links) ^ 1);
}

static uint64_t link_rate(const bough_net *net, uint64_t link) {
    const bough_aggregation *a = of(net);
    return bough_net_link_rate(a->base, in_base(net, link) ? link : a->lane[lane_of(net, link)]);
}

static uint64_t link_delay(const bough_net *net, uint64_t link) {
    const bough_aggregation *a = of(net);
    if (in_base(net, link)) return bough_net_link_delay(a->base, link);
    return leaves_switch(net, link) ? a->delay : 0;
}

/* ---- nodes and groups ---- */

static uint64_t node_delay(const bough_net *net, uint64_t node) {
    const bough_aggregation *a = of(net);
    if (bough_is_aggregation_node(a, node)) return 0;
    return bough_net_node_delay(a->base, bough_aggregation_base_node(a, node));
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
    const bough_aggregation *a = of(net);
    if (group < a->base->groups) return outer_node(a, a->base->ops->group_node(a->base, group));
    uint64_t link = group_links(net, group).first, number = number_of(net, link);
    return leaves_switch(net, link) ? switch_of(net, number) : a->hosts + number;
}

static inline uint32_t lanes_of(const bough_aggregation *a, uint64_t number) {
    return a->first[number + 1] - a->first[number];
}

static uint32_t node_group_count(const bough_net *net, uint64_t node) {
    const bough_aggregation *a = of(net);
    if (bough_is_aggregation_node(a, node)) return lanes_of(a, node - a->hosts);
    uint64_t inner = bough_aggregation_base_node(a, node);
    uint32_t count = a->base->ops->node_group_count(a->base, inner), number = a->index_of[inner];
    return number == UINT32_MAX ? count : count + lanes_of(a, number);
}

static uint64_t node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const bough_aggregation *a = of(net);
    const bough_net *base = a->base;
    if (bough_is_aggregation_node(a, node))
        return base->groups + 2 * (uint64_t)(a->first[node - a->hosts] + i) + 1;
    uint64_t inner = bough_aggregation_base_node(a, node);
    uint32_t count = base->ops->node_group_count(base, inner);
    if (i < count) return base->ops->node_group(base, inner, i);
    return base->groups + 2 * (uint64_t)(a->first[a->index_of[inner]] + i - count);
}

static unsigned node_level(const bough_net *net, uint64_t node) {
    const bough_aggregation *a = of(net);
    if (bough_is_aggregation_node(a, node)) return 0;
    return a->base->ops->node_level(a->base, bough_aggregation_base_node(a, node));
}

static unsigned node_roles(const bough_net *net, uint64_t node) {
    const bough_aggregation *a = of(net);
    if (bough_is_aggregation_node(a, node)) return BOUGH_ENDPOINT;
    return a->base->ops->node_roles(a->base, bough_aggregation_base_node(a, node));
}

static void node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const bough_aggregation *a = of(net);
    char name[128];
    if (bough_is_aggregation_node(a, node))
        snprintf(buffer, size, "%s.sharp",
                 bough_node_name(a->base, a->at[node - a->hosts], name, sizeof name));
    else
        bough_node_name(a->base, bough_aggregation_base_node(a, node), buffer, size);
}

static const char *port_name(const bough_net *net, uint64_t node, uint32_t port) {
    const bough_aggregation *a = of(net);
    if (bough_is_aggregation_node(a, node) || !a->base->ops->port_name) return NULL;
    return a->base->ops->port_name(a->base, bough_aggregation_base_node(a, node), port);
}

/* ---- routes ---- */

/* The first live link between two nodes of the network below. */
static uint64_t link_between(const bough_net *base, uint64_t from, uint64_t to) {
    for (node_links at = node_links_of(base, from); node_links_next(&at);)
        if (bough_link_alive(base, at.link) && base->ops->link_end(base, at.link).node == to) return at.link;
    return BOUGH_NONE;
}

/* The NIC of a GPU, or the node itself. */
static uint64_t nic_of(const bough_net *base, uint64_t node) {
    const bough_compute_nodes *c = base->compute;
    return c && node < base->endpoints ? c->first_fabric_node + bough_gpu_nic(c, node) : node;
}

/* The node of the network below at whose side a message of an endpoint enters it: beside a switch that adds.
 */
static uint64_t side_of(const bough_net *net, uint64_t endpoint) {
    const bough_aggregation *a = of(net);
    return endpoint < a->hosts ? nic_of(a->base, endpoint) : a->at[endpoint - a->hosts];
}

static uint32_t find_lane(const bough_aggregation *a, uint64_t number, uint64_t link) {
    for (uint32_t l = a->first[number]; l < a->first[number + 1]; l++)
        if (a->lane[l] == link) return l;
    return a->first[number];
}

uint64_t bough_aggregation_lane(const bough_net *net, uint64_t number, uint64_t link) {
    const bough_aggregation *a = of(net);
    return a->base->links + 2 * (uint64_t)find_lane(a, number, link) + 1;
}

/* From a switch to its aggregation node. */
static uint64_t entry_lane(const bough_net *net, uint64_t number, uint64_t source) {
    const bough_aggregation *a = of(net);
    const bough_net *base = a->base;
    uint64_t link = BOUGH_NONE;
    if (source != BOUGH_NONE) link = link_between(base, side_of(net, source), a->at[number]);
    if (link != BOUGH_NONE) link = bough_link_twin(base, link);
    return base->links + 2 * (uint64_t)find_lane(a, number, link);
}

uint64_t bough_aggregation_link(const bough_net *net, uint64_t node, uint64_t source, uint64_t to) {
    const bough_aggregation *a = of(net);
    uint64_t number = to - a->hosts, inner = BOUGH_NONE;
    bool at_node = bough_is_aggregation_node(a, node);
    if (!at_node) inner = bough_aggregation_base_node(a, node);
    if (inner == a->at[number]) return entry_lane(net, number, source);
    uint64_t side = at_node ? a->at[node - a->hosts] : nic_of(a->base, inner);
    uint64_t link = link_between(a->base, side, a->at[number]);
    if (link == BOUGH_NONE) return link;
    if (at_node) return bough_aggregation_lane(net, node - a->hosts, link);
    return side == inner ? link : bough_injection_link(a->base, inner); /* of a GPU to its NIC */
}

uint64_t bough_aggregation_exit(const bough_net *net, uint64_t node, uint64_t host,
                                const bough_route *below) {
    const bough_aggregation *a = of(net);
    uint64_t number = node - a->hosts;
    if (below->count == 0 || link_between(a->base, a->at[number], side_of(net, host)) == BOUGH_NONE)
        return BOUGH_NONE;
    return bough_aggregation_lane(net, number, bough_route_link(below, 0));
}

static void base_route(const bough_net *net, uint64_t inner, uint64_t endpoint, bough_route *out) {
    const bough_net *base = of(net)->base;
    base->ops->route(base, inner, bough_endpoint_address(base, endpoint), out);
}

static void route(const bough_net *net, uint64_t node, uint64_t endpoint, bough_route *out) {
    const bough_aggregation *a = of(net);
    uint64_t link;
    if (endpoint >= a->hosts) {
        link = bough_aggregation_link(net, node, BOUGH_NONE, endpoint);
    } else if (bough_is_aggregation_node(a, node)) {
        base_route(net, a->at[node - a->hosts], endpoint, out);
        link = bough_aggregation_exit(net, node, endpoint, out);
    } else {
        base_route(net, bough_aggregation_base_node(a, node), endpoint, out);
        return;
    }
    *out = (bough_route){.count = 0};
    if (link != BOUGH_NONE) *out = (bough_route){.group = group_of(net, link), .first = link, .count = 1};
}

/* Whether a route of the network below leads from a node to an endpoint; routes may end on their way. */
static bool leads(const bough_net *net, uint64_t inner, uint64_t endpoint, unsigned left) {
    const bough_net *base = of(net)->base;
    bough_route r;
    if (inner == endpoint) return true;
    if (left == 0) return false;
    base_route(net, inner, endpoint, &r);
    for (uint32_t i = 0; i < r.count; i++) {
        uint64_t link = bough_route_link(&r, i);
        if (!bough_link_lost(base, link) &&
            leads(net, base->ops->link_end(base, link).node, endpoint, left - 1))
            return true;
    }
    return false;
}

static bool reaches(const bough_net *net, uint64_t from, uint64_t to) {
    const bough_aggregation *a = of(net);
    const bough_net *base = a->base;
    if (to < a->hosts && from < a->hosts)
        return base->ops->reaches(base, from, bough_endpoint_address(base, to));
    uint64_t link = link_between(base, side_of(net, from), side_of(net, to));
    if (link == BOUGH_NONE) return false;
    if (to >= a->hosts) return !bough_link_lost(base, link);
    return leads(net, a->at[from - a->hosts], to, base->hops_max ? base->hops_max : 64);
}

static uint64_t reached(const bough_net *net, uint64_t from) {
    uint64_t count = 0;
    for (uint64_t to = 0; to < net->endpoints; to++) count += to != from && reaches(net, from, to);
    return count;
}

/* ---- creation ---- */

static void destroy(bough_net *net) {
    aggregation_network *n = net->data;
    if (n) FREE_ALL(n->at, n->index_of, n->first, n->lane, n->node_of, n->marks.dead, n->marks.lost, n);
}

#define OPS                                                                                                  \
    .destroy = destroy, .link_end = link_end, .link_group = group_of, .link_twin = link_twin,                \
    .group_node = group_node, .group_links = group_links, .node_group_count = node_group_count,              \
    .node_group = node_group, .node_level = node_level, .node_roles = node_roles, .route = route,            \
    .link_rate = link_rate, .link_delay = link_delay, .node_delay = node_delay, .node_name = node_name,      \
    .port_name = port_name

/* By what the network below has: ports of links; faults. */
static const bough_net_ops aggregation_ops[2][2] = {
    {{OPS}, {OPS, .reaches = reaches, .reached = reached}},
    {{OPS, .link_port = link_port}, {OPS, .link_port = link_port, .reaches = reaches, .reached = reached}},
};

/* Writes the live links that leave a node, if out is not NULL; returns their number. */
static uint32_t live_links(const bough_net *base, uint64_t node, uint32_t *out) {
    uint32_t count = 0;
    for (node_links at = node_links_of(base, node); node_links_next(&at);) {
        if (!bough_link_alive(base, at.link)) continue;
        if (out) out[count] = (uint32_t)at.link;
        count++;
    }
    return count;
}

/* Switches of the fabric; NVSwitches and NICs are none. */
static bough_range switches_of(const bough_net *base) {
    const bough_compute_nodes *c = base->compute;
    const bough_net *fabric = c ? c->fabric : base;
    return (bough_range){(c ? c->first_fabric_node : 0) + fabric->endpoints,
                         fabric->nodes - fabric->endpoints};
}

static bough_status find_switches(aggregation_network *n, bough_error *error) {
    bough_aggregation *a = &n->a;
    const bough_net *base = a->base;
    bough_range all = switches_of(base);
    bough_status status = bough_alloc(&n->at, all.count, sizeof *n->at, error);
    TRY(bough_alloc(&n->first, all.count + 1, sizeof *n->first, error));
    TRY(bough_alloc(&n->index_of, base->nodes, sizeof *n->index_of, error));
    if (status) return status;
    memset(n->index_of, 0xff, base->nodes * sizeof *n->index_of);
    for (uint64_t v = all.first; v < all.first + all.count; v++) {
        uint32_t links = live_links(base, v, NULL);
        if (links >= LANES_MAX)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s: a switch with %" PRIu32 " links cannot add",
                              base->spec, links);
        if (links == 0) continue;
        n->at[a->count] = (uint32_t)v;
        n->index_of[v] = (uint32_t)a->count++;
        n->first[a->count] = n->first[a->count - 1] + links;
    }
    a->at = n->at;
    a->first = n->first;
    a->index_of = n->index_of;
    if (a->count) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s has no live switches beside its endpoints that could add", base->spec);
}

static bough_status list_lanes(aggregation_network *n, bough_error *error) {
    bough_aggregation *a = &n->a;
    uint32_t lanes = n->first[a->count];
    bough_status status = bough_alloc(&n->lane, lanes, sizeof *n->lane, error);
    TRY(bough_alloc(&n->node_of, lanes, sizeof *n->node_of, error));
    for (uint32_t k = 0; k < a->count && !status; k++) {
        live_links(a->base, a->at[k], n->lane + n->first[k]);
        for (uint32_t l = n->first[k]; l < n->first[k + 1]; l++) n->node_of[l] = k;
    }
    a->lane = n->lane;
    return status;
}

static bough_status check_base(const bough_net *base, bough_error *error) {
    uint64_t most = bough_add(bough_mul(3, base->links), base->nodes);
    if (base->aggregation)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s has aggregation nodes already", base->spec);
    if (most <= UINT32_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s is too large for aggregation nodes: %" PRIu64 " links", base->spec, base->links);
}

static void set_counts(const bough_net *base, const bough_aggregation *a, bough_net *net) {
    const uint64_t lanes = a->first[a->count];
    net->endpoints = net->addresses = base->endpoints + a->count;
    net->nodes = base->nodes + a->count;
    net->switches = base->switches;
    net->links = base->links + 2 * lanes;
    net->groups = base->groups + 2 * lanes;
    net->cables = base->cables;
    net->chips = base->chips;
    net->group_max = base->group_max;
    net->levels = base->levels;
    net->hops_max = base->hops_max ? base->hops_max + 2 : 0;
    net->capabilities = (base->capabilities & BOUGH_HAS_ROUTES) | BOUGH_HAS_RATES;
    net->bytes = bough_add(base->bytes, 4 * base->nodes + 8 * a->count + 8 * lanes);
}

bough_status bough_aggregation_create(const bough_net *base, uint64_t delay, bough_net **out,
                                      bough_error *error) {
    bough_net *net = NULL;
    aggregation_network *n = NULL;
    *out = NULL;
    bough_status status = check_base(base, error);
    TRY(bough_alloc(&net, 1, sizeof *net, error));
    TRY(bough_alloc(&n, 1, sizeof *n, error));
    if (status) {
        free(net);
        return status;
    }
    net->ops = &aggregation_ops[base->ops->link_port != NULL][base->ops->reaches != NULL];
    net->compute = base->compute;
    net->data = n;
    n->a = (bough_aggregation){.base = base, .hosts = base->endpoints, .delay = delay};
    net->aggregation = &n->a;
    status = find_switches(n, error);
    TRY(list_lanes(n, error));
    if (!status) set_counts(base, &n->a, net);
    TRY(over_network_inherit(base, net, &n->marks, error));
    if (status)
        bough_net_destroy(net);
    else
        *out = net;
    return status;
}
