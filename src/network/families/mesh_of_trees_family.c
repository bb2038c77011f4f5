/* The mesh of trees (Leighton, 1981; bay1991, section 5) as a network. Leaves are both endpoints and
 * switches, tree nodes are switches, numbered as in network/graphs/mesh_of_trees.h. Edge e is link e upwards
 * and link E + e downwards. Every group has one link and the same id.
 *
 * A message moves along its row to the column of its address, then along that column: up and down the tree of
 * the row, then up and down the tree of the column. Ports of a leaf: row tree, column tree; of a tree node:
 * its children, then its parent. */
#include "network/graphs/mesh_of_trees.h"

#include "base/memory/memory.h"
#include "network/families/mesh_of_trees_family.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdio.h>

enum { P_N };

enum { PARENT_PORT = 2 };

typedef struct mesh {
    unsigned lg_side;
    uint64_t leaves, edges;
} mesh;

static const mesh *mesh_of(const bough_net *net) {
    return net->data;
}

/* The edge above place p of a tree (the root is 1, its children 2p and 2p + 1). */
static uint64_t edge_above(const mesh *m, bough_mesh_tree tree, uint64_t line, uint64_t p) {
    uint64_t side = UINT64_C(1) << m->lg_side, trees = tree == BOUGH_MESH_ROW ? line : side + line;
    return trees * (2 * side - 2) + p - 2;
}

static uint64_t place_in_tree(const mesh *m, const bough_mesh_vertex *v) {
    return (UINT64_C(1) << (m->lg_side - v->scale)) + v->index;
}

static uint64_t lower_end(const mesh *m, uint64_t edge) {
    uint64_t child, parent;
    bough_mesh_edge(m->lg_side, edge, &child, &parent);
    return child;
}

static uint64_t upper_end(const mesh *m, uint64_t edge) {
    uint64_t child, parent;
    bough_mesh_edge(m->lg_side, edge, &child, &parent);
    return parent;
}

static bool of_row(const mesh *m, uint64_t edge) {
    return edge < m->edges / 2;
}

/* The place of the lower end of an edge in its tree; odd: second child. */
static uint64_t lower_place(const mesh *m, uint64_t edge) {
    return edge % ((UINT64_C(2) << m->lg_side) - 2) + 2;
}

/* ---- operations ---- */

static bough_link_end mesh_link_end(const bough_net *net, uint64_t link) {
    const mesh *m = mesh_of(net);
    if (link < m->edges) return (bough_link_end){upper_end(m, link), (uint32_t)lower_place(m, link) & 1};
    uint64_t edge = link - m->edges, child = lower_end(m, edge);
    return (bough_link_end){child, child >= m->leaves ? PARENT_PORT : !of_row(m, edge)};
}

static uint64_t mesh_link_twin(const bough_net *net, uint64_t link) {
    const mesh *m = mesh_of(net);
    return link < m->edges ? link + m->edges : link - m->edges;
}

static uint32_t mesh_link_port(const bough_net *net, uint64_t link) {
    return mesh_link_end(net, mesh_link_twin(net, link)).port;
}

static uint64_t mesh_link_group(const bough_net *net, uint64_t link) {
    (void)net;
    return link;
}

static uint64_t mesh_group_node(const bough_net *net, uint64_t group) {
    return mesh_link_end(net, mesh_link_twin(net, group)).node;
}

static bough_range mesh_group_links(const bough_net *net, uint64_t group) {
    (void)net;
    return (bough_range){group, 1};
}

static uint32_t mesh_node_group_count(const bough_net *net, uint64_t node) {
    const mesh *m = mesh_of(net);
    if (node < m->leaves) return 2;
    return bough_mesh_vertex_at(m->lg_side, node).scale < m->lg_side ? 3 : 2;
}

static uint64_t up_link(const mesh *m, const bough_mesh_vertex *v) {
    return edge_above(m, v->tree, v->line, place_in_tree(m, v));
}

/* The link of a leaf in the tree of its row or column. */
static uint64_t leaf_link(const mesh *m, uint64_t leaf, bool row) {
    uint64_t side = UINT64_C(1) << m->lg_side, r = leaf >> m->lg_side, c = leaf & (side - 1);
    return row ? edge_above(m, BOUGH_MESH_ROW, r, side + c) : edge_above(m, BOUGH_MESH_COLUMN, c, side + r);
}

static uint64_t down_link(const mesh *m, const bough_mesh_vertex *v, uint64_t child) {
    return m->edges + edge_above(m, v->tree, v->line, 2 * place_in_tree(m, v) + child);
}

