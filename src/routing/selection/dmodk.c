/* D-mod-K and S-mod-K: at each level a digit of the destination (or source) selects the link. The network
 * computes the digit (ops->modk): on XGFT(h; m; w; p) the up port at level l is q = floor(address / (w1 w2 ..
 * wl)) mod (w p), with w and p of the level above, and the cable down is that of the same q (xgft_modk in
 * network/families/xgft_tree.c).
 *
 * Why shifts do not block on a tree of full bisection, where a switch has as many links up as down:
 *
 * Upwards: in a shift, the messages of one leaf switch go to consecutive addresses. Their digits at level 1
 * differ, so each takes its own up link. A switch of level l receives from below the messages whose digits at
 * lower levels are equal. Their addresses, divided by w1 w2 .. wl, are consecutive, so their digits at level
 * l differ too.
 *
 * Downwards: the digits of an address select one root, and one path from it. So each link down serves one
 * address. */
#include "routing/routing_list.h"

static const bough_param no_params[] = {BOUGH_PARAMS_END};

/* Selects the link of the digit. If that link is not eligible (a fault), the flow takes eligible link number
 * (digit mod count), so a failure moves only the flows that it hits. */
static void narrow_modk(const bough_net *net, uint64_t address, bough_route *route) {
    if (route->count < 2) return;
    uint32_t digit = net->ops->modk(net, route->group, address), i = digit;
    bough_range links = net->ops->group_links(net, route->group);
    if (route->count < links.count) {
        for (i = 0; i < route->count && bough_route_link(route, i) != links.first + digit;) i++;
        if (i == route->count) i = digit % route->count;
    }
    bough_route_narrow(route, i);
}

static void route_dmodk(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                        bough_route *route) {
    routing->net->ops->route(routing->net, node, flow->address, route);
    narrow_modk(routing->net, flow->address, route);
}

static void route_smodk(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                        bough_route *route) {
    routing->net->ops->route(routing->net, node, flow->address, route);
    narrow_modk(routing->net, bough_endpoint_address(routing->net, flow->source), route);
}

const bough_routing_kind bough_routing_dmodk = {
    .name = "dmodk",
    .summary = "D-mod-K: the address determines the path; one flow per link for every shift on a full tree",
    .source = "Zahavi: D-Mod-K routing providing non-blocking traffic for shift permutations on real life "
              "fat trees, "
              "2010",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES | BOUGH_HAS_MODK,
    .oblivious = true,
    .by_address = true,
    .route = route_dmodk,
};

const bough_routing_kind bough_routing_smodk = {
    .name = "smodk",
    .summary = "S-mod-K: D-mod-K by source instead of address",
    .source = "Ohring, Ibel, Das, Kumar, 1995",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES | BOUGH_HAS_MODK,
    .oblivious = true,
    .route = route_smodk,
};
