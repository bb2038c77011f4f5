/* Switches are put into an order in which each comes after those that it sends to, by a depth-first search
 * from those that have sources. Flows are divided in the reverse of that order; losses are found in that
 * order. A link back to a switch on the stack of the search closes a loop. */
#include "fabric/check/adaptive/adaptive_spread.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/hosts.h"

#include <string.h>

/* Marks of switches. BAD: packets from there may not arrive. */
enum { NEW, OPEN, DONE, BAD };

bough_status adaptive_spread_make(adaptive_spread *s, const bough_routing *routing, bough_error *error) {
    const uint64_t nodes = routing->net->nodes;
    s->routing = routing;
    bough_status status = bough_alloc(&s->order, nodes, sizeof *s->order, error);
    TRY(bough_alloc(&s->stack, nodes, sizeof *s->stack, error));
    TRY(bough_alloc(&s->tried, nodes, sizeof *s->tried, error));
    TRY(bough_alloc(&s->mark, nodes, sizeof *s->mark, error));
    TRY(bough_alloc(&s->weight, nodes, sizeof *s->weight, error));
    TRY(bough_alloc(&s->sources, nodes, sizeof *s->sources, error));
    return status;
}

void adaptive_spread_fini(adaptive_spread *s) {
    FREE_ALL(s->order, s->stack, s->tried, s->mark, s->weight, s->sources);
    *s = (adaptive_spread){0};
}

static bool is_dead(const adaptive_question *q, uint64_t link) {
    return q->dead && bit_of(q->dead, link);
}

static uint64_t end_of(const adaptive_spread *s, uint64_t link) {
    return s->routing->net->ops->link_end(s->routing->net, link).node;
}

static bough_flow flow_to(const adaptive_spread *s, const adaptive_question *q, uint64_t source) {
    return (bough_flow){source, bough_endpoint_address(s->routing->net, q->target), 0};
}

static void ask(const adaptive_spread *s, const adaptive_question *q, uint64_t node, bough_route *route) {
    bough_flow flow = flow_to(s, q, node);
    bough_route_at(s->routing, node, &flow, route);
}

/* Endpoints send to their switches. */
static void start(adaptive_spread *s, const adaptive_question *q, adaptive_answer *a) {
    const bough_net *net = s->routing->net;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        bough_route route;
        if (e == q->target || !net_same_plane(net, e, q->target)) continue;
        ask(s, q, e, &route);
        uint64_t link = route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
        if (link == BOUGH_NONE || is_dead(q, link)) {
            a->lost++;
            a->missing += 1;
            continue;
        }
        q->load[link] += q->scale;
        uint64_t node = end_of(s, link);
        s->weight[node] += 1;
        s->sources[node]++;
    }
}

/* The next switch behind a switch on the stack that the search has not come to; BOUGH_NONE: there is none. */
static uint64_t next_of(adaptive_spread *s, const adaptive_question *q, uint64_t node) {
    bough_route route;
    ask(s, q, node, &route);
    while (s->tried[node] < route.count) {
        uint64_t link = bough_route_link(&route, s->tried[node]++);
        if (is_dead(q, link)) continue;
        uint64_t end = end_of(s, link);
        if (end != q->target && bough_is_switch(s->routing->net, end) && s->mark[end] == NEW) return end;
    }
    return BOUGH_NONE;
}

/* Appends what can be reached from a switch. Returns the number of switches in the order. */
static uint64_t search(adaptive_spread *s, const adaptive_question *q, uint64_t from, uint64_t found) {
    uint64_t depth = 0;
    s->stack[depth++] = (uint32_t)from;
    s->mark[from] = OPEN;
    while (depth) {
        uint64_t node = s->stack[depth - 1], next = next_of(s, q, node);
        if (next != BOUGH_NONE) {
            s->stack[depth++] = (uint32_t)next;
            s->mark[next] = OPEN;
            continue;
        }
        s->mark[node] = DONE;
        s->order[found++] = (uint32_t)node;
        depth--;
    }
    return found;
}

/* In the order: whether packets from a switch may not arrive. Of a loop the link to a switch later in the
 * order is one to a switch that is not yet OPEN again. */
static bool is_bad(const adaptive_spread *s, const adaptive_question *q, uint64_t node) {
    const bough_net *net = s->routing->net;
    bough_route route;
    uint32_t live = 0;
    ask(s, q, node, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i), end = end_of(s, link);
        if (is_dead(q, link)) continue;
        live++;
        if (end == q->target) continue;
        if (bough_link_lost(net, link) || !bough_is_switch(net, end) || s->mark[end] != OPEN) return true;
    }
    return live == 0;
}

static void divide(adaptive_spread *s, const adaptive_question *q, uint64_t node, adaptive_answer *a) {
    const bough_net *net = s->routing->net;
    bough_route route;
    uint32_t live = 0;
    ask(s, q, node, &route);
    for (uint32_t i = 0; i < route.count; i++) live += !is_dead(q, bough_route_link(&route, i));
    if (!live) a->missing += s->weight[node];
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i), end = end_of(s, link);
        double part = s->weight[node] / live;
        if (is_dead(q, link)) continue;
        q->load[link] += q->scale * part;
        if (end == q->target) continue;
        if (bough_link_lost(net, link) || !bough_is_switch(net, end))
            a->missing += part;
        else
            s->weight[end] += part;
    }
}

adaptive_answer adaptive_spread_to(adaptive_spread *s, const adaptive_question *q) {
    const uint64_t nodes = s->routing->net->nodes;
    adaptive_answer a = {0};
    uint64_t found = 0;
    memset(s->tried, 0, nodes * sizeof *s->tried);
    memset(s->mark, NEW, nodes);
    memset(s->weight, 0, nodes * sizeof *s->weight);
    memset(s->sources, 0, nodes * sizeof *s->sources);
    start(s, q, &a);
    for (uint64_t v = 0; v < nodes; v++)
        if (s->sources[v] && s->mark[v] == NEW) found = search(s, q, v, found);
    for (uint64_t i = found; i-- > 0;) divide(s, q, s->order[i], &a);
    for (uint64_t i = 0; i < found; i++) { /* OPEN again: all packets arrive */
        uint64_t node = s->order[i];
        s->mark[node] = is_bad(s, q, node) ? BAD : OPEN;
        if (s->mark[node] == BAD) a.lost += s->sources[node];
    }
    return a;
}
