#include "routing/computed/up_down_paths.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/node_identifiers.h"
#include "routing/tables/next_hop_table.h"

#include <stdlib.h>
#include <string.h>

static bool leads_up(const up_down *w, uint32_t from, uint32_t to) {
    return w->place[to] < w->place[from];
}

/* ---- the graph ---- */

/* key: room for the list. The ports of many networks come in a few ascending runs. */
static void sort_by_port(const bough_net *net, uint32_t *list, uint32_t count, uint64_t *key) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t own = (uint64_t)next_table_port(net, list[i]) << 32 | list[i];
        uint32_t j = i;
        for (; j > 0 && key[j - 1] > own; j--) key[j] = key[j - 1];
        key[j] = own;
    }
    for (uint32_t i = 0; i < count; i++) list[i] = (uint32_t)key[i];
}

/* Links of a node are listed by their ids. */
static bough_status order_by_port(up_down *w, bough_error *error) {
    uint64_t *key, most = 0;
    for (uint64_t v = 0; v < w->net->nodes; v++)
        if (rows_count(&w->out, v) > most) most = rows_count(&w->out, v);
    bough_status status = bough_alloc(&key, most, sizeof *key, error);
    if (status) return status;
    for (uint64_t v = 0; v < w->net->nodes; v++)
        sort_by_port(w->net, w->out.item + w->out.first[v], rows_count(&w->out, v), key);
    free(key);
    return BOUGH_OK;
}

static bool leaves_switch(const bough_net *net, uint64_t link) {
    return bough_link_alive(net, link) && bough_is_switch(net, bough_link_start(net, link));
}

static bool leaves_by_cable(const bough_net *net, uint64_t link) {
    return bough_cable_works(net, link) && leaves_switch(net, link);
}

static bough_status list_links(up_down *w, bough_error *error) {
    const bough_net *net = w->net;
    bough_status status = wiring_out(&w->out, net, w->cables ? bough_cable_works : bough_link_alive, error);
    TRY(wiring_in(&w->in, net, w->cables ? leaves_by_cable : leaves_switch, error));
    TRY(order_by_port(w, error));
    uint32_t out = status ? 0 : w->out.first[net->nodes], in = status ? 0 : w->in.first[net->nodes];
    TRY(bough_alloc(&w->end, out, sizeof *w->end, error));
    TRY(bough_alloc(&w->start, in, sizeof *w->start, error));
    for (uint32_t i = 0; i < out && !status; i++)
        w->end[i] = (uint32_t)net->ops->link_end(net, w->out.item[i]).node;
    for (uint32_t i = 0; i < in && !status; i++) w->start[i] = (uint32_t)bough_link_start(net, w->in.item[i]);
    return status;
}

/* Breadth-first search from the roots, over cables with at least one live direction. */
static void find_ranks(up_down *w, const bool *root) {
    uint64_t head = 0, tail = 0;
    for (uint64_t v = 0; v < w->net->nodes; v++) {
        w->rank[v] = root[v] ? 0 : BOUGH_NO_INDEX;
        if (root[v]) w->queue[tail++] = (uint32_t)v;
    }
    while (head < tail) {
        uint32_t v = w->queue[head++];
        for (uint32_t i = w->out.first[v]; i < w->out.first[v + 1]; i++) {
            uint32_t u = w->end[i];
            if (!bough_is_switch(w->net, u) || w->rank[u] != BOUGH_NO_INDEX) continue;
            w->rank[u] = w->rank[v] + 1;
            w->queue[tail++] = u;
        }
        for (uint32_t i = w->in.first[v]; i < w->in.first[v + 1]; i++) {
            uint32_t u = w->start[i];
            if (w->rank[u] != BOUGH_NO_INDEX) continue;
            w->rank[u] = w->rank[v] + 1;
            w->queue[tail++] = u;
        }
    }
}

typedef struct ranked {
    uint32_t rank, node;
    uint64_t guid;
} ranked;

static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

