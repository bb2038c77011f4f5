/* Numbering. A level-l node is (W, M): W = a1 + w1 (a2 + w2 (...)) encodes the choices of parents that lead
 * to it, below wp[l] = w1..wl; M = e / mp[l] is its subtree, for endpoints e below it. Its index in the level
 * is W + wp[l] M. Output ports: down to child d by parallel cable c is port d p + c, up to parent j by cable
 * c is port m p + c w + j. An input port has the number of the output port of the same cable. Groups: per
 * level all up groups, then per level 1.. all (node, child) down groups. Links are in the order of groups; up
 * links of a group are in port order (cable-major), as D-mod-K requires.
 *
 * Unpopulated ports: of H endpoints, subtree M of the s subtrees of a level has those from floor(M H / s) on,
 * so all subtrees of a level are filled evenly. Endpoint e belongs to subtree floor(((e + 1) s - 1) / H). The
 * ports of a leaf switch without an endpoint are the last of its down ports; they have a number, but no link.
 * Everything above the leaf switches is as in the complete tree. */
#include "network/families/xgft_tree.h"

#include "network/families/pruned_shape.h"

#include "base/divisor.h"
#include "base/memory/memory.h"
#include "base/text/text.h"
#include "network/families/network_families.h"
#include "network/group_coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct xgft {
    xgft_shape s;
    unsigned h;
    bool full;                                                                 /* no unpopulated ports */
    uint64_t mp[XGFT_LEVELS + 1], wp[XGFT_LEVELS + 1], count[XGFT_LEVELS + 1]; /* per level */
    divisor by_mp[XGFT_LEVELS + 1], by_wp[XGFT_LEVELS + 1], by_m[XGFT_LEVELS], by_w[XGFT_LEVELS],
        by_p[XGFT_LEVELS], by_ports[XGFT_LEVELS]; /* w p */
    uint64_t subtrees[XGFT_LEVELS + 1];           /* of a level; of level 0 those of the complete tree */
    uint64_t node[XGFT_LEVELS + 2];               /* first node id of a level */
    uint64_t up_group[XGFT_LEVELS + 1],
        down_group[XGFT_LEVELS + 2]; /* first ids; down groups belong to the upper end */
    uint64_t up_link[XGFT_LEVELS + 1], down_link[XGFT_LEVELS + 2];
    bough_module part[3]; /* pods, planes, end */
} xgft;

enum { POD, PLANE };

static const xgft *tree(const bough_net *net) {
    return net->data;
}

static uint64_t divide(unsigned __int128 a, uint64_t b) {
    return a >> 64 ? (uint64_t)(a / b) : (uint64_t)a / b;
}

/* The subtree of a level that contains an endpoint. */
static uint64_t subtree_of(const xgft *x, unsigned level, uint64_t endpoint) {
    if (x->full) return divisor_quotient(&x->by_mp[level], endpoint);
    if (level == 0) return endpoint;
    return divide((unsigned __int128)(endpoint + 1) * x->subtrees[level] - 1, x->s.hosts);
}

/* The first endpoint of a subtree. */
static uint64_t first_endpoint(const xgft *x, unsigned level, uint64_t subtree) {
    if (x->full) return subtree * x->mp[level];
    return level ? divide((unsigned __int128)subtree * x->s.hosts, x->subtrees[level]) : subtree;
}

static bough_range subtree_endpoints(const xgft *x, unsigned level, uint64_t subtree) {
    uint64_t first = first_endpoint(x, level, subtree);
    return (bough_range){first, first_endpoint(x, level, subtree + 1) - first};
}

/* The two parts of the index (W, M) of a node. */
static uint64_t parents_of(const xgft *x, unsigned level, uint64_t index) {
    return divisor_remainder(&x->by_wp[level], index);
}

static uint64_t own_subtree(const xgft *x, unsigned level, uint64_t index) {
    return divisor_quotient(&x->by_wp[level], index);
}

static uint64_t children_of(const xgft *x, unsigned level, uint64_t index) {
    if (level != 1 || x->full) return x->s.m[level - 1];
    return subtree_endpoints(x, 1, own_subtree(x, 1, index)).count;
}

