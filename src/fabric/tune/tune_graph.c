#include "fabric/tune/tune_graph.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/check_routing.h"
#include "network/wiring.h"
#include "routing/computed/up_down_paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tune paths ---- */

/* The choices of a tune_graph. */

/* First all shortest paths are taken. If the dependencies between links, over all choices that a message can
 * meet, have a cycle, a table could deadlock, and up/down paths replace them, which cannot. */

/* ---- lists of choices ---- */

typedef struct lists {
    tune_graph *g;
    up_down paths;
    uint32_t *links; /* [links] */
    size_t capacity; /* of g->choice */
} lists;

static bough_status list_leaf(lists *w, uint32_t leaf, uint32_t *count, bough_error *error) {
    tune_graph *g = w->g;
    const uint64_t base = g->net->endpoints;
    up_down_search(&w->paths, base + g->leaf_switch[leaf]);
    for (uint32_t s = 0; s < g->switches; s++) {
        g->first[(uint64_t)leaf * g->switches + s] = *count;
        if (s == g->leaf_switch[leaf]) continue;
        const uint32_t links = up_down_links(&w->paths, base + s, w->links);
        bough_status status =
            bough_grow(&g->choice, &w->capacity, (uint64_t)*count + links, sizeof *g->choice, error);
        if (status) return status;
        for (uint32_t i = 0; i < links; i++)
            if (g->arc_of[w->links[i]] != BOUGH_NO_INDEX) g->choice[(*count)++] = g->arc_of[w->links[i]];
    }
    return BOUGH_OK;
}

static bough_status list_all(lists *w, bough_error *error) {
    uint32_t count = 0;
    bough_status status = bough_grow(&w->g->choice, &w->capacity, 1, sizeof *w->g->choice, error);
    for (uint32_t l = 0; l < w->g->leaves; l++) TRY(list_leaf(w, l, &count, error));
    w->g->first[(uint64_t)w->g->leaves * w->g->switches] = count;
    return status;
}

/* ---- dependencies ---- */

/* Dependency b of arc a is bit (position of b among the arcs that leave the end of a) of its row. */
typedef struct dependencies {
    const tune_graph *g;
    uint64_t *bits;
    uint32_t words;          /* of a row */
    uint32_t *place;         /* [arcs]: among those of its start */
    bool *reached;           /* [switches]: by messages to the current leaf */
    uint32_t *stack, *state; /* [switches or arcs] */
} dependencies;

static void depend(dependencies *w, uint32_t leaf, uint32_t a) {
    const tune_choices next = tune_choices_at(w->g, leaf, w->g->to[a]);
    for (uint32_t i = 0; i < next.count; i++) {
        const uint32_t p = w->place[next.arc[i]];
        w->bits[(uint64_t)a * w->words + p / 64] |= UINT64_C(1) << p % 64;
    }
}

static void depend_leaf(dependencies *w, uint32_t leaf) {
    const tune_graph *g = w->g;
    uint32_t depth = 0;
    memset(w->reached, 0, g->switches * sizeof *w->reached);
    for (uint32_t l = 0; l < g->leaves; l++) {
        w->reached[g->leaf_switch[l]] = true;
        w->stack[depth++] = g->leaf_switch[l];
    }
    while (depth) {
        const tune_choices next = tune_choices_at(g, leaf, w->stack[--depth]);
        for (uint32_t i = 0; i < next.count; i++) {
            const uint32_t to = g->to[next.arc[i]];
            depend(w, leaf, next.arc[i]);
            if (w->reached[to]) continue;
            w->reached[to] = true;
            w->stack[depth++] = to;
        }
    }
}

