/* The sorting fat-tree (bay1991, section 4.2): N / side^2 meshes of side x side terminals at the leaves of a
 * fat-tree. side is lg N rounded up to a power of two. A channel above n terminals has sqrt n wires, or sqrt
 * 2n if lg n is odd. The channel of a mesh is attached to the terminals of its top row, one wire per column.
 *
 * Terminals are both endpoints and switches, of level 0. The tree node above n = side^2 2^level terminals is
 * one switch, a flexible sorter (network/sorting_hardware/sorter.h). Terminal e is place e % side^2, row by
 * row, of mesh e / side^2.
 *
 * Groups of a mesh have one link each, with the same id:
 *     m G + p                    up from place p: in the top row to the tree, else to the row above
 *         + side^2 + p - 0       down from place p, not in the bottom row
 *         + 2 side^2 - side ...  right, not in the last column; then left, not in the first: side - 1 a row
 * Then the tree, per level: the links up of all its nodes (none at the root), then those down to all their
 * children. A group is one direction of a channel: its wires are interchangeable, except that the last step
 * down uses the wire to the column of the address. Ports of a terminal: up, down, right, left; of a tree
 * node: to its children, then to its parent. */
#include "base/status/try.h"
#include "network/families/sorting_shape.h"

#include "base/memory/memory.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdio.h>

enum { P_N };

enum { UP, DOWN, RIGHT, LEFT };

typedef struct sorting {
    sorting_shape shape;
    uint64_t mesh, links_a_mesh; /* side^2; G */
    /* Per level of tree nodes: the first node, and the first group and link up from it and down to its
     * children. */
    uint64_t node[SORTING_LEVELS + 1], up_group[SORTING_LEVELS], up_link[SORTING_LEVELS];
    uint64_t down_group[SORTING_LEVELS], down_link[SORTING_LEVELS];
} sorting;

/* A node of a mesh (level 0: mesh, row, column) or of the tree (index). */
typedef struct place {
    unsigned level;
    uint64_t index, row, column;
} place;

/* A link or group: start, direction, wire of the channel, and, for down, the child (counted through the
 * level). */
typedef struct link_place {
    place from;
    unsigned kind;
    uint64_t wire, child;
} link_place;

static const sorting *tree(const bough_net *net) {
    return net->data;
}

static uint64_t wires(const sorting *s, unsigned level) {
    return sorting_capacity(&s->shape, level);
}

static uint64_t nodes_at(const sorting *s, unsigned level) {
    return UINT64_C(1) << (s->shape.height - level);
}

static place place_of(const sorting *s, uint64_t node) {
    if (node < s->shape.n) {
        uint64_t p = node % s->mesh;
        return (place){0, node / s->mesh, p / s->shape.side, p % s->shape.side};
    }
    unsigned level = 1;
    while (node >= s->node[level + 1]) level++;
    return (place){.level = level, .index = node - s->node[level]};
}

static uint64_t node_of(const sorting *s, place at) {
    return at.level ? s->node[at.level] + at.index : at.index * s->mesh + at.row * s->shape.side + at.column;
}

/* ---- ids of links and groups ---- */

/* In a mesh links and groups have the same ids. Returns whether a terminal has a link in this direction. */
static bool leaves(const sorting *s, place at, unsigned kind) {
    uint64_t last = s->shape.side - 1;
    return kind == UP || (kind == DOWN && at.row < last) || (kind == RIGHT && at.column < last) ||
           (kind == LEFT && at.column > 0);
}

static uint64_t mesh_link(const sorting *s, place at, unsigned kind) {
    uint64_t side = s->shape.side, base = at.index * s->links_a_mesh, p = at.row * side + at.column;
    if (kind == UP) return base + p;
    if (kind == DOWN) return base + s->mesh + p;
    base += s->mesh + side * (side - 1) + (kind == LEFT ? side * (side - 1) : 0);
    return base + at.row * (side - 1) + at.column - (kind == LEFT);
}