static uint64_t mesh_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const mesh *m = mesh_of(net);
    if (node < m->leaves) return leaf_link(m, node, i == 0);
    bough_mesh_vertex v = bough_mesh_vertex_at(m->lg_side, node);
    return i < 2 ? down_link(m, &v, i) : up_link(m, &v);
}

static unsigned mesh_node_level(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? 0 : bough_mesh_vertex_at(mesh_of(net)->lg_side, node).scale;
}

static unsigned mesh_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT | BOUGH_SWITCH : BOUGH_SWITCH;
}

static void mesh_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const mesh *m = mesh_of(net);
    uint64_t mask = (UINT64_C(1) << m->lg_side) - 1, link;
    if (node < m->leaves) {
        link = leaf_link(m, node, (node & mask) != (address & mask));
    } else {
        bough_mesh_vertex v = bough_mesh_vertex_at(m->lg_side, node);
        uint64_t to = v.tree == BOUGH_MESH_ROW ? address & mask : address >> m->lg_side;
        link = to >> v.scale == v.index ? down_link(m, &v, to >> (v.scale - 1) & 1) : up_link(m, &v);
    }
    *route = (bough_route){.group = link, .first = link, .count = 1};
}

/* Order: row tree up, down, column tree up, down. */
static uint32_t mesh_group_order(const bough_net *net, uint64_t group) {
    const mesh *m = mesh_of(net);
    bool up = group < m->edges;
    uint64_t edge = up ? group : group - m->edges;
    unsigned scale = mesh_node_level(net, mesh_group_node(net, group));
    return (of_row(m, edge) ? 0 : 2 * m->lg_side) + (up ? scale : 2 * m->lg_side - scale);
}

static void mesh_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    bough_mesh_vertex v = bough_mesh_vertex_at(mesh_of(net)->lg_side, node);
    if (v.tree == BOUGH_MESH_LEAF)
        snprintf(buffer, size, "m%" PRIu64 ".%" PRIu64, v.line, v.index);
    else
        snprintf(buffer, size, "%c%" PRIu64 ".%u.%" PRIu64, v.tree == BOUGH_MESH_ROW ? 'r' : 'c', v.line,
                 v.scale, v.index);
}

static const bough_net_ops mesh_ops = {
    .destroy = net_free_data,
    .link_end = mesh_link_end,
    .link_group = mesh_link_group,
    .link_twin = mesh_link_twin,
    .group_node = mesh_group_node,
    .group_links = mesh_group_links,
    .node_group_count = mesh_node_group_count,
    .node_group = mesh_node_group,
    .node_level = mesh_node_level,
    .node_roles = mesh_node_roles,
    .route = mesh_route,
    .group_order = mesh_group_order,
    .node_name = mesh_node_name,
    .link_port = mesh_link_port,
};

unsigned mesh_family_lg_side(const bough_net *net) {
    return net->ops == &mesh_ops ? mesh_of(net)->lg_side : 0;
}

/* ---- construction ---- */

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_N].integer;
    unsigned k = (63 - (unsigned)__builtin_clzll(n)) / 2;
    mesh *m;
    if (n != UINT64_C(1) << 2 * k)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "meshoftrees: n=%" PRIu64 " is not a power of four; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, UINT64_C(1) << 2 * k, UINT64_C(4) << 2 * k);
    bough_status status = bough_alloc(&m, 1, sizeof *m, error);
    if (status) return status;
    *m = (mesh){k, n, bough_mesh_edges(k)};
    net->data = m;
    net->ops = &mesh_ops;
    net->endpoints = net->addresses = n;
    net->nodes = net->switches = bough_mesh_vertices(k); /* leaves forward messages */
    net->links = net->groups = 2 * m->edges;
    net->cables = m->edges;
    net->group_max = 1;
    net->levels = k;
    net->hops_max = 4 * k;
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER;
    return BOUGH_OK;
}

static const bough_param params[] = {
    [P_N] = {"n", "leaves, a power of four", BOUGH_INT, "1024", 4, 0x1p40, .echo = true},
    BOUGH_PARAMS_END,
};

const bough_family bough_family_meshoftrees = {
    .name = "meshoftrees",
    .summary = "mesh of trees: a grid of leaves with a binary tree over every row and column",
    .source = "Leighton: Layouts for the shuffle-exchange graph, 1981; bay1991, section 5",
    .params = params,
    .make = make,
};
