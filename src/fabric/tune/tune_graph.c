#include "fabric/tune/tune_graph.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/check_routing.h"
#include "fabric/tune/tune_paths.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- hosts and arcs ---- */

bool tune_graph_fits(const bough_net *net, uint64_t e) {
    return !bough_is_switch(net, e) && net->ops->node_group_count(net, e) == 1 &&
           net->ops->group_links(net, net->ops->node_group(net, e, 0)).count == 1 &&
           bough_is_switch(net, net->ops->link_end(net, bough_injection_link(net, e)).node);
}

static bough_status check_host(const bough_net *net, uint64_t e, bough_error *error) {
    char name[160];
    if (tune_graph_fits(net, e)) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "tables are tuned for endpoints with one cable, to a switch; %s of %s is different",
                      bough_node_name(net, e, name, sizeof name), net->spec);
}

static bool alive(const bough_net *net, uint64_t link) {
    return bough_link_alive(net, link) && !bough_link_lost(net, link);
}

static void set_leaf(tune_graph *g, uint32_t host, uint32_t leaf) {
    for (uint32_t d = g->first_of[host]; d < g->first_of[host + 1]; d++) {
        g->leaf_of[d] = leaf;
        g->host_of[d] = host;
    }
}

static bough_status find_leaves(tune_graph *g, bough_error *error) {
    const bough_net *net = g->net;
    bough_status status = BOUGH_OK;
    for (uint32_t s = 0; s < g->switches; s++) g->leaf_at[s] = BOUGH_NO_INDEX;
    for (uint32_t e = 0; e < g->hosts && !status; e++) {
        status = check_host(net, e, error);
        if (status) break;
        const uint64_t link = bough_injection_link(net, e), back = net->ops->link_twin(net, link);
        const uint32_t at = (uint32_t)(net->ops->link_end(net, link).node - net->endpoints);
        set_leaf(g, e, BOUGH_NO_INDEX);
        if (back == BOUGH_NONE || !alive(net, link) || !alive(net, back)) continue;
        if (g->leaf_at[at] == BOUGH_NO_INDEX) {
            g->leaf_at[at] = g->leaves;
            g->leaf_switch[g->leaves++] = at;
        }
        set_leaf(g, e, g->leaf_at[at]);
        g->leaf_hosts[g->leaf_at[at]]++;
    }
    return status;
}

/* Only cables that work in both directions: other tools take no others, and paths need the way back. */
static bool is_arc(const bough_net *net, uint64_t link) {
    const uint64_t back = net->ops->link_twin(net, link);
    if (back == BOUGH_NONE || !alive(net, link) || !alive(net, back)) return false;
    return bough_link_start(net, link) >= net->endpoints &&
           net->ops->link_end(net, link).node >= net->endpoints;
}

static void find_arcs(tune_graph *g, const bough_link_rates *rates) {
    const bough_net *net = g->net;
    const double nominal = rates->equal ? 1 : (double)rates->nominal;
    g->equal = true;
    for (uint64_t l = 0; l < net->links; l++) {
        const double scale = rates->equal ? 1 : nominal / (double)bough_net_link_rate(net, l);
        g->arc_of[l] = BOUGH_NO_INDEX;
        if (!is_arc(net, l)) {
            const uint64_t end = net->ops->link_end(net, l).node, start = bough_link_start(net, l);
            const uint64_t host = start < net->endpoints ? start : end;
            if (host < net->endpoints && scale > g->host_scale[host]) g->host_scale[host] = scale;
            continue;
        }
        g->link[g->arcs] = (uint32_t)l;
        g->from[g->arcs] = (uint32_t)(bough_link_start(net, l) - net->endpoints);
        g->to[g->arcs] = (uint32_t)(net->ops->link_end(net, l).node - net->endpoints);
        g->scale[g->arcs] = scale;
        g->equal = g->equal && scale == g->scale[0];
        g->arc_of[l] = g->arcs++;
    }
}

static uint32_t row_from(const void *context, uint32_t arc) {
    return ((const tune_graph *)context)->from[arc];
}
static uint32_t row_to(const void *context, uint32_t arc) {
    return ((const tune_graph *)context)->to[arc];
}

/* ---- construction ---- */

