/* Networks with all minimal routes. Groups: links of a node that are eligible together for some destination
 * belong to one group (union-find over the minimal next links of every pair of switches). A route is the
 * subset of its group that lies on minimal paths. */
#include "network/imported/minimal_paths_net.h"

#include "base/memory/compressed_rows.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

static const flat *data(const bough_net *net) {
    return net->data;
}

static bough_link_end flat_link_end(const bough_net *net, uint64_t l) {
    const flat *f = data(net);
    return (bough_link_end){f->link_end[l], f->in_port[l]};
}
static uint64_t flat_link_group(const bough_net *net, uint64_t l) {
    return data(net)->link_group[l];
}
static uint64_t flat_link_twin(const bough_net *net, uint64_t l) {
    uint32_t t = data(net)->link_twin[l];
    return t == BOUGH_NO_INDEX ? BOUGH_NONE : t;
}
static uint64_t flat_group_node(const bough_net *net, uint64_t g) {
    return data(net)->group_node[g];
}
static bough_range flat_group_links(const bough_net *net, uint64_t g) {
    const flat *f = data(net);
    return (bough_range){f->group_first[g], f->group_first[g + 1] - f->group_first[g]};
}
static uint32_t flat_node_group_count(const bough_net *net, uint64_t v) {
    const flat *f = data(net);
    return f->node_group[v + 1] - f->node_group[v];
}
static uint64_t flat_node_group(const bough_net *net, uint64_t v, uint32_t i) {
    return data(net)->node_group[v] + i;
}
static unsigned flat_node_level(const bough_net *net, uint64_t v) {
    return data(net)->level[v];
}
static unsigned flat_node_roles(const bough_net *net, uint64_t v) {
    return v < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}
static uint32_t flat_group_order(const bough_net *net, uint64_t g) {
    return data(net)->group_order[g];
}
static uint64_t flat_link_rate(const bough_net *net, uint64_t l) {
    return data(net)->rate[l];
}
static uint32_t flat_link_port(const bough_net *net, uint64_t l) {
    return data(net)->out_port[l];
}
static uint64_t flat_subtree(const bough_net *net, unsigned level, uint64_t e) {
    const flat *f = data(net);
    return f->subtree[(size_t)level * f->endpoints + e];
}
static uint64_t flat_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    const flat *f = data(net);
    return f->capacity[(size_t)level * f->endpoints + subtree];
}

static void single(const flat *f, uint32_t link, bough_route *route) {
    route->group = f->link_group[link];
    route->first = link;
    route->list = NULL;
    route->count = 1;
}

static void flat_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const flat *f = data(net);
    uint32_t to = (uint32_t)bough_address_node(net, address), at = f->attach[to];
    if (node < f->endpoints) {
        single(f, f->group_first[f->node_group[node]], route);
        return;
    }
    if (node == at) {
        /* the link to the endpoint is the twin of its injection link */
        single(f, f->link_twin[f->group_first[f->node_group[to]]], route);
        return;
    }
    link_list next = next_links_at(&f->minimal, (node - f->endpoints) * f->minimal.columns +
                                                    f->destination_of[at - f->endpoints]);
    route->list = f->minimal.pool + next.first;
    route->count = next.count;
    if (route->count) route->group = f->link_group[route->list[0]], route->first = route->list[0];
}

static void flat_destroy(bough_net *net) {
    flat *f = net->data;
    if (!f) return;
    if (f->free_extra) f->free_extra(f->extra);
    FREE_ALL(f->link_start, f->link_end, f->link_twin, f->link_group, f->link_tag, f->out_port, f->in_port,
             f->rate, f->group_first, f->group_node, f->group_order, f->node_group, f->level, f->attach,
             f->destination_of, f->subtree, f->capacity);
    next_links_fini(&f->minimal);
    free(f);
}

static const bough_net_ops flat_ops = {
    .destroy = flat_destroy,
    .link_end = flat_link_end,
    .link_group = flat_link_group,
    .link_twin = flat_link_twin,
    .group_node = flat_group_node,
    .group_links = flat_group_links,
    .node_group_count = flat_node_group_count,
    .node_group = flat_node_group,
    .node_level = flat_node_level,
    .node_roles = flat_node_roles,
    .route = flat_route,
    .group_order = flat_group_order,
    .subtree = flat_subtree,
    .channel_capacity = flat_channel_capacity,
    .link_rate = flat_link_rate,
    .link_port = flat_link_port,
};

