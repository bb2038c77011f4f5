/* Selects one uppermost root, so that connected nodes have up/down paths.
 *
 * Nodes below different roots may be connected only through a valley (down, then up), which is not a legal
 * path. So of the roots of a part, the one nearest to all its switches becomes the first. It is followed by
 * the switches on a shortest path from it to each other root, by distance from it, then by all others, by
 * distance from the roots as before. Every node except the first has a neighbour above it, on its path to the
 * first or to the nearest root. So going up always ends at the first, and from there down paths lead to every
 * node from which going up ends there. If all switches are roots, these are the ranks of a single root. In a
 * tree with a layer of spines all spines remain in use; only the few switches on the paths move. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/node_identifiers.h"
#include "routing/computed/up_down_paths.h"

#include <string.h>

/* Neighbours of v in both directions: near[first[v] .. first[v + 1] - 1], without duplicates. */
typedef struct joiner {
    up_down *w;
    const uint32_t *part;
    uint32_t *first, *near, *depth, *parent, *queue;
    bool *root, *top;
} joiner;

/* ---- neighbours and parts ---- */

static void list_neighbours(joiner *j) {
    const up_down *w = j->w;
    const bough_net *net = w->net;
    uint32_t count = 0, *seen = j->depth; /* 1 + the last node from which each was reached */
    memset(seen, 0, net->nodes * sizeof *seen);
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t mark = (uint32_t)v + 1;
        j->first[v] = count;
        if (!bough_is_switch(net, v)) continue;
        for (uint32_t i = w->in.first[v]; i < w->in.first[v + 1]; i++)
            seen[bough_link_start(net, w->in.item[i])] = mark;
        for (uint32_t i = w->out.first[v]; i < w->out.first[v + 1]; i++) {
            uint32_t u = (uint32_t)net->ops->link_end(net, w->out.item[i]).node;
            if (seen[u] != mark || !bough_is_switch(net, u)) continue;
            seen[u] = 0;
            j->near[count++] = u;
        }
    }
    j->first[net->nodes] = count;
    for (uint64_t v = 0; v < net->nodes; v++) j->depth[v] = BOUGH_NO_INDEX;
}

static bough_status make(joiner *j, bough_error *error) {
    uint64_t nodes = j->w->net->nodes + 1, links = j->w->net->links + 1;
    const bough_array want[] = {
        {&j->first, nodes, 4}, {&j->near, links, 4}, {&j->depth, nodes, 4}, {&j->parent, nodes, 4},
        {&j->queue, nodes, 4}, {&j->root, nodes, 1}, {&j->top, nodes, 1},
    };
    bough_status status = bough_net_memory_check(
        j->w->net, bough_add(bough_mul(nodes, 18), bough_mul(links, 4)), "up*/down* routing", error);
    TRY(bough_alloc_all(want, sizeof want / sizeof *want, error));
    if (!status) list_neighbours(j);
    return status;
}

static void fini(joiner *j) {
    FREE_ALL(j->first, j->near, j->depth, j->parent, j->queue, j->root, j->top);
}

/* Breadth-first search from the first `count` nodes of the queue. Returns the number of reached nodes, which
 * are in the queue. */
static uint64_t spread(joiner *j, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) j->depth[j->queue[i]] = 0;
    for (uint64_t head = 0; head < count; head++) {
        uint32_t v = j->queue[head];
        for (uint32_t i = j->first[v]; i < j->first[v + 1]; i++) {
            uint32_t u = j->near[i];
            if (j->depth[u] != BOUGH_NO_INDEX) continue;
            j->depth[u] = j->depth[v] + 1;
            j->parent[u] = v;
            j->queue[count++] = u;
        }
    }
    return count;
}

static void forget(joiner *j, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) j->depth[j->queue[i]] = BOUGH_NO_INDEX;
}

bough_status up_down_parts(up_down *w, uint32_t *part, bough_error *error) {
    joiner j = {.w = w};
    bough_status status = make(&j, error);
    for (uint64_t v = 0; v < w->net->nodes && !status; v++) {
        if (j.depth[v] != BOUGH_NO_INDEX) continue;
        j.queue[0] = (uint32_t)v;
        for (uint64_t i = 0, count = spread(&j, 1); i < count; i++) part[j.queue[i]] = (uint32_t)v;
    }
    fini(&j);
    return status;
}

/* ---- one part ---- */

/* A part without roots uses the switches of its highest level. */
static void find_roots(joiner *j, const bool *root, uint32_t of) {
    const bough_net *net = j->w->net;
    unsigned level = 0;
    bool found = false;
    for (uint64_t v = of; v < net->nodes; v++) {
        if (j->part[v] != of) continue;
        unsigned own = net->ops->node_level(net, v);
        if (own > level) level = own;
        found |= root[v];
    }
    for (uint64_t v = of; v < net->nodes; v++)
        if (j->part[v] == of) j->root[v] = found ? root[v] : net->ops->node_level(net, v) == level;
}

/* The root with the smallest sum of distances to all; ties by lowest GUID. */
static uint32_t nearest(joiner *j, uint32_t of) {
    const bough_net *net = j->w->net;
    uint64_t least = UINT64_MAX;
    uint32_t best = of;
    for (uint64_t v = of; v < net->nodes; v++) {
        if (j->part[v] != of || !j->root[v]) continue;
        j->queue[0] = (uint32_t)v;
        uint64_t count = spread(j, 1), sum = 0;
        for (uint64_t i = 0; i < count; i++) sum += j->depth[j->queue[i]];
        forget(j, count);
        if (sum > least || (sum == least && net_node_guid(net, v) >= net_node_guid(net, best))) continue;
        least = sum;
        best = (uint32_t)v;
    }
    return best;
}

static void join_part(joiner *j, uint32_t of, uint32_t first) {
    const bough_net *net = j->w->net;
    uint32_t *rank = j->w->rank;
    j->queue[0] = first;
    uint64_t count = spread(j, 1), roots = 0;
    j->top[first] = true;
    for (uint64_t v = of; v < net->nodes; v++) {
        if (j->part[v] != of || !j->root[v]) continue;
        for (uint32_t u = (uint32_t)v; !j->top[u]; u = j->parent[u]) j->top[u] = true;
    }
    for (uint64_t i = 0; i < count; i++)
        if (j->top[j->queue[i]]) rank[j->queue[i]] = j->depth[j->queue[i]];
    forget(j, count);
    for (uint64_t v = of; v < net->nodes; v++)
        if (j->part[v] == of && j->root[v]) j->queue[roots++] = (uint32_t)v;
    count = spread(j, roots);
    for (uint64_t i = 0; i < count; i++)
        if (!j->top[j->queue[i]]) rank[j->queue[i]] = (uint32_t)net->nodes + j->depth[j->queue[i]];
    forget(j, count);
}

bough_status up_down_join(up_down *w, const up_down_parts_wanted *parts, uint64_t *top, bough_error *error) {
    joiner j = {.w = w, .part = parts->part};
    bough_status status = make(&j, error);
    *top = BOUGH_NONE;
    for (uint32_t v = 0; v < w->net->nodes && !status; v++) {
        if (!parts->wanted[v]) continue;
        find_roots(&j, parts->root, v);
        uint32_t first = nearest(&j, v);
        join_part(&j, v, first);
        if (*top == BOUGH_NONE) *top = first;
    }
    fini(&j);
    return status ? status : up_down_rerank(w, error);
}
