#include "network/faults/faulty_routes.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/faults/fault_marks.h"

#include <string.h>

#define NOTHING UINT32_MAX
#define FAR     UINT32_MAX

/* ---- queries ---- */

static uint64_t entry_of(const faulty_routes *w, uint64_t node, uint64_t class) {
    return (node - w->first_row) * w->next.columns + class;
}

static void one_link(const bough_net *net, uint64_t link, bool alive, bough_route *route) {
    *route = (bough_route){.group = net->ops->link_group(net, link), .first = link, .count = alive};
}

/* Returns whether a switch has a route to a class. */
static bool has_route(const faulty_routes *w, uint64_t node, uint64_t class) {
    return node == w->target[class] || w->next.list_of[entry_of(w, node, class)];
}

void faulty_routes_route(const faulty_routes *w, uint64_t node, uint64_t address, bough_route *route) {
    const bough_net *net = w->net;
    uint64_t class = w->class_of[address];
    if (w->by_switch && node < w->first_row) {
        uint64_t link = bough_injection_link(net, node);
        bool known = !w->recomputed || (has_route(w, net->ops->link_end(net, link).node, class) &&
                                        !bit_of(w->dead, w->last[address]));
        one_link(net, link, known && !bit_of(w->dead, link), route);
    } else if (w->by_switch && node == w->target[class]) {
        one_link(net, w->last[address], !bit_of(w->dead, w->last[address]), route);
    } else {
        link_list next = next_links_at(&w->next, entry_of(w, node, class));
        route->list = w->next.pool + next.first;
        route->count = next.count;
        if (next.count)
            route->group = net->ops->link_group(net, route->list[0]), route->first = route->list[0];
    }
}

bool faulty_routes_reach(const faulty_routes *w, uint64_t endpoint, uint64_t address) {
    const bough_net *net = w->net;
    uint64_t class = w->class_of[address], node = endpoint;
    if (w->by_switch) {
        uint64_t link = bough_injection_link(net, endpoint);
        if (bit_of(w->cut, link) || bit_of(w->cut, w->last[address])) return false;
        node = net->ops->link_end(net, link).node;
    }
    return node == w->target[class] || bit_of(w->arrives, entry_of(w, node, class));
}

void faulty_routes_fini(faulty_routes *w) {
    FREE_ALL(w->class_of, w->last, w->target, w->arrives);
    next_links_fini(&w->next);
    *w = (faulty_routes){0};
}

uint64_t faulty_routes_bytes(const faulty_routes *w) {
    if (!w->next.columns) return 0;
    return next_links_bytes(&w->next) + words_for(w->next.rows * w->next.columns) * 8 +
           w->net->addresses * 8 + w->next.columns * 4;
}

/* ---- search ---- */

typedef struct search {
    const bough_net *net;
    faulty_routes *w;
    bough_error *error;
    fault_inputs inputs;
    uint32_t *distance, *queue; /* per node */
    uint32_t *scratch;          /* links of a node */
    uint32_t *address;          /* per class: its first address */
    uint8_t *met;               /* per node: messages can reach it */
    uint64_t class, count;
    bough_status status;
} search;

/* ---- classes ---- */

static void note_input(void *context, uint64_t link) {
    uint64_t *input = context;
    *input = *input == BOUGH_NONE ? link : BOUGH_NONE - 1; /* one, or more than one */
}

static bool has_one_cable(const search *s, uint64_t endpoint, uint64_t *input) {
    const bough_net *net = s->net;
    *input = BOUGH_NONE;
    if (bough_is_switch(net, endpoint) || net->ops->node_group_count(net, endpoint) != 1) return false;
    bough_range out = net->ops->group_links(net, net->ops->node_group(net, endpoint, 0));
    inputs_visit(&s->inputs, endpoint, note_input, input);
    return out.count == 1 && *input < BOUGH_NONE - 1 &&
           bough_is_switch(net, net->ops->link_end(net, out.first).node) &&
           bough_is_switch(net, bough_link_start(net, *input));
}

