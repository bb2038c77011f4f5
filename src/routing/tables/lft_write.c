/* Writes a routing as opensm-lfts.dump, which OpenSM loads with `-R file -U FILE` and dumps unchanged.
 *
 * A table has entries for all LIDs, not only for endpoints. Entries for a switch, or for an adapter that is
 * not an endpoint, equal those for an endpoint of the same switch. If it has none, they use the lowest port
 * on an up/down path, which cannot deadlock with any routing of a tree. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/node_identifiers.h"
#include "routing/computed/up_down_paths.h"
#include "routing/tables/next_hop_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A LID of switch `at` (port 0), or of the adapter at one of its ports. */
typedef struct target {
    uint32_t lid, port;
    uint64_t at, guid;
    uint64_t address;              /* of an endpoint at the same switch, or BOUGH_NONE */
    const bough_fabric_node *node; /* NULL: node `own` of a family */
    uint64_t own;
} target;

typedef struct writer {
    const bough_routing *routing;
    const bough_net *net;
    bough_text *out;
    target *target;
    uint64_t targets;
    uint64_t *first_address; /* per node: an address at this switch, or BOUGH_NONE */
    up_down paths;
    uint32_t *links;
    uint32_t last; /* the largest LID */
} writer;

/* Tables require ports and LIDs. */
static bough_status check_names(const bough_net *net, bough_error *error) {
    char name[160];
    const bough_fabric *f = net->fabric;
    if (!net->ops->link_port)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "forwarding tables require port numbers, which %s does not have", net->spec);
    if (f && strcmp(f->format, "orcs") == 0)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "forwarding tables require LIDs of switches, which %s, an ORCS file, does not have",
                          f->source);
    for (uint64_t v = net->endpoints; v < net->nodes; v++)
        if (f && net_lid(net, v, 0) == 0)
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "forwarding tables require LIDs of switches, and %s has none in %s",
                              bough_node_name(net, v, name, sizeof name), f->source);
    if (net_lid(net, net->nodes - 1, 0) == 0)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has more nodes than LIDs exist (49151)",
                          net->spec);
    return BOUGH_OK;
}

static bough_status check(const bough_routing *r, bough_error *error) {
    const bough_net *net = r->net;
    if (net->fabric && net->fabric->without_lids)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "tables are by LID, and %s has none",
                          net->fabric->source);
    bool table = r->kind->by_address || (!r->kind->route && net->group_max == 1);
    if (!bough_routing_deterministic(r) || !table)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "`%s` is not a forwarding table: %s; dmodk, updn and minhop are tables", r->spec,
                          bough_routing_deterministic(r) ? "it depends on more than the destination"
                                                         : "it leaves a choice of links");
    for (uint64_t e = 0; e < net->endpoints; e++)
        if (bough_is_switch(net, e) || bough_only_link(net, e) == BOUGH_NONE)
            return bough_fail(
                error, BOUGH_UNSUPPORTED, NULL,
                "forwarding tables require endpoints with one cable, to a switch, which %s does not have",
                net->spec);
    return check_names(net, error);
}

static uint32_t table_port(const bough_net *net, uint64_t link) {
    return bough_port_number(net, net->ops->link_port(net, link));
}

static uint64_t switch_of(const bough_net *net, uint64_t endpoint, uint64_t *down) {
    uint64_t link = bough_injection_link(net, endpoint);
    *down = net->ops->link_twin(net, link);
    return net->ops->link_end(net, link).node;
}

/* ---- existing LIDs ---- */

static void family_targets(writer *w) {
    const bough_net *net = w->net;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint64_t at = v, down = 0;
        if (v < net->endpoints) at = switch_of(net, v, &down);
        w->target[w->targets++] = (target){.lid = net_lid(net, v, 0),
                                           .port = v < net->endpoints ? table_port(net, down) : 0,
                                           .at = at,
                                           .guid = net_port_guid(net, v),
                                           .address = v < net->endpoints ? v : w->first_address[at],
                                           .own = v};
    }
}

