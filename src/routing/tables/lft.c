/* Routing by linear forwarding tables: each switch maps a LID to one output port. */
#include "base/memory/large_pages.h"
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

/* Per (switch, address): the link of the table entry, or BOUGH_NO_INDEX. */
typedef struct lft {
    uint32_t *next;  /* [switch * stride + address] */
    uint64_t stride; /* next_table_stride */
} lft;

/* Entries for dead links do not change. */
static uint64_t next_lft(const bough_routing *r, uint64_t node, const bough_flow *flow) {
    const bough_net *net = r->net;
    const lft *t = r->data;
    uint64_t link;
    if (node >= net->endpoints) {
        const uint32_t *entry = &t->next[(node - net->endpoints) * t->stride + flow->address];
        uint32_t next = *entry;
        next_table_ahead(entry, flow->address);
        link = next == BOUGH_NO_INDEX ? BOUGH_NONE : next;
    } else { /* an adapter port has one cable; a table that leads to a wrong adapter ends there */
        link = node == flow->source ? bough_injection_link(net, node) : BOUGH_NONE;
    }
    return link != BOUGH_NONE && bough_link_alive(net, link) ? link : BOUGH_NONE;
}

/* Entries for dead links must be checked one by one. */
static const uint32_t *row_of_lft(const bough_routing *r, uint64_t node) {
    const lft *t = r->data;
    return node < r->net->endpoints || r->net->dead ? NULL : &t->next[(node - r->net->endpoints) * t->stride];
}

typedef struct resolving {
    const bough_net *net;
    const bough_tables *tables;
    const uint32_t *lid; /* [addresses] */
    lft *t;
} resolving;

static void resolve_switch(void *context, unsigned worker, uint64_t s) {
    const resolving *r = context;
    const bough_net *net = r->net;
    uint32_t node = bough_net_fabric_node(net, net->endpoints + s), *next = &r->t->next[s * r->t->stride];
    const uint8_t *row = node < r->tables->nodes ? r->tables->port[node] : NULL;
    uint32_t at[256]; /* port -> link */
    (void)worker;
    for (uint32_t p = 0; p < 256; p++) {
        uint64_t link = p ? bough_net_link_at(net, net->endpoints + s, p) : BOUGH_NONE;
        at[p] = link == BOUGH_NONE ? BOUGH_NO_INDEX : (uint32_t)link;
    }
    for (uint64_t a = 0; a < net->addresses; a++)
        next[a] = row && r->lid[a] < r->tables->lids ? at[row[r->lid[a]]] : BOUGH_NO_INDEX;
}

/* Resolves (switch, LID) -> port -> link once, so following a path takes one load per hop. */
static bough_status resolve(bough_routing *r, const bough_tables *tables, lft *t, bough_error *error) {
    const bough_net *net = r->net;
    uint64_t switches = net->nodes - net->endpoints;
    uint32_t *lid = NULL;
    t->stride = next_table_stride(net->addresses);
    uint64_t bytes = bough_mul(switches, t->stride * 4);
    bough_status status = bough_net_memory_check(net, bytes, "the forwarding tables", error);
    r->bytes = bough_add(tables->bytes, bytes);
    TRY(large_alloc(&t->next, bough_mul(switches, t->stride), sizeof *t->next, error));
    TRY(bough_alloc(&lid, net->addresses, sizeof *lid, error));
    for (uint64_t a = 0; a < net->addresses && !status; a++) lid[a] = bough_net_lid(net, a);
    if (!status) team_loop(net->threads, switches, resolve_switch, &(resolving){net, tables, lid, t});
    free(lid);
    return status;
}

static bough_status open_lft(bough_args *args, bough_routing *r, bough_error *error) {
    const bough_fabric *fabric = r->net->fabric;
    bough_tables read = {0};
    lft *t;
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
    lft *t = r->data;
    if (t) free(t->next);
    free(t);
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
