/* A flow with one path is followed. If routes leave a choice, the number of paths explodes, but all flows to
 * one address share the same routes. Their amounts are summed at the nodes and divided equally among the next
 * links, node by node in topological order. */
#include "loads/alltoall_load.h"
#include "base/status/stop.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "loads/all_pairs.h"
#include "loads/flow_spread.h"

#include <inttypes.h>
#include <string.h>

typedef struct spreading {
    const bough_routing *routing;
    const bough_net *net;
    double *load, lost;
    atomic_bool *stop; /* may be NULL */
    /* for one address: */
    double *amount;  /* at a node, not yet forwarded */
    uint32_t *seen;  /* node: number of the address + 1 */
    uint64_t *order; /* nodes, each after all its successors */
    uint64_t ordered;
    struct frame {
        uint64_t node;
        uint32_t next; /* next eligible link to examine */
    } * stack;
} spreading;

static bough_status follow_pairs(spreading *s, bough_error *error) {
    const bough_net *net = s->net;
    uint64_t steps = bough_mul(bough_mul(net->endpoints, net->endpoints), net->hops_max ? net->hops_max : 8);
    if (steps > ALLTOALL_STEPS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s has too many pairs of endpoints to follow, %" PRIu64 " endpoints", net->spec,
                          net->endpoints);
    bough_status status = BOUGH_OK;
    for (uint64_t a = 0; a < net->endpoints && !(status = stop_check(s->stop, error)); a++)
        for (uint64_t b = 0; b < net->endpoints; b++) {
            spread_result r = {.arrives = 1};
            bough_flow flow = {a, bough_endpoint_address(net, b), 0};
            if (a != b && spread_reached(s->routing, &flow, spread_add, s->load, &r) != SPREAD_ARRIVES)
                s->lost += 1 - r.arrives;
        }
    return status;
}

enum { OPEN = 1, DONE = 2 };

/* Finds the nodes on the paths from a source, last ones first. A node on the current path is marked OPEN,
 * which reveals loops. */
static bough_status walk(spreading *s, uint64_t source, uint64_t address, uint32_t mark, bough_error *error) {
    const bough_net *net = s->net;
    uint64_t depth = 0, target = bough_address_node(net, address);
    bough_flow flow = {source, address, 0};
    if (s->seen[source] >= mark) return BOUGH_OK;
    s->seen[source] = mark + OPEN;
    s->stack[depth++] = (struct frame){source, 0};
    while (depth) {
        struct frame *f = &s->stack[depth - 1];
        bough_route route = {0};
        if (f->node != target) bough_route_at(s->routing, f->node, &flow, &route);
        if (f->next >= route.count) {
            s->seen[f->node] = mark + DONE;
            s->order[s->ordered++] = f->node;
            depth--;
            continue;
        }
        uint64_t link = bough_route_link(&route, f->next++);
        if (bough_link_lost(net, link)) continue;
        uint64_t to = net->ops->link_end(net, link).node;
        if (s->seen[to] == mark + OPEN) {
            char name[96];
            return bough_fail(error, BOUGH_FAILED, NULL, "routes to address %" PRIu64 " form a loop at %s",
                              address, bough_node_name(net, to, name, sizeof name));
        }
        if (s->seen[to] >= mark) continue;
        s->seen[to] = mark + OPEN;
        s->stack[depth++] = (struct frame){to, 0};
    }
    return BOUGH_OK;
}

static void hand_on(spreading *s, uint64_t node, uint64_t address) {
    const bough_net *net = s->net;
    bough_flow flow = {node, address, 0};
    bough_route route = {0};
    double amount = s->amount[node];
    s->amount[node] = 0;
    if (!(amount > 0) || node == bough_address_node(net, address)) return;
    bough_route_at(s->routing, node, &flow, &route);
    if (route.count == 0) s->lost += amount;
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        s->load[link] += amount / route.count;
        if (bough_link_lost(net, link))
            s->lost += amount / route.count;
        else
            s->amount[net->ops->link_end(net, link).node] += amount / route.count;
    }
}

static bough_status spread_addresses(spreading *s, bough_error *error) {
    const bough_net *net = s->net;
    if (bough_mul(net->endpoints, net->links) > ALLTOALL_STEPS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s is too large to spread all flows over its %" PRIu64 " links", net->spec,
                          net->links);
    bough_status status = bough_alloc(&s->amount, net->nodes, sizeof *s->amount, error);
    TRY(bough_alloc(&s->seen, net->nodes, sizeof *s->seen, error));
    TRY(bough_alloc(&s->order, net->nodes, sizeof *s->order, error));
    TRY(bough_alloc(&s->stack, net->nodes, sizeof *s->stack, error));
    for (uint64_t b = 0; b < net->endpoints && !status; b++) {
        uint64_t address = bough_endpoint_address(net, b);
        s->ordered = 0;
        status = stop_check(s->stop, error);
        for (uint64_t a = 0; a < net->endpoints && !status; a++) {
            if (a == b) continue;
            status = walk(s, a, address, (uint32_t)(3 * (b + 1)), error);
            s->amount[a] += 1;
        }
        while (s->ordered && !status) hand_on(s, s->order[--s->ordered], address);
    }
    return status;
}

bool alltoall_is_port(const bough_net *net, uint64_t link) {
    const uint64_t end[] = {bough_link_start(net, link), net->ops->link_end(net, link).node};
    for (int i = 0; i < 2; i++)
        if (end[i] < net->endpoints &&
            bough_turn_node(net, BOUGH_NONE, bough_endpoint_address(net, end[i])) != end[i])
            return true;
    return false;
}

bough_status alltoall_loads(const bough_routing *routing, atomic_bool *stop, double *load,
                            alltoall_result *result, bough_error *error) {
    const bough_net *net = routing->net;
    spreading s = {.routing = routing, .net = net, .load = load, .stop = stop};
    if (routing->kind->via && !routing->kind->via_uniform)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "the loads of `%s` are unknown: it does not declare its intermediate nodes",
                          routing->spec);
    bough_status status = spread_check(routing, "the load of links", error);
    if (status) return status;
    memset(load, 0, net->links * sizeof *load);
    /* A route that also depends on the flow is followed flow by flow, even if it leaves a choice. */
    bool shared = !routing->kind->route || routing->kind->by_address;
    result->expected = !bough_routing_deterministic(routing) || routing->kind->via;
    if (all_pairs_fit(routing))
        status = all_pairs_loads(&(all_pairs_question){routing, 1, stop}, load, &s.lost, error);
    else if (shared && !bough_routing_deterministic(routing))
        status = spread_addresses(&s, error);
    else
        status = follow_pairs(&s, error);
    if (routing->kind->via && net->endpoints) { /* n - 1 flows of a source, each by one of n nodes, twice */
        double twice = 2 * (double)(net->endpoints - 1) / (double)net->endpoints;
        for (uint64_t l = 0; l < net->links; l++) load[l] *= alltoall_is_port(net, l) ? 1 : twice;
    }
    result->lost = s.lost;
    FREE_ALL(s.amount, s.seen, s.order, s.stack);
    return status;
}
