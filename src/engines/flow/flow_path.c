#include "engines/flow/flow_path.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdlib.h>

bough_status flow_paths_init(flow_paths *p, const bough_routing *routing, const max_min *sharing,
                             bough_error *error) {
    *p = (flow_paths){.routing = routing, .sharing = sharing};
    const uint64_t apart = THREAD_APART / sizeof *p->load, most = routing->net->group_max;
    bough_status status = bough_alloc(&p->free, bough_add(most, apart), sizeof *p->free, error);
    TRY(bough_alloc(&p->load, bough_add(most, apart), sizeof *p->load, error));
    return status;
}

void flow_paths_fini(flow_paths *p) {
    FREE_ALL(p->free, p->load);
    *p = (flow_paths){0};
}

/* Selects one of the links of a route; BOUGH_NONE if all are dead. */
static uint64_t select_link(const flow_paths *p, const bough_route *route, uint64_t id, uint32_t port) {
    const bough_net *net = p->routing->net;
    bough_choice choice = {
        .key = p->key, .group = route->group, .occasion = id, .port = port, .free = p->free, .load = p->load};
    if (route->count == 1 && !net->dead) return bough_route_link(route, 0);
    for (uint32_t i = 0; i < route->count; i++) {
        uint64_t link = bough_route_link(route, i);
        if (!bough_link_alive(net, link)) continue;
        if (p->routing->kind->wants_load) p->load[choice.count] = p->sharing->link[link].flows;
        p->free[choice.count++] = link;
    }
    return choice.count ? p->free[bough_select_free(p->routing, &choice)] : BOUGH_NONE;
}

/* at: in: a node on the way to the address of the flow; out: where the path ends. */
static flow_path_end follow(const flow_paths *p, const bough_flow *flow, uint32_t *path, uint32_t *hops,
                            uint64_t *at) {
    const bough_net *net = p->routing->net;
    const uint64_t target = *at;
    uint32_t port = BOUGH_SOURCE_PORT;
    *at = flow->source;
    for (uint32_t i = 0; *at != target; i++) {
        bough_route route;
        if (i && !bough_is_switch(net, *at)) return FLOW_WRONG_ADAPTER;
        if (i == FLOW_PIECE_MAX) return FLOW_LOOP;
        bough_route_at(p->routing, *at, flow, &route);
        uint64_t link = route.count ? select_link(p, &route, flow->key, port) : BOUGH_NONE;
        if (link == BOUGH_NONE) return FLOW_NO_ROUTE;
        bough_link_end end = net->ops->link_end(net, link);
        path[(*hops)++] = (uint32_t)link;
        *at = end.node;
        port = end.port;
    }
    return FLOW_ARRIVES;
}

flow_path_end flow_paths_draw(const flow_paths *p, const bough_message *m, uint32_t *path, uint32_t *hops,
                              uint64_t *at) {
    bough_flow flow = {m->source, m->address, m->id};
    uint64_t via = bough_via(p->routing, p->key, &flow);
    *hops = 0;
    if (via != BOUGH_NONE) {
        bough_flow first = {flow.source, via, flow.key};
        *at = bough_turn_node(p->routing->net, m->source, via);
        flow_path_end end = follow(p, &first, path, hops, at);
        if (end != FLOW_ARRIVES) return end;
        flow.source = *at;
    }
    *at = bough_address_node(p->routing->net, m->address);
    return follow(p, &flow, path, hops, at);
}