/* Classifies addresses by the switches to which their endpoints are attached; false if some are not attached
 * to one switch. */
static bool classes_by_switch(search *s) {
    const bough_net *net = s->net;
    faulty_routes *w = s->w;
    uint32_t *class_of = s->distance; /* per switch; distance is not in use yet */
    for (uint64_t v = 0; v < net->nodes; v++) class_of[v] = NOTHING;
    for (uint64_t a = 0; a < net->addresses; a++) {
        uint64_t input;
        if (!has_one_cable(s, bough_address_node(net, a), &input)) return false;
        uint64_t at = bough_link_start(net, input);
        if (class_of[at] == NOTHING) {
            w->target[w->next.columns] = (uint32_t)at;
            class_of[at] = (uint32_t)w->next.columns++;
        }
        w->class_of[a] = class_of[at];
        w->last[a] = (uint32_t)input;
    }
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
            if (!bough_route_same(&mine, &others)) return false;
        }
    }
    return true;
}

static void find_classes(search *s) {
    const bough_net *net = s->net;
    faulty_routes *w = s->w;
    w->by_switch = classes_by_switch(s);
    for (uint64_t a = net->addresses; a-- > 0 && w->by_switch;) s->address[w->class_of[a]] = (uint32_t)a;
    if (w->by_switch && !w->recomputed) w->by_switch = classes_are_alike(s);
    if (w->by_switch) {
        w->first_row = net->endpoints;
    } else {
        w->next.columns = net->addresses;
        for (uint64_t a = 0; a < net->addresses; a++) {
            w->class_of[a] = s->address[a] = (uint32_t)a;
            w->target[a] = (uint32_t)bough_address_node(net, a);
        }
    }
    w->next.rows = net->nodes - w->first_row;
}

static void set_links(search *s, uint64_t node, uint32_t count) {
    s->status = next_links_set(&s->w->next, entry_of(s->w, node, s->class), s->scratch, count, s->error);
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
            if (!bit_of(s->w->dead, link)) s->scratch[count++] = (uint32_t)link;
        }
        set_links(s, v, count);
    }
}

/* ---- shortest paths ---- */

static void come_from(void *context, uint64_t link) {
    search *s = context;
    uint64_t from = bough_link_start(s->net, link), to = s->net->ops->link_end(s->net, link).node;
    if (bit_of(s->w->dead, link) || s->distance[from] != FAR) return;
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
        if (q == 0 || bough_is_switch(net, v)) inputs_visit(&s->inputs, v, come_from, s);
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
            bool through = bough_is_switch(net, to) || to == s->w->target[s->class];
            if (through && !bit_of(s->w->dead, l) && s->distance[to] + 1 == s->distance[v])
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
        if (s->w->by_switch) {
            if (bit_of(s->w->dead, bough_injection_link(net, e))) continue;
            at = net->ops->link_end(net, bough_injection_link(net, e)).node;
        }
        s->met[at] = s->distance[at] != FAR;
        unsigned hops = s->distance[at] + (s->w->by_switch ? 2 : 0);
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
        set_links(s, v, count);
    }
}

static uint32_t rank_of(const search *s, uint64_t link) {
    return s->net->ops->group_order(s->net, s->net->ops->link_group(s->net, link));
}

/* Returns whether the group used at a node for the class comes after `rank` in the order of groups. */
static bool comes_after(const search *s, uint64_t node, uint32_t rank) {
    const faulty_routes *w = s->w;
    if (node == w->target[s->class]) return true;
    link_list next = next_links_at(&w->next, entry_of(w, node, s->class));
    return !next.count || rank_of(s, w->next.pool[next.first]) > rank;
}