/* node_of: fabric node -> node of the network, or BOUGH_NONE; address_of: LID -> address, or BOUGH_NONE. */
static void fabric_targets(writer *w, const uint64_t *node_of, const uint64_t *address_of) {
    const bough_fabric *f = w->net->fabric;
    for (uint32_t n = 0; n < f->node_count; n++)
        if (node_of[n] != BOUGH_NONE && f->node[n].lid)
            w->target[w->targets++] = (target){.lid = f->node[n].lid,
                                               .at = node_of[n],
                                               .guid = f->node[n].guid,
                                               .address = w->first_address[node_of[n]],
                                               .node = &f->node[n]};
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        uint64_t at = p->peer == BOUGH_NO_INDEX ? BOUGH_NONE : node_of[f->port[p->peer].node];
        if (node_of[p->node] != BOUGH_NONE || at == BOUGH_NONE) continue;
        for (uint32_t lid = p->lid; lid && lid < p->lid + (UINT32_C(1) << p->lmc) && lid <= 0xBFFF; lid++)
            w->target[w->targets++] =
                (target){.lid = lid,
                         .port = f->port[p->peer].number,
                         .at = at,
                         .guid = p->guid,
                         .address = address_of[lid] == BOUGH_NONE ? w->first_address[at] : address_of[lid],
                         .node = &f->node[p->node]};
    }
}

static int by_lid(const void *a, const void *b) {
    const target *x = a, *y = b;
    return (x->lid > y->lid) - (x->lid < y->lid);
}

/* Sorts and removes duplicates: a LID of two ports belongs to the first. */
static void sort_targets(writer *w) {
    uint64_t kept = 0;
    qsort(w->target, w->targets, sizeof *w->target, by_lid);
    for (uint64_t i = 0; i < w->targets; i++)
        if (!kept || w->target[kept - 1].lid != w->target[i].lid) w->target[kept++] = w->target[i];
    w->targets = kept;
    w->last = kept ? w->target[kept - 1].lid : 0;
}

static bough_status find_targets(writer *w, bough_error *error) {
    const bough_net *net = w->net;
    const bough_fabric *f = net->fabric;
    uint64_t *node_of = NULL, *address_of = NULL, room = net->nodes, down;
    bough_status status = bough_alloc(&w->first_address, net->nodes, sizeof *w->first_address, error);
    for (uint64_t v = 0; v < net->nodes && !status; v++) w->first_address[v] = BOUGH_NONE;
    for (uint64_t e = net->endpoints; e-- > 0 && !status;)
        w->first_address[switch_of(net, e, &down)] = bough_endpoint_address(net, e);
    for (uint32_t i = 0; f && i < f->port_count; i++) room += UINT64_C(1) << f->port[i].lmc;
    TRY(bough_alloc(&w->target, room, sizeof *w->target, error));
    TRY(bough_alloc(&node_of, f ? f->node_count : 0, sizeof *node_of, error));
    TRY(bough_alloc(&address_of, 0x10000, sizeof *address_of, error));
    if (!status && f) {
        for (uint32_t n = 0; n < f->node_count; n++) node_of[n] = BOUGH_NONE;
        for (uint64_t v = net->endpoints; v < net->nodes; v++) node_of[bough_net_fabric_node(net, v)] = v;
        for (uint64_t l = 0; l < 0x10000; l++) address_of[l] = BOUGH_NONE;
        for (uint64_t a = net->addresses; a-- > 0;) address_of[bough_net_lid(net, a) & 0xffff] = a;
        fabric_targets(w, node_of, address_of);
    } else if (!status) {
        family_targets(w);
    }
    if (!status) sort_targets(w);
    FREE_ALL(node_of, address_of);
    return status;
}

/* ---- the tables ---- */

/* The output port of a switch for a LID; 0: the switch itself; -1: none. */
static int port_at(writer *w, uint64_t node, const target *t) {
    bough_flow flow = {BOUGH_NONE, t->address, 0};
    bough_route route;
    if (node == t->at) return (int)t->port;
    if (t->address != BOUGH_NONE) {
        bough_route_at(w->routing, node, &flow, &route);
        return route.count ? (int)table_port(w->net, route.first) : -1;
    }
    up_down_search(&w->paths, t->at);
    return up_down_links(&w->paths, node, w->links) ? (int)table_port(w->net, w->links[0]) : -1;
}

