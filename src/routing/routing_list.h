#ifndef BOUGH_ROUTING_ROUTING_LIST_H
#define BOUGH_ROUTING_ROUTING_LIST_H

#include "routing/routing.h"

extern const bough_routing_kind bough_routing_free, bough_routing_random, bough_routing_first,
    bough_routing_least, bough_routing_hash, bough_routing_dmodk, bough_routing_smodk, bough_routing_lft,
    bough_routing_valiant, bough_routing_bitfix, bough_routing_minhop, bough_routing_updn,
    bough_routing_adaptive_kind;

/* Writes a SimGrid platform; text is a bough_text. */
bough_status bough_simgrid_write(const bough_routing *routing, void *text, bough_error *error);

/* A route to the address over the dimensions of a hypercube in an order drawn for each flow. */
void bough_route_any_order(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                           bough_route *route);
/* Errors: UNSUPPORTED unless the network is a hypercube without faults. */
bough_status bough_any_order_check(const bough_net *net, bough_error *error);

uint32_t bough_select_random(const bough_routing *routing, const bough_choice *choice);
uint32_t bough_select_first(const bough_routing *routing, const bough_choice *choice);
uint32_t bough_select_least(const bough_routing *routing, const bough_choice *choice);

#endif
