#include "loads/route_search.h"

#include "base/memory/memory.h"

enum { NEW, OPEN, DONE };

bough_status route_search_make(route_search *s, const bough_routing *routing, bough_error *error) {
    const uint64_t nodes = routing->net->nodes;
    *s = (route_search){.routing = routing, .target = BOUGH_NONE};
    const bough_array arrays[] = {
        {&s->route, nodes, sizeof *s->route}, {&s->order, nodes, sizeof *s->order},
        {&s->state, nodes, sizeof *s->state}, {&s->stack, nodes, sizeof *s->stack},
        {&s->next, nodes, sizeof *s->next},
    };
    return bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
}

void route_search_fini(route_search *s) {
    FREE_ALL(s->route, s->order, s->state, s->stack, s->next);
    *s = (route_search){0};
}

void route_search_start(route_search *s, uint64_t address) {
    for (uint64_t i = 0; i < s->count; i++) s->state[s->order[i]] = NEW;
    if (s->target != BOUGH_NONE) s->state[s->target] = NEW;
    s->address = address;
    s->target = bough_address_node(s->routing->net, address);
    s->count = 0;
    s->loop = s->trouble = BOUGH_NONE;
    s->state[s->target] = DONE;
}

static void note_trouble(route_search *s, uint64_t node, bool loop) {
    if (s->trouble != BOUGH_NONE) return;
    s->trouble = node;
    s->trouble_is_loop = loop;
}

static void enter(route_search *s, uint64_t node, uint64_t *depth) {
    const bough_flow flow = {s->source, s->address, 0};
    s->state[node] = OPEN;
    s->next[node] = 0;
    s->stack[(*depth)++] = (uint32_t)node;
    bough_route_at(s->routing, node, &flow, &s->route[node]);
    if (s->route[node].count == 0) note_trouble(s, node, false);
}

/* The next node that was not reached before; BOUGH_NONE: there is none. */
static uint64_t next_of(route_search *s, uint64_t node) {
    const bough_net *net = s->routing->net;
    const bough_route *route = &s->route[node];
    while (s->next[node] < route->count) {
        const uint64_t link = bough_route_link(route, s->next[node]++),
                       end = net->ops->link_end(net, link).node;
        if (!route_search_takes(s, link)) continue;
        if (!route_search_passes(s, link, end)) {
            if (end != s->target && route_search_ends(s, end)) note_trouble(s, end, false);
            continue;
        }
        if (s->state[end] == NEW) return end;
        if (s->state[end] == DONE) continue;
        if (s->loop == BOUGH_NONE) s->loop = end;
        note_trouble(s, node, true);
    }
    return BOUGH_NONE;
}

void route_search_from(route_search *s, uint64_t node) {
    uint64_t depth = 0;
    if (s->state[node] != NEW) return;
    s->source = node;
    enter(s, node, &depth);
    while (depth) {
        const uint64_t at = s->stack[depth - 1], next = next_of(s, at);
        if (next != BOUGH_NONE) {
            enter(s, next, &depth);
            continue;
        }
        s->state[at] = DONE;
        s->order[s->count++] = (uint32_t)at;
        depth--;
    }
}

static void divide_node(const route_search *s, route_amounts *a, uint64_t node) {
    const bough_net *net = s->routing->net;
    const bough_route *route = &s->route[node];
    const double amount = a->amount[node];
    uint32_t live = 0;
    a->amount[node] = 0;
    for (uint32_t i = 0; i < route->count; i++) live += route_search_takes(s, bough_route_link(route, i));
    if (!live) a->missing += amount;
    if (!live || amount == 0) return;
    const double part = amount / live;
    for (uint32_t i = 0; i < route->count; i++) {
        const uint64_t link = bough_route_link(route, i), end = net->ops->link_end(net, link).node;
        if (!route_search_takes(s, link)) continue;
        a->load[link] += a->scale * part;
        if (route_search_passes(s, link, end))
            a->amount[end] += part;
        else if (!route_search_arrives(s, link, end))
            a->missing += part;
    }
}

void route_search_divide(const route_search *s, route_amounts *a) {
    for (uint64_t i = s->count; i-- > 0;) divide_node(s, a, s->order[i]);
}
