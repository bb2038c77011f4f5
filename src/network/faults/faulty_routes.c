#include "network/faults/faulty_routes.h"

#include "base/memory/memory.h"
#include "network/faults/fault_marks.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
#define FAR     UINT32_MAX

static bool is_switch(const bough_net *net, uint64_t node) {
    return net->ops->node_roles(net, node) & BOUGH_SWITCH;
}

static uint64_t injection(const bough_net *net, uint64_t endpoint) {
    return net->ops->group_links(net, net->ops->node_group(net, endpoint, 0)).first;
}

/* ---- queries ---- */

static uint64_t place(const ways *w, uint64_t node, uint64_t class) {
    return (node - w->first_row) * w->classes + class;
}

static void one_link(const bough_net *net, uint64_t link, bool alive, bough_route *route) {
    *route = (bough_route){.group = net->ops->link_group(net, link), .first = link, .count = alive};
}

/* Returns whether a switch has a route to a class. */
static bool knows(const ways *w, uint64_t node, uint64_t class) {
    return node == w->target[class] || w->which[place(w, node, class)];
}

void ways_route(const ways *w, const bough_net *net, const uint64_t *dead, bool anew, uint64_t node,
                uint64_t address, bough_route *route) {
    uint64_t class = w->class_of[address];
    if (w->hanging && node < w->first_row) {
        uint64_t link = injection(net, node);
        bool known =
            !anew || (knows(w, net->ops->link_end(net, link).node, class) && !bit_of(dead, w->last[address]));
        one_link(net, link, known && !bit_of(dead, link), route);
    } else if (w->hanging && node == w->target[class]) {
        one_link(net, w->last[address], !bit_of(dead, w->last[address]), route);
    } else {
        const ways_list *l = &w->list[w->which[place(w, node, class)]];
        route->list = w->pool + l->first;
        route->count = l->count;
        if (l->count) route->group = net->ops->link_group(net, route->list[0]), route->first = route->list[0];
    }
}

bool ways_reach(const ways *w, const bough_net *net, const uint64_t *cut, uint64_t endpoint,
                uint64_t address) {
    uint64_t class = w->class_of[address], node = endpoint;
    if (w->hanging) {
        uint64_t link = injection(net, endpoint);
        if (bit_of(cut, link) || bit_of(cut, w->last[address])) return false;
        node = net->ops->link_end(net, link).node;
    }
    return node == w->target[class] || bit_of(w->arrives, place(w, node, class));
}

void ways_fini(ways *w) {
    void *all[] = {w->class_of, w->last, w->target, w->which, w->list, w->pool, w->arrives};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *w = (ways){0};
}

uint64_t ways_bytes(const ways *w, const bough_net *net) {
    if (!w->classes) return 0;
    return w->rows * w->classes * 4 + words_for(w->rows * w->classes) * 8 + net->addresses * 8 +
           w->classes * 4 + w->list_capacity * sizeof *w->list + w->pool_capacity * 4;
}

/* ---- search ---- */

typedef struct search {
    const bough_net *net;
    const uint64_t *dead, *cut;
    ways *w;
    bough_error *error;
    fault_inputs inputs;
    uint32_t *distance, *queue; /* per node */
    uint32_t *newest, *chain;   /* per row: its newest list; per list: the previous one */
    uint32_t *scratch;          /* links of a node */
    uint32_t *address;          /* per class: its first address */
    uint8_t *met;               /* per node: messages can reach it */
    uint64_t class, count;
    size_t chain_capacity;
    bough_status status;
} search;

/* ---- classes ---- */

static void note_input(void *context, uint64_t link) {
    uint64_t *input = context;
    *input = *input == BOUGH_NONE ? link : BOUGH_NONE - 1; /* one, or more than one */
}

static bool hangs(const search *s, uint64_t endpoint, uint64_t *input) {
    const bough_net *net = s->net;
    *input = BOUGH_NONE;
    if (is_switch(net, endpoint) || net->ops->node_group_count(net, endpoint) != 1) return false;
    bough_range out = net->ops->group_links(net, net->ops->node_group(net, endpoint, 0));
    inputs_visit(&s->inputs, endpoint, note_input, input);
    return out.count == 1 && *input < BOUGH_NONE - 1 &&
           is_switch(net, net->ops->link_end(net, out.first).node) &&
           is_switch(net, bough_link_start(net, *input));
}