const flat *minimal_paths_of(const bough_net *net) {
    return net->ops->link_end == flat_link_end ? net->data : NULL;
}

/* ---- building ---- */

typedef struct build {
    const imported_wiring *w;
    flat *f;
    compressed_rows out; /* links of a node in the wiring, by port */
    /* The same links between switches only: peer_first[s] .. of switch s. */
    uint32_t *peer_first, *peer, *peer_link; /* peer: the switch at the end of peer_link */
    uint16_t *distance;                      /* per switch, to the current destination */
    uint32_t *queue;
    uint32_t *parent; /* union-find over wiring links */
    uint32_t *final;  /* wiring link -> final id */
    uint32_t switches;
} build;

/* Lists are short, so insertion sort. */
static void sort_by_port(const imported_wiring *w, uint32_t *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t link = list[i], j = i;
        for (; j > 0 && w->link[link].out_port < w->link[list[j - 1]].out_port; j--) list[j] = list[j - 1];
        list[j] = link;
    }
}

static uint32_t find(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
    a = find(parent, a);
    b = find(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static uint32_t start_of(const void *wiring, uint32_t link) {
    return ((const imported_wiring *)wiring)->link[link].start;
}

static bough_status index_links(build *b, bough_error *error) {
    const imported_wiring *w = b->w;
    b->out = (compressed_rows){.rows = w->nodes, .items = w->links};
    bough_status status = rows_make(&b->out, start_of, w, error);
    for (uint32_t v = 0; v < w->nodes && !status; v++)
        sort_by_port(w, b->out.item + b->out.first[v], rows_count(&b->out, v));
    return status;
}

static void list_peers(build *b) {
    const imported_wiring *w = b->w;
    uint32_t next = 0;
    for (uint32_t v = w->endpoints; v < w->nodes; v++) {
        b->peer_first[v - w->endpoints] = next;
        for (uint32_t i = b->out.first[v]; i < b->out.first[v + 1]; i++) {
            uint32_t link = b->out.item[i], end = w->link[link].end;
            if (end < w->endpoints) continue;
            b->peer[next] = end - w->endpoints;
            b->peer_link[next++] = link;
        }
    }
    b->peer_first[b->switches] = next;
}

static bool is_destination(const build *b, uint32_t v) {
    return b->f->destination_of[v - b->w->endpoints] != BOUGH_NO_INDEX;
}

#define FAR UINT16_MAX

/* Computes the distances of all switches to switch `to`, over switches only. */
static void distances(build *b, uint32_t to) {
    uint32_t head = 0, tail = 0;
    for (uint32_t s = 0; s < b->switches; s++) b->distance[s] = FAR;
    to -= b->w->endpoints;
    b->distance[to] = 0;
    b->queue[tail++] = to;
    while (head < tail) {
        uint32_t v = b->queue[head++];
        for (uint32_t i = b->peer_first[v]; i < b->peer_first[v + 1]; i++) {
            /* cables are bidirectional, so distances to and from are equal */
            uint32_t u = b->peer[i];
            if (b->distance[u] != FAR) continue;
            b->distance[u] = (uint16_t)(b->distance[v] + 1);
            b->queue[tail++] = u;
        }
    }
}

/* Whether the way to the current destination leads from switch s to its neighbour u. */
static bool is_next(const build *b, uint32_t s, uint32_t u) {
    return b->distance[s] != FAR && b->distance[u] + 1 == b->distance[s];
}

/* Levels: 1 for leaves, otherwise 1 + the number of hops to the nearest leaf. */
static void find_levels(build *b) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    uint32_t head = 0, tail = 0;
    for (uint32_t v = w->endpoints; v < w->nodes; v++)
        if (w->leaf[v]) {
            f->level[v] = 1;
            b->queue[tail++] = v;
        }
    while (head < tail) {
        uint32_t v = b->queue[head++];
        for (uint32_t i = b->out.first[v]; i < b->out.first[v + 1]; i++) {
            uint32_t u = w->link[b->out.item[i]].end;
            if (u < w->endpoints || f->level[u]) continue;
            f->level[u] = (uint8_t)(f->level[v] < 255 ? f->level[v] + 1 : 255);
            b->queue[tail++] = u;
        }
    }
    for (uint32_t v = w->endpoints; v < w->nodes; v++) /* not connected to any leaf */
        if (!f->level[v]) f->level[v] = 1;
}

static void unite_next_links(build *b, uint32_t s) {
    uint32_t before = BOUGH_NO_INDEX, *parent = b->parent;
    for (uint32_t i = b->peer_first[s]; i < b->peer_first[s + 1]; i++) {
        uint32_t link = b->peer_link[i];
        if (!is_next(b, s, b->peer[i])) continue;
        if (before != BOUGH_NO_INDEX && parent[before] != parent[link]) unite(parent, before, link);
        before = link;
    }
}

/* First pass over all destinations: unites links that are eligible together. */
static void find_groups(build *b) {
    const imported_wiring *w = b->w;
    for (uint32_t l = 0; l < w->links; l++) b->parent[l] = l;
    for (uint32_t s = w->endpoints; s < w->nodes; s++) {
        if (!is_destination(b, s)) continue;
        distances(b, s);
        for (uint32_t v = 0; v < b->switches; v++) unite_next_links(b, v);
    }
}

/* Numbers the links of a node that are united with its i-th, from `next` on; returns the next free number. */
static uint32_t number_group(build *b, uint32_t v, uint32_t i, uint32_t group, uint32_t next) {
    flat *f = b->f;
    uint32_t root = find(b->parent, b->out.item[i]);
    f->group_first[group] = next;
    f->group_node[group] = v;
    for (uint32_t j = i; j < b->out.first[v + 1]; j++) {
        uint32_t link = b->out.item[j];
        if (find(b->parent, link) != root) continue;
        f->link_group[next] = group;
        b->final[link] = next++;
    }
    return next;
}

/* Numbers links: by node, then by group (in order of its lowest port), then by port. */
static void number_links(build *b) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    uint32_t next = 0, group = 0;
    for (uint32_t l = 0; l < w->links; l++) b->final[l] = BOUGH_NO_INDEX;
    for (uint32_t v = 0; v < w->nodes; v++) {
        f->node_group[v] = group;
        for (uint32_t i = b->out.first[v]; i < b->out.first[v + 1]; i++) {
            if (b->final[b->out.item[i]] == BOUGH_NO_INDEX) next = number_group(b, v, i, group++, next);
        }
    }
    f->node_group[w->nodes] = group;
    f->group_first[group] = next;
    f->groups = group;
    for (uint32_t l = 0; l < w->links; l++) {
        const cable_end *c = &w->link[l];
        uint32_t id = b->final[l];
        f->link_start[id] = c->start;
        f->link_end[id] = c->end;
        f->link_twin[id] = c->twin == BOUGH_NO_INDEX ? BOUGH_NO_INDEX : b->final[c->twin];
        f->link_tag[id] = c->tag;
        f->out_port[id] = (uint16_t)c->out_port;
        f->in_port[id] = (uint16_t)c->in_port;
        f->rate[id] = c->rate;
    }
    for (uint32_t e = 0; e < w->endpoints; e++) f->attach[e] = f->link_end[f->group_first[f->node_group[e]]];
}

