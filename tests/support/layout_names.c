#include "support/layout_names.h"
#include "network/families/bft.h"

#include "network/families/mesh_of_trees_family.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"
#include "network/graphs/mesh_of_trees.h"

#include <stdlib.h>

static naming name_vertices(const bough_net *net, const bough_layout_size *size, const xgft_shape *x) {
    naming n = {.net = net, .size = size};
    uint64_t subtrees = net->endpoints;
    n.first[1] = net->endpoints;
    n.vertices[0] = 1;
    n.label[0] = calloc(1, sizeof(uint64_t));
    for (unsigned l = 1; l <= x->levels; l++) {
        uint64_t w = x->w[l - 1];
        subtrees /= x->m[l - 1];
        n.vertices[l] = n.vertices[l - 1] * w;
        n.first[l + 1] = n.first[l] + n.vertices[l] * subtrees;
        n.label[l] = calloc(n.vertices[l], sizeof(uint64_t));
        for (uint64_t j = 0; j < n.vertices[l - 1]; j++)
            for (uint64_t i = 0; i < w; i++)
                n.label[l][j * w + i] = n.label[l - 1][j] + i * n.vertices[l - 1];
    }
    return n;
}

/* Bits of a leaf's path: columns the even ones, rows the odd ones. */
static uint64_t every_second(uint64_t path) {
    uint64_t out = 0;
    for (unsigned b = 0; b < 32; b++) out |= (path >> 2 * b & 1) << b;
    return out;
}

static uint64_t mesh_node(const naming *n, const drawn *d) {
    unsigned k = mesh_family_lg_side(n->net), s = (d->step - 1) / 2, step = d->step;
    uint64_t path = d->subtree << step, row = every_second(path >> 1), column = every_second(path);
    bough_mesh_vertex v;
    if (step == 0)
        v = (bough_mesh_vertex){BOUGH_MESH_LEAF, 0, row, column};
    else if (step % 2)
        v = (bough_mesh_vertex){BOUGH_MESH_ROW, s + 1, (row >> s << s) + d->box, column >> (s + 1)};
    else
        v = (bough_mesh_vertex){BOUGH_MESH_COLUMN, s + 1, (column >> (s + 1) << (s + 1)) + d->box,
                                row >> (s + 1)};
    return bough_mesh_vertex_id(k, v);
}

uint64_t naming_node(const naming *n, const drawn *d) {
    const sorting_shape *sorting = sorting_shape_of(n->net);
    unsigned level = n->size->step[d->step].level;
    if (mesh_family_lg_side(n->net)) return mesh_node(n, d);
    if (sorting && level == 0) return d->subtree * sorting->side * sorting->side + d->box;
    if (sorting) {
        uint64_t first = n->net->endpoints;
        for (unsigned l = 1; l < level; l++) first += UINT64_C(1) << (sorting->height - l);
        return first + d->subtree;
    }
    if (d->step == 0) return d->subtree;
    return n->first[level] + d->subtree * n->vertices[level] + n->label[level][d->box];
}

/* A butterfly fat-tree is a tree of four children and two parents. */
naming naming_make(const bough_net *net, const bough_layout_size *size) {
    xgft_shape shape = {.levels = net->levels};
    const xgft_shape *known = xgft_shape_of(net);
    for (unsigned i = 0; i < shape.levels && !known; i++) shape.m[i] = 4, shape.w[i] = i ? 2 : 1;
    if (known || is_bft(net)) return name_vertices(net, size, known ? known : &shape);
    return (naming){.net = net, .size = size};
}

void naming_free(naming *names) {
    for (unsigned l = 0; l < 64; l++) free(names->label[l]);
}
