#include "loads/address_tree.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/tables/link_table.h"

#include <stdlib.h>
#include <string.h>

bool address_tree_fits(const bough_routing *routing) {
    const bough_routing_kind *kind = routing->kind;
    return (!kind->route || kind->by_address) && bough_routing_deterministic(routing) &&
           routing->net->nodes < UINT32_MAX && routing->net->links < UINT32_MAX;
}

/* ---- flows of origins ---- */

bough_status origin_arrivals_make(origin_arrivals *a, const origin_list *o, bough_error *error) {
    bough_status status = bough_alloc(&a->reached, o->count, sizeof *a->reached, error);
    TRY(bough_alloc(&a->own, o->endpoints, sizeof *a->own, error));
    return status;
}

void origin_arrivals_fini(origin_arrivals *a) {
    FREE_ALL(a->reached, a->own);
}

void origin_arrivals_join(origin_arrivals *to, const origin_arrivals *from, const origin_list *o) {
    for (uint32_t i = 0; i < o->count; i++) to->reached[i] += from->reached[i];
    for (uint32_t e = 0; e < o->endpoints; e++) to->own[e] |= from->own[e];
}

/* ---- trees ---- */

/* Addresses of a tile. Who follows all paths to an address goes on with the next one, so that the entries of
 * some addresses are read at once, row by row, and not when a path needs them. */
enum { ADDRESS_TILE = 16, ROWS_AHEAD = 8 };

static uint64_t tile_stride(const bough_net *net) {
    return (((net->nodes - net->endpoints) / 16) | 1) * 16 + 16;
}

static uint64_t tile_bytes(const bough_routing *routing) {
    const bough_net *net = routing->net;
    if (!routing->kind->row) return 0;
    uint64_t slots = 0;
    for (uint64_t v = net->endpoints; v < net->nodes; v++) slots += routing->kind->row(routing, v).slots;
    return bough_add(bough_mul(tile_stride(net), ADDRESS_TILE * sizeof(next_hop)),
                     bough_mul(slots, sizeof(next_hop)));
}

uint64_t address_tree_bytes(const bough_routing *routing) {
    const bough_net *net = routing->net;
    uint64_t nodes =
        bough_mul(net->nodes, 5 * sizeof(uint32_t) + sizeof(bough_table_row) + sizeof(uint64_t) + 1);
    return bough_add(bough_add(nodes, tile_bytes(routing)), bough_mul(net->links, sizeof(uint32_t)));
}

static bough_status make_own(address_tree *t, bough_error *error) {
    const bough_net *net = t->routing->net;
    const bough_array arrays[] = {
        {&t->seen, net->nodes, sizeof *t->seen}, {&t->link, net->nodes, sizeof *t->link},
        {&t->to, net->nodes, sizeof *t->to},     {&t->links, net->nodes, sizeof *t->links},
        {&t->end, net->nodes, sizeof *t->end},   {&t->stack, net->nodes, sizeof *t->stack},
    };
    return bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
}

static bool have_rows(const address_tree *t) {
    const bough_net *net = t->routing->net;
    for (uint64_t v = net->endpoints; v < net->nodes; v++)
        if (!t->row[v].link) return false;
    return net->nodes > net->endpoints;
}

static bough_status make_tile(address_tree *t, bough_error *error) {
    const bough_net *net = t->routing->net;
    const uint64_t entries = bough_mul(tile_stride(net), ADDRESS_TILE);
    t->tile = (address_tile){.first_node = BOUGH_NO_INDEX, .stride = tile_stride(net)};
    if (!t->hops) return BOUGH_OK;
    t->tile.first_node = (uint32_t)net->endpoints;
    bough_status status = bough_alloc(&t->tile.link, entries, sizeof *t->tile.link, error);
    TRY(bough_alloc(&t->tile.to, entries, sizeof *t->tile.to, error));
    return status;
}

static next_hop hop_over(const address_tree *t, uint32_t link) {
    if (link == BOUGH_NO_INDEX || bough_link_lost(t->routing->net, link))
        return (next_hop){BOUGH_NO_INDEX, BOUGH_NO_INDEX};
    return (next_hop){link, t->link_end[link]};
}

static bough_status make_hops(address_tree *t, bough_error *error) {
    const bough_net *net = t->routing->net;
    uint64_t slots = 0;
    if (!have_rows(t)) return BOUGH_OK;
    bough_status status = bough_alloc(&t->first_hop, net->nodes, sizeof *t->first_hop, error);
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        t->first_hop[v] = slots;
        slots += t->row[v].slots;
    }
    TRY(bough_alloc(&t->hops, slots, sizeof *t->hops, error));
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++)
        for (uint32_t i = 0; i < t->row[v].slots; i++)
            t->hops[t->first_hop[v] + i] = hop_over(t, t->row[v].link[i]);
    return status;
}

bough_status address_tree_make(address_tree *t, const bough_routing *routing, bough_error *error) {
    const bough_net *net = routing->net;
    *t = (address_tree){.routing = routing};
    bough_status status = make_own(t, error);
    TRY(bough_alloc(&t->link_end, net->links, sizeof *t->link_end, error));
    TRY(bough_alloc(&t->row, net->nodes, sizeof *t->row, error));
    for (uint64_t l = 0; l < net->links && !status; l++)
        t->link_end[l] = (uint32_t)net->ops->link_end(net, l).node;
    for (uint64_t v = 0; v < net->nodes && !status && routing->kind->row; v++)
        t->row[v] = routing->kind->row(routing, v);
    if (!status) status = make_hops(t, error);
    TRY(make_tile(t, error));
    return status;
}

