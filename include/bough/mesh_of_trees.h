/* The mesh of trees (Leighton, 1981): side x side leaves, side a power of two, with a complete binary tree
 * over the leaves of every row and of every column; and how the pruned butterfly of side^2 leaves holds it.
 *
 * A vertex is a leaf (line = row, index = column, scale 0), or a node of scale 1 .. lg side in the tree of
 * row (or column) `line`, above the leaves index 2^scale .. (index + 1) 2^scale - 1 of that line. Ids count
 * leaves by row, then rows' nodes by row, then columns' nodes by column; the nodes of a tree from its root,
 * breadth first.
 *
 * Edge e joins child and parent in one tree: trees of rows come first, in a tree the edges in the children's
 * order.
 *
 * The embedding (bay1991, section 3.1, names it without showing it): a leaf in the leaf whose bits are
 * those of row and column in turn, row first. Every vertex has a vertex of its own (load 1), an edge is a
 * path of one or two links (dilation 2), and a cable is in at most two paths (congestion 2). */
#ifndef BOUGH_MESH_OF_TREES_H
#define BOUGH_MESH_OF_TREES_H

#include "bough/net.h"

typedef enum bough_mesh_tree { BOUGH_MESH_LEAF, BOUGH_MESH_ROW, BOUGH_MESH_COLUMN } bough_mesh_tree;

typedef struct bough_mesh_vertex {
    bough_mesh_tree tree;
    unsigned scale;
    uint64_t line, index;
} bough_mesh_vertex;

/* lg_side below 31. 3 side^2 - 2 side vertices, 4 side^2 - 4 side edges. */
uint64_t bough_mesh_vertices(unsigned lg_side);
uint64_t bough_mesh_edges(unsigned lg_side);
bough_mesh_vertex bough_mesh_vertex_at(unsigned lg_side, uint64_t id);
uint64_t bough_mesh_vertex_id(unsigned lg_side, bough_mesh_vertex vertex);
void bough_mesh_edge(unsigned lg_side, uint64_t edge, uint64_t *child, uint64_t *parent);

/* The node of pruned:n=4^lg_side that holds a vertex. net must be the pruned butterfly, without faults, and
 * have side^2 leaves. */
uint64_t bough_mesh_node(const bough_net *net, uint64_t vertex);
/* The links, upwards, of the path that is an edge, from the child's node to the parent's; returns 1 or 2. */
unsigned bough_mesh_path(const bough_net *net, uint64_t edge, uint64_t link[2]);

#endif