/* The number of the first down group of a node among those of its level. */
static uint64_t first_down_group(const xgft *x, unsigned level, uint64_t index) {
    if (level != 1 || x->full) return index * x->s.m[level - 1];
    bough_range r = subtree_endpoints(x, 1, own_subtree(x, 1, index));
    return x->wp[1] * r.first + parents_of(x, 1, index) * r.count;
}

/* The reverse: the node of a down group, and the child. */
static uint64_t node_of_down_group(const xgft *x, unsigned level, uint64_t number, uint64_t *child) {
    if (level == 1 && !x->full) {
        uint64_t M = subtree_of(x, 1, divisor_quotient(&x->by_wp[1], number));
        bough_range r = subtree_endpoints(x, 1, M);
        uint64_t own = number - x->wp[1] * r.first;
        *child = own % r.count;
        return x->wp[1] * M + own / r.count;
    }
    *child = divisor_remainder(&x->by_m[level - 1], number);
    return divisor_quotient(&x->by_m[level - 1], number);
}

static unsigned level_of(const xgft *x, uint64_t node) {
    unsigned l = 0;
    while (node >= x->node[l + 1]) l++;
    return l;
}

static unsigned up_level_of_link(const xgft *x, uint64_t link) {
    unsigned l = 0;
    while (l + 1 < x->h && link >= x->up_link[l + 1]) l++;
    return l;
}

static unsigned down_level_of_link(const xgft *x, uint64_t link) {
    unsigned l = 1;
    while (l < x->h && link >= x->down_link[l + 1]) l++;
    return l;
}

/* A link: an up link of level l as (index of the lower node, up port); a down link of level l + 1 as (index
 * of the upper node, child, cable). */
typedef struct place {
    bool up;
    unsigned level; /* of the lower end */
    uint64_t lower, upper, parent, child, cable;
} place;

static place place_of(const xgft *x, uint64_t link) {
    place p;
    if (link < x->down_link[1]) {
        unsigned l = up_level_of_link(x, link);
        uint64_t local = link - x->up_link[l], lower = divisor_quotient(&x->by_ports[l], local);
        uint64_t port = local - lower * x->by_ports[l].value;
        p = (place){.up = true, .level = l, .lower = lower, .cable = divisor_quotient(&x->by_w[l], port)};
        p.parent = port - p.cable * x->s.w[l];
        uint64_t M = own_subtree(x, l, lower), W = lower - M * x->wp[l];
        uint64_t above = l ? divisor_quotient(&x->by_m[l], M) : subtree_of(x, 1, M);
        p.child = l ? M - above * x->s.m[l] : M - first_endpoint(x, 1, above);
        p.upper = W + p.parent * x->wp[l] + x->wp[l + 1] * above;
    } else {
        unsigned l = down_level_of_link(x, link) - 1;
        uint64_t local = link - x->down_link[l + 1], group = divisor_quotient(&x->by_p[l], local);
        p = (place){.level = l, .cable = local - group * x->s.p[l]};
        p.upper = node_of_down_group(x, l + 1, group, &p.child);
        uint64_t M = own_subtree(x, l + 1, p.upper), W = p.upper - M * x->wp[l + 1];
        p.parent = divisor_quotient(&x->by_wp[l], W);
        p.lower =
            W - p.parent * x->wp[l] + x->wp[l] * ((l ? M * x->s.m[l] : first_endpoint(x, 1, M)) + p.child);
    }
    return p;
}

static uint64_t up_link_id(const xgft *x, const place *p) {
    return x->up_link[p->level] + p->lower * x->s.w[p->level] * x->s.p[p->level] +
           p->cable * x->s.w[p->level] + p->parent;
}

static uint64_t down_link_id(const xgft *x, const place *p) {
    return x->down_link[p->level + 1] +
           (first_down_group(x, p->level + 1, p->upper) + p->child) * x->s.p[p->level] + p->cable;
}

