/* Forwarding tables in an array, as a routing. */
#include "extension/array_names.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "routing/tables/next_hop_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct array_routing {
    bough_routing_kind kind; /* first */
    char *name;
    uint64_t nodes, endpoints, hash, *link;
} array_routing;

static void destroy(void *object) {
    array_routing *r = object;
    FREE_ALL(r->name, r->link, r);
}

static bough_status check_fit(const array_routing *r, const bough_net *net, bough_error *error) {
    if (r->nodes == net->nodes && r->endpoints == net->endpoints) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, r->name,
                      "tables of %" PRIu64 " nodes and %" PRIu64
                      " endpoints do not fit %s, which has %" PRIu64 " and %" PRIu64,
                      r->nodes, r->endpoints, net->spec, net->nodes, net->endpoints);
}

static bough_status check_link(const bough_net *net, uint64_t node, uint64_t link, bough_error *error) {
    char name[128];
    bough_node_name(net, node, name, sizeof name);
    if (link >= net->links)
        return bough_fail(error, BOUGH_INVALID, name, "link %" PRIu64 " does not exist; there are %" PRIu64,
                          link, net->links);
    if (bough_link_start(net, link) != node)
        return bough_fail(error, BOUGH_INVALID, name, "link %" PRIu64 " does not leave this node", link);
    return BOUGH_OK;
}

static bough_status fill_row(const array_routing *r, next_table *t, uint64_t node, bough_error *error) {
    const bough_net *net = t->net;
    for (uint64_t a = 0; a < net->addresses; a++) {
        uint64_t link = r->link[node * r->endpoints + bough_address_node(net, a)];
        if (link == UINT64_MAX || bough_address_node(net, a) == node) {
            next_table_set(t, node, a, BOUGH_NO_INDEX);
            continue;
        }
        bough_status status = check_link(net, node, link, error);
        if (status) return status;
        next_table_set(t, node, a, (uint32_t)link);
    }
    return BOUGH_OK;
}

static bough_status open(bough_args *args, bough_routing *routing, bough_error *error) {
    const array_routing *r = (const array_routing *)routing->kind;
    next_table *t;
    (void)args;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    routing->data = t;
    routing->input_hash = r->hash;
    status = check_fit(r, routing->net, error);
    TRY(next_table_make(t, routing->net, error));
    routing->bytes = t->bytes;
    for (uint64_t v = t->entries.first_row; v < routing->net->nodes && !status; v++)
        TRY(fill_row(r, t, v, error));
    if (!status) next_table_filled(t);
    return status;
}

/* Entries of dead links are no routes. */
static uint64_t next(const bough_routing *routing, uint64_t node, const bough_flow *flow) {
    uint64_t link = next_table_next(routing, node, flow);
    return link != BOUGH_NONE && bough_link_alive(routing->net, link) ? link : BOUGH_NONE;
}

bough_status registry_add_tables(bough_registry *registry, const bough_table_arrays *tables,
                                 bough_error *error) {
    static const bough_param none[] = {BOUGH_PARAMS_END};
    array_routing *r;
    uint64_t entries = bough_mul(tables->nodes, tables->endpoints);
    bough_status status = registry_check_name(registry, BOUGH_LIST_ROUTINGS, tables->name, error);
    if (!status && entries == 0)
        status = bough_fail(error, BOUGH_INVALID, "bough_table_arrays", "the tables have no entries");
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (status) return status;
    r->nodes = tables->nodes;
    r->endpoints = tables->endpoints;
    r->name = bough_strdup(tables->name);
    if (!r->name) status = bough_fail_memory(error, strlen(tables->name));
    TRY(bough_alloc(&r->link, entries, sizeof *r->link, error));
    if (status) {
        destroy(r);
        return status;
    }
    memcpy(r->link, tables->link, entries * sizeof *r->link);
    r->hash = bough_fnv1a(BOUGH_FNV1A_START, (const char *)r->link, entries * sizeof *r->link);
    r->kind = (bough_routing_kind){.name = r->name,
                                   .summary = "forwarding tables of the program",
                                   .source = "",
                                   .params = none,
                                   .oblivious = true,
                                   .by_address = true,
                                   .own_ways = true,
                                   .open = open,
                                   .route = next_table_route,
                                   .next = next,
                                   .fini = next_table_free};
    status = registry_own(registry, (owned_object){r, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_ROUTINGS, r, error);
}
