/* On cubes and full trees all of this follows from the shape. On other networks the links of all own nodes
 * are visited. */
#include "engines/packet/ranks/packet_rank_nodes.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/hypercube.h"
#include "network/families/xgft_tree.h"
#include "network/wiring.h"

#include <stdlib.h>

/* ---- nodes ---- */

/* Nodes in no order of levels make one run: any division is right. */
static void find_runs(rank_nodes *n) {
    const bough_net *net = n->net;
    unsigned level = 0;
    n->run[n->runs++] = (node_run){0, net->endpoints};
    for (uint64_t v = net->endpoints; v < net->nodes && n->runs < NODE_RUNS_MAX; v++) {
        unsigned here = net->ops->node_level(net, v);
        if (v == net->endpoints || here != level) n->run[n->runs++] = (node_run){v, v};
        n->run[n->runs - 1].end = v + 1;
        level = here;
    }
    if (n->run[n->runs - 1].end == net->nodes) return;
    n->runs = 1;
    n->run[0].end = net->nodes;
}

/* Of a full tree: a run for each level. */
static void find_levels(rank_nodes *n, const xgft_shape *shape) {
    uint64_t first = 0, count = n->net->endpoints;
    n->run[n->runs++] = (node_run){0, count};
    for (unsigned l = 0; l < shape->levels; l++) {
        first += count;
        count = count / shape->m[l] * shape->w[l];
        n->run[n->runs++] = (node_run){first, first + count};
    }
}

/* The own nodes of a run are those that rank_of_node gives to this rank. */
static node_run own_nodes(const rank_nodes *n, unsigned run) {
    const node_run *r = &n->run[run];
    const uint64_t count = r->end - r->first;
    return (node_run){r->first + (n->rank * count + n->ranks - 1) / n->ranks,
                      r->first + ((n->rank + 1) * count + n->ranks - 1) / n->ranks};
}

/* ---- links ---- */

static bough_status add_range(rank_nodes *n, link_range range, bough_error *error) {
    if (!n->alike && n->owns && n->own[n->owns - 1].end == range.first) {
        n->own[n->owns - 1].end = range.end;
        return BOUGH_OK;
    }
    bough_status status = bough_grow(&n->own, &n->own_capacity, n->owns + 1, sizeof *n->own, error);
    if (!status) n->own[n->owns++] = range;
    return status;
}

static void mark_away(rank_nodes *n, link_range range) {
    for (uint64_t l = range.first; l < range.end; l++)
        if (rank_of_node(n, n->net->ops->link_end(n->net, l).node) != n->rank) set_bit(n->away, l);
}

/* Links of some nodes that follow each other: from group i of the first node to group k of the last. */
static link_range links_between(const bough_net *net, node_run nodes, uint32_t i, uint32_t k) {
    const bough_net_ops *ops = net->ops;
    bough_range first = ops->group_links(net, ops->node_group(net, nodes.first, i)),
                last = ops->group_links(net, ops->node_group(net, nodes.end - 1, k));
    return (link_range){first.first, last.first + last.count};
}

static void extend(link_range *outer, link_range range) {
    if (outer->end == 0 || range.first < outer->first) outer->first = range.first;
    if (range.end > outer->end) outer->end = range.end;
}

/* The links between two levels stay in the subtrees of the upper one. Where ranks have the same number of
 * these each, no link leaves its rank. */
static bough_status add_tree_range(rank_nodes *n, link_range range, bool up, bool leave, bough_error *error) {
    if (leave) {
        mark_away(n, range);
        extend(&n->outer[up], range);
    }
    return add_range(n, range, error);
}

static bough_status find_tree_links(rank_nodes *n, const xgft_shape *shape, bough_error *error) {
    uint64_t subtrees = n->net->endpoints; /* of this level */
    bough_status status = BOUGH_OK;
    n->alike = true;
    for (unsigned l = 0; l <= shape->levels && !status; l++) {
        const node_run own = own_nodes(n, l);
        const bool below = subtrees % n->ranks != 0;
        if (l < shape->levels) subtrees /= shape->m[l];
        if (own.first == own.end) continue;
        const uint32_t children = l ? (uint32_t)shape->m[l - 1] : 0;
        if (l < shape->levels)
            status = add_tree_range(n, links_between(n->net, own, children, children), true,
                                    subtrees % n->ranks != 0, error);
        if (l) TRY(add_tree_range(n, links_between(n->net, own, 0, children - 1), false, below, error));
    }
    return status;
}

/* A power of two of ranks have subcubes of a cube. */
static bough_status find_cube_links(rank_nodes *n, unsigned dimensions, bough_error *error) {
    const node_run own = own_nodes(n, 0);
    n->cube = divisor_make(dimensions);
    n->inner = dimensions - (unsigned)__builtin_ctz(n->ranks);
    n->alike = true;
    return add_range(n, links_between(n->net, own, 0, dimensions - 1), error);
}

static bough_status find_links(rank_nodes *n, bough_error *error) {
    bough_status status = BOUGH_OK;
    n->outer[0].end = n->net->links;
    for (unsigned r = 0; r < n->runs; r++) {
        const node_run own = own_nodes(n, r);
        for (uint64_t v = own.first; v < own.end; v++)
            for (node_links at = node_links_of(n->net, v); !status && node_links_next(&at);) {
                const link_range link = {at.link, at.link + 1};
                mark_away(n, link);
                status = add_range(n, link, error);
            }
    }
    return status;
}

static int compare_ranges(const void *a, const void *b) {
    const link_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

bough_status rank_nodes_make(rank_nodes *n, const bough_net *net, bough_error *error) {
    const xgft_shape *shape = xgft_shape_of(net);
    const unsigned dimensions = hypercube_dimensions(net);
    n->net = net;
    if (shape)
        find_levels(n, shape);
    else
        find_runs(n);
    if (dimensions && !(n->ranks & (n->ranks - 1)) && n->ranks <= net->nodes)
        return find_cube_links(n, dimensions, error);
    bough_status status = bough_alloc(&n->away, words_for(net->links), sizeof *n->away, error);
    if (status) return status;
    status = shape ? find_tree_links(n, shape, error) : find_links(n, error);
    if (n->owns) qsort(n->own, n->owns, sizeof *n->own, compare_ranges);
    return status;
}

void rank_nodes_fini(rank_nodes *n) {
    FREE_ALL(n->own, n->away);
    *n = (rank_nodes){0};
}
