/* The mesh of trees (Leighton, 1981): side x side leaves, side a power of two, with a complete binary tree
 * over the leaves of every row and of every column; and its embedding in the pruned butterfly of side^2
 * leaves.
 *
 * A vertex is a leaf (line = row, index = column, scale 0), or a node of scale 1 .. lg side in the tree of
 * row (or column) `line`, above the leaves index 2^scale .. (index + 1) 2^scale - 1 of that line. Ids count
 * leaves by row, then nodes of row trees by row, then nodes of column trees by column; within a tree breadth
 * first from the root.
 *
 * Edge e joins child and parent in one tree. Row trees come first; edges of a tree are in the order of the
 * children.
 *
 * The embedding (mentioned, but not given, in bay1991, section 3.1) maps a leaf to the leaf whose bits
 * alternate between those of row and column, row first. Every vertex has its own node (load 1), an edge is a
 * path of one or two links (dilation 2), and a cable is in at most two paths (congestion 2). */
#ifndef BOUGH_NETWORK_GRAPHS_MESH_OF_TREES_H
#define BOUGH_NETWORK_GRAPHS_MESH_OF_TREES_H

#include "network/net.h"

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

/* Writes the upward links of the path of an edge, from the node of the child to that of the parent. Returns
 * their number, 1 or 2. net must be the pruned butterfly of side^2 leaves, without faults. */
unsigned bough_mesh_path(const bough_net *net, uint64_t edge, uint64_t link[2]);

#endif