/* Removes arcs on which none of the others waits, as long as there are such; what is left has a cycle. */
static bool acyclic(dependencies *w) {
    const tune_graph *g = w->g;
    uint32_t depth = 0, removed = 0;
    memset(w->state, 0, g->arcs * sizeof *w->state);
    for (uint32_t a = 0; a < g->arcs; a++)
        for (uint32_t i = 0, to = g->to[a]; i < rows_count(&g->out, to); i++)
            if (w->bits[(uint64_t)a * w->words + i / 64] >> i % 64 & 1)
                w->state[g->out.item[g->out.first[to] + i]]++;
    for (uint32_t a = 0; a < g->arcs; a++)
        if (!w->state[a]) w->stack[depth++] = a;
    while (depth) {
        const uint32_t a = w->stack[--depth], to = g->to[a];
        removed++;
        for (uint32_t i = 0; i < rows_count(&g->out, to); i++) {
            const uint32_t b = g->out.item[g->out.first[to] + i];
            if ((w->bits[(uint64_t)a * w->words + i / 64] >> i % 64 & 1) && !--w->state[b])
                w->stack[depth++] = b;
        }
    }
    return removed == g->arcs;
}

/* Whether an arc that leads down is followed by one that leads up, on the way to a leaf. rises: [switches].
 */
static bool turns_up(const tune_graph *g, uint32_t leaf, const bool *up, bool *rises) {
    for (uint32_t s = 0; s < g->switches; s++) {
        const tune_choices next = tune_choices_at(g, leaf, s);
        rises[s] = false;
        for (uint32_t i = 0; i < next.count; i++) rises[s] |= up[next.arc[i]];
    }
    for (uint32_t s = 0; s < g->switches; s++) {
        const tune_choices next = tune_choices_at(g, leaf, s);
        for (uint32_t i = 0; i < next.count; i++)
            if (!up[next.arc[i]] && rises[g->to[next.arc[i]]]) return true;
    }
    return false;
}

/* Paths that rise from level to level and then fall have no cycle, as on trees. This takes the number of
 * choices; dependencies take as many times more as a switch has links. */
static bough_status check_levels(const tune_graph *g, bool *trees, bough_error *error) {
    const bough_net *net = g->net;
    bool *up = NULL, *rises = NULL;
    bough_status status = bough_alloc(&up, g->arcs, sizeof *up, error);
    TRY(bough_alloc(&rises, g->switches, sizeof *rises, error));
    *trees = !status;
    for (uint32_t a = 0; a < g->arcs && !status; a++) {
        const unsigned from = net->ops->node_level(net, net->endpoints + g->from[a]),
                       to = net->ops->node_level(net, net->endpoints + g->to[a]);
        up[a] = to > from;
        *trees = *trees && to != from;
    }
    for (uint32_t l = 0; l < g->leaves && *trees; l++) *trees = !turns_up(g, l, up, rises);
    FREE_ALL(up, rises);
    return status;
}

static bough_status check_dependencies(const tune_graph *g, bool *result, bough_error *error) {
    dependencies w = {.g = g};
    uint32_t most = 0;
    for (uint32_t s = 0; s < g->switches; s++)
        if (rows_count(&g->out, s) > most) most = rows_count(&g->out, s);
    w.words = most / 64 + 1;
    const uint64_t larger = g->arcs > g->switches ? g->arcs : g->switches;
    const bough_array arrays[] = {
        {&w.bits, bough_mul(g->arcs, w.words), sizeof *w.bits},
        {&w.place, g->arcs, sizeof *w.place},
        {&w.reached, g->switches, sizeof *w.reached},
        {&w.stack, larger + 1, sizeof *w.stack},
        {&w.state, g->arcs, sizeof *w.state},
    };
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    for (uint32_t s = 0; s < g->switches && !status; s++)
        for (uint32_t i = 0; i < rows_count(&g->out, s); i++) w.place[g->out.item[g->out.first[s] + i]] = i;
    for (uint32_t l = 0; l < g->leaves && !status; l++) depend_leaf(&w, l);
    if (!status) *result = acyclic(&w);
    FREE_ALL(w.bits, w.place, w.reached, w.stack, w.state);
    return status;
}

static bough_status check_acyclic(const tune_graph *g, bool *result, bough_error *error) {
    bough_status status = check_levels(g, result, error);
    return status || *result ? status : check_dependencies(g, result, error);
}

/* ---- the order of up/down paths ---- */

