/* Routing by linear forwarding tables: each switch maps a LID to one output port. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "routing/routing_list.h"
#include "routing/tables/next_hop_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { P_FILE };

static const bough_param params[] = {
    [P_FILE] = {"file",
                "opensm-lfts.dump, opensm.fdbs, ibdiagnet2.fdbs, ibroute or dump_fts output; one file or a "
                "directory of per-switch files",
                BOUGH_TEXT, "", 0, 0, .echo = true},
    BOUGH_PARAMS_END,
};

/* Entries for dead links do not change. */
static uint64_t next_lft(const bough_routing *r, uint64_t node, const bough_flow *flow) {
    const bough_net *net = r->net;
    uint64_t link;
    if (node >= net->endpoints) {
        const uint32_t next = link_table_next(r->data, node, flow->address);
        link = next == BOUGH_NO_INDEX ? BOUGH_NONE : next;
    } else { /* an adapter port has one cable; a table that leads to a wrong adapter ends there */
        link = node == flow->source ? bough_injection_link(net, node) : BOUGH_NONE;
    }
    return link != BOUGH_NONE && bough_link_alive(net, link) ? link : BOUGH_NONE;
}

/* Entries for dead links must be checked one by one. */
static bough_table_row row_of_lft(const bough_routing *r, uint64_t node) {
    return node < r->net->endpoints || r->net->dead ? (bough_table_row){0} : link_table_row(r->data, node);
}

typedef struct resolving {
    const bough_net *net;
    const bough_tables *tables;
    const uint32_t *lid; /* [addresses] */
    link_table *t;
} resolving;

/* The slot of a port is its number: port 0 is the switch itself, to which no link leads. */
static void resolve_switch(void *context, unsigned worker, uint64_t s) {
    const resolving *r = context;
    const bough_net *net = r->net;
    const uint64_t switch_node = net->endpoints + s;
    const uint32_t node = bough_net_fabric_node(net, switch_node);
    const uint8_t *row = node < r->tables->nodes ? r->tables->port[node] : NULL;
    uint8_t *slot = r->t->slot + s * r->t->stride;
    uint32_t *link = link_table_slots(r->t, switch_node);
    (void)worker;
    for (uint32_t p = 1; p < r->t->slots; p++) {
        const uint64_t at = bough_net_link_at(net, switch_node, p);
        if (at != BOUGH_NONE) link[p] = (uint32_t)at;
    }
    for (uint64_t a = 0; a < net->addresses; a++) {
        const uint8_t port = row && r->lid[a] < r->tables->lids ? row[r->lid[a]] : 0;
        slot[a] = port < r->t->slots ? port : 0;
    }
}

static uint64_t highest_port(const bough_net *net) {
    uint32_t highest = 0;
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        uint32_t first, count;
        bough_fabric_ports(net->fabric, bough_net_fabric_node(net, v), &first, &count);
        for (uint32_t i = first; i < first + count; i++)
            if (net->fabric->port[i].number > highest) highest = net->fabric->port[i].number;
    }
    return highest < LINK_SLOTS_MAX ? highest : LINK_SLOTS_MAX;
}

/* Finds the place of each (switch, address) once, so following a path takes no search. */
static bough_status resolve(bough_routing *r, const bough_tables *tables, link_table *t, bough_error *error) {
    const bough_net *net = r->net;
    uint32_t *lid = NULL;
    t->first_row = net->endpoints;
    t->rows = net->nodes - net->endpoints;
    const uint64_t bytes = link_table_shape(t, net->addresses, highest_port(net));
    bough_status status = bough_net_memory_check(net, bytes, "the forwarding tables", error);
    r->bytes = bough_add(tables->bytes, bytes);
    TRY(link_table_make(t, error));
    TRY(bough_alloc(&lid, net->addresses, sizeof *lid, error));
    for (uint64_t a = 0; a < net->addresses && !status; a++) lid[a] = bough_net_lid(net, a);
    if (!status) team_loop(net->threads, t->rows, resolve_switch, &(resolving){net, tables, lid, t});
    free(lid);
    return status;
}

static bough_status open_lft(bough_args *args, bough_routing *r, bough_error *error) {
    const bough_fabric *fabric = r->net->fabric;
    bough_tables read = {0};
    link_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    if (args->value[P_FILE].set) {
        const bough_tables_file file = {args->value[P_FILE].text, r->net->threads};
        status = bough_tables_read(&file, fabric, &read, &r->findings, error);
        if (status) return status;
        r->input_hash = read.hash;
        status = resolve(r, &read, t, error);
        bough_tables_fini(&read);
        return status;
    }
    if (fabric->tables) {
        r->input_hash = fabric->tables->hash;
        return resolve(r, fabric->tables, t, error);
    }
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "lft requires a table file, lft:FILE; %s contains no tables", fabric->source);
}

static void fini_lft(bough_routing *r) {
    if (r->data) link_table_fini(r->data);
    free(r->data);
}

const bough_routing_kind bough_routing_lft = {
    .name = "lft",
    .summary = "the forwarding tables of an imported fabric",
    .source = "InfiniBand Architecture Specification, volume 1: linear forwarding tables",
    .params = params,
    .needs = BOUGH_HAS_TABLES,
    .oblivious = true,
    .by_address = true,
    .own_ways = true,
    .open = open_lft,
    .route = next_table_route,
    .next = next_lft,
    .row = row_of_lft,
    .fini = fini_lft,
};