static link_place mesh_place_of(const sorting *s, uint64_t id) {
    uint64_t side = s->shape.side, k = id % s->links_a_mesh, inner = side * (side - 1);
    link_place w = {.from = {.index = id / s->links_a_mesh}};
    if (k < s->mesh + inner) {
        w.kind = k < s->mesh ? UP : DOWN;
        if (w.kind == DOWN) k -= s->mesh;
        w.from.row = k / side;
        w.from.column = k % side;
    } else {
        k -= s->mesh + inner;
        w.kind = k < inner ? RIGHT : LEFT;
        if (w.kind == LEFT) k -= inner;
        w.from.row = k / (side - 1);
        w.from.column = k % (side - 1) + (w.kind == LEFT);
    }
    w.wire = w.kind == UP && w.from.row == 0 ? w.from.column : 0;
    return w;
}

static uint64_t mesh_links(const sorting *s) {
    return s->links_a_mesh * nodes_at(s, 0);
}

static link_place link_place_of(const sorting *s, uint64_t link) {
    if (link < mesh_links(s)) return mesh_place_of(s, link);
    unsigned level = s->shape.height;
    while (link < s->up_link[level]) level--;
    link_place w = {.from.level = level, .kind = link < s->down_link[level] ? UP : DOWN};
    uint64_t k = link - (w.kind == UP ? s->up_link : s->down_link)[level];
    uint64_t size = wires(s, w.kind == UP ? level : level - 1);
    w.wire = k % size;
    w.child = k / size;
    w.from.index = w.kind == UP ? w.child : w.child / 2;
    return w;
}

static link_place group_place_of(const sorting *s, uint64_t group) {
    if (group < mesh_links(s)) return mesh_place_of(s, group);
    unsigned level = s->shape.height;
    while (group < s->up_group[level]) level--;
    link_place w = {.from.level = level, .kind = group < s->down_group[level] ? UP : DOWN};
    w.child = group - (w.kind == UP ? s->up_group : s->down_group)[level];
    w.from.index = w.kind == UP ? w.child : w.child / 2;
    return w;
}

/* child: for the downward groups of a tree node, counted through its level; else unused. */
static uint64_t group_id(const sorting *s, const link_place *w) {
    if (w->from.level == 0) return mesh_link(s, w->from, w->kind);
    return w->kind == UP ? s->up_group[w->from.level] + w->from.index
                         : s->down_group[w->from.level] + w->child;
}

static bough_range group_range(const sorting *s, const link_place *w) {
    unsigned level = w->from.level;
    if (level == 0) return (bough_range){mesh_link(s, w->from, w->kind), 1};
    if (w->kind == UP)
        return (bough_range){s->up_link[level] + w->from.index * wires(s, level), wires(s, level)};
    return (bough_range){s->down_link[level] + w->child * wires(s, level - 1), wires(s, level - 1)};
}

static uint64_t link_id(const sorting *s, const link_place *w) {
    return group_range(s, w).first + (w->from.level ? w->wire : 0);
}

/* The opposite direction of the same cable. */
static link_place reverse(const link_place *w) {
    static const unsigned turned[] = {DOWN, UP, LEFT, RIGHT};
    unsigned level = w->from.level;
    link_place b = {.kind = turned[w->kind], .wire = w->wire};
    if (level == 0 && !(w->kind == UP && w->from.row == 0)) {
        b.from = w->from;
        b.from.row += (w->kind == DOWN) - (uint64_t)(w->kind == UP);
        b.from.column += (w->kind == RIGHT) - (uint64_t)(w->kind == LEFT);
        b.wire = b.kind == UP && b.from.row == 0 ? b.from.column : 0;
    } else if (w->kind == UP) {
        b.from = (place){.level = level + 1, .index = w->from.index / 2};
        b.child = w->from.index;
    } else {
        b.from = (place){.level = level - 1, .index = w->child, .column = level == 1 ? w->wire : 0};
        b.child = w->child;
    }
    return b;
}

static uint32_t port(const sorting *s, const link_place *w) {
    if (w->from.level == 0) return w->kind;
    uint64_t below = wires(s, w->from.level - 1);
    return (uint32_t)(w->kind == DOWN ? w->child % 2 * below + w->wire : 2 * below + w->wire);
}

/* ---- operations ---- */

static bough_link_end sorting_link_end(const bough_net *net, uint64_t link) {
    const sorting *s = tree(net);
    link_place w = link_place_of(s, link), b = reverse(&w);
    return (bough_link_end){node_of(s, b.from), port(s, &b)};
}

