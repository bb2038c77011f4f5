/* A flow with one path is followed. If routes leave a choice, the number of paths explodes, but all flows to
 * one address share the same routes. Their amounts are summed at the nodes and divided equally among the next
 * links, node by node in topological order. */
#include "loads/alltoall_load.h"
#include "base/status/stop.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "loads/all_pairs.h"
#include "loads/flow_spread.h"
#include "loads/route_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct spreading {
    const bough_routing *routing;
    const bough_net *net;
    double *load, lost;
    atomic_bool *stop; /* may be NULL */
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

static bough_status spread_address(const spreading *s, route_search *search, route_amounts *amounts,
                                   uint64_t target, bough_error *error) {
    const bough_net *net = s->net;
    const uint64_t address = bough_endpoint_address(net, target);
    char name[96];
    route_search_start(search, address);
    for (uint64_t e = 0; e < net->endpoints; e++) {
        if (e == target) continue;
        route_search_from(search, e);
        amounts->amount[e] += 1;
    }
    if (search->loop != BOUGH_NONE)
        return bough_fail(error, BOUGH_FAILED, NULL, "routes to address %" PRIu64 " form a loop at %s",
                          address, bough_node_name(net, search->loop, name, sizeof name));
    route_search_divide(search, amounts);
    return BOUGH_OK;
}

static bough_status spread_addresses(spreading *s, bough_error *error) {
    const bough_net *net = s->net;
    route_search search = {.routing = NULL};
    route_amounts amounts = {.load = s->load, .scale = 1};
    if (bough_mul(net->endpoints, net->links) > ALLTOALL_STEPS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s is too large to spread all flows over its %" PRIu64 " links", net->spec,
                          net->links);
    bough_status status = bough_alloc(&amounts.amount, net->nodes, sizeof *amounts.amount, error);
    TRY(route_search_make(&search, s->routing, error));
    for (uint64_t e = 0; e < net->endpoints && !status; e++) {
        status = stop_check(s->stop, error);
        TRY(spread_address(s, &search, &amounts, e, error));
    }
    s->lost = amounts.missing;
    route_search_fini(&search);
    free(amounts.amount);
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
    return status;
}
