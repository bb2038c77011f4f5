/* The hypercube with bit fixing. A node is both endpoint and switch; there are no injection links. Link v d +
 * b leads from node v to v with bit b flipped and enters by port b. Every link is a group of its own, because
 * no two links of a node are interchangeable. All operations are arithmetic on node numbers.
 *
 * A route flips the bits in which node and address differ in a fixed order of dimensions, so its groups
 * ascend in that order. */
#include "network/families/hypercube.h"

#include "base/memory/memory.h"
#include "network/families/network_families.h"
#include "network/faults/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 0x1p56 /* 56 * 2^56 links: just under 2^62 */

typedef enum direction { LEFT, RIGHT, LISTED } direction;

typedef struct cube {
    unsigned dimensions;
    direction direction;
    uint8_t order[64]; /* the i-th dimension to be corrected */
    uint8_t place[64]; /* position of a dimension in order */
} cube;

static const cube *cube_of(const bough_net *net) {
    return net->data;
}

static unsigned first_difference(const cube *c, uint64_t bits) {
    if (c->direction == LEFT) return 63 - (unsigned)__builtin_clzll(bits);
    if (c->direction == RIGHT) return (unsigned)__builtin_ctzll(bits);
    unsigned i = 0;
    while (!(bits >> c->order[i] & 1)) i++;
    return c->order[i];
}

static bough_link_end cube_link_end(const bough_net *net, uint64_t link) {
    uint64_t d = cube_of(net)->dimensions, node = link / d, b = link - node * d;
    return (bough_link_end){node ^ UINT64_C(1) << b, (uint32_t)b};
}

static uint64_t cube_link_twin(const bough_net *net, uint64_t link) {
    bough_link_end end = cube_link_end(net, link);
    return end.node * cube_of(net)->dimensions + end.port;
}

static uint32_t cube_link_port(const bough_net *net, uint64_t link) {
    return (uint32_t)(link % cube_of(net)->dimensions);
}

static uint64_t cube_link_group(const bough_net *net, uint64_t link) {
    (void)net;
    return link;
}

static uint64_t cube_group_node(const bough_net *net, uint64_t group) {
    return group / cube_of(net)->dimensions;
}

static bough_range cube_group_links(const bough_net *net, uint64_t group) {
    (void)net;
    return (bough_range){group, 1};
}

static uint32_t cube_node_group_count(const bough_net *net, uint64_t node) {
    (void)node;
    return cube_of(net)->dimensions;
}

static uint64_t cube_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    return node * cube_of(net)->dimensions + i;
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
    const cube *c = cube_of(net);
    uint64_t link = node * c->dimensions + first_difference(c, node ^ address);
    *route = (bough_route){.group = link, .first = link, .count = 1};
}

static void cube_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_link_end end = cube_link_end(net, link);
    step->node = end.node;
    step->port = end.port;
    if (end.node == address) return;
    cube_route(net, end.node, address, &step->route);
    step->first = step->route.first;
    step->size = 1;
}

static uint32_t cube_group_order(const bough_net *net, uint64_t group) {
    const cube *c = cube_of(net);
    return c->place[group % c->dimensions];
}

/* The bits, most significant first, after a letter, because a name of digits would be read as a number. */
static void cube_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    unsigned d = cube_of(net)->dimensions;
    char name[66] = "v";
    for (unsigned i = 0; i < d; i++) name[1 + i] = (char)('0' + (node >> (d - 1 - i) & 1));
    snprintf(buffer, size, "%s", name);
}

static const bough_net_ops cube_ops = {
    .destroy = net_free_data,
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
    .step = cube_step,
    .group_order = cube_group_order,
    .node_name = cube_node_name,
    .link_port = cube_link_port,
};

/* ---- the order of the bits ---- */

static bough_status wrong_order(const char *text, unsigned d, const char *what, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "cube:order=%.80s %s; expected left, right, or the dimensions 0 to %u, each once, "
                      "joined by x, as in order=2x0x1 for n=8",
                      text, what, d - 1);
}

static bough_status read_list(const char *text, cube *c, bough_error *error) {
    unsigned count = 0;
    uint64_t seen = 0;
    for (const char *at = text;; at++) {
        char *end;
        unsigned long b = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end && *end != 'x'))
            return wrong_order(text, c->dimensions, "is not such a list", error);
        if (b >= c->dimensions)
            return wrong_order(text, c->dimensions, "contains a dimension out of range", error);
        if (seen >> b & 1) return wrong_order(text, c->dimensions, "contains a dimension twice", error);
        seen |= UINT64_C(1) << b;
        c->order[count++] = (uint8_t)b;
        at = end;
        if (!*at) break;
    }
    if (count < c->dimensions) return wrong_order(text, c->dimensions, "lacks dimensions", error);
    return BOUGH_OK;
}

static bough_status read_order(const char *text, cube *c, bough_error *error) {
    c->direction = strcmp(text, "left") == 0 ? LEFT : strcmp(text, "right") == 0 ? RIGHT : LISTED;
    for (unsigned i = 0; i < c->dimensions; i++)
        c->order[i] = (uint8_t)(c->direction == LEFT ? c->dimensions - 1 - i : i);
    bough_status status = c->direction == LISTED ? read_list(text, c, error) : BOUGH_OK;
    for (unsigned i = 0; i < c->dimensions; i++) c->place[c->order[i]] = (uint8_t)i;
    return status;
}

/* ---- the family ---- */

enum { P_N, P_ORDER, P_PORTS };

static const bough_param params[] = {
    [P_N] = {"n", "nodes, a power of two", BOUGH_INT, "1024", 2, NODES_MAX, .echo = true},
    [P_ORDER] = {"order",
                 "order in which bits are corrected: left (most significant first), right, or a list of all "
                 "dimensions, as in 2x0x1",
                 BOUGH_TEXT, "left"},
    [P_PORTS] = NET_PORTS_PARAM,
    BOUGH_PARAMS_END,
};

static const char cube_kind[] = "hypercube";

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_N].integer;
    cube *c;
    if (n & (n - 1))
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "cube: n=%" PRIu64 " is not a power of two; the nearest are %" PRIu64 " and %" PRIu64, n,
            UINT64_C(1) << (63 - __builtin_clzll(n)), UINT64_C(2) << (63 - __builtin_clzll(n)));
    bough_status status = bough_alloc(&c, 1, sizeof *c, error);
    if (status) return status;
    c->dimensions = (unsigned)__builtin_ctzll(n);
    net->data = c;
    net->ops = &cube_ops;
    net->shape_kind = cube_kind;
    net->nodes = net->endpoints = net->switches = net->addresses = n;
    net->links = net->groups = n * c->dimensions;
    net->cables = n / 2 * c->dimensions;
    net->group_max = 1;
    net->hops_max = c->dimensions;
    net->routing = "bitfix";
    net_set_ports(&args->value[P_PORTS], net);
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER;
    status = read_order(args->value[P_ORDER].text, c, error);
    if (c->direction != LISTED) net->capabilities |= BOUGH_HAS_BITFIX;
    return status;
}

unsigned hypercube_dimensions(const bough_net *net) {
    const bough_net *whole = net->faults ? net->faults->base : net;
    return !net->ports && whole->shape_kind == cube_kind ? cube_of(whole)->dimensions : 0;
}

const bough_family bough_family_cube = {
    .name = "cube",
    .summary = "hypercube with bit fixing; a node is both endpoint and switch",
    .source = "valiant1982, section 4; Valiant: A scheme for fast parallel communication, 1982",
    .params = params,
    .make = make,
};
