/* The network's own routes as a table: of the links that lie on them each switch takes the one that it gave
 * the fewest addresses so far. */
#include "base/memory.h"
#include "routing/next_table.h"

#include <stdlib.h>

static const bough_param params[] = {BOUGH_PARAMS_END};

static void fill(next_table *t, uint32_t *links) {
    const bough_net *net = t->net;
    for (uint64_t i = 0; i < net->addresses; i++) {
        uint64_t a = t->order[i];
        for (uint64_t v = t->first_row; v < net->nodes; v++) {
            bough_route route;
            if (v == bough_address_node(net, a)) continue;
            net->ops->route(net, v, a, &route);
            for (uint32_t k = 0; k < route.count; k++) links[k] = (uint32_t)bough_route_link(&route, k);
            if (route.count) *next_table_entry(t, v, a) = next_table_take(t, links, route.count);
        }
    }
}

static bough_status open_minhop(bough_args *args, bough_routing *r, bough_error *error) {
    (void)args;
    uint32_t *links = NULL;
    next_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    status = next_table_make(t, r->net, error);
    if (!status) status = bough_alloc(&links, r->net->group_max, sizeof *links, error);
    if (!status) {
        fill(t, links);
        next_table_filled(t);
    }
    free(links);
    return status;
}

const bough_routing_kind bough_routing_minhop = {
    .name = "minhop",
    .summary = "a table of shortest paths, each by the port that has the fewest addresses so far, as OpenSM "
               "counts them",
    .source = "OpenSM: the minhop routing engine",
    .params = params,
    .needs = BOUGH_GIVES_ROUTES,
    .oblivious = true,
    .by_address = true,
    .open = open_minhop,
    .route = next_table_route,
    .fini = next_table_free,
};