/* Lists the links of v on shortest paths to the current destination; returns their number. */
static uint32_t next_links_of(const build *b, uint32_t v, uint32_t *list) {
    const flat *f = b->f;
    uint32_t count = 0, end = f->group_first[f->node_group[v + 1]], e = f->endpoints;
    for (uint32_t l = f->group_first[f->node_group[v]]; l < end; l++)
        if (f->link_end[l] >= e && is_next(b, v - e, f->link_end[l] - e)) list[count++] = l;
    return count;
}

/* The longest minimal path from another destination, with the links of both endpoints. */
static void find_hops(const build *b, bough_net *net) {
    for (uint32_t v = 0; v < b->switches; v++)
        if (b->distance[v] != FAR && b->f->destination_of[v] != BOUGH_NO_INDEX &&
            b->distance[v] + 2u > net->hops_max)
            net->hops_max = b->distance[v] + 2u;
}

/* Second pass: stores the next links. */
static bough_status find_lists(build *b, bough_net *net, bough_error *error) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    uint32_t *list;
    bough_status status = bough_alloc(&list, w->links, sizeof *list, error);
    TRY(next_links_make(&f->minimal, error));
    for (uint32_t s = w->endpoints; s < w->nodes && !status; s++) {
        if (!is_destination(b, s)) continue;
        distances(b, s);
        find_hops(b, net);
        for (uint32_t v = w->endpoints; v < w->nodes && !status; v++) {
            uint32_t count = next_links_of(b, v, list);
            uint64_t entry = (v - w->endpoints) * f->minimal.columns + f->destination_of[s - w->endpoints];
            status = next_links_set(&f->minimal, entry, list, count, error);
        }
    }
    next_links_filled(&f->minimal);
    free(list);
    return status;
}