bough_status up_down_rerank(up_down *w, bough_error *error) {
    const bough_net *net = w->net;
    ranked *list;
    w->target = w->seed = BOUGH_NONE;
    bough_status status = bough_alloc(&list, net->nodes, sizeof *list, error);
    if (status) return status;
    for (uint64_t v = 0; v < net->nodes; v++)
        list[v] = (ranked){w->rank[v], (uint32_t)v, net_node_guid(net, v)};
    qsort(list, net->nodes, sizeof *list, by_rank);
    for (uint64_t i = 0; i < net->nodes; i++) {
        w->by_place[i] = list[i].node;
        w->place[list[i].node] = (uint32_t)i;
        if (w->forwards[list[i].node]) w->places = i + 1;
    }
    free(list);
    return BOUGH_OK;
}

bough_status up_down_make(up_down *w, const bough_net *net, const bool *root, bough_error *error) {
    uint64_t nodes = net->nodes + 2, links = net->links + 1;
    const bough_array want[] = {
        {&w->place, nodes, 4}, {&w->by_place, nodes, 4}, {&w->rank, nodes, 4},     {&w->hops, nodes, 2},
        {&w->down, nodes, 1},  {&w->queue, nodes, 4},    {&w->forwards, nodes, 1},
    };
    w->net = net;
    bough_status status = bough_net_memory_check(net, bough_add(bough_mul(nodes, 48), bough_mul(links, 16)),
                                                 "up*/down* routing", error);
    TRY(bough_alloc_all(want, sizeof want / sizeof *want, error));
    TRY(list_links(w, error));
    if (status) return status;
    for (uint64_t v = 0; v < net->nodes; v++) w->forwards[v] = bough_is_switch(net, v);
    while (w->first < net->nodes && !w->forwards[w->first]) w->first++;
    find_ranks(w, root);
    return up_down_rerank(w, error);
}

void up_down_level(up_down *w) {
    memset(w->place, 0, w->net->nodes * sizeof *w->place);
}

void up_down_fini(up_down *w) {
    FREE_ALL(w->place, w->by_place, w->rank, w->hops, w->down, w->queue, w->end, w->start, w->forwards);
    rows_fini(&w->out);
    rows_fini(&w->in);
    *w = (up_down){0};
}

/* ---- paths to one destination ---- */

/* Of a node that forwards. */
static uint16_t *hops_of(const up_down *w, uint64_t node) {
    return &w->hops[node - w->first];
}
static bool *down_of(const up_down *w, uint64_t node) {
    return &w->down[node - w->first];
}

/* The start of the search: the target itself, or the switches to which it is attached. */
static uint64_t seeds(up_down *w) {
    uint64_t tail = 0;
    for (uint64_t i = 0; i < w->net->nodes - w->first; i++) w->hops[i] = UP_DOWN_FAR;
    if (w->forwards[w->target]) {
        w->queue[tail++] = (uint32_t)w->target;
    } else {
        for (uint32_t i = w->in.first[w->target]; i < w->in.first[w->target + 1]; i++) {
            uint32_t v = w->start[i];
            bool again = false;
            for (uint64_t k = 0; k < tail && !again; k++) again = w->queue[k] == v;
            if (!again) w->queue[tail++] = v;
        }
    }
    for (uint64_t k = 0; k < tail; k++) *hops_of(w, w->queue[k]) = 0, *down_of(w, w->queue[k]) = true;
    return tail;
}

/* Nearest nodes first; returns the number of nodes with a path. only_down: paths never go up. */
static uint64_t search_nearest(up_down *w, bool only_down) {
    uint64_t head = 0, tail = seeds(w);
    while (head < tail) {
        uint32_t v = w->queue[head++];
        for (uint32_t i = w->in.first[v]; i < w->in.first[v + 1]; i++) {
            uint32_t u = w->start[i];
            bool down = !leads_up(w, u, v);
            if (down ? !*down_of(w, v) : only_down) continue;
            if (*hops_of(w, u) == UP_DOWN_FAR) {
                *hops_of(w, u) = (uint16_t)(*hops_of(w, v) + 1);
                *down_of(w, u) = down;
                w->queue[tail++] = u;
            } else if (down && *hops_of(w, u) == *hops_of(w, v) + 1) {
                *down_of(w, u) = true;
            }
        }
    }
    return tail;
}

