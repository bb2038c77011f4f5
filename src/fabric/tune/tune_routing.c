#include "fabric/tune/tune_routing.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/tables/next_hop_table.h"

#include <stdlib.h>

/* ---- tables as a routing ---- */

static bough_status open_tuned(bough_args *args, bough_routing *r, bough_error *error) {
    (void)args;
    next_table *t;
    bough_status status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    r->data = t;
    status = next_table_make(t, r->net, error);
    r->bytes = t->bytes;
    if (!status) link_table_clear(&t->entries, 0, t->entries.rows);
    return status;
}

static const bough_param params[] = {BOUGH_PARAMS_END};

static const bough_routing_kind kind = {
    .name = "tuned",
    .summary = "tables of bough tune",
    .source = "bough tune",
    .params = params,
    .oblivious = true,
    .by_address = true,
    .own_ways = true,
    .open = open_tuned,
    .route = next_table_route,
    .next = next_table_next,
    .fini = next_table_free,
};

/* The link from the switch of a host to the host. */
static uint64_t last_link(const bough_net *net, uint64_t host) {
    return net->ops->link_twin(net, bough_injection_link(net, host));
}

static void fill(const tune_tables *t, next_table *table) {
    const tune_graph *g = t->graph;
    const bough_net *net = g->net;
    for (uint64_t a = 0; a < net->addresses; a++) {
        const uint64_t host = bough_address_node(net, a);
        const uint64_t offset = (a - bough_endpoint_address(net, host)) % tune_paths_to(g, (uint32_t)host);
        const uint32_t d = g->first_of[host] + (uint32_t)offset, leaf = g->leaf_of[d];
        for (uint32_t s = 0; s < g->switches && leaf != BOUGH_NO_INDEX; s++) {
            const uint32_t arc = *tune_entry(t, d, s);
            uint32_t link = arc == BOUGH_NO_INDEX ? BOUGH_NO_INDEX : g->link[arc];
            if (s == g->leaf_switch[leaf]) link = (uint32_t)last_link(net, host);
            next_table_set(table, net->endpoints + s, a, link);
        }
    }
    next_table_filled(table);
}

bough_status tune_routing_make(const tune_tables *t, bough_routing **routing, bough_error *error) {
    bough_spec spec = {0};
    bough_status status = bough_spec_parse("tuned", &spec, error);
    TRY(bough_routing_make(t->graph->net, &kind, &spec, routing, error));
    bough_spec_fini(&spec);
    if (!status) fill(t, (*routing)->data);
    return status;
}

/* ---- a routing as tables ---- */

enum { UNKNOWN, OPEN, ARRIVES, ENDS };

/* Follows the path of a switch, and marks how it ends for all switches on it. */
static void follow(const tune_graph *g, const uint32_t *next, uint32_t start, uint8_t *state) {
    uint32_t s = start;
    while (state[s] == UNKNOWN && next[s] != BOUGH_NO_INDEX) {
        state[s] = OPEN;
        s = g->to[next[s]];
    }
    const uint8_t end = state[s] == ARRIVES ? ARRIVES : ENDS;
    if (state[s] == UNKNOWN) state[s] = end;
    for (s = start; state[s] == OPEN; s = g->to[next[s]]) state[s] = end;
}

static void read_host(const bough_routing *routing, tune_tables *t, uint32_t host, tune_raw *raw) {
    const tune_graph *g = t->graph;
    const bough_net *net = g->net;
    const bough_flow flow = {BOUGH_NONE, tune_address(g, host), 0};
    for (uint32_t s = 0; s < g->switches; s++) {
        const tune_choices c = tune_choices_at(g, g->leaf_of[host], s);
        const uint64_t link = bough_next_link(routing, net->endpoints + s, &flow);
        uint32_t arc = BOUGH_NO_INDEX;
        if (link != BOUGH_NONE && s != g->leaf_switch[g->leaf_of[host]]) arc = g->arc_of[link];
        raw->outside += arc != BOUGH_NO_INDEX && !tune_is_choice(&c, arc);
        *tune_entry(t, host, s) = arc;
    }
}

static bool delivers(const bough_routing *routing, const tune_graph *g, uint32_t destination) {
    const bough_net *net = routing->net;
    const bough_flow flow = {BOUGH_NONE, tune_address(g, destination), 0};
    const uint64_t leaf = net->endpoints + g->leaf_switch[g->leaf_of[destination]];
    return bough_next_link(routing, leaf, &flow) == last_link(net, g->host_of[destination]);
}

bough_status tune_routing_read(const bough_routing *routing, tune_tables *t, tune_raw *raw,
                               bough_error *error) {
    const tune_graph *g = t->graph;
    uint8_t *state = NULL;
    *raw = (tune_raw){0};
    bough_status status = bough_alloc(&state, g->switches, sizeof *state, error);
    for (uint32_t d = 0; d < g->destinations && !status; d++) {
        const uint32_t leaf = g->leaf_of[d];
        if (leaf == BOUGH_NO_INDEX) continue;
        read_host(routing, t, d, raw);
        for (uint32_t s = 0; s < g->switches; s++) state[s] = UNKNOWN;
        state[g->leaf_switch[leaf]] = delivers(routing, g, d) ? ARRIVES : ENDS;
        for (uint32_t s = 0; s < g->switches; s++) follow(g, tune_entry(t, d, 0), s, state);
        for (uint32_t s = 0; s < g->switches; s++)
            if (state[s] != ARRIVES) *tune_entry(t, d, s) = BOUGH_NO_INDEX;
        for (uint32_t l = 0; l < g->leaves; l++) {
            const bool connected = l == leaf || tune_choices_at(g, leaf, g->leaf_switch[l]).count;
            if (connected && state[g->leaf_switch[l]] != ARRIVES)
                raw->unrouted += g->leaf_hosts[l] - (l == leaf);
        }
    }
    free(state);
    return status;
}
