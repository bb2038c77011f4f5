/* The butterfly fat-tree of N = 4^k processors (greenberg1997, section 3.1). Level l = 1 .. k has N / 2^(l+1)
 * switches S(l, a) with four children and, below the roots, two parents: parent_j is the switch
 *     S(l + 1, floor(a / 2^(l+1)) 2^l + (a + j 2^(l-1)) mod 2^l)
 * and S(l, a) is its child floor((a mod 2^(l+1)) / 2^(l-1)). So a = 2^(l-1) M + W, where M is the subtree of
 * 4^l processors below and W one of its 2^(l-1) roots.
 *
 * As a graph this is XGFT(k; 4..4; 1,2..2), but a separate family has two reasons: the paper counts the
 * parents of a switch in the opposite order if M is odd, and all sizes are powers of two, so queries by worm
 * engines (10^8 per second) need only shifts and masks, no divisions.
 *
 * Node ids: processors, then level by level, ascending a. Counting leading zeros gives the level: with z =
 * 3N/2 - 1 - node, the switches of level l are those whose z has 2k - l bits.
 *
 * Groups and links are ordered as in xgft_tree.c:
 *     group  v                   up from node v, below the roots
 *            U + 4 (v - N) + c   down from switch v to its child c; U: nodes below the roots
 *     link   e                   up from processor e
 *            2 v - N + j         up from switch v to parent_j; pairs start at even ids
 *            D + 4 (v - N) + c   down; D = 2 U - N: the id of its group plus D - U
 * Ports: children 0 .. 3, parents 4 and 5. */
#include "network/families/bft.h"
#include "base/memory/memory.h"
#include "network/families/network_families.h"
#include "network/group_coverage.h"

#include <inttypes.h>
#include <stdio.h>

enum { P_N };

#define PROCESSORS_MAX 0x1p60 /* 4^30: just under 2^62 links */

enum { PARENT_PORT = 4 };

typedef struct bft {
    unsigned levels;
    uint64_t processors, below_roots, first_down; /* N, U, D */
} bft;

typedef struct place {
    unsigned level;
    uint64_t address;
} place;

static const bft *tree(const bough_net *net) {
    return net->data;
}

static place place_of(const bft *b, uint64_t node) {
    uint64_t z = b->processors / 2 * 3 - 1 - node;
    unsigned top = 63 - (unsigned)__builtin_clzll(z);
    return (place){2 * b->levels - 1 - top, ~z & ((UINT64_C(1) << top) - 1)};
}

static uint64_t switch_id(const bft *b, unsigned level, uint64_t address) {
    return b->processors / 2 * 3 - (b->processors >> level) + address;
}

static uint64_t up_node(const bft *b, uint64_t link) {
    return link < b->processors ? link : (link + b->processors) / 2;
}

static uint64_t down_link(const bft *b, uint64_t node, uint64_t child) {
    return b->first_down + 4 * (node - b->processors) + child;
}

/* S(l, a) at the start of a down link, and the child. */
static place down_start(const bft *b, uint64_t link, uint64_t *child) {
    uint64_t d = link - b->first_down;
    *child = d & 3;
    return place_of(b, b->processors + d / 4);
}

/* The index of the switch among the parents of a child: its low bits contain W of the child and above it j of
 * parent_j, inverted if M of the child is odd. */
static uint64_t parent_index(place at, uint64_t child) {
    return (at.address >> (at.level - 2) ^ child) & 1;
}

static uint64_t child_id(const bft *b, place at, uint64_t child) {
    if (at.level == 1) return 4 * at.address + child;
    uint64_t m = at.address >> (at.level - 1), w = at.address & ((UINT64_C(1) << (at.level - 2)) - 1);
    return switch_id(b, at.level - 1, (4 * m + child) << (at.level - 2) | w);
}

static uint64_t parent_id(const bft *b, place at, uint64_t j) {
    uint64_t low = (UINT64_C(1) << at.level) - 1;
    uint64_t upper = (at.address >> 1 & ~low) | ((at.address ^ j << (at.level - 1)) & low);
    return switch_id(b, at.level + 1, upper);
}

static uint64_t index_at_parent(place at) {
    return at.address >> (at.level - 1) & 3;
}

