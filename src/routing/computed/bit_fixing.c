/* Bit fixing: the routes of the hypercube under their usual name, and the same with an order of dimensions
 * that is drawn for each message. */
#include "routing/routing_list.h"

#include "network/families/hypercube.h"

enum { P_ORDER };

static const bough_param params[] = {
    [P_ORDER] = {"order",
                 "order of dimensions: network: that of cube:order=...; random: drawn for each message "
                 "(packet only)",
                 BOUGH_CHOICE, "network", .choices = "network|random"},
    BOUGH_PARAMS_END,
};

static const char *lacks(const bough_net *net) {
    return hypercube_dimensions(net->ports ? net->ports : net) ? NULL
                                                               : "bit fixing (a hypercube, cube:n=...)";
}

/* ---- random order ---- */

bough_status bough_any_order_check(const bough_net *net, bough_error *error) {
    if (hypercube_dimensions(net) && !net->faults) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "order=random needs a hypercube without faults, all of whose links endpoints use at once "
        "(cube:n=...,ports=all), which %s is not",
        net->spec);
}

/* The next of the dimensions that are left, all equally likely; together a uniformly random order. */
void bough_route_any_order(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                           bough_route *route) {
    const bough_key key = {{(uint32_t)flow->key, (uint32_t)(flow->key >> 32)}};
    uint64_t left = node ^ flow->address;
    uint64_t word = bough_word(key, BOUGH_DRAW_DIMENSION, left & (BOUGH_ENTITY_MAX - 1), flow->address);
    uint64_t skip = bough_scale(word, (uint64_t)__builtin_popcountll(left));
    for (; skip > 0; skip--) left &= left - 1;
    uint64_t link = node * hypercube_dimensions(routing->net) + (unsigned)__builtin_ctzll(left);
    *route = (bough_route){.group = link, .first = link, .count = 1};
}

static const bough_routing_kind any_order;

static bough_status open_bitfix(bough_args *args, bough_routing *routing, bough_error *error) {
    if (args->value[P_ORDER].integer == 0) return BOUGH_OK;
    routing->kind = &any_order;
    return bough_any_order_check(routing->net, error);
}

#define BITFIX                                                                                               \
    .name = "bitfix",                                                                                        \
    .summary = "bit fixing on a hypercube, in the order given by cube:order=... or at random",               \
    .source = "valiant1982, section 4.2", .params = params, .needs = BOUGH_HAS_ROUTES, .lacks = lacks,       \
    .oblivious = true, .open = open_bitfix

const bough_routing_kind bough_routing_bitfix = {BITFIX, .by_address = true};

static const bough_routing_kind any_order = {
    BITFIX, .own_ways = true, .draws = true, .minimal = true, .route = bough_route_any_order,
};