/* Leaves that have no legal path to each other, though they are connected. */
static bool mark_gaps(lists *w, const uint32_t *part, bool *wanted) {
    const tune_graph *g = w->g;
    bool gap = false;
    for (uint32_t l = 0; l < g->leaves; l++)
        for (uint32_t k = 0; k < g->leaves; k++) {
            const uint64_t a = g->net->endpoints + g->leaf_switch[l],
                           b = g->net->endpoints + g->leaf_switch[k];
            if (l == k || part[a] != part[b] || tune_choices_at(g, l, g->leaf_switch[k]).count) continue;
            wanted[part[a]] = gap = true;
        }
    return gap;
}

static void count_pairs(tune_graph *g, const uint32_t *part) {
    g->pairs = 0;
    for (uint32_t l = 0; l < g->leaves; l++)
        for (uint32_t k = 0; k < g->leaves; k++)
            if (part[g->net->endpoints + g->leaf_switch[l]] == part[g->net->endpoints + g->leaf_switch[k]])
                g->pairs += (uint64_t)g->leaf_hosts[l] * (g->leaf_hosts[k] - (l == k));
}

static bough_status find_up_down(lists *w, const bool *root, const uint32_t *part, bough_error *error) {
    const bough_net *net = w->g->net;
    bool *wanted = NULL;
    uint64_t top;
    up_down_fini(&w->paths);
    w->paths.cables = true;
    bough_status status = up_down_make(&w->paths, net, root, error);
    TRY(list_all(w, error));
    TRY(bough_alloc(&wanted, net->nodes, sizeof *wanted, error));
    if (!status && mark_gaps(w, part, wanted)) {
        status = up_down_join(&w->paths, &(up_down_parts_wanted){root, part, wanted}, &top, error);
        TRY(list_all(w, error));
    }
    free(wanted);
    return status;
}

/* Sets shortest, pairs, first and choice; the rest of the graph is set. */
static bough_status tune_paths_find(tune_graph *g, bough_error *error) {
    const bough_net *net = g->net;
    lists w = {.g = g, .paths.cables = true};
    bool *root = NULL;
    uint32_t *part = NULL;
    bough_status status = bough_alloc(&root, net->nodes, sizeof *root, error);
    TRY(bough_alloc(&part, net->nodes, sizeof *part, error));
    TRY(bough_alloc(&w.links, net->links, sizeof *w.links, error));
    TRY(bough_alloc(&g->first, bough_mul(g->leaves, g->switches) + 1, sizeof *g->first, error));
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++)
        root[v] = net->ops->node_level(net, v) == net->levels;
    TRY(up_down_make(&w.paths, net, root, error));
    TRY(up_down_parts(&w.paths, part, error));
    if (!status) {
        count_pairs(g, part);
        up_down_level(&w.paths);
    }
    TRY(list_all(&w, error));
    TRY(check_acyclic(g, &g->shortest, error));
    if (!status && !g->shortest) status = find_up_down(&w, root, part, error);
    up_down_fini(&w.paths);
    FREE_ALL(root, part, w.links);
    return status;
}

/* ---- hosts and arcs ---- */

bool tune_graph_fits(const bough_net *net, uint64_t e) {
    const uint64_t link = bough_is_switch(net, e) ? BOUGH_NONE : bough_only_link(net, e);
    return link != BOUGH_NONE && bough_is_switch(net, net->ops->link_end(net, link).node);
}

static bough_status check_host(const bough_net *net, uint64_t e, bough_error *error) {
    char name[160];
    if (tune_graph_fits(net, e)) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "tables are tuned for endpoints with one cable, to a switch; %s of %s is different",
                      bough_node_name(net, e, name, sizeof name), net->spec);
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
        if (back == BOUGH_NONE || !bough_link_works(net, link) || !bough_link_works(net, back)) continue;
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
    if (back == BOUGH_NONE || !bough_link_works(net, link) || !bough_link_works(net, back)) return false;
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
    arena memory = {0};
    bough_status status = number_destinations(g, lmc, error);
    TRY(allocate(g, error));
    TRY(find_leaves(g, error));
    TRY(bough_link_rates_find(net, &memory, &rates, error));
    if (!status) find_arcs(g, &rates);
    arena_fini(&memory);
    if (status) return status;
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
        bough_format_bytes(limit, have, sizeof have), (double)limit / (double)entry,
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