static bough_link_end bft_link_end(const bough_net *net, uint64_t link) {
    const bft *b = tree(net);
    if (link < b->processors) return (bough_link_end){b->processors + link / 4, (uint32_t)(link & 3)};
    if (link < b->first_down) {
        place at = place_of(b, up_node(b, link));
        return (bough_link_end){parent_id(b, at, link & 1), (uint32_t)index_at_parent(at)};
    }
    uint64_t child;
    place at = down_start(b, link, &child);
    uint64_t port = at.level == 1 ? 0 : PARENT_PORT + parent_index(at, child);
    return (bough_link_end){child_id(b, at, child), (uint32_t)port};
}

static uint64_t bft_link_twin(const bough_net *net, uint64_t link) {
    const bft *b = tree(net);
    if (link < b->processors) return b->first_down + link;
    if (link < b->first_down) {
        place at = place_of(b, up_node(b, link));
        return down_link(b, parent_id(b, at, link & 1), index_at_parent(at));
    }
    uint64_t child;
    place at = down_start(b, link, &child);
    uint64_t below = child_id(b, at, child);
    return at.level == 1 ? below : 2 * below - b->processors + parent_index(at, child);
}

static uint32_t bft_link_port(const bough_net *net, uint64_t link) {
    const bft *b = tree(net);
    if (link < b->processors) return 0;
    return (uint32_t)(link < b->first_down ? PARENT_PORT + (link & 1) : (link - b->first_down) & 3);
}

static uint64_t bft_link_group(const bough_net *net, uint64_t link) {
    const bft *b = tree(net);
    return link < b->first_down ? up_node(b, link) : link - b->first_down + b->below_roots;
}

static uint64_t bft_group_node(const bough_net *net, uint64_t group) {
    const bft *b = tree(net);
    return group < b->below_roots ? group : b->processors + (group - b->below_roots) / 4;
}

static bough_range bft_group_links(const bough_net *net, uint64_t group) {
    const bft *b = tree(net);
    if (group < b->processors) return (bough_range){group, 1};
    if (group < b->below_roots) return (bough_range){2 * group - b->processors, 2};
    return (bough_range){group - b->below_roots + b->first_down, 1};
}

static uint32_t bft_node_group_count(const bough_net *net, uint64_t node) {
    const bft *b = tree(net);
    return node < b->processors ? 1 : node < b->below_roots ? 5 : 4;
}

/* Children in order, then up. */
static uint64_t bft_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const bft *b = tree(net);
    return node < b->processors || i == 4 ? node : b->below_roots + 4 * (node - b->processors) + i;
}

static unsigned bft_node_level(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? 0 : place_of(tree(net), node).level;
}

static unsigned bft_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

/* Up until the subtree contains the address, then down to the child that contains it. */
static void bft_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const bft *b = tree(net);
    route->list = NULL;
    route->count = 1;
    if (node < b->processors) {
        route->group = route->first = node;
        return;
    }
    place at = place_of(b, node);
    uint64_t inside = address >> (2 * at.level - 2); /* in units of a child's subtree */
    if (inside >> 2 == at.address >> (at.level - 1)) {
        route->first = down_link(b, node, inside & 3);
        route->group = route->first - b->first_down + b->below_roots;
    } else {
        route->group = node;
        route->first = 2 * node - b->processors;
        route->count = 2;
    }
}

/* link_end, route and group_links together, which computes the level of the node once. */
static void bft_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_link_end end = bft_link_end(net, link);
    step->node = end.node;
    step->port = end.port;
    if (end.node == address) return;
    bft_route(net, end.node, address, &step->route);
    step->size = step->route.count; /* all links of the group are eligible */
    step->first = step->route.first;
}

/* Order: up groups by ascending level, then down groups by descending level. */
static uint32_t bft_group_order(const bough_net *net, uint64_t group) {
    const bft *b = tree(net);
    unsigned level = bft_node_level(net, bft_group_node(net, group));
    return group < b->below_roots ? level : 2 * b->levels - level;
}

/* D-mod-K as in xgft_tree.c: messages to an address use the same of the 2^l roots at every level, the one
 * whose W is the low bits of the address. The index of that parent depends on the subtree. */
