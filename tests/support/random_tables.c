#include "support/random_tables.h"

#include "network/faults/faults.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Entries of 1000 that lead anywhere, and that are missing. */
static const struct tables {
    uint32_t wild, none, seed;
} kinds[] = {{0, 0, 1}, {0, 30, 2}, {60, 0, 3}, {150, 50, 4}, {1000, 0, 5}};

static const struct tables *current;

static uint32_t hash(uint64_t node, uint64_t address, uint32_t what) {
    uint64_t x = (node * 1000003 + address) * 1000003 + what * 7919 + current->seed;
    x = (x ^ x >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 32);
}

static void route_at_random(const bough_routing *r, uint64_t node, const bough_flow *flow,
                            bough_route *route) {
    const bough_net *net = r->net;
    uint64_t link;
    net->ops->route(net, node, flow->address, route);
    bool adapter = !bough_is_switch(net, node);
    if (!adapter && hash(node, flow->address, 1) % 1000 < current->none) route->count = 0;
    if (!adapter && hash(node, flow->address, 2) % 1000 < current->wild) {
        uint32_t groups = net->ops->node_group_count(net, node);
        bough_range links = net->ops->group_links(
            net, net->ops->node_group(net, node, hash(node, flow->address, 3) % groups));
        link = links.first + hash(node, flow->address, 4) % links.count;
    } else if (route->count) {
        link = bough_route_link(route, hash(node, flow->address, 5) % route->count);
    } else {
        return;
    }
    *route = (bough_route){
        .group = net->ops->link_group(net, link), .first = link, .count = bough_link_alive(net, link)};
}

static const bough_param no_params[] = {BOUGH_PARAMS_END};
static const bough_routing_kind at_random = {.name = "tables",
                                             .summary = "tables at random",
                                             .source = "",
                                             .params = no_params,
                                             .needs = BOUGH_HAS_ROUTES,
                                             .oblivious = true,
                                             .by_address = true,
                                             .own_ways = true,
                                             .route = route_at_random};

static void each_kind(const char *network, const char *faults, void (*agrees)(const bough_routing *routing)) {
    bough_net *whole = net_make(network), *broken = NULL;
    bough_error error;
    if (faults && bough_net_with_faults(whole, faults, &broken, &error)) fail_msg("%s", error.reason);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bough_routing *routing;
        char name[] = "tables";
        bough_spec spec = {.name = name};
        current = &kinds[i];
        if (bough_routing_make(broken ? broken : whole, &at_random, &spec, &routing, &error))
            fail_msg("%s: %s", network, error.reason);
        agrees(routing);
        bough_routing_destroy(routing);
    }
    bough_net_destroy(broken);
    bough_net_destroy(whole);
}

void random_tables_each(void (*agrees)(const bough_routing *routing)) {
    each_kind("fattree:n=2", NULL, agrees);
    each_kind("xgft:down=4x3,up=2x3", NULL, agrees); /* endpoints with two cables */
    each_kind("xgft:down=1x6,up=1x2", NULL, agrees); /* one endpoint on each switch */
    each_kind("xgft:down=3x4x2,up=1x2x2", NULL, agrees);
    each_kind("xgft:down=3x4x2,up=1x2x2", "cables:count=3,key=5", agrees);
    each_kind("xgft:down=3x4x2,up=1x2x2", "chips:count=2,key=2", agrees);
    each_kind("cube:n=16", NULL, agrees); /* endpoints that are switches */
    each_kind("torus:dims=3x4", NULL, agrees);
    each_kind("torus:dims=300,oneway=1", NULL, agrees); /* paths too long */
    each_kind("transit:n=64", NULL, agrees);
}
