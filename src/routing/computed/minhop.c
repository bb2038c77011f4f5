/* The routes of the network as a table: each switch uses, of its links on them, the one with the fewest
 * addresses so far. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/computed/engine_settings.h"
#include "routing/computed/table_filler.h"
#include "routing/routing_list.h"

#include <stdlib.h>

enum { P_ORDER };

static const bough_param params[] = {[P_ORDER] = ENGINE_ORDER_PARAM, BOUGH_PARAMS_END};

/* Paths to destinations without an address: the network has no routes to switches. */
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

bough_status minhop_fill(bough_routing *r, const engine_settings *settings, bough_error *error) {
    up_down paths = {0};
    next_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    t->place = settings->place;
    status = next_table_make(t, r->net, error);
    r->bytes = t->bytes;
    TRY(make_paths(t, &paths, error));
    const table_filler filler = {.table = t, .paths = paths.net ? &paths : NULL, .routes = true};
    TRY(table_fill(&filler, error));
    if (!status) next_table_filled(t);
    up_down_fini(&paths);
    return status;
}

static bough_status open_minhop(bough_args *args, bough_routing *r, bough_error *error) {
    const bough_value *order = &args->value[P_ORDER];
    engine_settings settings = {0};
    bough_status status = engine_order_read(order->set ? order->text : "", r, &settings, error);
    TRY(minhop_fill(r, &settings, error));
    engine_settings_fini(&settings);
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
    .next = next_table_next,
    .row = next_table_row,
    .fini = next_table_free,
};