static bough_status number_destinations(tune_graph *g, unsigned lmc, bough_error *error) {
    const bough_net *net = g->net;
    uint32_t most = 1;
    bough_status status = bough_alloc(&g->first_of, (uint64_t)g->hosts + 1, sizeof *g->first_of, error);
    if (status) return status;
    for (uint64_t a = 0; a < net->addresses && lmc; a++) {
        uint32_t *count = &g->first_of[bough_address_node(net, a) + 1];
        if (*count < UINT32_C(1) << lmc && ++*count > most) most = *count;
    }
    if (most < UINT32_C(1) << lmc)
        return bough_fail(error, BOUGH_INVALID, "--lmc",
                          "%u: no endpoint of %s has 2^%u LIDs, but %" PRIu32
                          "; let OpenSM assign them (lmc %u), and record the fabric again",
                          lmc, net->spec, lmc, most, lmc);
    for (uint32_t e = 0; e < g->hosts; e++) {
        if (!g->first_of[e + 1]) g->first_of[e + 1] = 1;
        g->first_of[e + 1] += g->first_of[e];
    }
    g->destinations = g->first_of[g->hosts];
    return BOUGH_OK;
}

static bough_status allocate(tune_graph *g, bough_error *error) {
    const bough_net *net = g->net;
    const bough_array arrays[] = {
        {&g->host_of, g->destinations, sizeof *g->host_of},
        {&g->leaf_of, g->destinations, sizeof *g->leaf_of},
        {&g->leaf_switch, g->switches, sizeof *g->leaf_switch},
        {&g->leaf_hosts, g->switches, sizeof *g->leaf_hosts},
        {&g->leaf_at, g->switches, sizeof *g->leaf_at},
        {&g->link, net->links, sizeof *g->link},
        {&g->from, net->links, sizeof *g->from},
        {&g->to, net->links, sizeof *g->to},
        {&g->scale, net->links, sizeof *g->scale},
        {&g->arc_of, net->links, sizeof *g->arc_of},
        {&g->host_scale, g->hosts, sizeof *g->host_scale},
    };
    return bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
}

static bough_status make(tune_graph *g, unsigned lmc, bough_error *error) {
    const bough_net *net = g->net;
    bough_link_rates rates = {0};
    bough_status status = number_destinations(g, lmc, error);
    TRY(allocate(g, error));
    TRY(find_leaves(g, error));
    TRY(bough_link_rates_find(net, &rates, error));
    if (status) return status;
    find_arcs(g, &rates);
    bough_link_rates_fini(&rates);
    g->out = (compressed_rows){.rows = g->switches, .items = g->arcs};
    g->in = g->out;
    status = rows_make(&g->out, row_from, g, error);
    TRY(rows_make(&g->in, row_to, g, error));
    TRY(tune_paths_find(g, error));
    return status;
}

/* Before any work: there are three tables at a time. */
static bough_status check_size(const bough_net *net, unsigned lmc, bough_error *error) {
    const uint64_t columns = bough_mul(net->endpoints, UINT64_C(1) << lmc),
                   switches = net->nodes - net->endpoints;
    const uint64_t entry = 3 * sizeof(uint32_t), bytes = bough_mul(bough_mul(columns, switches), entry);
    char need[32], have[32];
    const uint64_t limit = bough_memory_limit();
    if (net->nodes >= BOUGH_NO_INDEX || net->links >= BOUGH_NO_INDEX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s is too large for a forwarding table", net->spec);
    if (bytes <= limit) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_TOO_LARGE, NULL,
        "the tables of %s, of %" PRIu64 " switches for %" PRIu64
        " endpoints each, take %s of memory, and this machine has %s; switches times endpoints may "
        "be %.2g at most, and are %.2g",
        net->spec, switches, columns, bough_format_bytes(bytes, need, sizeof need),
        bough_format_bytes(limit, have, sizeof have), (double)(limit / entry),
        (double)switches * (double)columns);
}

bough_status tune_graph_make(tune_graph *g, const bough_net *net, unsigned lmc, bough_error *error) {
    bough_status status = check_size(net, lmc, error);
    if (status) return status;
    *g = (tune_graph){
        .net = net, .switches = (uint32_t)(net->nodes - net->endpoints), .hosts = (uint32_t)net->endpoints};
    status = make(g, lmc, error);
    if (status) tune_graph_fini(g);
    return status;
}

void tune_graph_fini(tune_graph *g) {
    FREE_ALL(g->first_of, g->host_of, g->leaf_of, g->leaf_switch, g->leaf_hosts, g->leaf_at, g->link, g->from,
             g->to, g->scale, g->arc_of, g->host_scale, g->first, g->choice);
    rows_fini(&g->out);
    rows_fini(&g->in);
    *g = (tune_graph){0};
}