/* Pairs of groups that follow each other on a minimal route. Parallel links may have one twice. */
typedef struct successions {
    const flat *f;
    const bough_net *net;
    struct succession {
        uint32_t group, next;
    } * item;
    size_t count, capacity;
    uint64_t *seen_first; /* per link: its first bit, one for each group of the node at its end */
    uint64_t *seen;       /* bits: this group follows the link */
    uint32_t *last;       /* per link: 1 + the group that followed it last, mostly the same one again */
    uint32_t *group_at;   /* per node: 1 + the group of its route to the current address; 0: none */
} successions;

static bough_status make_successions(successions *s, bough_error *error) {
    const flat *f = s->f;
    bough_status status = bough_alloc(&s->last, f->links, sizeof *s->last, error);
    TRY(bough_alloc(&s->group_at, f->nodes, sizeof *s->group_at, error));
    TRY(bough_alloc(&s->seen_first, f->links + 1, sizeof *s->seen_first, error));
    for (uint32_t l = 0; l < f->links && !status; l++) {
        uint32_t end = f->link_end[l];
        s->seen_first[l + 1] = s->seen_first[l] + f->node_group[end + 1] - f->node_group[end];
    }
    if (status) return status;
    uint64_t words = s->seen_first[f->links] / 64 + 1;
    status = bough_memory_check(bough_mul(words, sizeof *s->seen), "the order of links", error);
    TRY(bough_alloc(&s->seen, words, sizeof *s->seen, error));
    return status;
}

/* Group `next` follows a link of `group`. */
static bough_status add_succession(successions *s, uint64_t link, struct succession pair,
                                   bough_error *error) {
    uint64_t bit = s->seen_first[link] + pair.next - s->f->node_group[s->f->link_end[link]];
    if (s->seen[bit / 64] >> bit % 64 & 1) return BOUGH_OK;
    s->seen[bit / 64] |= UINT64_C(1) << bit % 64;
    bough_status status = bough_grow(&s->item, &s->capacity, s->count + 1, sizeof *s->item, error);
    if (!status) s->item[s->count++] = pair;
    return status;
}

static void find_groups_at(successions *s, uint64_t address) {
    for (uint32_t v = s->f->endpoints; v < s->f->nodes; v++) {
        bough_route route;
        flat_route(s->net, v, address, &route);
        s->group_at[v] = route.count ? (uint32_t)route.group + 1 : 0;
    }
}

/* The groups that follow the route at v. */
static bough_status add_next(successions *s, uint32_t v, uint64_t address, bough_error *error) {
    const flat *f = s->f;
    bough_route route;
    bough_status status = BOUGH_OK;
    flat_route(s->net, v, address, &route);
    for (uint32_t i = 0; i < route.count && !status; i++) {
        uint64_t link = bough_route_link(&route, i);
        uint32_t u = f->link_end[link], next = u < f->endpoints ? 0 : s->group_at[u];
        if (!next || s->last[link] == next) continue;
        s->last[link] = next;
        status = add_succession(s, link, (struct succession){(uint32_t)route.group, next - 1}, error);
    }
    return status;
}

/* An endpoint with one link, to the switch of the endpoint before it: the same groups follow. */
static bool like_previous(const flat *f, uint32_t v) {
    if (v == 0 || v >= f->endpoints || f->attach[v] != f->attach[v - 1]) return false;
    uint32_t first = f->node_group[v - 1];
    return f->node_group[v + 1] == first + 2 && f->group_first[first + 2] == f->group_first[first] + 2;
}

static uint32_t succession_row(const void *context, uint32_t item) {
    return ((const successions *)context)->item[item].group;
}

