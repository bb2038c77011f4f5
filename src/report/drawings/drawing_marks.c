#include "report/drawings/drawing_marks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/butterflies/butterfly.h"
#include "network/families/xgft_tree.h"
#include "network/graphs/mesh_of_trees.h"
#include "network/node_identifiers.h"
#include "report/drawings/drawing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_bit(uint64_t *bits, uint64_t i) {
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

static void mark_link(const bough_net *net, drawing_marks *m, uint64_t link) {
    set_bit(m->link, link);
    set_bit(m->node, bough_link_start(net, link));
    set_bit(m->node, net->ops->link_end(net, link).node);
}

/* The links that leave a node, one after another; then BOUGH_NONE. */
typedef struct out_links {
    const bough_net *net;
    uint64_t node;
    uint32_t group, groups;
    bough_range range;
} out_links;

static out_links links_from(const bough_net *net, uint64_t node) {
    return (out_links){.net = net, .node = node, .groups = net->ops->node_group_count(net, node)};
}

static uint64_t next_link(out_links *o) {
    while (!o->range.count) {
        if (o->group == o->groups) return BOUGH_NONE;
        o->range = o->net->ops->group_links(o->net, o->net->ops->node_group(o->net, o->node, o->group++));
    }
    o->range.count--;
    return o->range.first++;
}

/* ---- a path ---- */

/* Breadth first: by[v] is 1 + the link by which v was reached. */
static bough_status find_path(const bough_net *net, uint64_t from, uint64_t to, uint64_t *by,
                              bough_error *error) {
    uint64_t *queue, head = 0, tail = 0;
    bough_status status = bough_alloc(&queue, net->nodes, sizeof *queue, error);
    if (status) return status;
    queue[tail++] = from;
    while (head < tail && !by[to]) {
        out_links o = links_from(net, queue[head++]);
        for (uint64_t l = next_link(&o); l != BOUGH_NONE; l = next_link(&o)) {
            uint64_t v = net->ops->link_end(net, l).node;
            if (v == from || by[v] || !bough_link_alive(net, l)) continue;
            by[v] = l + 1;
            queue[tail++] = v;
        }
    }
    free(queue);
    return BOUGH_OK;
}

static bough_status mark_path(const bough_net *net, uint64_t from, uint64_t to, drawing_marks *m,
                              bough_error *error) {
    uint64_t *by, hops = 0;
    char name[2][128];
    bough_status status = bough_alloc(&by, net->nodes, sizeof *by, error);
    if (status) return status;
    bough_node_name(net, from, name[0], sizeof name[0]);
    bough_node_name(net, to, name[1], sizeof name[1]);
    status = find_path(net, from, to, by, error);
    if (!status && !by[to])
        status =
            bough_fail(error, BOUGH_INVALID, "--mark", "there is no path from %s to %s", name[0], name[1]);
    for (uint64_t at = to; !status && at != from; at = bough_link_start(net, by[at] - 1), hops++)
        mark_link(net, m, by[at] - 1);
    free(by);
    if (status) return status;
    return arena_printf(&m->memory, &m->caption, error,
                        "Marked: a shortest path from %s to %s, %" PRIu64 " links.", name[0], name[1], hops);
}

/* Names may contain colons themselves. */
static bough_status mark_between(const bough_net *net, const char *what, drawing_marks *m,
                                 bough_error *error) {
    char *from = NULL;
    uint64_t a = BOUGH_NONE, b = BOUGH_NONE;
    bool colon = false;
    bough_status status = arena_copy(&m->memory, &from, what, error);
    if (status) return status;
    for (char *at = strchr(from, ':'); at && (a == BOUGH_NONE || b == BOUGH_NONE); at = strchr(at + 1, ':')) {
        colon = true;
        *at = 0;
        a = net_node_named(net, from);
        b = net_node_named(net, at + 1);
        *at = ':';
    }
    if (a == BOUGH_NONE || b == BOUGH_NONE)
        return bough_fail(error, BOUGH_INVALID, "--mark",
                          colon ? "'%.80s' does not name two nodes of %s; expected FROM:TO, as in h0:s1.0"
                                : "'%.80s' is not a part of %s; expected FROM:TO, the names of two nodes, or "
                                  "pruned or meshoftrees",
                          what, net->spec);
    if (a == b) return bough_fail(error, BOUGH_INVALID, "--mark", "'%.80s' is one node", what);
    return mark_path(net, a, b, m, error);
}

