#include "routing/tables/next_hop_table.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/node_identifiers.h"
#include "network/wiring.h"

#include <stdlib.h>

uint32_t next_table_port(const bough_net *net, uint64_t link) {
    return net->ops->link_port ? net->ops->link_port(net, link) : (uint32_t)link;
}

/* ---- the order of addresses ---- */

typedef struct place {
    uint64_t guid;           /* of its switch, last byte first */
    uint32_t offset;         /* among the LIDs of one port */
    uint32_t first;          /* 1, 2, ..: before all others; UINT32_MAX: it has no such place */
    uint32_t adapters, port; /* number of adapters of its switch; its port there */
    uint64_t index;
    struct next_table_destination to;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->adapters != y->adapters) return x->adapters > y->adapters ? -1 : 1;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    if (x->port != y->port) return x->port < y->port ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adapter ports cabled to a switch of the fabric, including those that are not endpoints. */
static uint32_t fabric_adapters(const bough_net *net, uint64_t node) {
    const bough_fabric *f = net->fabric;
    uint32_t first, count, adapters = 0;
    bough_fabric_ports(f, bough_net_fabric_node(net, node), &first, &count);
    for (uint32_t i = first; i < first + count; i++)
        adapters += f->port[i].peer != BOUGH_NO_INDEX &&
                    f->node[f->port[f->port[i].peer].node].kind != BOUGH_FABRIC_SWITCH;
    return adapters;
}

static bough_status count_adapters(const bough_net *net, uint32_t **adapters, bough_error *error) {
    bough_status status = bough_alloc(adapters, net->nodes, sizeof **adapters, error);
    for (uint64_t v = net->endpoints; v < net->nodes && !status && net->fabric; v++)
        (*adapters)[v] = fabric_adapters(net, v);
    for (uint64_t e = 0; e < net->endpoints && !status && !net->fabric; e++)
        for (node_links at = node_links_of(net, e); node_links_next(&at);)
            (*adapters)[net->ops->link_end(net, at.link).node]++;
    return status;
}

static void list_addresses(const next_table *t, const uint32_t *adapters, place *list) {
    const bough_net *net = t->net;
    for (uint64_t a = 0; a < net->addresses; a++) {
        uint64_t e = bough_address_node(net, a);
        uint64_t link = bough_injection_link(net, e);
        bough_link_end at = net->ops->link_end(net, link);
        list[a] = (place){.guid = __builtin_bswap64(net_node_guid(net, at.node)),
                          .offset = (uint32_t)(a - bough_endpoint_address(net, e)),
                          .first = t->place && t->place[e] ? t->place[e] : UINT32_MAX,
                          .adapters = adapters[at.node],
                          .port = at.port,
                          .index = a,
                          .to = {a, e, false}};
    }
}

/* Lists the LIDs of adapters that are not endpoints. taken: per fabric port, it is an endpoint. Returns their
 * number; list may be NULL. */
static uint64_t list_others(const bough_net *net, const uint32_t *adapters, const bool *taken, uint64_t node,
                            place *list) {
    const bough_fabric *f = net->fabric;
    uint64_t count = 0, rep = BOUGH_NONE;
    uint32_t first, ports;
    bough_fabric_ports(f, bough_net_fabric_node(net, node), &first, &ports);
    for (uint32_t i = first; i < first + ports; i++) { /* an endpoint of the same switch */
        uint32_t peer = f->port[i].peer;
        if (peer == BOUGH_NO_INDEX || !taken[peer]) continue;
        uint64_t link = bough_net_link_at(net, node, f->port[i].number);
        rep = bough_endpoint_address(net, net->ops->link_end(net, link).node);
        break;
    }
    for (uint32_t i = first; i < first + ports; i++) {
        uint32_t peer = f->port[i].peer;
        if (peer == BOUGH_NO_INDEX || taken[peer] || !f->port[peer].lid ||
            f->node[f->port[peer].node].kind == BOUGH_FABRIC_SWITCH)
            continue;
        for (uint32_t k = 0; k < 1u << f->port[peer].lmc; k++, count++)
            if (list)
                list[count] = (place){.guid = __builtin_bswap64(net_node_guid(net, node)),
                                      .offset = k,
                                      .first = UINT32_MAX,
                                      .adapters = adapters[node],
                                      .port = f->port[i].number,
                                      .index = net->addresses + peer,
                                      .to = {rep, node, true}};
    }
    return count;
}