static uint32_t up_port(const xgft *x, const place *p) {
    uint64_t below = p->level ? x->s.m[p->level - 1] * x->s.p[p->level - 1] : 0;
    return (uint32_t)(below + p->cable * x->s.w[p->level] + p->parent);
}

static uint32_t down_port(const xgft *x, const place *p) {
    return (uint32_t)(p->child * x->s.p[p->level] + p->cable);
}

static bough_link_end xgft_link_end(const bough_net *net, uint64_t link) {
    const xgft *x = tree(net);
    place p = place_of(x, link);
    if (p.up) return (bough_link_end){x->node[p.level + 1] + p.upper, down_port(x, &p)};
    return (bough_link_end){x->node[p.level] + p.lower, up_port(x, &p)};
}

static uint32_t xgft_link_port(const bough_net *net, uint64_t link) {
    const xgft *x = tree(net);
    place p = place_of(x, link);
    return p.up ? up_port(x, &p) : down_port(x, &p);
}

static uint64_t xgft_link_twin(const bough_net *net, uint64_t link) {
    const xgft *x = tree(net);
    place p = place_of(x, link);
    return p.up ? down_link_id(x, &p) : up_link_id(x, &p);
}

static uint64_t xgft_link_group(const bough_net *net, uint64_t link) {
    const xgft *x = tree(net);
    if (link < x->down_link[1]) {
        unsigned l = up_level_of_link(x, link);
        return x->up_group[l] + divisor_quotient(&x->by_ports[l], link - x->up_link[l]);
    }
    unsigned l = down_level_of_link(x, link);
    return x->down_group[l] + divisor_quotient(&x->by_p[l - 1], link - x->down_link[l]);
}

/* Splits a group id: up groups into (level of the node, index), down groups into (level, index, child). */
static bool split_group(const xgft *x, uint64_t group, unsigned *level, uint64_t *index, uint64_t *child) {
    if (group < x->down_group[1]) {
        unsigned l = 0;
        while (l + 1 < x->h && group >= x->up_group[l + 1]) l++;
        *level = l;
        *index = group - x->up_group[l];
        return true;
    }
    unsigned l = 1;
    while (l < x->h && group >= x->down_group[l + 1]) l++;
    *level = l;
    *index = node_of_down_group(x, l, group - x->down_group[l], child);
    return false;
}

static uint64_t xgft_group_node(const bough_net *net, uint64_t group) {
    const xgft *x = tree(net);
    unsigned l;
    uint64_t index, child;
    split_group(x, group, &l, &index, &child);
    return x->node[l] + index;
}

static bough_range xgft_group_links(const bough_net *net, uint64_t group) {
    const xgft *x = tree(net);
    unsigned l;
    uint64_t index, child;
    if (split_group(x, group, &l, &index, &child)) {
        uint64_t size = x->s.w[l] * x->s.p[l];
        return (bough_range){x->up_link[l] + index * size, size};
    }
    return (bough_range){x->down_link[l] + (group - x->down_group[l]) * x->s.p[l - 1], x->s.p[l - 1]};
}

static uint32_t xgft_node_group_count(const bough_net *net, uint64_t node) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    return (uint32_t)((l ? children_of(x, l, node - x->node[l]) : 0) + (l < x->h));
}

/* Groups of a node: children in order, then up. */
static uint64_t xgft_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    uint64_t index = node - x->node[l], children = l ? children_of(x, l, index) : 0;
    return i < children ? x->down_group[l] + first_down_group(x, l, index) + i : x->up_group[l] + index;
}

static unsigned xgft_node_level(const bough_net *net, uint64_t node) {
    return level_of(tree(net), node);
}

static unsigned xgft_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

/* Up until the node's subtree contains the address, then down to the child that contains it. */
static void xgft_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    uint64_t index = node - x->node[l];
    route->list = NULL;
    uint64_t own = own_subtree(x, l, index);
    if (l == 0 || own != subtree_of(x, l, address)) {
        uint64_t size = x->s.w[l] * x->s.p[l];
        route->group = x->up_group[l] + index;
        route->first = x->up_link[l] + index * size;
        route->count = (uint32_t)size;
    } else {
        uint64_t first = l > 1 ? own * x->s.m[l - 1] : first_endpoint(x, 1, own);
        uint64_t number = first_down_group(x, l, index) + subtree_of(x, l - 1, address) - first;
        route->group = x->down_group[l] + number;
        route->first = x->down_link[l] + number * x->s.p[l - 1];
        route->count = (uint32_t)x->s.p[l - 1];
    }
}