/* ---- embedded networks ---- */

static bool is_butterfly(const xgft_shape *s) {
    for (unsigned i = 0; i < s->levels; i++)
        if (s->m[i] != 2 || s->w[i] != 2 || s->p[i] != 1) return false;
    return s->levels % 2 == 0;
}

/* Marks the link between two nodes. */
static void mark_between_nodes(const bough_net *net, drawing_marks *m, uint64_t from, uint64_t to) {
    out_links o = links_from(net, from);
    for (uint64_t l = next_link(&o); l != BOUGH_NONE; l = next_link(&o))
        if (net->ops->link_end(net, l).node == to) mark_link(net, m, l);
}

static bough_status mark_pruned(const bough_net *net, drawing_marks *m, bough_error *error) {
    bough_net *pruned;
    char spec[48];
    unsigned lg = net->levels;
    snprintf(spec, sizeof spec, "pruned:n=%" PRIu64, net->endpoints);
    bough_status status = bough_net_create(spec, &pruned, error);
    if (status) return status;
    for (uint64_t l = 0; l < pruned->links; l++)
        mark_between_nodes(net, m, bough_butterfly_node(lg, bough_link_start(pruned, l)),
                           bough_butterfly_node(lg, pruned->ops->link_end(pruned, l).node));
    bough_net_destroy(pruned);
    return arena_printf(&m->memory, &m->caption, error, "Marked: %s.", spec);
}

static bough_status mark_mesh(const bough_net *net, drawing_marks *m, bough_error *error) {
    uint64_t edges = bough_mesh_edges(net->levels / 2);
    for (uint64_t e = 0; e < edges; e++) {
        uint64_t link[2];
        unsigned links = bough_mesh_path(net, e, link);
        for (unsigned i = 0; i < links; i++) mark_link(net, m, link[i]);
    }
    return arena_copy(&m->memory, &m->caption,
                      "Marked: the mesh of trees with as many leaves, an edge on one or two links.", error);
}

/* ---- all ---- */

bough_status drawing_marks_make(const bough_net *net, const char *what, drawing_marks *m,
                                bough_error *error) {
    const xgft_shape *shape = net->faults ? NULL : xgft_shape_of(net);
    bool pruned = strcmp(what, "pruned") == 0, mesh = strcmp(what, "meshoftrees") == 0;
    *m = (drawing_marks){0};
    if (pruned && !(shape && is_butterfly(shape)))
        return bough_fail(error, BOUGH_INVALID, "--mark",
                          "pruned is embedded in butterfly:n=4^k, without faults");
    if (mesh && !(shape && xgft_is_pruned(shape)))
        return bough_fail(error, BOUGH_INVALID, "--mark",
                          "meshoftrees is embedded in pruned:n=4^k, without faults");
    if (!drawing_counts(net))
        return bough_fail(error, BOUGH_TOO_LARGE, "--mark", "%s has more than %d nodes", net->spec,
                          DRAWING_COUNTED);
    bough_status status = arena_alloc(&m->memory, &m->link, net->links / 64 + 1, sizeof *m->link, error);
    TRY(arena_alloc(&m->memory, &m->node, net->nodes / 64 + 1, sizeof *m->node, error));
    if (pruned) TRY(mark_pruned(net, m, error));
    if (mesh) TRY(mark_mesh(net, m, error));
    if (!pruned && !mesh) TRY(mark_between(net, what, m, error));
    return status;
}

void drawing_marks_fini(drawing_marks *m) {
    arena_fini(&m->memory);
    *m = (drawing_marks){0};
}