static void put_name(writer *w, const target *t) {
    char name[176], clean[176];
    const char *kind = t->port ? "Channel Adapter" : "Switch";
    if (t->node)
        export_name(t->node->description, clean, sizeof clean);
    else
        export_name(bough_node_name(w->net, t->own, name, sizeof name), clean, sizeof clean);
    bough_text_printf(w->out, "%s portguid 0x%016" PRIx64 ": '%s%s'\n", kind, t->guid, clean,
                      t->port && !t->node ? " HCA-1" : "");
}

static const target *own_target(const writer *w, uint64_t node) {
    for (uint64_t i = 0; i < w->targets; i++)
        if (w->target[i].port == 0 && w->target[i].at == node) return &w->target[i];
    return NULL;
}

static void put_table(writer *w, uint64_t node, const int *port) {
    char name[176], clean[176];
    const target *own = own_target(w, node);
    if (own && own->node)
        export_name(own->node->description, clean, sizeof clean);
    else
        export_name(bough_node_name(w->net, node, name, sizeof name), clean, sizeof clean);
    bough_text_printf(w->out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n", w->last,
                      own ? own->lid : 0, net_node_guid(w->net, node), clean);
    for (uint64_t i = 0; i < w->targets; i++) {
        if (port[i] < 0) continue;
        bough_text_printf(w->out, "0x%04x %03d # ", w->target[i].lid, port[i]);
        put_name(w, &w->target[i]);
    }
    bough_text_printf(w->out, "%u lids dumped\n", w->last);
}

typedef struct row {
    uint64_t guid, node;
} row;

/* Order of OpenSM: see next_hop_table.h. */
static int by_guid(const void *a, const void *b) {
    const row *x = a, *y = b;
    uint64_t g = __builtin_bswap64(x->guid), h = __builtin_bswap64(y->guid);
    return g != h ? (g < h ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

static bough_status put_tables(writer *w, bough_error *error) {
    const bough_net *net = w->net;
    uint64_t rows = net->nodes - net->endpoints;
    int *port = NULL;
    row *order = NULL;
    bough_status status =
        bough_memory_check(bough_mul(rows, bough_mul(w->targets, 90)), "the text of the tables", error);
    TRY(bough_alloc(&port, bough_mul(rows, w->targets), sizeof *port, error));
    TRY(bough_alloc(&order, rows, sizeof *order, error));
    for (uint64_t i = 0; i < w->targets && !status;
         i++) /* by target, so that one search serves all switches */
        for (uint64_t s = 0; s < rows; s++)
            port[s * w->targets + i] = port_at(w, net->endpoints + s, &w->target[i]);
    for (uint64_t s = 0; s < rows && !status; s++)
        order[s] = (row){net_node_guid(net, net->endpoints + s), net->endpoints + s};
    if (!status) qsort(order, rows, sizeof *order, by_guid);
    for (uint64_t s = 0; s < rows && !status; s++)
        put_table(w, order[s].node, port + (order[s].node - net->endpoints) * w->targets);
    FREE_ALL(port, order);
    return status;
}

static bough_status write_lfts(const bough_routing *routing, void *text, bough_error *error) {
    writer w = {.routing = routing, .net = routing->net, .out = text};
    bool *root = NULL;
    bough_status status = check(routing, error);
    TRY(export_check_size(w.net, error));
    TRY(bough_alloc(&root, w.net->nodes, sizeof *root, error));
    for (uint64_t v = w.net->endpoints; v < w.net->nodes && !status; v++)
        root[v] = w.net->ops->node_level(w.net, v) == w.net->levels;
    TRY(up_down_make(&w.paths, w.net, root, error));
    TRY(bough_alloc(&w.links, w.net->links, sizeof *w.links, error));
    TRY(find_targets(&w, error));
    TRY(put_tables(&w, error));
    up_down_fini(&w.paths);
    FREE_ALL(root, w.links, w.target, w.first_address);
    return status ? status : export_finished(w.out, error);
}

const bough_table_format bough_table_formats[] = {
    {"lfts", write_lfts},
    {"xml", bough_simgrid_write},
    {NULL, NULL},
};