/* Order: up groups by ascending level, then down groups by descending level. */
static uint32_t xgft_group_order(const bough_net *net, uint64_t group) {
    const xgft *x = tree(net);
    unsigned l;
    uint64_t index, child;
    bool up = split_group(x, group, &l, &index, &child);
    return up ? l : 2 * x->h - l;
}

/* D-mod-K (routing/selection/dmodk.c; Zahavi: "D-Mod-K routing providing non-blocking traffic for shift
 * permutations on real life fat trees", 2010): up port q = floor(address / (w1 w2 .. wl)) mod (w p); down by
 * the cable of that same q. */
static uint32_t xgft_modk(const bough_net *net, uint64_t group, uint64_t address) {
    const xgft *x = tree(net);
    unsigned l;
    uint64_t index, child;
    if (split_group(x, group, &l, &index, &child))
        return (uint32_t)divisor_remainder(&x->by_ports[l], own_subtree(x, l, address));
    uint64_t q = divisor_remainder(&x->by_ports[l - 1], own_subtree(x, l - 1, address));
    return (uint32_t)divisor_quotient(&x->by_w[l - 1], q);
}

static uint64_t xgft_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    return subtree_of(tree(net), level, endpoint);
}

static uint64_t xgft_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    const xgft *x = tree(net);
    (void)subtree;
    return x->wp[level] * x->s.w[level] * x->s.p[level];
}

/* Down groups lead into the subtree of a child, up groups out of the node's own. */
static bough_group_coverage xgft_group_coverage(const bough_net *net, uint64_t group) {
    const xgft *x = tree(net);
    unsigned l;
    uint64_t index, child;
    bool up = split_group(x, group, &l, &index, &child);
    bough_range own = subtree_endpoints(x, l, own_subtree(x, l, index));
    if (up) return coverage_out_of(net, own.first, own.count);
    if (l == 1) return coverage_into(net, own.first + child, 1);
    bough_range below = subtree_endpoints(x, l - 1, own_subtree(x, l, index) * x->s.m[l - 1] + child);
    return coverage_into(net, below.first, below.count);
}

/* A pod is a child of the roots with everything below it. A plane is everything above one of the parents of a
 * level-1 switch. */
static uint64_t xgft_node_module(const bough_net *net, unsigned part, uint64_t node) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    uint64_t index = node - x->node[l], w = parents_of(x, l, index), m = own_subtree(x, l, index);
    if (part == POD) return l > 0 && l < x->h ? m / (x->mp[x->h - 1] / x->mp[l]) : BOUGH_NONE;
    return l > 1 ? w / x->wp[1] % x->s.w[1] : BOUGH_NONE;
}

static void xgft_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    if (l == 0)
        snprintf(buffer, size, "h%" PRIu64, node);
    else
        snprintf(buffer, size, "s%u.%" PRIu64, l, node - x->node[l]);
}

/* As bay1991 names vertices: levels from the root, node from the left, number within the node. */
static void xgft_triple_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const xgft *x = tree(net);
    unsigned l = level_of(x, node);
    uint64_t index = node - x->node[l];
    snprintf(buffer, size, "<%u,%" PRIu64 ",%" PRIu64 ">", x->h - l, own_subtree(x, l, index),
             parents_of(x, l, index));
}