/* Longest paths over the successions, group by group in topological order (Kahn). *acyclic: there is one. */
static bough_status order_groups(flat *f, const successions *s, bool *acyclic, bough_error *error) {
    compressed_rows rows = {.rows = f->groups, .items = (uint32_t)s->count};
    uint32_t *before = NULL, *queue = NULL, waiting = 0;
    bough_status status = rows_make(&rows, succession_row, s, error);
    TRY(bough_alloc(&before, f->groups, sizeof *before, error));
    TRY(bough_alloc(&queue, f->groups, sizeof *queue, error));
    for (size_t i = 0; i < s->count && !status; i++) before[s->item[i].next]++;
    for (uint32_t g = 0; g < f->groups && !status; g++)
        if (!before[g]) queue[waiting++] = g;
    for (uint32_t at = 0; at < waiting && !status; at++)
        for (uint32_t i = rows.first[queue[at]]; i < rows.first[queue[at] + 1]; i++) {
            uint32_t next = s->item[rows.item[i]].next, order = f->group_order[queue[at]] + 1;
            if (f->group_order[next] < order) f->group_order[next] = order;
            if (--before[next] == 0) queue[waiting++] = next;
        }
    *acyclic = waiting == f->groups;
    rows_fini(&rows);
    FREE_ALL(before, queue);
    return status;
}

/* Computes the order of groups: order(next) > order(group) along every minimal route. *found: false if routes
 * are cyclic; then there is no order. */
static bough_status find_order(flat *f, const bough_net *net, bool *found, bough_error *error) {
    successions s = {.f = f, .net = net};
    uint32_t top = 0;
    bough_status status = make_successions(&s, error);
    for (uint32_t to = 0; to < f->endpoints && !status; to++) {
        if (to && f->attach[to] == f->attach[to - 1]) continue; /* same lists except for the last hop */
        find_groups_at(&s, bough_endpoint_address(net, to));
        for (uint32_t v = 0; v < f->nodes; v++)
            if (!like_previous(f, v)) TRY(add_next(&s, v, bough_endpoint_address(net, to), error));
    }
    if (!status && s.count >= BOUGH_NO_INDEX)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "the network has more than 2^32 pairs of links");
    TRY(order_groups(f, &s, found, error));
    FREE_ALL(s.item, s.seen_first, s.seen, s.last, s.group_at);
    if (status || !*found) return status;
    for (uint32_t g = 0; g < f->groups; g++)
        if (f->group_order[g] > top) top = f->group_order[g];
    for (uint32_t l = 0; l < f->links; l++) /* links to endpoints come last */
        if (f->link_end[l] < f->endpoints) f->group_order[f->link_group[l]] = top + 1;
    return BOUGH_OK;
}

/* The subtrees of one level: the components connected through switches up to that level. parent, label: per
 * node. */
static void find_level(flat *f, unsigned level, uint32_t *parent, uint32_t *label) {
    uint32_t next = 0;
    for (uint32_t v = 0; v < f->nodes; v++) parent[v] = v, label[v] = BOUGH_NO_INDEX;
    for (uint32_t l = 0; l < f->links; l++)
        if (f->level[f->link_start[l]] <= level && f->level[f->link_end[l]] <= level)
            unite(parent, f->link_start[l], f->link_end[l]);
    for (uint32_t e = 0; e < f->endpoints; e++) {
        uint32_t root = find(parent, e);
        if (label[root] == BOUGH_NO_INDEX) label[root] = next++;
        f->subtree[(size_t)level * f->endpoints + e] = label[root];
    }
    for (uint32_t l = 0; l < f->links; l++) {
        if (f->level[f->link_start[l]] > level || f->level[f->link_end[l]] <= level) continue;
        uint32_t at = label[find(parent, f->link_start[l])];
        if (at != BOUGH_NO_INDEX) f->capacity[(size_t)level * f->endpoints + at]++;
    }
}

static bough_status find_channels(flat *f, unsigned levels, bough_error *error) {
    uint64_t entries = bough_mul(levels + 1, f->endpoints);
    uint32_t *parent = NULL, *label = NULL;
    bough_status status = bough_alloc(&f->subtree, entries, sizeof *f->subtree, error);
    TRY(bough_alloc(&f->capacity, entries, sizeof *f->capacity, error));
    TRY(bough_alloc(&parent, f->nodes, sizeof *parent, error));
    TRY(bough_alloc(&label, f->nodes, sizeof *label, error));
    for (unsigned level = 0; level <= levels && !status; level++) find_level(f, level, parent, label);
    FREE_ALL(parent, label);
    return status;
}

