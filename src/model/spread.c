#include "model/spread.h"

#define DEPTH_MAX 64

typedef struct walk {
    const bough_routing *routing;
    const bough_flow *flow;
    spread_visit visit;
    void *context;
    uint64_t target, at;
    unsigned hops;
    spread_end end;
} walk;

static void stop(walk *w, spread_end end, uint64_t node) {
    if (end > w->end) w->end = end, w->at = node;
}

static void follow(walk *w, uint64_t node, double share, unsigned depth) {
    const bough_net *net = w->routing->net;
    for (;;) {
        if (node == w->target) {
            if (!w->hops) w->hops = depth;
            return;
        }
        bough_route route;
        if (depth > 0 && !(net->ops->node_roles(net, node) & BOUGH_SWITCH)) {
            stop(w, SPREAD_WRONG_ADAPTER, node);
            return;
        }
        if (depth == DEPTH_MAX) {
            stop(w, SPREAD_LOOP, node);
            return;
        }
        bough_route_at(w->routing, node, w->flow, &route);
        if (route.count == 0) {
            stop(w, SPREAD_NO_ENTRY, node);
            return;
        }
        share /= route.count;
        for (uint32_t i = 1; i < route.count; i++) {
            uint64_t link = bough_route_link(&route, i);
            w->visit(w->context, link, share);
            follow(w, net->ops->link_end(net, link).node, share, depth + 1);
        }
        uint64_t link = bough_route_link(&route, 0);
        w->visit(w->context, link, share);
        node = net->ops->link_end(net, link).node;
        depth++;
    }
}

spread_end spread_flow(const bough_routing *routing, const bough_flow *flow, spread_visit visit, void *context,
                       unsigned *hops, uint64_t *at) {
    walk w = {routing, flow, visit, context, bough_address_node(routing->net, flow->address), BOUGH_NONE, 0,
              SPREAD_ARRIVES};
    follow(&w, flow->source, 1, 0);
    *hops = w.hops;
    *at = w.at;
    return w.end;
}
