#include "engines/flow/flow_spray.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

bough_status flow_spray_init(flow_spray *s, const bough_routing *routing, bough_error *error) {
    const uint64_t most = MAX_MIN_PARTS_MAX;
    *s = (flow_spray){.routing = routing};
    bough_status status = bough_alloc(&s->link, most, sizeof *s->link, error);
    TRY(bough_alloc(&s->weight, most, sizeof *s->weight, error));
    TRY(bough_alloc(&s->now.node, most + 1, sizeof *s->now.node, error));
    TRY(bough_alloc(&s->next.node, most + 1, sizeof *s->next.node, error));
    TRY(bough_alloc(&s->now.part, routing->net->nodes, sizeof *s->now.part, error));
    TRY(bough_alloc(&s->next.part, routing->net->nodes, sizeof *s->next.part, error));
    return status;
}

void flow_spray_fini(flow_spray *s) {
    FREE_ALL(s->link, s->weight, s->now.node, s->next.node, s->now.part, s->next.part);
    *s = (flow_spray){0};
}

uint64_t flow_spray_bytes(const bough_routing *routing) {
    uint64_t of_part = 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t);
    return bough_add(MAX_MIN_PARTS_MAX * of_part, bough_mul(routing->net->nodes, 2 * sizeof(uint32_t)));
}

uint32_t flow_spray_usual(const bough_routing *routing) {
    const bough_net *net = routing->net;
    flow_spray s;
    uint64_t at;
    const bough_message m = {.address = (uint32_t)bough_endpoint_address(net, net->endpoints - 1)};
    if (!flow_spray_init(&s, routing, NULL)) flow_spray_find(&s, &m, &at);
    uint32_t parts = s.parts;
    flow_spray_fini(&s);
    return parts;
}

static void begin_at(flow_spray *s, uint64_t node) {
    s->now.node[0] = node;
    s->now.part[node] = FLOW_WHOLE;
    s->now.count = 1;
    s->next.count = 0;
}

/* Leaves both arrays of parts zero, also after an early end. */
static void clear(flow_spray *s) {
    for (uint32_t i = 0; i < s->now.count; i++) s->now.part[s->now.node[i]] = 0;
    for (uint32_t i = 0; i < s->next.count; i++) s->next.part[s->next.node[i]] = 0;
}

static void turn(flow_spray *s) {
    for (uint32_t i = 0; i < s->now.count; i++) s->now.part[s->now.node[i]] = 0;
    uint64_t *node = s->now.node;
    uint32_t *part = s->now.part;
    s->now.node = s->next.node;
    s->now.part = s->next.part;
    s->now.count = s->next.count;
    s->next.node = node;
    s->next.part = part;
    s->next.count = 0;
}

/* Sums, hop by hop, the longest delay of the parts from `first` on. */
static void add_delay(flow_spray *s, uint32_t first, uint64_t target) {
    const bough_net *net = s->routing->net;
    uint64_t most = 0;
    for (uint32_t i = first; i < s->parts && bough_net_own_delays(net); i++) {
        bool last = net->ops->link_end(net, s->link[i]).node == target;
        uint64_t delay = bough_net_hop_delay(net, s->link[i], last);
        if (delay > most) most = delay;
    }
    s->delay = bough_add(s->delay, most);
}

/* Divides the part at a node among the live links of its route. */
static flow_path_end divide(flow_spray *s, uint64_t node, const bough_flow *flow, uint32_t hop) {
    const bough_net *net = s->routing->net;
    uint32_t part = s->now.part[node], alive = 0, k = 0;
    bough_route route;
    bough_route_at(s->routing, node, flow, &route);
    for (uint32_t i = 0; i < route.count; i++) alive += bough_link_alive(net, bough_route_link(&route, i));
    if (!alive) return FLOW_NO_ROUTE;
    uint32_t turned = (uint32_t)((flow->key + hop) % alive); /* the first link that gets one more */
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(net, link)) continue;
        uint32_t weight = part / alive + ((k++ + alive - turned) % alive < part % alive);
        if (!weight) continue;
        if (s->parts == MAX_MIN_PARTS_MAX) return FLOW_TOO_WIDE;
        s->link[s->parts] = (uint32_t)link;
        s->weight[s->parts++] = weight;
        uint64_t to = net->ops->link_end(net, link).node;
        if (!s->next.part[to]) s->next.node[s->next.count++] = to;
        s->next.part[to] += weight;
    }
    return FLOW_ARRIVES;
}

/* To a node on the way to the address of the flow. */
static flow_path_end follow(flow_spray *s, const bough_flow *flow, uint64_t target, uint64_t *at) {
    const bough_net *net = s->routing->net;
    begin_at(s, flow->source);
    for (uint32_t hop = 0;; hop++) {
        bool on_its_way = false;
        uint32_t first = s->parts;
        for (uint32_t i = 0; i < s->now.count; i++) {
            *at = s->now.node[i];
            if (*at == target) continue;
            on_its_way = true;
            if (hop && !bough_is_switch(net, *at)) return FLOW_WRONG_ADAPTER;
            if (hop == FLOW_PIECE_MAX) return FLOW_LOOP;
            flow_path_end end = divide(s, *at, flow, hop);
            if (end != FLOW_ARRIVES) return end;
        }
        if (!on_its_way) break;
        s->hops++;
        add_delay(s, first, target);
        turn(s);
    }
    *at = target;
    return FLOW_ARRIVES;
}

static flow_path_end find(flow_spray *s, const bough_flow *flow, uint64_t target, uint64_t *at) {
    flow_path_end end = follow(s, flow, target, at);
    clear(s);
    return end;
}

flow_path_end flow_spray_find(flow_spray *s, const bough_message *m, uint64_t *at) {
    bough_flow flow = {m->source, m->address, m->id};
    uint64_t via = bough_via(s->routing, s->key, &flow);
    s->parts = s->hops = 0;
    s->delay = 0;
    if (via != BOUGH_NONE) {
        flow_path_end end = find(s, &(bough_flow){flow.source, via, flow.key},
                                 bough_turn_node(s->routing->net, m->source, via), at);
        if (end != FLOW_ARRIVES) return end;
        flow.source = *at;
    }
    return find(s, &flow, bough_address_node(s->routing->net, m->address), at);
}

bool flow_own_link(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = net->aggregation ? net->aggregation->base->compute : net->compute;
    if (!c) return false;
    return link >= c->fabric->links || bough_link_start(c->fabric, link) < c->fabric->endpoints ||
           c->fabric->ops->link_end(c->fabric, link).node < c->fabric->endpoints;
}

void flow_spray_ends(flow_spray *s, const bough_message *m) {
    const bough_net *net = s->routing->net;
    uint64_t target = bough_address_node(net, m->address);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->parts; i++) {
        bool end = bough_link_start(net, s->link[i]) == m->source ||
                   net->ops->link_end(net, s->link[i]).node == target || flow_own_link(net, s->link[i]);
        if (!end) continue;
        s->link[kept] = s->link[i];
        s->weight[kept++] = s->weight[i];
    }
    s->parts = kept;
}