static uint64_t sorting_link_twin(const bough_net *net, uint64_t link) {
    const sorting *s = tree(net);
    link_place w = link_place_of(s, link), b = reverse(&w);
    return link_id(s, &b);
}

static uint32_t sorting_link_port(const bough_net *net, uint64_t link) {
    const sorting *s = tree(net);
    link_place w = link_place_of(s, link);
    return port(s, &w);
}

static uint64_t sorting_link_group(const bough_net *net, uint64_t link) {
    const sorting *s = tree(net);
    link_place w = link_place_of(s, link);
    return group_id(s, &w);
}

static uint64_t sorting_group_node(const bough_net *net, uint64_t group) {
    const sorting *s = tree(net);
    return node_of(s, group_place_of(s, group).from);
}

static bough_range sorting_group_links(const bough_net *net, uint64_t group) {
    const sorting *s = tree(net);
    link_place w = group_place_of(s, group);
    return group_range(s, &w);
}

static uint32_t sorting_node_group_count(const bough_net *net, uint64_t node) {
    const sorting *s = tree(net);
    place at = place_of(s, node);
    uint32_t count = 0;
    if (at.level) return at.level < s->shape.height ? 3 : 2;
    for (unsigned kind = UP; kind <= LEFT; kind++) count += leaves(s, at, kind);
    return count;
}

static uint64_t sorting_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const sorting *s = tree(net);
    link_place w = {.from = place_of(s, node)};
    if (w.from.level) {
        w.kind = i < 2 ? DOWN : UP;
        w.child = 2 * w.from.index + i;
    } else {
        for (uint32_t left = i;; w.kind++)
            if (leaves(s, w.from, w.kind) && left-- == 0) break;
    }
    return group_id(s, &w);
}

static unsigned sorting_node_level(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? 0 : place_of(tree(net), node).level;
}

static unsigned sorting_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT | BOUGH_SWITCH : BOUGH_SWITCH;
}

/* Within a mesh along the row, then along the column. To another mesh up the column, up and down the tree,
 * and down the column of the address. */
static void sorting_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const sorting *s = tree(net);
    link_place w = {.from = place_of(s, node)};
    place to = place_of(s, address);
    unsigned level = w.from.level;
    bool inside = w.from.index == sorting_subtree(&s->shape, level, address);
    bool last = false;
    if (!inside) {
        w.kind = UP;
    } else if (level) {
        w.kind = DOWN;
        w.child = sorting_subtree(&s->shape, level - 1, address);
        w.wire = to.column;
        last = level == 1;
    } else if (w.from.column != to.column) {
        w.kind = w.from.column < to.column ? RIGHT : LEFT;
    } else {
        w.kind = w.from.row < to.row ? DOWN : UP;
    }
    bough_range links = group_range(s, &w);
    *route = (bough_route){.group = group_id(s, &w), .first = links.first, .count = (uint32_t)links.count};
    if (last) route->first += w.wire, route->count = 1;
}

/* Order: along the row, up the column, up the tree, down the tree, down the column. */
static uint32_t sorting_group_order(const bough_net *net, uint64_t group) {
    const sorting *s = tree(net);
    link_place w = group_place_of(s, group);
    uint64_t side = s->shape.side, column = w.from.column, row = w.from.row;
    uint32_t base = (uint32_t)(2 * side), height = s->shape.height;
    if (w.from.level) return base + (w.kind == UP ? w.from.level : 2 * height - w.from.level);
    if (w.kind == RIGHT) return (uint32_t)column;
    if (w.kind == LEFT) return (uint32_t)(side - 1 - column);
    if (w.kind == UP) return (uint32_t)(2 * side - 1 - row);
    return (uint32_t)(base + 2 * height + row);
}

static uint64_t sorting_net_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    return sorting_subtree(&tree(net)->shape, level, endpoint);
}

static uint64_t sorting_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    (void)subtree;
    return wires(tree(net), level);
}

static void sorting_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    place at = place_of(tree(net), node);
    if (at.level)
        snprintf(buffer, size, "s%u.%" PRIu64, at.level, at.index);
    else
        snprintf(buffer, size, "m%" PRIu64 ".%" PRIu64 ".%" PRIu64, at.index, at.row, at.column);
}

