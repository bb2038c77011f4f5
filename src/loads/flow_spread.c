#include "loads/flow_spread.h"

#include "routing/routing_list.h"

bough_status spread_check(const bough_routing *routing, const char *what, bough_error *error) {
    if (!routing->kind->select || routing->kind->select == bough_select_random) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "%s has no simulation time, so no link is free or loaded for `%s` to select by; use "
                      "random, free, hash, dmodk, ...",
                      what, routing->spec);
}

typedef struct walk {
    const bough_routing *routing;
    const bough_flow *flow;
    spread_visit visit;
    void *context;
    uint64_t target;
    spread_result *result;
    spread_end end;
} walk;

static void stop(walk *w, spread_end end, uint64_t node) {
    if (end > w->end) w->end = end, w->result->at = node;
}

/* Requests the route from a node; false if the flow ends there. */
static bool ask(walk *w, uint64_t node, double share, unsigned depth, bough_route *route) {
    const bough_net *net = w->routing->net;
    if (node == w->target) {
        if (!w->result->hops) w->result->hops = depth;
        w->result->arrives += share;
        return false;
    }
    if (depth > 0 && !bough_is_switch(net, node)) {
        stop(w, SPREAD_WRONG_ADAPTER, node);
        return false;
    }
    if (depth == SPREAD_DEPTH_MAX) {
        stop(w, SPREAD_LOOP, node);
        return false;
    }
    bough_route_at(w->routing, node, w->flow, route);
    if (route->count == 0) stop(w, SPREAD_NO_ENTRY, node);
    return route->count > 0;
}

static bool is_lost(walk *w, uint64_t link) {
    if (!bough_link_lost(w->routing->net, link)) return false;
    stop(w, SPREAD_NO_ENTRY, w->routing->net->ops->link_end(w->routing->net, link).node);
    return true;
}

/* Parallel links to one node are one branch, which continues with the sum of their fractions. */
static void follow(walk *w, uint64_t node, double share, unsigned depth) {
    const bough_net *net = w->routing->net;
    bough_route route;
    while (ask(w, node, share, depth, &route)) {
        double part = share / route.count;
        uint64_t next = BOUGH_NONE;
        uint32_t alike = 0;
        for (uint32_t i = route.count; i-- > 0;) {
            uint64_t link = bough_route_link(&route, i), end = net->ops->link_end(net, link).node;
            w->visit(w->context, link, part);
            if (is_lost(w, link)) continue;
            if (alike && end != next) {
                follow(w, next, part * alike, depth + 1);
                alike = 0;
            }
            next = end;
            alike++;
        }
        if (alike == 0) return;
        share = part * alike;
        node = next;
        depth++;
    }
}

/* Visits the links of a path, those of a loop once. */
static void visit_path(const walk *w, const uint64_t *path, unsigned links) {
    for (unsigned i = 0; i < links; i++) {
        for (unsigned k = 0; w->end == SPREAD_LOOP && k < i; k++)
            if (path[k] == path[i]) return;
        w->visit(w->context, path[i], 1);
    }
}

/* Without a choice, links are visited at the end, when it is known whether the flow arrives. */
static spread_end spread(walk *w, bool visits_lost) {
    const bough_net *net = w->routing->net;
    uint64_t path[SPREAD_DEPTH_MAX], node = w->flow->source;
    unsigned depth = 0;
    bough_route route;
    bool goes_on;
    *w->result = (spread_result){.at = BOUGH_NONE};
    while ((goes_on = ask(w, node, 1, depth, &route)) && route.count == 1) {
        path[depth++] = bough_route_link(&route, 0);
        goes_on = !is_lost(w, path[depth - 1]);
        if (!goes_on) break;
        node = net->ops->link_end(net, path[depth - 1]).node;
    }
    if (visits_lost || w->end == SPREAD_ARRIVES) visit_path(w, path, depth);
    if (goes_on) follow(w, node, 1, depth);
    return w->end;
}

static walk walk_of(const bough_routing *routing, const bough_flow *flow, spread_visit visit, void *context,
                    spread_result *result) {
    return (walk){.routing = routing,
                  .flow = flow,
                  .visit = visit,
                  .context = context,
                  .target = bough_address_node(routing->net, flow->address),
                  .result = result};
}

spread_end spread_flow(const bough_routing *routing, const bough_flow *flow, spread_visit visit,
                       void *context, spread_result *result) {
    walk w = walk_of(routing, flow, visit, context, result);
    return spread(&w, false);
}

spread_end spread_reached(const bough_routing *routing, const bough_flow *flow, spread_visit visit,
                          void *context, spread_result *result) {
    walk w = walk_of(routing, flow, visit, context, result);
    return spread(&w, true);
}

static void visit_nothing(void *context, uint64_t link, double share) {
    (void)context;
    (void)link;
    (void)share;
}

spread_end spread_end_of(const bough_routing *routing, const bough_flow *flow, spread_result *result) {
    return spread_flow(routing, flow, visit_nothing, NULL, result);
}

void spread_add(void *context, uint64_t link, double share) {
    ((double *)context)[link] += share;
}

double spread_message(const bough_routing *routing, bough_key key, const bough_flow *flow, spread_visit visit,
                      void *context) {
    bough_flow rest = *flow;
    uint64_t via = bough_via(routing, key, flow);
    spread_result r = {.arrives = 1};
    spread_end end = SPREAD_ARRIVES;
    if (via != BOUGH_NONE) {
        bough_flow first = {flow->source, via, flow->key};
        walk w = walk_of(routing, &first, visit, context, &r);
        rest.source = w.target = bough_turn_node(routing->net, flow->source, via);
        end = spread(&w, true);
    }
    if (end == SPREAD_ARRIVES) end = spread_reached(routing, &rest, visit, context, &r);
    return end == SPREAD_ARRIVES ? 1 : r.arrives;
}