static uint32_t bft_modk(const bough_net *net, uint64_t group, uint64_t address) {
    const bft *b = tree(net);
    if (group < b->processors || group >= b->below_roots) return 0;
    place at = place_of(b, group);
    return (uint32_t)((address ^ at.address) >> (at.level - 1) & 1);
}

static uint64_t bft_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    (void)net;
    return endpoint >> 2 * level;
}

/* 2^(l-1) roots with two cables each; a processor has one. */
static uint64_t bft_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    (void)net;
    (void)subtree;
    return UINT64_C(1) << level;
}

/* As in xgft_tree.c. */
static bough_group_coverage bft_group_coverage(const bough_net *net, uint64_t group) {
    const bft *b = tree(net);
    if (group < b->processors) return coverage_out_of(net, group, 1);
    uint64_t child = (group - b->below_roots) & 3;
    bool up = group < b->below_roots;
    place at = place_of(b, up ? group : b->processors + (group - b->below_roots) / 4);
    uint64_t m = at.address >> (at.level - 1);
    if (up) return coverage_out_of(net, m << 2 * at.level, UINT64_C(1) << 2 * at.level);
    return coverage_into(net, (4 * m + child) << (2 * at.level - 2), UINT64_C(1) << (2 * at.level - 2));
}

static void bft_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    place at = {0, node};
    if (node >= net->endpoints) at = place_of(tree(net), node);
    if (at.level)
        snprintf(buffer, size, "s%u.%" PRIu64, at.level, at.address);
    else
        snprintf(buffer, size, "h%" PRIu64, node);
}

static const bough_net_ops bft_ops = {
    .destroy = net_free_data,
    .link_end = bft_link_end,
    .link_group = bft_link_group,
    .link_twin = bft_link_twin,
    .group_node = bft_group_node,
    .group_links = bft_group_links,
    .node_group_count = bft_node_group_count,
    .node_group = bft_node_group,
    .node_level = bft_node_level,
    .node_roles = bft_node_roles,
    .route = bft_route,
    .step = bft_step,
    .group_order = bft_group_order,
    .modk = bft_modk,
    .subtree = bft_subtree,
    .channel_capacity = bft_channel_capacity,
    .group_coverage = bft_group_coverage,
    .node_name = bft_node_name,
    .link_port = bft_link_port,
};

static const bough_param params[] = {
    [P_N] = {"n", "processors, a power of four", BOUGH_INT, "1024", 4, PROCESSORS_MAX, .echo = true},
    BOUGH_PARAMS_END,
};

static const char bft_kind[] = "bft";

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_N].integer;
    unsigned levels = (63 - (unsigned)__builtin_clzll(n)) / 2;
    if (n != UINT64_C(1) << 2 * levels)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "bft: n=%" PRIu64 " is not a power of four; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, UINT64_C(1) << 2 * levels, UINT64_C(4) << 2 * levels);
    bft *b;
    bough_status status = bough_alloc(&b, 1, sizeof *b, error);
    if (status) return status;
    uint64_t nodes = n + n / 2 - (n >> (levels + 1)), roots = n >> (levels + 1), below = nodes - roots;
    *b = (bft){levels, n, below, 2 * below - n};
    net->data = b;
    net->ops = &bft_ops;
    net->shape_kind = bft_kind;
    net->endpoints = net->addresses = n;
    net->nodes = nodes;
    net->switches = nodes - n;
    net->groups = below + 4 * net->switches;
    net->links = b->first_down + 4 * net->switches;
    net->cables = b->first_down - n;
    net->group_max = levels > 1 ? 2 : 1;
    net->levels = levels;
    net->hops_max = 2 * levels;
    net->capabilities =
        BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_CHANNELS | BOUGH_HAS_MODK | BOUGH_HAS_EVEN;
    return BOUGH_OK;
}

bool is_bft(const bough_net *net) {
    return net->shape_kind == bft_kind;
}

const bough_family bough_family_bft = {
    .name = "bft",
    .summary = "butterfly fat-tree: switches with four children and two parents",
    .source = "Greenberg, Guan: An improved analytical model for wormhole routed networks with application "
              "to butterfly fat-trees, 1997, section 3.1",
    .params = params,
    .make = make,
};
