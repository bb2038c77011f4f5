/* The routes of the network as a table: each switch uses, of its links on them, the one with the fewest
 * addresses so far. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/computed/up_down_paths.h"
#include "routing/tables/next_hop_table.h"

#include <stdlib.h>

static const bough_param params[] = {BOUGH_PARAMS_END};

/* The links at a node towards a destination. The network has no routes to switches; `paths` computes them. */
static uint32_t find_links(const next_table *t, up_down *paths, uint64_t node,
                           const struct next_table_destination *d, uint32_t *links) {
    bough_route route;
    if (d->address == BOUGH_NONE) return up_down_links(paths, node, links);
    t->net->ops->route(t->net, node, d->address, &route);
    for (uint32_t k = 0; k < route.count; k++) links[k] = (uint32_t)bough_route_link(&route, k);
    return route.count;
}

static void fill(next_table *t, up_down *paths, uint32_t *links) {
    const bough_net *net = t->net;
    for (uint64_t i = 0; i < t->destinations; i++) {
        const struct next_table_destination *d = &t->order[i];
        if (d->address == BOUGH_NONE) up_down_search(paths, d->node);
        for (uint64_t v = t->first_row; v < net->nodes; v++) {
            if (v == d->node) continue;
            uint32_t count = find_links(t, paths, v, d, links);
            uint32_t link = count ? next_table_take(t, links, count) : BOUGH_NO_INDEX;
            if (!d->counted_only) *next_table_entry(t, v, d->address) = link;
        }
    }
}

static bough_status make_paths(const next_table *t, up_down *paths, bough_error *error) {
    bool needed = false, *none;
    for (uint64_t i = 0; i < t->destinations; i++) needed |= t->order[i].address == BOUGH_NONE;
    if (!needed) return BOUGH_OK;
    bough_status status = bough_alloc(&none, t->net->nodes, sizeof *none, error);
    TRY(up_down_make(paths, t->net, none, error));
    if (!status) up_down_level(paths);
    free(none);
    return status;
}

static bough_status open_minhop(bough_args *args, bough_routing *r, bough_error *error) {
    (void)args;
    uint32_t *links = NULL;
    up_down paths = {0};
    next_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    status = next_table_make(t, r->net, error);
    r->bytes = t->bytes;
    TRY(make_paths(t, &paths, error));
    TRY(bough_alloc(&links, r->net->links, sizeof *links, error));
    if (!status) {
        fill(t, &paths, links);
        next_table_filled(t);
    }
    up_down_fini(&paths);
    free(links);
    return status;
}

const bough_routing_kind bough_routing_minhop = {
    .name = "minhop",
    .summary = "a table of shortest paths, each over the port with the fewest addresses so far, counted as "
               "in OpenSM",
    .source = "OpenSM: the minhop routing engine",
    .params = params,
    .needs = BOUGH_HAS_ROUTES,
    .oblivious = true,
    .by_address = true,
    .open = open_minhop,
    .route = next_table_route,
    .fini = next_table_free,
};