/* Classifies addresses by the switches to which their endpoints are attached; false if some are not attached
 * to one switch. */
static bool classes_by_switch(search *s) {
    const bough_net *net = s->net;
    ways *w = s->w;
    uint32_t *class_of = s->distance; /* per switch; distance is not in use yet */
    for (uint64_t v = 0; v < net->nodes; v++) class_of[v] = NOTHING;
    for (uint64_t a = 0; a < net->addresses; a++) {
        uint64_t input;
        if (!hangs(s, bough_address_node(net, a), &input)) return false;
        uint64_t at = bough_link_start(net, input);
        if (class_of[at] == NOTHING) {
            w->target[w->classes] = (uint32_t)at;
            class_of[at] = (uint32_t)w->classes++;
        }
        w->class_of[a] = class_of[at];
        w->last[a] = (uint32_t)input;
    }
    return true;
}

static bool same_route(const bough_route *a, const bough_route *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (bough_route_link(a, i) != bough_route_link(b, i)) return false;
    return true;
}

/* Returns whether the routes of the network are the same for all addresses of a class. */
static bool classes_are_alike(const search *s) {
    const bough_net *net = s->net;
    for (uint64_t a = 0; a < net->addresses; a++) {
        uint32_t class = s->w->class_of[a];
        for (uint64_t v = net->endpoints; v < net->nodes && s->address[class] != a; v++) {
            bough_route mine, others;
            if (v == s->w->target[class]) continue;
            net->ops->route(net, v, a, &mine);
            net->ops->route(net, v, s->address[class], &others);
            if (!same_route(&mine, &others)) return false;
        }
    }
    return true;
}

static void find_classes(search *s, bool anew) {
    const bough_net *net = s->net;
    ways *w = s->w;
    w->hanging = classes_by_switch(s);
    for (uint64_t a = net->addresses; a-- > 0 && w->hanging;) s->address[w->class_of[a]] = (uint32_t)a;
    if (w->hanging && !anew) w->hanging = classes_are_alike(s);
    if (w->hanging) {
        w->first_row = net->endpoints;
    } else {
        w->classes = net->addresses;
        for (uint64_t a = 0; a < net->addresses; a++) {
            w->class_of[a] = s->address[a] = (uint32_t)a;
            w->target[a] = (uint32_t)bough_address_node(net, a);
        }
    }
    w->rows = net->nodes - w->first_row;
}

/* ---- lists ---- */

static void grow(search *s, void *array, size_t *capacity, uint64_t need, size_t size) {
    if (need <= *capacity || s->status) return;
    s->status = bough_grow(array, capacity, need, size, s->error);
}

/* A switch has few different lists, so equal lists are shared. */
static void set_list(search *s, uint64_t node, const uint32_t *link, uint32_t count) {
    ways *w = s->w;
    uint32_t *newest = &s->newest[node - w->first_row], id = *newest;
    if (!count) return;
    while (id && (w->list[id].count != count ||
                  memcmp(w->pool + w->list[id].first, link, count * sizeof *link) != 0))
        id = s->chain[id];
    if (!id) {
        grow(s, &w->list, &w->list_capacity, w->lists + 1, sizeof *w->list);
        grow(s, &w->pool, &w->pool_capacity, w->pooled + count, sizeof *w->pool);
        grow(s, &s->chain, &s->chain_capacity, w->lists + 1, sizeof *s->chain);
        if (s->status) return;
        id = (uint32_t)w->lists++;
        w->list[id] = (ways_list){(uint32_t)w->pooled, count};
        memcpy(w->pool + w->pooled, link, count * sizeof *link);
        w->pooled += count;
        s->chain[id] = *newest;
        *newest = id;
    }
    w->which[place(w, node, s->class)] = id;
}

/* ---- routes of the network, without dead links ---- */

static void own_routes(search *s, uint64_t address) {
    const bough_net *net = s->net;
    for (uint64_t v = s->w->first_row; v < net->nodes && !s->status; v++) {
        bough_route route;
        uint32_t count = 0;
        if (v == s->w->target[s->class]) continue;
        net->ops->route(net, v, address, &route);
        for (uint32_t i = 0; i < route.count; i++) {
            uint64_t link = bough_route_link(&route, i);
            if (!bit_of(s->dead, link)) s->scratch[count++] = (uint32_t)link;
        }
        set_list(s, v, s->scratch, count);
    }
}