static bough_status allocate(build *b, bough_error *error) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    uint64_t v = (uint64_t)w->nodes + 1, l = (uint64_t)w->links + 1;
    const bough_array want[] = {
        {&f->link_start, l, 4},  {&f->link_end, l, 4},   {&f->link_twin, l, 4},      {&f->link_group, l, 4},
        {&f->link_tag, l, 4},    {&f->out_port, l, 2},   {&f->in_port, l, 2},        {&f->rate, l, 8},
        {&f->group_first, l, 4}, {&f->group_node, l, 4}, {&f->group_order, l, 4},    {&f->node_group, v, 4},
        {&f->level, v, 1},       {&f->attach, v, 4},     {&f->destination_of, v, 4}, {&b->distance, v, 2},
        {&b->queue, v, 4},       {&b->parent, l, 4},     {&b->final, l, 4},          {&b->peer_first, v, 4},
        {&b->peer, l, 4},        {&b->peer_link, l, 4},
    };
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    return status;
}

static void count_sizes(const flat *f, bough_net *net) {
    net->nodes = f->nodes;
    net->endpoints = f->endpoints;
    net->switches = f->switches;
    net->links = f->links;
    net->groups = f->groups;
    net->addresses = f->endpoints;
    net->levels = 0;
    net->group_max = 0;
    bool rates = f->links > 0;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->level[v] > net->levels) net->levels = f->level[v];
    for (uint32_t g = 0; g < f->groups; g++)
        if (f->group_first[g + 1] - f->group_first[g] > net->group_max)
            net->group_max = f->group_first[g + 1] - f->group_first[g];
    uint64_t between = 0;
    for (uint32_t l = 0; l < f->links; l++) {
        between += f->link_start[l] >= f->endpoints && f->link_end[l] >= f->endpoints;
        rates &= f->rate[l] > 0;
    }
    net->cables = between / 2;
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_CHANNELS | (rates ? BOUGH_HAS_RATES : 0u);
}

static uint64_t count_bytes(const flat *f, unsigned levels) {
    const uint64_t per_link = 8 * sizeof(uint32_t) + 2 * sizeof(uint16_t) + sizeof(uint64_t);
    const uint64_t per_node = 3 * sizeof(uint32_t) + sizeof(uint8_t);
    return sizeof *f + f->links * per_link + f->nodes * per_node + 8 * (levels + 1) * (uint64_t)f->endpoints +
           next_links_bytes(&f->minimal);
}

bough_status minimal_paths_make(const imported_wiring *w, bough_net *net, bough_error *error) {
    build b = {.w = w, .switches = w->nodes - w->endpoints};
    flat *f;
    bough_status status = bough_alloc(&f, 1, sizeof *f, error);
    if (status) return status;
    b.f = net->data = f;
    net->ops = &flat_ops;
    f->nodes = w->nodes;
    f->endpoints = w->endpoints;
    f->links = w->links;
    f->switches = b.switches;
    status = allocate(&b, error);
    TRY(index_links(&b, error));
    if (status) goto done;
    list_peers(&b);
    find_levels(&b);
    for (uint32_t s = 0; s < b.switches; s++) f->destination_of[s] = BOUGH_NO_INDEX;
    for (uint32_t l = 0; l < w->links; l++)
        if (w->link[l].start < w->endpoints) f->destination_of[w->link[l].end - w->endpoints] = 0;
    for (uint32_t s = 0; s < b.switches; s++)
        if (f->destination_of[s] != BOUGH_NO_INDEX) f->destination_of[s] = (uint32_t)f->minimal.columns++;
    find_groups(&b);
    number_links(&b);
    f->minimal.rows = b.switches;
    status = find_lists(&b, net, error);
    if (status) goto done;
    count_sizes(f, net);
    status = find_channels(f, net->levels, error);
    if (status) goto done;
    bool ordered = false;
    status = find_order(f, net, &ordered, error);
    if (status) goto done;
    if (ordered) net->capabilities |= BOUGH_HAS_ORDER;
    net->bytes = count_bytes(f, net->levels);
done:
    rows_fini(&b.out);
    FREE_ALL(b.distance, b.queue, b.parent, b.final, b.peer_first, b.peer, b.peer_link);
    return status;
}