static const bough_net_ops sorting_ops = {
    .destroy = net_free_data,
    .link_end = sorting_link_end,
    .link_group = sorting_link_group,
    .link_twin = sorting_link_twin,
    .group_node = sorting_group_node,
    .group_links = sorting_group_links,
    .node_group_count = sorting_node_group_count,
    .node_group = sorting_node_group,
    .node_level = sorting_node_level,
    .node_roles = sorting_node_roles,
    .route = sorting_route,
    .group_order = sorting_group_order,
    .subtree = sorting_net_subtree,
    .channel_capacity = sorting_channel_capacity,
    .node_name = sorting_node_name,
    .link_port = sorting_link_port,
};

static const char sorting_kind[] = "sorting";

const sorting_shape *sorting_shape_of(const bough_net *net) {
    return net->shape_kind == sorting_kind ? net->shape : NULL;
}

/* ---- construction ---- */

static bough_status check_size(int64_t n, bough_error *error) {
    if (n < 128)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sorting: n=%" PRId64 " terminals fit in one mesh, so there is no tree; the "
                          "minimum is 128 (meshes of 64); the paper uses 256 and 65536",
                          n);
    if (n & (n - 1))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sorting: n=%" PRId64 " is not a power of two; the nearest are %" PRId64
                          " and %" PRId64,
                          n, INT64_C(1) << (63 - __builtin_clzll((uint64_t)n)),
                          INT64_C(2) << (63 - __builtin_clzll((uint64_t)n)));
    return BOUGH_OK;
}

static sorting_shape shape_of(uint64_t n) {
    sorting_shape shape = {.n = n, .lg_n = (unsigned)__builtin_ctzll(n), .side = 1};
    while (shape.side < shape.lg_n) shape.side *= 2, shape.lg_side++;
    shape.height = shape.lg_n - 2 * shape.lg_side;
    return shape;
}

static void number(sorting *s, bough_net *net) {
    uint64_t side = s->shape.side, node = s->shape.n;
    s->mesh = side * side;
    s->links_a_mesh = s->mesh + 3 * side * (side - 1);
    net->links = net->groups = mesh_links(s);
    net->cables = (s->links_a_mesh - side) / 2 * nodes_at(s, 0);
    for (unsigned level = 1; level <= s->shape.height; level++) {
        uint64_t here = nodes_at(s, level), below = nodes_at(s, level - 1),
                 up = level < s->shape.height ? here : 0;
        s->node[level] = node;
        s->up_group[level] = net->groups;
        s->up_link[level] = net->links;
        s->down_group[level] = s->up_group[level] + up;
        s->down_link[level] = s->up_link[level] + up * wires(s, level);
        net->groups = s->down_group[level] + below;
        net->links = s->down_link[level] + below * wires(s, level - 1);
        net->cables += below * wires(s, level - 1);
        node += here;
    }
    s->node[s->shape.height + 1] = net->nodes = node;
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    sorting *s;
    bough_status status = check_size(args->value[P_N].integer, error);
    TRY(bough_alloc(&s, 1, sizeof *s, error));
    if (status) return status;
    s->shape = shape_of((uint64_t)args->value[P_N].integer);
    net->data = s;
    net->ops = &sorting_ops;
    net->shape_kind = sorting_kind;
    net->shape = &s->shape;
    number(s, net);
    net->endpoints = net->addresses = s->shape.n;
    net->switches = net->nodes; /* terminals forward messages */
    net->group_max = wires(s, s->shape.height - 1);
    net->levels = s->shape.height;
    net->hops_max = (unsigned)(2 * (s->shape.side - 1)) + 2 * s->shape.height;
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_CHANNELS;
    return BOUGH_OK;
}

static const bough_param params[] = {
    [P_N] = {"n",
             "terminals, a power of two, at least 128; a mesh has side lg n, rounded up to a power of two",
             BOUGH_INT, "256", 1, 0x1p36, .echo = true},
    BOUGH_PARAMS_END,
};

const bough_family bough_family_sorting = {
    .name = "sorting",
    .summary = "sorting fat-tree: meshes of lg^2 n terminals under a fat-tree of flexible sorters",
    .source = "Bay, Bilardi: Deterministic on-line routing on area-universal networks, 1991, section 4.2",
    .params = params,
    .make = make,
};
