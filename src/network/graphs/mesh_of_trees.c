/* Embedding of the mesh of trees in the pruned butterfly. Arrange the leaves as a side x side grid by their
 * bits, alternately row and column: a node of even height 2s is a block of 2^s x 2^s and has 2^s vertices.
 * The node of scale s in the tree of column c, in block (x, c / 2^s), is vertex c mod 2^s there. The
 * corresponding row node would use the same vertices, but both its children are in one half of the block, so
 * it is placed in that half, one height below, at vertex r mod 2^s; half of the vertices there belong to rows
 * outside the half and stay unused.
 *
 * Edges then join adjacent vertices: a vertex has the number of its child's vertex, with one more high bit at
 * every second height, and that bit of the row or column selects the parent. */
#include "network/graphs/mesh_of_trees.h"

#include "network/families/pruned_shape.h"

uint64_t bough_mesh_vertices(unsigned lg_side) {
    return (UINT64_C(3) << 2 * lg_side) - (UINT64_C(2) << lg_side);
}

uint64_t bough_mesh_edges(unsigned lg_side) {
    return (UINT64_C(4) << 2 * lg_side) - (UINT64_C(4) << lg_side);
}

/* Nodes of a tree are numbered from 1 at the root, children 2p and 2p + 1: node p of scale s is 2^(lg side -
 * s) + index, so leaves are side + index. */
static bough_mesh_vertex tree_vertex(unsigned lg_side, bough_mesh_tree tree, uint64_t line, uint64_t place) {
    unsigned depth = 63 - (unsigned)__builtin_clzll(place);
    uint64_t index = place - (UINT64_C(1) << depth);
    if (depth == lg_side)
        return tree == BOUGH_MESH_ROW ? (bough_mesh_vertex){BOUGH_MESH_LEAF, 0, line, index}
                                      : (bough_mesh_vertex){BOUGH_MESH_LEAF, 0, index, line};
    return (bough_mesh_vertex){tree, lg_side - depth, line, index};
}

bough_mesh_vertex bough_mesh_vertex_at(unsigned lg_side, uint64_t id) {
    uint64_t side = UINT64_C(1) << lg_side, leaves = side << lg_side;
    if (id < leaves) return (bough_mesh_vertex){BOUGH_MESH_LEAF, 0, id >> lg_side, id & (side - 1)};
    uint64_t inner = id - leaves, of_rows = leaves - side;
    bough_mesh_tree tree = inner < of_rows ? BOUGH_MESH_ROW : BOUGH_MESH_COLUMN;
    if (tree == BOUGH_MESH_COLUMN) inner -= of_rows;
    return tree_vertex(lg_side, tree, inner / (side - 1), inner % (side - 1) + 1);
}

uint64_t bough_mesh_vertex_id(unsigned lg_side, bough_mesh_vertex v) {
    uint64_t side = UINT64_C(1) << lg_side, leaves = side << lg_side;
    if (v.tree == BOUGH_MESH_LEAF) return v.line << lg_side | v.index;
    uint64_t inner = v.line * (side - 1) + (side >> v.scale) + v.index - 1;
    return leaves + (v.tree == BOUGH_MESH_ROW ? 0 : leaves - side) + inner;
}

/* The tree of an edge, and its child. */
static bough_mesh_vertex child_of(unsigned lg_side, uint64_t edge, bough_mesh_tree *tree, uint64_t *line,
                                  uint64_t *place) {
    uint64_t side = UINT64_C(1) << lg_side, in_a_tree = 2 * side - 2, all = edge / in_a_tree;
    *tree = all < side ? BOUGH_MESH_ROW : BOUGH_MESH_COLUMN;
    *line = all & (side - 1);
    *place = edge % in_a_tree + 2;
    return tree_vertex(lg_side, *tree, *line, *place);
}

void bough_mesh_edge(unsigned lg_side, uint64_t edge, uint64_t *child, uint64_t *parent) {
    bough_mesh_tree tree;
    uint64_t line, place;
    *child = bough_mesh_vertex_id(lg_side, child_of(lg_side, edge, &tree, &line, &place));
    *parent = bough_mesh_vertex_id(lg_side, tree_vertex(lg_side, tree, line, place / 2));
}

/* ---- in the pruned butterfly ---- */

typedef struct spot {
    unsigned height;
    uint64_t node, vertex;
} spot;

/* Interleaves the bits of row and column; the row bit is the upper one of each pair. */
static uint64_t shuffle(uint64_t row, uint64_t column) {
    uint64_t word[2] = {column, row};
    static const uint64_t mask[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f,
                                    0x3333333333333333, 0x5555555555555555};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned b = 0; b < 5; b++) word[i] = (word[i] | word[i] << (16 >> b)) & mask[b];
    return word[1] << 1 | word[0];
}

static spot spot_of(bough_mesh_vertex v) {
    uint64_t low = v.line & ((UINT64_C(1) << v.scale) - 1), block = v.line >> v.scale;
    switch (v.tree) {
    case BOUGH_MESH_ROW:
        return (spot){2 * v.scale - 1, shuffle(block, v.index) << 1 | low >> (v.scale - 1), low};
    case BOUGH_MESH_COLUMN:
        return (spot){2 * v.scale, shuffle(v.index, block), low};
    default:
        return (spot){0, shuffle(v.line, v.index), 0};
    }
}

static unsigned lg_side_of(const bough_net *net) {
    return net->levels / 2;
}

/* Ids ascend by height, then node, then vertex. */
static uint64_t id_of(const bough_net *net, spot s) {
    uint64_t first = 0;
    for (unsigned h = 0; h < s.height; h++) first += (net->endpoints >> h) << pruned_lg_vertices(h);
    return first + (s.node << pruned_lg_vertices(s.height) | s.vertex);
}

/* The upward link to the vertex of the next height whose number continues with the low bits of line. */
static uint64_t link_up(const bough_net *net, spot *s, uint64_t line) {
    uint64_t node = id_of(net, *s);
    unsigned lg_below = pruned_lg_vertices(s->height), lg_above = pruned_lg_vertices(++s->height);
    s->node >>= 1;
    s->vertex = line & ((UINT64_C(1) << lg_above) - 1);
    uint32_t up =
        net->ops->node_group_count(net, node) - 1; /* the last group: groups of children come first */
    return net->ops->group_links(net, net->ops->node_group(net, node, up)).first + (s->vertex >> lg_below);
}

unsigned bough_mesh_path(const bough_net *net, uint64_t edge, uint64_t link[2]) {
    bough_mesh_tree tree;
    uint64_t line, place;
    unsigned lg_side = lg_side_of(net), links = 0;
    spot at = spot_of(child_of(lg_side, edge, &tree, &line, &place));
    unsigned height = spot_of(tree_vertex(lg_side, tree, line, place / 2)).height;
    while (at.height < height) link[links++] = link_up(net, &at, line);
    return links;
}