/* Nodes that cannot go down go up to the neighbour with the shortest rest; upper nodes come first. Returns as
 * above. */
static uint64_t climb(up_down *w) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->places; i++) {
        uint32_t v = w->by_place[i];
        if (!w->forwards[v]) continue;
        for (uint32_t k = w->out.first[v];
             k < w->out.first[v + 1] && (*hops_of(w, v) == UP_DOWN_FAR || !*down_of(w, v)); k++) {
            uint32_t u = w->end[k];
            if (!w->forwards[u] || !leads_up(w, v, u) || *hops_of(w, u) == UP_DOWN_FAR) continue;
            if (*hops_of(w, v) != UP_DOWN_FAR && *hops_of(w, v) <= *hops_of(w, u) + 1) continue;
            *hops_of(w, v) = (uint16_t)(*hops_of(w, u) + 1);
            *down_of(w, v) = false;
        }
        count += *hops_of(w, v) != UP_DOWN_FAR;
    }
    return count;
}

up_down up_down_view(const up_down *w, const up_down_memory *memory) {
    up_down view = *w;
    view.target = view.seed = BOUGH_NONE;
    view.hops = memory->hops;
    view.down = memory->down;
    view.queue = memory->queue;
    return view;
}

uint64_t up_down_seed(const up_down *w, uint64_t target) {
    if (w->forwards[target]) return target;
    return rows_count(&w->in, target) == 1 ? w->start[w->in.first[target]] : BOUGH_NONE;
}

void up_down_search(up_down *w, uint64_t target) {
    uint64_t seed = up_down_seed(w, target);
    bool same = w->seed == seed && seed != BOUGH_NONE;
    w->target = target;
    w->seed = seed;
    if (same) return;
    search_nearest(w, true);
    uint64_t legal = climb(w);
    if (search_nearest(w, false) < legal) {
        search_nearest(w, true);
        climb(w);
    }
}

/* Links of a switch other than to the target. */
static uint32_t next_links(const up_down *w, uint64_t node, uint32_t *links) {
    const uint64_t first = w->first, own = node - first;
    const uint16_t *hops = w->hops;
    if (hops[own] == UP_DOWN_FAR || hops[own] == 0) return 0;
    const uint16_t wanted = (uint16_t)(hops[own] - 1); /* nodes that do not forward are far */
    uint32_t count = 0;
    for (uint32_t i = w->out.first[node]; i < w->out.first[node + 1]; i++) {
        const uint32_t u = w->end[i];
        if (u < first || hops[u - first] != wanted) continue;
        const bool up = leads_up(w, (uint32_t)node, u);
        if (w->down[own] ? !up && w->down[u - first] : up) links[count++] = w->out.item[i];
    }
    return count;
}

/* Of an adapter: to the nearest switches. */
static uint32_t first_links(const up_down *w, uint64_t node, uint32_t *links) {
    uint32_t count = 0;
    uint16_t least = UP_DOWN_FAR;
    for (uint32_t i = w->out.first[node]; i < w->out.first[node + 1]; i++) {
        const uint32_t u = w->end[i];
        const uint16_t hops = w->forwards[u] ? *hops_of(w, u) : UP_DOWN_FAR;
        if (hops < least) least = hops, count = 0;
        if (hops == least && hops != UP_DOWN_FAR) links[count++] = w->out.item[i];
    }
    return count;
}

uint32_t up_down_links(const up_down *w, uint64_t node, uint32_t *links) {
    uint32_t count = 0;
    if (node == w->target) return 0;
    const bool apart = w->forwards[node] && w->seed != BOUGH_NONE && w->seed != node;
    if (!w->forwards[w->target] && !apart) /* a link to the target comes before all others */
        for (uint32_t i = w->out.first[node]; i < w->out.first[node + 1]; i++)
            if (w->end[i] == w->target) links[count++] = w->out.item[i];
    if (count) return count;
    return w->forwards[node] ? next_links(w, node, links) : first_links(w, node, links);
}
