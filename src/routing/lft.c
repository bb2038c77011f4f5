/* Routing by linear forwarding tables: each switch maps a LID to one output port. */
#include "base/memory.h"
#include "routing/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const bough_param params[] = {
    {"file",
     "opensm-lfts.dump, opensm.fdbs, ibroute or dump_fts output; one file or a directory of per-switch files",
     BOUGH_TEXT, "", 0, 0, .echo = true},
    BOUGH_PARAMS_END,
};

static void route_lft(const bough_routing *r, uint64_t node, const bough_flow *flow, bough_route *route) {
    const bough_net *net = r->net;
    uint64_t link;
    if (node < net->endpoints) { /* an adapter port has one cable */
        link = net->ops->group_links(net, net->ops->node_group(net, node, 0)).first;
    } else {
        uint32_t next = r->next[(node - net->endpoints) * net->addresses + flow->address];
        if (next == BOUGH_NO_INDEX) {
            route->count = 0;
            return;
        }
        link = next;
    }
    *route = (bough_route){.group = net->ops->link_group(net, link), .first = link, .count = 1};
}

/* Resolves (switch, LID) -> port -> link once, so that following a path is one load a hop. */
static bough_status resolve(bough_routing *r, bough_error *error) {
    const bough_net *net = r->net;
    uint64_t switches = net->nodes - net->endpoints;
    bough_status status =
        bough_memory_check(bough_mul(switches, net->addresses * 4), "the forwarding tables", error);
    if (!status) status = bough_alloc(&r->next, bough_mul(switches, net->addresses), sizeof *r->next, error);
    for (uint64_t s = 0; s < switches && !status; s++) {
        uint32_t node = bough_net_fabric_node(net, net->endpoints + s);
        const uint8_t *row = node < r->tables->nodes ? r->tables->port[node] : NULL;
        uint32_t at[256]; /* port -> link */
        for (uint32_t p = 0; p < 256; p++) {
            uint64_t link = p ? bough_net_link_at(net, net->endpoints + s, p) : BOUGH_NONE;
            at[p] = link == BOUGH_NONE ? BOUGH_NO_INDEX : (uint32_t)link;
        }
        for (uint64_t a = 0; a < net->addresses; a++) {
            uint32_t lid = bough_net_lid(net, a);
            r->next[s * net->addresses + a] = row && lid < r->tables->lids ? at[row[lid]] : BOUGH_NO_INDEX;
        }
    }
    return status;
}

static bough_status open_lft(bough_args *args, bough_routing *r, bough_error *error) {
    const bough_fabric *fabric = r->net->fabric;
    bough_status status = BOUGH_OK;
    if (args->value[0].set) {
        status = bough_alloc(&r->tables, 1, sizeof *r->tables, error);
        if (!status) status = bough_tables_read(args->value[0].text, fabric, r->tables, &r->findings, error);
        r->owns_tables = true;
    } else if (fabric->tables) {
        r->tables = fabric->tables;
    } else {
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "lft needs a table file, lft:FILE; %s holds no tables itself", fabric->source);
    }
    return status ? status : resolve(r, error);
}

const bough_routing_kind bough_routing_lft = {
    .name = "lft",
    .summary = "the forwarding tables of a real fabric",
    .source = "InfiniBand Architecture Specification, volume 1: linear forwarding tables",
    .params = params,
    .needs = BOUGH_GIVES_TABLES,
    .oblivious = true,
    .open = open_lft,
    .route = route_lft,
};