/* ---- shortest paths ---- */

static void come_from(void *context, uint64_t link) {
    search *s = context;
    uint64_t from = bough_link_start(s->net, link), to = s->net->ops->link_end(s->net, link).node;
    if (bit_of(s->dead, link) || s->distance[from] != FAR) return;
    s->distance[from] = s->distance[to] + 1;
    s->queue[s->count++] = (uint32_t)from;
}

static void find_distances(search *s) {
    const bough_net *net = s->net;
    for (uint64_t v = 0; v < net->nodes; v++) s->distance[v] = FAR;
    s->count = 0;
    s->distance[s->w->target[s->class]] = 0;
    s->queue[s->count++] = s->w->target[s->class];
    for (uint64_t q = 0; q < s->count; q++) {
        uint64_t v = s->queue[q];
        if (q == 0 || is_switch(net, v)) inputs_visit(&s->inputs, v, come_from, s);
    }
}

/* The links of a node on shortest paths; if they belong to several groups, those of the group with most of
 * them. */
static uint32_t shortest_links(search *s, uint64_t v) {
    const bough_net *net = s->net;
    uint32_t best = 0, *first = s->scratch;
    for (uint32_t i = 0; i < net->ops->node_group_count(net, v); i++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, i));
        uint32_t count = 0;
        for (uint64_t l = r.first; l < r.first + r.count; l++) {
            uint64_t to = net->ops->link_end(net, l).node;
            bool through = is_switch(net, to) || to == s->w->target[s->class];
            if (through && !bit_of(s->dead, l) && s->distance[to] + 1 == s->distance[v])
                first[best + count++] = (uint32_t)l;
        }
        if (count <= best) continue;
        memmove(first, first + best, count * sizeof *first);
        best = count;
    }
    return best;
}

/* Messages start at all endpoints. */
static void meet_sources(search *s) {
    const bough_net *net = s->net;
    memset(s->met, 0, net->nodes);
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t at = e;
        if (s->w->hanging) {
            if (bit_of(s->dead, injection(net, e))) continue;
            at = net->ops->link_end(net, injection(net, e)).node;
        }
        s->met[at] = s->distance[at] != FAR;
        unsigned hops = s->distance[at] + (s->w->hanging ? 2 : 0);
        if (s->met[at] && hops > s->w->hops_max) s->w->hops_max = hops;
    }
}

/* Processes nodes from the farthest; nodes that no message reaches need no list. */
static void new_routes(search *s) {
    find_distances(s);
    meet_sources(s);
    for (uint64_t q = s->count; q-- > 1 && !s->status;) {
        uint64_t v = s->queue[q];
        if (!s->met[v] || v < s->w->first_row) continue;
        uint32_t count = shortest_links(s, v);
        for (uint32_t i = 0; i < count; i++) s->met[s->net->ops->link_end(s->net, s->scratch[i]).node] = 1;
        set_list(s, v, s->scratch, count);
    }
}

static uint32_t rank_of(const search *s, uint64_t link) {
    return s->net->ops->group_rank(s->net, s->net->ops->link_group(s->net, link));
}

/* Returns whether the group used at a node for the class comes after `rank` in the order of groups. */
static bool comes_after(const search *s, uint64_t node, uint32_t rank) {
    const ways *w = s->w;
    uint32_t id = node == w->target[s->class] ? 0 : w->which[place(w, node, s->class)];
    return !id || rank_of(s, w->pool[w->list[id].first]) > rank;
}

static bool class_ascends(const search *s) {
    const bough_net *net = s->net;
    const ways *w = s->w;
    uint32_t last = UINT32_MAX; /* the lowest order of a last link of the class */
    for (uint64_t a = 0; a < net->addresses && w->hanging; a++) {
        if (w->class_of[a] == s->class && rank_of(s, w->last[a]) < last) last = rank_of(s, w->last[a]);
        uint64_t link = injection(net, bough_address_node(net, a));
        if (!comes_after(s, net->ops->link_end(net, link).node, rank_of(s, link))) return false;
    }
    for (uint64_t v = w->first_row; v < net->nodes; v++) {
        const ways_list *l = &w->list[w->which[place(w, v, s->class)]];
        uint32_t rank = l->count ? rank_of(s, w->pool[l->first]) : 0;
        for (uint32_t i = 0; i < l->count; i++) {
            uint64_t to = net->ops->link_end(net, w->pool[l->first + i]).node;
            if (!comes_after(s, to, rank) || (to == w->target[s->class] && rank >= last)) return false;
        }
    }
    return true;
}