/* clang-format off */
#define XGFT_OPS(name)                                                                                       \
    {                                                                                                        \
        .destroy = net_free_data,                                                                            \
        .link_end = xgft_link_end,                                                                           \
        .link_group = xgft_link_group,                                                                       \
        .link_twin = xgft_link_twin,                                                                         \
        .group_node = xgft_group_node,                                                                       \
        .group_links = xgft_group_links,                                                                     \
        .node_group_count = xgft_node_group_count,                                                           \
        .node_group = xgft_node_group,                                                                       \
        .node_level = xgft_node_level,                                                                       \
        .node_roles = xgft_node_roles,                                                                       \
        .route = xgft_route,                                                                                 \
        .group_order = xgft_group_order,                                                                     \
        .modk = xgft_modk,                                                                                   \
        .subtree = xgft_subtree,                                                                             \
        .channel_capacity = xgft_channel_capacity,                                                           \
        .node_module = xgft_node_module,                                                                     \
        .group_coverage = xgft_group_coverage,                                                               \
        .node_name = name,                                                                                   \
        .link_port = xgft_link_port,                                                                         \
    }
/* clang-format on */

static const bough_net_ops xgft_ops = XGFT_OPS(xgft_node_name), xgft_triple_ops = XGFT_OPS(xgft_triple_name);

/* The number of endpoints, once mp is known. */
static bough_status populate(xgft *x, bough_error *error) {
    uint64_t ports = x->mp[x->h];
    for (unsigned l = 0; l <= x->h; l++) x->subtrees[l] = ports / x->mp[l];
    if (!x->s.hosts) x->s.hosts = ports;
    x->full = x->s.hosts == ports;
    if (x->s.hosts >= x->subtrees[1] && x->s.hosts <= ports) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "hosts=%" PRIu64 ": the %" PRIu64 " leaf switches have ports for %" PRIu64
                      " endpoints, and each needs at least one",
                      x->s.hosts, x->subtrees[1], ports);
}

static void prepare_divisions(xgft *x) {
    for (unsigned l = 0; l <= x->h; l++) {
        x->by_mp[l] = divisor_make(x->mp[l]);
        x->by_wp[l] = divisor_make(x->wp[l]);
    }
    for (unsigned l = 0; l < x->h; l++) {
        x->by_m[l] = divisor_make(x->s.m[l]);
        x->by_w[l] = divisor_make(x->s.w[l]);
        x->by_p[l] = divisor_make(x->s.p[l]);
        x->by_ports[l] = divisor_make(x->s.w[l] * x->s.p[l]);
    }
}

static bough_status count_everything(xgft *x, bough_net *net, bough_error *error) {
    unsigned h = x->h;
    x->mp[0] = x->wp[0] = 1;
    for (unsigned l = 0; l < h; l++) {
        x->mp[l + 1] = bough_mul(x->mp[l], x->s.m[l]);
        x->wp[l + 1] = bough_mul(x->wp[l], x->s.w[l]);
        if (x->s.m[l] == 0 || x->s.w[l] == 0 || x->s.p[l] == 0 || bough_mul(x->s.m[l], x->s.p[l]) > 65536 ||
            bough_mul(x->s.w[l], x->s.p[l]) > 65536)
            return bough_fail(
                error, BOUGH_INVALID, NULL,
                "level %u: children, parents and cables must be at least 1, and children times cables and "
                "parents times cables at most 65536",
                l + 1);
    }
    bough_status status = populate(x, error);
    if (status) return status;
    uint64_t nodes = 0, up_groups = 0, down_groups = 0, up_links = 0, group_max = 1;
    for (unsigned l = 0; l <= h; l++) {
        x->count[l] = l ? bough_mul(x->wp[l], x->subtrees[l]) : x->s.hosts;
        x->node[l] = nodes;
        nodes = bough_add(nodes, x->count[l]);
    }
    x->node[h + 1] = nodes;
    for (unsigned l = 0; l < h; l++) {
        x->up_group[l] = up_groups;
        x->up_link[l] = up_links;
        up_groups = bough_add(up_groups, x->count[l]);
        uint64_t size = x->s.w[l] * x->s.p[l];
        up_links = bough_add(up_links, bough_mul(x->count[l], size));
        if (size > group_max) group_max = size;
    }
    uint64_t links = up_links;
    for (unsigned l = 1; l <= h; l++) {
        x->down_group[l] = bough_add(up_groups, down_groups);
        x->down_link[l] = links;
        uint64_t groups = bough_mul(x->wp[l], l == 1 ? x->s.hosts : x->subtrees[l - 1]);
        down_groups = bough_add(down_groups, groups);
        links = bough_add(links, bough_mul(groups, x->s.p[l - 1]));
        if (x->s.p[l - 1] > group_max) group_max = x->s.p[l - 1];
    }
    if (links >= UINT64_C(1) << 62 || nodes >= UINT64_C(1) << 62)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "the network would exceed 2^62 links");
    prepare_divisions(x);
    net->endpoints = net->addresses = x->s.hosts;
    net->nodes = nodes;
    net->switches = nodes - net->endpoints;
    net->groups = up_groups + down_groups;
    net->links = links;
    net->cables = up_links - x->count[0] * x->s.w[0] * x->s.p[0];
    net->group_max = group_max;
    net->levels = h;
    net->hops_max = 2 * h;
    return BOUGH_OK;
}

