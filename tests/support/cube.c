/* Everything is arithmetic on node numbers; net->levels is 0, so nothing is above anything. */
#include "support/cube.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t dimensions(const bough_net *net) {
    return (uintptr_t)net->data;
}

static bough_link_end cube_link_end(const bough_net *net, uint64_t link) {
    uint64_t b = link % dimensions(net);
    return (bough_link_end){link / dimensions(net) ^ UINT64_C(1) << b, (uint32_t)b};
}
static uint64_t cube_link_group(const bough_net *net, uint64_t link) {
    (void)net;
    return link; /* no two links of a node serve equally well */
}
static uint64_t cube_link_twin(const bough_net *net, uint64_t link) {
    return cube_link_end(net, link).node * dimensions(net) + link % dimensions(net);
}
static uint64_t cube_group_node(const bough_net *net, uint64_t group) {
    return group / dimensions(net);
}
static bough_range cube_group_links(const bough_net *net, uint64_t group) {
    (void)net;
    return (bough_range){group, 1};
}
static uint32_t cube_node_group_count(const bough_net *net, uint64_t node) {
    (void)node;
    return (uint32_t)dimensions(net);
}
static uint64_t cube_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    return node * dimensions(net) + i;
}
static unsigned cube_node_level(const bough_net *net, uint64_t node) {
    (void)net;
    (void)node;
    return 0;
}
static unsigned cube_node_roles(const bough_net *net, uint64_t node) {
    (void)net;
    (void)node;
    return BOUGH_ENDPOINT | BOUGH_SWITCH;
}
static void cube_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    unsigned b = 63 - (unsigned)__builtin_clzll(node ^ address);
    uint64_t link = node * dimensions(net) + b;
    *route = (bough_route){.group = link, .first = link, .count = 1};
}
static uint32_t cube_group_order(const bough_net *net, uint64_t group) {
    return (uint32_t)(dimensions(net) - 1 - group % dimensions(net));
}
static uint32_t cube_link_port(const bough_net *net, uint64_t link) {
    return (uint32_t)(link % dimensions(net));
}

static const bough_net_ops cube_ops = {
    .link_end = cube_link_end,
    .link_group = cube_link_group,
    .link_twin = cube_link_twin,
    .group_node = cube_group_node,
    .group_links = cube_group_links,
    .node_group_count = cube_node_group_count,
    .node_group = cube_node_group,
    .node_level = cube_node_level,
    .node_roles = cube_node_roles,
    .route = cube_route,
    .group_order = cube_group_order,
    .link_port = cube_link_port,
};

bough_status cube_create(unsigned d, bough_net **out, bough_error *error) {
    *out = NULL;
    if (d < 1 || d > 30) return bough_fail(error, BOUGH_INVALID, NULL, "cube: 1 to 30 dimensions");
    uint64_t n = UINT64_C(1) << d;
    bough_net *net = calloc(1, sizeof *net);
    if (net) net->spec = malloc(32);
    if (!net || !net->spec) {
        free(net);
        return bough_fail_memory(error, sizeof *net);
    }
    snprintf(net->spec, 32, "cube:n=%llu", (unsigned long long)n);
    net->ops = &cube_ops;
    net->nodes = net->endpoints = net->switches = net->addresses = n;
    net->links = net->groups = n * d;
    net->cables = n * d / 2;
    net->group_max = 1;
    net->data = (void *)(uintptr_t)d;
    net->hops_max = d;
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_BITFIX;
    *out = net;
    return BOUGH_OK;
}