bough_status address_tree_make_like(address_tree *t, const address_tree *first, bough_error *error) {
    *t = (address_tree){
        .routing = first->routing, .like = first, .link_end = first->link_end, .row = first->row};
    t->hops = first->hops;
    t->first_hop = first->first_hop;
    bough_status status = make_own(t, error);
    TRY(make_tile(t, error));
    return status;
}

void address_tree_fini(address_tree *t) {
    if (!t->like) FREE_ALL(t->link_end, t->row, t->hops, t->first_hop);
    FREE_ALL(t->seen, t->link, t->to, t->links, t->end, t->stack, t->tile.link, t->tile.to);
    *t = (address_tree){0};
}

/* Reads the entries of one switch for some addresses from `address` on. */
static void read_row(address_tree *t, uint64_t node, uint64_t address, uint64_t count) {
    const bough_table_row *row = &t->row[node];
    const next_hop *hops = t->hops + t->first_hop[node];
    uint32_t *link = t->tile.link + (node - t->tile.first_node), *to = link - t->tile.link + t->tile.to;
    for (uint64_t i = 0; i < count; i++, link += t->tile.stride, to += t->tile.stride) {
        const next_hop hop = row->slot ? hops[row->slot[address + i]] : hop_over(t, row->link[address + i]);
        *link = hop.link;
        *to = hop.to;
    }
}

static void read_tile(address_tree *t, uint64_t number) {
    const bough_net *net = t->routing->net;
    const uint64_t first = number * ADDRESS_TILE, left = net->addresses - first;
    if (t->tile.number == number + 1) return;
    t->tile.number = number + 1;
    for (uint64_t v = t->tile.first_node; v < net->nodes; v++) {
        if (v + ROWS_AHEAD < net->nodes) link_row_fetch(&t->row[v + ROWS_AHEAD], first);
        read_row(t, v, first, left < ADDRESS_TILE ? left : ADDRESS_TILE);
    }
}

/* A node on the path that is being followed has mark, one whose path is known mark + 1. */
void address_tree_start(address_tree *t, uint64_t address) {
    const bough_net *net = t->routing->net;
    t->mark += 2;
    if (t->mark == 0) { /* after 2^31 addresses */
        memset(t->seen, 0, net->nodes * sizeof *t->seen);
        t->mark = 2;
    }
    t->target = bough_address_node(net, address);
    t->address = address;
    t->seen[t->target] = t->mark + 1;
    t->link[t->target] = BOUGH_NO_INDEX;
    t->links[t->target] = 0;
    t->end[t->target] = SPREAD_ARRIVES;
    if (t->tile.link) read_tile(t, address / ADDRESS_TILE);
}

uint64_t address_tree_link(const address_tree *t, uint64_t node, uint64_t address) {
    const bough_table_row *row = &t->row[node];
    if (!row->link) {
        bough_flow flow = {node < t->routing->net->endpoints ? node : BOUGH_NONE, address, 0};
        return bough_next_link(t->routing, node, &flow);
    }
    link_row_ahead(row, address);
    const uint32_t link = bough_table_link(row, address);
    return link == BOUGH_NO_INDEX ? BOUGH_NONE : link;
}

static next_hop hop_from(const address_tree *t, uint32_t node) {
    if (node >= t->tile.first_node) {
        const uint64_t at = t->address % ADDRESS_TILE * t->tile.stride + (node - t->tile.first_node);
        return (next_hop){t->tile.link[at], t->tile.to[at]};
    }
    const uint64_t link = address_tree_link(t, node, t->address);
    return hop_over(t, link == BOUGH_NONE ? BOUGH_NO_INDEX : (uint32_t)link);
}

/* The next node, or BOUGH_NO_INDEX and the end of the path. Paths do not pass through adapters. */
static uint32_t ask(address_tree *t, uint32_t node) {
    const bough_net *net = t->routing->net;
    const next_hop hop = hop_from(t, node);
    t->link[node] = BOUGH_NO_INDEX;
    t->end[node] = SPREAD_NO_ENTRY;
    if (hop.link == BOUGH_NO_INDEX) return BOUGH_NO_INDEX;
    if (hop.to != t->target && hop.to < net->endpoints && !bough_is_switch(net, hop.to)) {
        t->end[node] = SPREAD_WRONG_ADAPTER;
        return BOUGH_NO_INDEX;
    }
    t->link[node] = hop.link;
    return t->to[node] = hop.to;
}

static void finish_node(address_tree *t, uint32_t node, uint8_t end, uint32_t links) {
    t->seen[node] = t->mark + 1;
    t->end[node] = end;
    t->links[node] = links;
}

/* Most paths meet a known one at once. */
void address_tree_follow(address_tree *t, uint32_t node) {
    uint32_t depth = 1, at = ask(t, node);
    if (at != BOUGH_NO_INDEX && t->seen[at] == t->mark + 1) {
        finish_node(t, node, t->end[at], t->links[at] + (t->links[at] < UINT32_MAX));
        return;
    }
    t->seen[node] = t->mark;
    t->stack[0] = node;
    while (at != BOUGH_NO_INDEX && t->seen[at] < t->mark) {
        t->seen[at] = t->mark;
        t->stack[depth++] = at;
        at = ask(t, at);
    }
    /* the path met itself, or a known one, or ended */
    bool loop = at != BOUGH_NO_INDEX && t->seen[at] == t->mark, ended = at == BOUGH_NO_INDEX;
    uint8_t end = loop ? SPREAD_LOOP : ended ? t->end[t->stack[depth - 1]] : t->end[at];
    uint32_t links = loop || ended ? 0 : t->links[at];
    while (depth-- > 0) {
        uint32_t n = t->stack[depth];
        if (t->link[n] != BOUGH_NO_INDEX && links < UINT32_MAX) links++;
        finish_node(t, n, end, links);
    }
}
