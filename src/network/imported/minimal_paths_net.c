/* Networks with all minimal routes. Groups: links of a node that are eligible together for some destination
 * belong to one group (union-find over the minimal next links of every pair of switches). A route is the
 * subset of its group that lies on minimal paths. */
#include "network/imported/minimal_paths_build.h"

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

/* Lists are short, so insertion sort. */
static void sort_by_port(const imported_wiring *w, uint32_t *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t link = list[i], j = i;
        for (; j > 0 && w->link[link].out_port < w->link[list[j - 1]].out_port; j--) list[j] = list[j - 1];
        list[j] = link;
    }
}

static uint32_t start_of(const void *wiring, uint32_t link) {
    return ((const imported_wiring *)wiring)->link[link].start;
}

static bough_status index_links(paths_build *b, bough_error *error) {
    const imported_wiring *w = b->w;
    b->out = (compressed_rows){.rows = w->nodes, .items = w->links};
    bough_status status = rows_make(&b->out, start_of, w, error);
    for (uint32_t v = 0; v < w->nodes && !status; v++)
        sort_by_port(w, b->out.item + b->out.first[v], rows_count(&b->out, v));
    return status;
}

static void list_peers(paths_build *b) {
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

/* Numbers the links of a node that are united with its i-th, from `next` on; returns the next free number. */
static uint32_t number_group(paths_build *b, uint32_t v, uint32_t i, uint32_t group, uint32_t next) {
    flat *f = b->f;
    uint32_t root = union_find(b->parent, b->out.item[i]);
    f->group_first[group] = next;
    f->group_node[group] = v;
    for (uint32_t j = i; j < b->out.first[v + 1]; j++) {
        uint32_t link = b->out.item[j];
        if (union_find(b->parent, link) != root) continue;
        f->link_group[next] = group;
        b->final[link] = next++;
    }
    return next;
}

/* Numbers links: by node, then by group (in order of its lowest port), then by port. */
static void number_links(paths_build *b) {
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

/* The subtrees of one level: the components connected through switches up to that level. parent, label: per
 * node. */
static void find_level(flat *f, unsigned level, uint32_t *parent, uint32_t *label) {
    uint32_t next = 0;
    for (uint32_t v = 0; v < f->nodes; v++) parent[v] = v, label[v] = BOUGH_NO_INDEX;
    for (uint32_t l = 0; l < f->links; l++)
        if (f->level[f->link_start[l]] <= level && f->level[f->link_end[l]] <= level)
            union_join(parent, f->link_start[l], f->link_end[l]);
    for (uint32_t e = 0; e < f->endpoints; e++) {
        uint32_t root = union_find(parent, e);
        if (label[root] == BOUGH_NO_INDEX) label[root] = next++;
        f->subtree[(size_t)level * f->endpoints + e] = label[root];
    }
    for (uint32_t l = 0; l < f->links; l++) {
        if (f->level[f->link_start[l]] > level || f->level[f->link_end[l]] <= level) continue;
        uint32_t at = label[union_find(parent, f->link_start[l])];
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

static bough_status allocate(paths_build *b, bough_error *error) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    uint64_t v = (uint64_t)w->nodes + 1, l = (uint64_t)w->links + 1, s = (uint64_t)b->switches + 1;
    const bough_array want[] = {
        {&f->link_start, l, 4},
        {&f->link_end, l, 4},
        {&f->link_twin, l, 4},
        {&f->link_group, l, 4},
        {&f->link_tag, l, 4},
        {&f->out_port, l, 2},
        {&f->in_port, l, 2},
        {&f->rate, l, 8},
        {&f->group_first, l, 4},
        {&f->group_node, l, 4},
        {&f->group_order, l, 4},
        {&f->node_group, v, 4},
        {&f->level, v, 1},
        {&f->attach, v, 4},
        {&f->destination_of, v, 4},
        {&b->queue, bough_mul(team_size(b->team), s), 4},
        {&b->distance, bough_mul(b->measured, s), 2},
        {&b->destination, s, 4},
        {&b->parent, l, 4},
        {&b->final, l, 4},
        {&b->peer_first, v, 4},
        {&b->peer, l, 4},
        {&b->peer_link, l, 4},
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

enum {
    FEW_LINKS = 4096,       /* their paths are found before a thread has started */
    FEW_DISTANCES = 1 << 21 /* are kept for both passes: 4 MiB */
};

typedef struct making {
    const imported_wiring *w;
    bough_net *net;
    bough_status status;
    bough_error *error;
} making;

static void number_destinations(paths_build *b) {
    const imported_wiring *w = b->w;
    flat *f = b->f;
    for (uint32_t s = 0; s < b->switches; s++) f->destination_of[s] = BOUGH_NO_INDEX;
    for (uint32_t l = 0; l < w->links; l++)
        if (w->link[l].start < w->endpoints) f->destination_of[w->link[l].end - w->endpoints] = 0;
    for (uint32_t s = 0; s < b->switches; s++) {
        if (f->destination_of[s] == BOUGH_NO_INDEX) continue;
        b->destination[f->minimal.columns] = s;
        f->destination_of[s] = (uint32_t)f->minimal.columns++;
    }
    f->minimal.rows = b->switches;
}

static bough_status build(paths_build *b, bough_net *net, bough_error *error) {
    flat *f = b->f;
    bool ordered = false;
    bough_status status = allocate(b, error);
    TRY(index_links(b, error));
    if (status) return status;
    list_peers(b);
    status = paths_find_levels(b, error);
    if (status) return status;
    number_destinations(b);
    paths_find_groups(b);
    number_links(b);
    status = paths_find_lists(b, net, error);
    if (status) return status;
    count_sizes(f, net);
    status = find_channels(f, net->levels, error);
    TRY(paths_find_order(b, &ordered, error));
    if (status) return status;
    if (ordered) net->capabilities |= BOUGH_HAS_ORDER;
    net->bytes = count_bytes(f, net->levels);
    return BOUGH_OK;
}

static void lead(void *context, thread_team *team) {
    making *m = context;
    const imported_wiring *w = m->w;
    paths_build b = {.w = w, .f = m->net->data, .team = team, .switches = w->nodes - w->endpoints};
    const uint32_t few = b.switches ? FEW_DISTANCES / b.switches : 1;
    b.measured = few > PATHS_AT_ONCE ? few : PATHS_AT_ONCE;
    if (b.measured > b.switches) b.measured = b.switches ? b.switches : 1;
    const unsigned parts = team ? 8 * team_size(team) : 1;
    b.parts = parts < PATHS_PARTS ? parts : PATHS_PARTS;
    m->status = build(&b, m->net, m->error);
    rows_fini(&b.out);
    FREE_ALL(b.distance, b.queue, b.parent, b.final, b.peer_first, b.peer, b.peer_link, b.destination);
}

bough_status minimal_paths_make(const imported_wiring *w, bough_net *net, bough_error *error) {
    making m = {.w = w, .net = net, .error = error};
    flat *f;
    bough_status status = bough_alloc(&f, 1, sizeof *f, error);
    if (status) return status;
    net->data = f;
    net->ops = &flat_ops;
    f->nodes = w->nodes;
    f->endpoints = w->endpoints;
    f->links = w->links;
    f->switches = w->nodes - w->endpoints;
    team_run(w->links < FEW_LINKS ? 1 : net->threads, lead, &m);
    return m.status;
}