static bough_status find_order(next_table *t, bough_error *error) {
    const bough_net *net = t->net;
    place *list = NULL;
    uint32_t *adapters = NULL;
    bool *taken = NULL;
    uint64_t count = net->addresses, next = net->addresses;
    bough_status status = count_adapters(net, &adapters, error);
    TRY(bough_alloc(&taken, net->fabric ? net->fabric->port_count : 0, sizeof *taken, error));
    for (uint64_t e = 0; e < net->endpoints && net->fabric && !status; e++)
        taken[bough_net_fabric_port(net, bough_injection_link(net, e))] = true;
    for (uint64_t v = net->endpoints; v < net->nodes && net->fabric && !status; v++)
        count += list_others(net, adapters, taken, v, NULL);
    TRY(bough_alloc(&list, count, sizeof *list, error));
    TRY(bough_alloc(&t->order, count, sizeof *t->order, error));
    if (!status) {
        list_addresses(t, adapters, list);
        for (uint64_t v = net->endpoints; v < net->nodes && net->fabric; v++)
            next += list_others(net, adapters, taken, v, list + next);
        qsort(list, count, sizeof *list, by_place);
        for (uint64_t i = 0; i < count; i++) t->order[i] = list[i].to;
        t->destinations = count;
    }
    FREE_ALL(list, adapters, taken);
    return status;
}

/* ---- construction ---- */

/* Endpoints have no rows if each has one link only. */
static uint64_t first_row(const bough_net *net) {
    for (uint64_t e = 0; e < net->endpoints; e++)
        if (bough_is_switch(net, e) || bough_only_link(net, e) == BOUGH_NONE) return 0;
    return net->endpoints;
}

static uint64_t links_of(const bough_net *net, uint64_t node) {
    uint64_t links = 0;
    for (node_links at = node_links_of(net, node); node_links_next(&at);) links++;
    return links;
}

static void number_slots(next_table *t) {
    for (uint64_t v = t->entries.first_row; v < t->net->nodes; v++) {
        uint32_t *link = link_table_slots(&t->entries, v);
        uint8_t slot = 0;
        for (node_links at = node_links_of(t->net, v); node_links_next(&at);) {
            link[++slot] = (uint32_t)at.link;
            t->slot[at.link] = slot;
        }
    }
}

bough_status next_table_make(next_table *t, const bough_net *net, bough_error *error) {
    uint64_t most = 0;
    t->net = net;
    if (net->links >= BOUGH_NO_INDEX || net->nodes >= BOUGH_NO_INDEX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s has too many links for a forwarding table",
                          net->spec);
    t->entries.first_row = first_row(net);
    t->entries.rows = net->nodes - t->entries.first_row;
    for (uint64_t v = t->entries.first_row; v < net->nodes; v++) {
        const uint64_t links = links_of(net, v);
        if (links > most) most = links;
    }
    t->bytes = bough_add(link_table_shape(&t->entries, net->addresses, most),
                         bough_mul(bough_add(net->nodes, net->links), 24));
    t->bytes = bough_add(t->bytes, bough_mul(net->addresses, sizeof *t->order + sizeof(place)));
    bough_status status = bough_net_memory_check(net, t->bytes, "the forwarding table", error);
    TRY(link_table_make(&t->entries, error));
    TRY(bough_alloc(&t->load, net->links, sizeof *t->load, error));
    TRY(bough_alloc(&t->port, net->links, sizeof *t->port, error));
    if (t->entries.slots) TRY(bough_alloc(&t->slot, net->links, sizeof *t->slot, error));
    for (uint64_t l = 0; l < net->links && !status; l++) t->port[l] = next_table_port(net, l);
    if (t->slot && !status) number_slots(t);
    return status ? status : find_order(t, error);
}

void next_table_filled(next_table *t) {
    FREE_ALL(t->load, t->port, t->slot, t->order);
    t->load = t->port = NULL;
    t->slot = NULL;
    t->order = NULL;
    t->place = NULL;
}

/* ---- the routing ---- */

uint64_t next_table_next(const bough_routing *routing, uint64_t node, const bough_flow *flow) {
    const next_table *t = routing->data;
    const bough_net *net = t->net;
    if (node >= t->entries.first_row) {
        const uint32_t next = link_table_next(&t->entries, node, flow->address);
        return next == BOUGH_NO_INDEX ? BOUGH_NONE : next;
    }
    /* an endpoint sends only what its switch can forward */
    const uint64_t link = bough_injection_link(net, node), at = net->ops->link_end(net, link).node;
    const bough_table_row row = link_table_row(&t->entries, at);
    const bool forwards =
        bough_link_alive(net, link) && bough_table_link(&row, flow->address) != BOUGH_NO_INDEX;
    return forwards ? link : BOUGH_NONE;
}

bough_table_row next_table_row(const bough_routing *routing, uint64_t node) {
    const next_table *t = routing->data;
    return node >= t->entries.first_row ? link_table_row(&t->entries, node) : (bough_table_row){0};
}

void next_table_route(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                      bough_route *route) {
    uint64_t link = routing->kind->next(routing, node, flow);
    route->count = 0;
    if (link != BOUGH_NONE)
        *route = (bough_route){
            .group = routing->net->ops->link_group(routing->net, link), .first = link, .count = 1};
}

void next_table_free(bough_routing *routing) {
    next_table *t = routing->data;
    if (!t) return;
    link_table_fini(&t->entries);
    FREE_ALL(t->load, t->port, t->slot, t->order, t);
}