static const char xgft_kind[] = "xgft", populated_kind[] = "xgft with unpopulated ports";

bough_status xgft_make(const xgft_shape *shape, bough_net *net, bough_error *error) {
    if (shape->levels < 1 || shape->levels > XGFT_LEVELS)
        return bough_fail(error, BOUGH_INVALID, NULL, "a tree has 1 to %d levels", XGFT_LEVELS);
    xgft *x;
    bough_status status = bough_alloc(&x, 1, sizeof *x, error);
    if (status) return status;
    x->s = *shape;
    x->h = shape->levels;
    status = count_everything(x, net, error);
    if (status) {
        free(x);
        return status;
    }
    net->data = x;
    net->ops = &xgft_ops;
    net->shape_kind = x->full ? xgft_kind : populated_kind;
    net->shape = &x->s;
    net->all_ports = x->s.w[0] * x->s.p[0] > 1;
    if (x->h > 1) {
        x->part[POD] = (bough_module){"pod", x->s.m[x->h - 1]};
        x->part[PLANE] = (bough_module){"plane", x->s.w[1]};
        net->modules = x->part;
    }
    net->capabilities =
        BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_CHANNELS | BOUGH_HAS_MODK | BOUGH_HAS_EVEN;
    return BOUGH_OK;
}

void xgft_name_by_triples(bough_net *net) {
    net->ops = &xgft_triple_ops;
}

const xgft_shape *xgft_shape_of(const bough_net *net) {
    return net->shape_kind == xgft_kind ? net->shape : NULL;
}

const xgft_shape *xgft_populated_shape_of(const bough_net *net) {
    return net->shape_kind == populated_kind ? net->shape : xgft_shape_of(net);
}

bool xgft_is_binary(const xgft_shape *shape) {
    for (unsigned i = 0; i < shape->levels; i++)
        if (shape->m[i] != 2 || shape->w[i] != (i ? 2 : 1) || shape->p[i] != 1) return false;
    return true;
}

bool xgft_is_pruned(const xgft_shape *shape) {
    for (unsigned i = 0; i < shape->levels; i++)
        if (shape->m[i] != 2 || shape->w[i] != pruned_growth(i) || shape->p[i] != 1) return false;
    return shape->levels % 2 == 0;
}

static void put_list(bough_text *out, const char *key, const uint64_t *value, unsigned count) {
    bough_text_put(out, key);
    for (unsigned i = 0; i < count; i++) bough_text_printf(out, "%s%" PRIu64, i ? "x" : "=", value[i]);
}

char *xgft_format(const xgft_shape *s) {
    bough_text out = {0};
    put_list(&out, "xgft:down", s->m, s->levels);
    put_list(&out, ",up", s->w, s->levels);
    bool parallel = false;
    uint64_t ports = 1;
    for (unsigned i = 0; i < s->levels; i++) parallel |= s->p[i] != 1;
    if (parallel) put_list(&out, ",links", s->p, s->levels);
    for (unsigned i = 0; i < s->levels; i++) ports = bough_mul(ports, s->m[i]);
    if (s->hosts && s->hosts != ports) bough_text_printf(&out, ",hosts=%" PRIu64, s->hosts);
    return bough_text_take(&out);
}