static bool class_ascends(const search *s) {
    const bough_net *net = s->net;
    const faulty_routes *w = s->w;
    uint32_t last = UINT32_MAX; /* the lowest order of a last link of the class */
    for (uint64_t a = 0; a < net->addresses && w->by_switch; a++) {
        if (w->class_of[a] == s->class && rank_of(s, w->last[a]) < last) last = rank_of(s, w->last[a]);
        uint64_t link = bough_injection_link(net, bough_address_node(net, a));
        if (!comes_after(s, net->ops->link_end(net, link).node, rank_of(s, link))) return false;
    }
    for (uint64_t v = w->first_row; v < net->nodes; v++) {
        link_list next = next_links_at(&w->next, entry_of(w, v, s->class));
        uint32_t rank = next.count ? rank_of(s, w->next.pool[next.first]) : 0;
        for (uint32_t i = 0; i < next.count; i++) {
            uint64_t to = net->ops->link_end(net, w->next.pool[next.first + i]).node;
            if (!comes_after(s, to, rank) || (to == w->target[s->class] && rank >= last)) return false;
        }
    }
    return true;
}

/* ---- reachability ---- */

static void arrive_from(void *context, uint64_t link) {
    search *s = context;
    faulty_routes *w = s->w;
    uint64_t from = bough_link_start(s->net, link);
    if (bit_of(s->w->cut, link) || from < w->first_row || from == w->target[s->class]) return;
    uint64_t at = entry_of(w, from, s->class);
    link_list next = next_links_at(&w->next, at);
    bool eligible = false;
    for (uint32_t i = 0; i < next.count && !eligible; i++) eligible = w->next.pool[next.first + i] == link;
    if (!eligible || bit_of(w->arrives, at)) return;
    set_bit(w->arrives, at);
    s->queue[s->count++] = (uint32_t)from;
}

static void find_arrivals(search *s) {
    s->count = 0;
    s->queue[s->count++] = s->w->target[s->class];
    for (uint64_t q = 0; q < s->count; q++)
        if (q == 0 || bough_is_switch(s->net, s->queue[q]))
            inputs_visit(&s->inputs, s->queue[q], arrive_from, s);
}

static void allocate(search *s) {
    const bough_net *net = s->net;
    faulty_routes *w = s->w;
    uint64_t most = 0;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint64_t links = 0;
        for (uint32_t i = 0; i < net->ops->node_group_count(net, v); i++)
            links += net->ops->group_links(net, net->ops->node_group(net, v, i)).count;
        if (links > most) most = links;
    }
    const bough_array want[] = {
        {&w->class_of, net->addresses, 4},
        {&w->last, net->addresses, 4},
        {&w->target, net->addresses, 4},
        {&s->distance, net->nodes, 4},
        {&s->queue, net->nodes, 4},

        {&s->scratch, most, 8},
        {&s->met, net->nodes, 1},
        {&s->address, net->addresses, 4},
    };
    if (!s->status) s->status = bough_alloc_all(want, sizeof want / sizeof *want, s->error);
    if (!s->status) s->status = inputs_make(&s->inputs, net, s->error);
}

static bough_status find_class(search *s) {
    if (s->w->recomputed)
        new_routes(s);
    else
        own_routes(s, s->address[s->class]);
    if (s->status) return s->status;
    if (s->w->recomputed && s->w->ascend) s->w->ascend = class_ascends(s);
    find_arrivals(s);
    return BOUGH_OK;
}

bough_status faulty_routes_find(faulty_routes *w, bough_error *error) {
    search s = {.net = w->net, .w = w, .error = error};
    w->ascend = w->net->capabilities & BOUGH_HAS_ORDER;
    w->hops_max = w->recomputed ? 0 : w->net->hops_max;
    allocate(&s);
    bough_status status = s.status;
    if (!status) find_classes(&s);
    TRY(next_links_make(&w->next, error));
    TRY(bough_alloc(&w->arrives, words_for(w->next.rows * w->next.columns), sizeof *w->arrives, error));
    for (; s.class < w->next.columns && !status; s.class ++) status = find_class(&s);
    FREE_ALL(s.distance, s.queue, s.scratch, s.address, s.met);
    next_links_filled(&w->next);
    inputs_fini(&s.inputs);
    return status;
}
