/* Valiant's two phases: to a random node, then to the address. */
#include "routing/routing_list.h"

enum { P_PHASE2, P_ORDER };

static const bough_param params[] = {
    [P_PHASE2] = {"phase2",
                  "start of phase 2: sync: after phase 1 has ended for all messages; async: at once",
                  BOUGH_CHOICE, "sync", .choices = "sync|async"},
    [P_ORDER] =
        {"order",
         "routes: network: the network's own; random: on a hypercube, with an order of dimensions drawn "
         "for each message and phase (packet only)",
         BOUGH_CHOICE, "network", .choices = "network|random"},
    BOUGH_PARAMS_END,
};

static const bough_routing_kind any_order;

static bough_status open_valiant(bough_args *args, bough_routing *routing, bough_error *error) {
    routing->synchronous = args->value[P_PHASE2].integer == 0;
    if (args->value[P_ORDER].integer == 0) return BOUGH_OK;
    routing->kind = &any_order;
    return bough_any_order_check(routing->net, error);
}

/* Uniform over all endpoints, including the source: the message turns at the switch of the endpoint
 * (bough_turn_node). */
static uint64_t via_random(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    uint64_t word = bough_word(key, BOUGH_DRAW_VIA, flow->key, 0);
    return bough_endpoint_address(routing->net, bough_scale(word, routing->net->endpoints));
}

#define VALIANT                                                                                              \
    .name = "valiant",                                                                                       \
    .summary =                                                                                               \
        "over a random intermediate node, on the routes of the network: the switch of a random endpoint",    \
    .source = "Valiant: A scheme for fast parallel communication, 1982; valiant1982", .params = params,      \
    .needs = BOUGH_HAS_ROUTES, .open = open_valiant, .via = via_random, .via_uniform = true

const bough_routing_kind bough_routing_valiant = {VALIANT, .select = bough_select_random};

static const bough_routing_kind any_order = {
    VALIANT, .own_ways = true, .draws = true, .minimal = true, .route = bough_route_any_order,
};