/* ---- reachability ---- */

static void arrive_from(void *context, uint64_t link) {
    search *s = context;
    ways *w = s->w;
    uint64_t from = bough_link_start(s->net, link);
    if (bit_of(s->cut, link) || from < w->first_row || from == w->target[s->class]) return;
    uint64_t at = place(w, from, s->class);
    const ways_list *l = &w->list[w->which[at]];
    bool eligible = false;
    for (uint32_t i = 0; i < l->count && !eligible; i++) eligible = w->pool[l->first + i] == link;
    if (!eligible || bit_of(w->arrives, at)) return;
    set_bit(w->arrives, at);
    s->queue[s->count++] = (uint32_t)from;
}

static void find_arrivals(search *s) {
    s->count = 0;
    s->queue[s->count++] = s->w->target[s->class];
    for (uint64_t q = 0; q < s->count; q++)
        if (q == 0 || is_switch(s->net, s->queue[q])) inputs_visit(&s->inputs, s->queue[q], arrive_from, s);
}

static void allocate(search *s) {
    const bough_net *net = s->net;
    ways *w = s->w;
    uint64_t most = 0;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint64_t links = 0;
        for (uint32_t i = 0; i < net->ops->node_group_count(net, v); i++)
            links += net->ops->group_links(net, net->ops->node_group(net, v, i)).count;
        if (links > most) most = links;
    }
    const struct {
        void *slot;
        uint64_t count, size;
    } want[] = {
        {&w->class_of, net->addresses, 4},
        {&w->last, net->addresses, 4},
        {&w->target, net->addresses, 4},
        {&s->distance, net->nodes, 4},
        {&s->queue, net->nodes, 4},
        {&s->newest, net->nodes, 4},
        {&s->scratch, most, 8},
        {&s->met, net->nodes, 1},
        {&s->address, net->addresses, 4},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want && !s->status; i++)
        s->status = bough_alloc(want[i].slot, want[i].count, want[i].size, s->error);
    if (!s->status) s->status = inputs_make(&s->inputs, net, s->error);
}

static void allocate_table(search *s) {
    ways *w = s->w;
    uint64_t entries = bough_mul(w->rows, w->classes);
    s->status =
        bough_memory_check(bough_add(bough_mul(entries, 4), entries / 8), "the remaining routes", s->error);
    if (!s->status) s->status = bough_alloc(&w->which, entries, sizeof *w->which, s->error);
    if (!s->status) s->status = bough_alloc(&w->arrives, words_for(entries), sizeof *w->arrives, s->error);
    grow(s, &w->list, &w->list_capacity, 1, sizeof *w->list);
    grow(s, &w->pool, &w->pool_capacity, 1, sizeof *w->pool);
    grow(s, &s->chain, &s->chain_capacity, 1, sizeof *s->chain);
    if (s->status) return;
    w->list[0] = (ways_list){0, 0};
    w->lists = 1;
}

static void find_class(search *s, bool anew) {
    if (anew)
        new_routes(s);
    else
        own_routes(s, s->address[s->class]);
    if (!s->status && anew && s->w->ranks_ascend) s->w->ranks_ascend = class_ascends(s);
    if (!s->status) find_arrivals(s);
}

bough_status ways_find(const bough_net *net, const uint64_t *dead, const uint64_t *cut, bool anew, ways *w,
                       bough_error *error) {
    search s = {.net = net, .dead = dead, .cut = cut, .w = w, .error = error};
    *w = (ways){.ranks_ascend = net->capabilities & BOUGH_HAS_RANKS, .hops_max = anew ? 0 : net->hops_max};
    allocate(&s);
    if (!s.status) find_classes(&s, anew);
    if (!s.status) allocate_table(&s);
    for (; s.class < w->classes && !s.status; s.class ++) find_class(&s, anew);
    void *all[] = {s.distance, s.queue, s.newest, s.chain, s.scratch, s.address, s.met};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    inputs_fini(&s.inputs);
    return s.status;
}
