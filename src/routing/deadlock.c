/* Links are the vertices of the graph. An edge belongs to the node between its two links, so the edges of
 * link a are one bit per link that leaves the end of a. This is dense, but switches are small and no sorting
 * is needed. For each address the search visits every node that its messages can reach, once. Threads divide
 * the addresses; each has its own edges, which are joined. In tables a node is visited for many addresses at
 * once, as the entries and edges of a node lie side by side. */
#include "routing/deadlock.h"
#include "base/status/try.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/text/text.h"
#include "base/thread_team.h"
#include "network/origins.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
    const bough_routing *routing;
    const bough_net *net;
    compressed_rows out; /* links that leave a node */
    uint32_t *column;    /* per link: its position among them */
    uint32_t *to;        /* per link: the node at its end */
    uint64_t *row;       /* bits[row[a] ..] of a walker: columns that depend on a; it has an end entry */
    uint64_t *bits;      /* those of the first walker, at last all */
    /* Where routes do not depend on the source, an adapter with one cable only passes messages to the switch
     * at its other end, so that the search begins there, once for all adapters of the switch: */
    origin_list origins;
    uint64_t *joins; /* per node: 0: no adapters join here; 1 + the only one, or MANY */
    /* Of tables that all nodes on the way have: */
    bool tabled;
    bough_table_row *table; /* per node: bough_routing_kind.row */
    uint32_t *passes_to;    /* per link: the switch that messages reach over it, or BOUGH_NO_INDEX */
    struct walker *walker;
    unsigned walkers;
} graph;

enum { GRAIN = 16 }; /* addresses that a thread takes at once */

/* Addresses for which tables are followed at once: bits of some words. */
enum { WAVE_WORDS = 4, WAVE = 64 * WAVE_WORDS };

/* Of one thread. */
typedef struct walker {
    uint64_t *bits;
    uint64_t *seen, *queue, walk; /* per node: the last search that visited it; nodes to visit */
    bough_route *route;           /* per node that this search visited */
    uint64_t *sole; /* per link that leaves a switch where adapters join: the only node that messages take it
                     * for, BOUGH_NONE if there is none, MANY */
    /* [node * WAVE_WORDS]: addresses whose messages reach the node, and those for which it was not visited
     * yet: then it is in the queue. */
    uint64_t *reached, *fresh;
    uint64_t target[WAVE]; /* nodes of the addresses */
} walker;

#define MANY (BOUGH_NONE - 1)

/* ---- the graph ---- */

static bough_status list_outputs(graph *g, bough_error *error) {
    bough_status status = wiring_out(&g->out, g->net, NULL, error);
    for (uint64_t v = 0; v < g->net->nodes && !status; v++)
        for (uint32_t i = g->out.first[v]; i < g->out.first[v + 1]; i++)
            g->column[g->out.item[i]] = i - g->out.first[v];
    return status;
}

static void place_rows(graph *g) {
    uint64_t next = 0;
    for (uint64_t a = 0; a < g->net->links; a++) {
        const uint64_t v = g->net->ops->link_end(g->net, a).node;
        g->to[a] = (uint32_t)v; /* list_outputs refuses more nodes */
        g->row[a] = next;
        if (bough_is_switch(g->net, v)) next = bough_add(next, words_for(rows_count(&g->out, v)));
    }
    g->row[g->net->links] = next;
}

static bool any_source(const graph *g) {
    const bough_routing_kind *kind = g->routing->kind;
    return !kind->route || kind->by_address || kind->by_hash;
}

/* The switch at the other end of an adapter's only cable, or BOUGH_NONE. */
static uint64_t join_of(const graph *g, uint64_t endpoint) {
    const uint32_t origin = g->origins.of[endpoint];
    return origin_lead(&g->origins, origin) ? g->origins.node[origin] : BOUGH_NONE;
}

static bough_status find_origins(graph *g, bough_error *error) {
    const origin_list *o = &g->origins;
    bough_status status = origin_list_make(g->net, &g->origins, error);
    for (uint32_t i = 0; i < o->count && !status; i++)
        if (origin_lead(o, i)) g->joins[o->node[i]] = o->size[i] > 1 ? MANY : 1 + o->runs[o->run[i]].first;
    return status;
}

/* Whether a node is on the way to no address, or has a row of a table. */
static bool have_tables(const graph *g) {
    for (uint64_t v = 0; v < g->net->nodes; v++)
        if (!g->table[v].link && bough_is_switch(g->net, v)) return false;
    for (uint32_t i = 0; i < g->origins.count; i++)
        if (!g->table[g->origins.node[i]].link) return false;
    return true;
}

static bough_status find_tables(graph *g, bough_error *error) {
    const bough_net *net = g->net;
    const bough_routing_kind *kind = g->routing->kind;
    if (!kind->row || !any_source(g) || kind->by_hash || net->nodes >= BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status = bough_alloc(&g->table, net->nodes, sizeof *g->table, error);
    TRY(bough_alloc(&g->passes_to, net->links, sizeof *g->passes_to, error));
    if (status) return status;
    for (uint64_t v = 0; v < net->nodes; v++) g->table[v] = kind->row(g->routing, v);
    for (uint64_t l = 0; l < net->links; l++) {
        const bool ends = !bough_link_works(net, l) || !bough_is_switch(net, g->to[l]);
        g->passes_to[l] = ends ? BOUGH_NO_INDEX : g->to[l];
    }
    g->tabled = have_tables(g);
    return BOUGH_OK;
}

static bough_status make_walker(const graph *g, walker *w, bough_error *error) {
    uint64_t nodes = bough_add(g->net->nodes, 1), links = bough_add(g->net->links, 1);
    bough_status status = bough_alloc(&w->seen, nodes, sizeof *w->seen, error);
    TRY(bough_alloc(&w->queue, nodes, sizeof *w->queue, error));
    TRY(bough_alloc(&w->route, nodes, sizeof *w->route, error));
    TRY(bough_alloc(&w->sole, links, sizeof *w->sole, error));
    TRY(bough_alloc(&w->bits, g->row[g->net->links], sizeof *w->bits, error));
    if (g->tabled) TRY(bough_alloc(&w->reached, nodes * WAVE_WORDS, sizeof *w->reached, error));
    if (g->tabled) TRY(bough_alloc(&w->fresh, nodes * WAVE_WORDS, sizeof *w->fresh, error));
    for (uint64_t l = 0; l < g->net->links && !status; l++) w->sole[l] = BOUGH_NONE;
    return status;
}

static bough_status make_graph(graph *g, bough_error *error) {
    static const char what[] = "the search for a deadlock";
    uint64_t nodes = bough_add(g->net->nodes, 1), links = bough_add(g->net->links, 1);
    uint64_t each = bough_add(bough_mul(nodes, 16 + sizeof(bough_route)), bough_mul(links, 8));
    uint64_t bytes = bough_add(bough_mul(nodes, 36), bough_mul(links, 41));
    g->walkers = g->net->threads ? g->net->threads : 1;
    if (g->routing->kind->row) {
        each = bough_add(each, bough_mul(nodes, 16 * WAVE_WORDS));
        bytes = bough_add(bytes, bough_add(bough_mul(nodes, sizeof *g->table), bough_mul(links, 4)));
    }
    bytes = bough_add(bytes, bough_mul(each, g->walkers));
    bough_status status = bough_net_memory_check(g->net, bytes, what, error);
    TRY(bough_alloc(&g->column, links, sizeof *g->column, error));
    TRY(bough_alloc(&g->to, links, sizeof *g->to, error));
    TRY(bough_alloc(&g->row, links, sizeof *g->row, error));
    TRY(bough_alloc(&g->joins, nodes, sizeof *g->joins, error));
    TRY(list_outputs(g, error));
    if (status) return status;
    place_rows(g);
    if (any_source(g)) status = find_origins(g, error);
    TRY(find_tables(g, error));
    if (status) return status;
    uint64_t words = g->row[g->net->links];
    status = bough_net_memory_check(g->net, bough_add(bytes, bough_mul(bough_mul(words, 8), g->walkers)),
                                    what, error);
    TRY(bough_alloc(&g->walker, g->walkers, sizeof *g->walker, error));
    for (unsigned i = 0; i < g->walkers && !status; i++) status = make_walker(g, &g->walker[i], error);
    if (!status) g->bits = g->walker[0].bits;
    return status;
}

static void free_graph(graph *g) {
    rows_fini(&g->out);
    for (unsigned i = 0; g->walker && i < g->walkers; i++) {
        walker *w = &g->walker[i];
        FREE_ALL(w->bits, w->seen, w->queue, w->route, w->sole, w->reached, w->fresh);
    }
    origin_list_fini(&g->origins);
    FREE_ALL(g->column, g->to, g->row, g->joins, g->table, g->passes_to, g->walker);
}

/* The route of messages to an address at a node, for a source. BOUGH_NONE: any source, so an endpoint sends
 * for itself. */
static void find_route(const graph *g, uint64_t node, uint64_t source, uint64_t address, bough_route *route) {
    if (g->routing->kind->by_hash) { /* each link is used by some flow */
        g->net->ops->route(g->net, node, address, route);
    } else {
        bough_flow flow = {source == BOUGH_NONE && node < g->net->endpoints ? node : source, address, 0};
        if (!g->routing->kind->next) {
            bough_route_at(g->routing, node, &flow, route);
            return;
        }
        uint64_t link = g->routing->kind->next(g->routing, node, &flow);
        *route = (bough_route){.first = link, .count = link != BOUGH_NONE};
    }
}

static void visit(const graph *g, walker *w, uint64_t node, const bough_flow *flow, uint64_t *count) {
    if (w->seen[node] == w->walk) return;
    w->seen[node] = w->walk;
    w->queue[(*count)++] = node;
    find_route(g, node, flow->source, flow->address, &w->route[node]);
}

static void add_dependencies(const graph *g, walker *w, uint64_t held, const bough_route *asked) {
    for (uint32_t i = 0; i < asked->count; i++) {
        uint64_t link = bough_route_link(asked, i);
        if (bough_link_alive(g->net, link)) set_bit(w->bits + g->row[held], g->column[link]);
    }
}

static void join_sole(uint64_t *sole, uint64_t target) {
    if (target != BOUGH_NONE && *sole != target) *sole = *sole == BOUGH_NONE ? target : MANY;
}

static void note_sole(walker *w, const bough_route *asked, uint64_t target) {
    for (uint32_t i = 0; i < asked->count; i++) join_sole(&w->sole[bough_route_link(asked, i)], target);
}

static uint64_t *row_of_adapter(const graph *g, uint64_t endpoint) {
    return g->bits + g->row[g->out.item[g->out.first[endpoint]]];
}

/* All links that a switch takes: nothing else is in the row of an adapter that joins there. */
static void take_all(const graph *g, uint64_t node, uint64_t *row) {
    const uint64_t *sole = g->walker[0].sole;
    for (uint32_t i = g->out.first[node]; i < g->out.first[node + 1]; i++) {
        const uint64_t link = g->out.item[i];
        if (sole[link] != BOUGH_NONE && bough_link_alive(g->net, link)) set_bit(row, i - g->out.first[node]);
    }
}

/* Takes the links of a switch that it takes for one adapter only out of the row of this adapter. */
static void leave_own(const graph *g, uint64_t node) {
    const uint64_t *sole = g->walker[0].sole;
    for (uint32_t i = g->out.first[node]; i < g->out.first[node + 1]; i++) {
        const uint64_t target = sole[g->out.item[i]];
        if (target < g->net->endpoints && join_of(g, target) == node)
            clear_bit(row_of_adapter(g, target), i - g->out.first[node]);
    }
}

/* Messages of an adapter wait for the links that its switch takes for other nodes. */
static void add_joined(graph *g) {
    const uint64_t *last = NULL; /* row of the adapter before this one, whose node is: */
    uint64_t last_node = BOUGH_NONE;
    for (uint64_t e = 0; e < g->net->endpoints; e++) {
        const uint64_t node = join_of(g, e);
        if (node == BOUGH_NONE) continue;
        uint64_t *row = row_of_adapter(g, e);
        if (node == last_node)
            memcpy(row, last, words_for(rows_count(&g->out, node)) * sizeof *row);
        else
            take_all(g, node, row);
        last = row;
        last_node = node;
    }
    for (uint64_t v = 0; v < g->net->nodes; v++)
        if (g->joins[v]) leave_own(g, v);
}

/* Adds the dependencies that messages to an address make, which hold a link of `held` and ask at its end. */
static void add_next(const graph *g, walker *w, const bough_flow *flow, const bough_route *held,
                     uint64_t *count) {
    const bough_net *net = g->net;
    uint64_t target = bough_address_node(net, flow->address);
    for (uint32_t i = 0; i < held->count; i++) {
        uint64_t a = bough_route_link(held, i), v = g->to[a];
        if (!bough_link_works(net, a) || v == target || !bough_is_switch(net, v)) continue;
        visit(g, w, v, flow, count);
        add_dependencies(g, w, a, &w->route[v]);
    }
}

/* Adds the dependencies of messages from source (BOUGH_NONE: all of them) to address. */
static void follow(const graph *g, walker *w, uint64_t source, uint64_t address) {
    uint64_t target = bough_address_node(g->net, address), count = 0;
    bough_flow flow = {source, address, 0};
    w->walk++;
    if (source != BOUGH_NONE && source != target) visit(g, w, source, &flow, &count);
    for (uint32_t i = 0; source == BOUGH_NONE && i < g->origins.count; i++) {
        const uint32_t node = g->origins.node[i];
        if (node != target && g->joins[node] != 1 + target) visit(g, w, node, &flow, &count);
    }
    for (uint64_t q = 0; q < count; q++) {
        bough_route held = w->route[w->queue[q]];
        if (source == BOUGH_NONE && g->joins[w->queue[q]]) note_sole(w, &held, target);
        add_next(g, w, &flow, &held, &count);
    }
}

/* ---- tables ---- */

/* Messages to `count` addresses from `first` on. */
typedef struct wave {
    uint64_t first;
    unsigned count;
    uint64_t queued, taken; /* nodes that were put into the queue, and taken out of it */
} wave;

static void reach(const graph *g, walker *w, wave *now, uint64_t node, unsigned i) {
    uint64_t *fresh = w->fresh + node * WAVE_WORDS, any = 0;
    if (bit_of(w->reached + node * WAVE_WORDS, i)) return;
    for (unsigned j = 0; j < WAVE_WORDS; j++) any |= fresh[j];
    if (!any) w->queue[now->queued++ % g->net->nodes] = node;
    set_bit(w->reached + node * WAVE_WORDS, i);
    set_bit(fresh, i);
}

/* Messages at a node to one address. */
static void follow_entry(const graph *g, walker *w, wave *now, uint64_t node, unsigned i) {
    const uint64_t address = now->first + i;
    const uint32_t held = bough_table_link(&g->table[node], address);
    if (held == BOUGH_NO_INDEX) return;
    if (g->joins[node]) join_sole(&w->sole[held], w->target[i]);
    const uint32_t end = g->passes_to[held];
    if (end == BOUGH_NO_INDEX || end == w->target[i]) return;
    const uint32_t asked = bough_table_link(&g->table[end], address);
    if (asked != BOUGH_NO_INDEX && bough_link_alive(g->net, asked))
        set_bit(w->bits + g->row[held], g->column[asked]);
    reach(g, w, now, end, i);
}

static void follow_node(const graph *g, walker *w, wave *now, uint64_t node) {
    uint64_t fresh[WAVE_WORDS];
    memcpy(fresh, w->fresh + node * WAVE_WORDS, sizeof fresh);
    memset(w->fresh + node * WAVE_WORDS, 0, sizeof fresh);
    for (unsigned j = 0; j < WAVE_WORDS; j++)
        for (uint64_t word = fresh[j]; word; word &= word - 1)
            follow_entry(g, w, now, node, 64 * j + (unsigned)__builtin_ctzll(word));
}

/* Messages to all addresses but the node itself, or its only adapter. */
static void begin_at(const graph *g, walker *w, wave *now, uint64_t node) {
    uint64_t *fresh = w->fresh + node * WAVE_WORDS, any = 0;
    for (unsigned i = 0; i < now->count; i++) {
        const bool own = node == w->target[i] || g->joins[node] == 1 + w->target[i];
        fresh[i / 64] |= (uint64_t)!own << i % 64;
    }
    memcpy(w->reached + node * WAVE_WORDS, fresh, WAVE_WORDS * sizeof *fresh);
    for (unsigned j = 0; j < WAVE_WORDS; j++) any |= fresh[j];
    if (any) w->queue[now->queued++ % g->net->nodes] = node;
}

static void follow_wave(const graph *g, walker *w, uint64_t first) {
    const bough_net *net = g->net;
    const uint64_t left = net->addresses - first;
    wave now = {.first = first, .count = left < WAVE ? (unsigned)left : WAVE};
    memset(w->reached, 0, net->nodes * WAVE_WORDS * sizeof *w->reached);
    for (unsigned i = 0; i < now.count; i++) w->target[i] = bough_address_node(net, first + i);
    for (uint32_t b = 0; b < g->origins.count; b++) begin_at(g, w, &now, g->origins.node[b]);
    while (now.taken < now.queued) follow_node(g, w, &now, w->queue[now.taken++ % net->nodes]);
}

static void follow_grain(void *context, unsigned thread, uint64_t grain) {
    const graph *g = context;
    walker *w = &g->walker[thread];
    if (g->tabled) {
        follow_wave(g, w, grain * WAVE);
        return;
    }
    for (uint64_t a = grain * GRAIN; a < (grain + 1) * GRAIN && a < g->net->addresses; a++) {
        if (any_source(g)) follow(g, w, BOUGH_NONE, a);
        for (uint64_t e = 0; !any_source(g) && e < g->net->endpoints; e++) follow(g, w, e, a);
    }
}

static void join_walkers(graph *g) {
    walker *to = &g->walker[0];
    for (unsigned i = 1; i < g->walkers; i++) {
        const walker *from = &g->walker[i];
        for (uint64_t b = 0; b < g->row[g->net->links]; b++) to->bits[b] |= from->bits[b];
        for (uint64_t l = 0; l < g->net->links; l++) join_sole(&to->sole[l], from->sole[l]);
    }
}

static void find_dependencies(graph *g) {
    const uint64_t grain = g->tabled ? WAVE : GRAIN;
    team_loop(g->walkers, (g->net->addresses + grain - 1) / grain, follow_grain, g);
    join_walkers(g);
    if (any_source(g)) add_joined(g);
}

static uint64_t count_dependencies(const graph *g) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < g->row[g->net->links]; w++) count += (uint64_t)__builtin_popcountll(g->bits[w]);
    return count;
}

/* The next link that depends on a, from column *from on, without columns with a bit in `skip`, if there is
 * one; BOUGH_NONE: no more. */
static uint64_t next_link(const graph *g, uint64_t a, const uint64_t *skip, uint32_t *from) {
    uint64_t words = g->row[a + 1] - g->row[a];
    for (uint64_t w = *from / 64; w < words; w++) {
        uint64_t word = g->bits[g->row[a] + w];
        if (skip) word &= ~skip[w];
        if (w == *from / 64) word &= UINT64_MAX << *from % 64;
        if (!word) continue;
        uint32_t column = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(word);
        *from = column + 1;
        return g->out.item[g->out.first[g->to[a]] + column];
    }
    return BOUGH_NONE;
}

/* ---- the cycle ---- */

enum { NEW, OPEN, DONE };

typedef struct search {
    uint8_t *state;          /* per link */
    uint64_t *path, *before; /* path: open links, deepest last; later the queue. before: predecessor */
    uint32_t *column;        /* per link of path: the column to continue from */
    /* bits[done_row[node] ..]: columns of its links that are DONE; most links depend on many such */
    uint64_t *done, *done_row;
} search;

static const uint64_t *done_after(const graph *g, const search *s, uint64_t link) {
    return s->done + s->done_row[g->to[link]];
}

/* Takes the deepest link from the path. The columns of the first one are not needed: its state is enough. */
static uint64_t close_deepest(const graph *g, search *s, uint64_t depth) {
    const uint64_t link = s->path[depth];
    s->state[link] = DONE;
    if (depth == 0) return BOUGH_NONE;
    set_bit(s->done + s->done_row[g->to[s->path[depth - 1]]], g->column[link]);
    return depth - 1;
}

/* Depth-first search; reaching an open link means a cycle. */
static uint64_t link_on_cycle(const graph *g, search *s) {
    for (uint64_t root = 0; root < g->net->links; root++) {
        uint64_t depth = 0;
        if (s->state[root] != NEW) continue;
        s->path[0] = root;
        s->column[0] = 0;
        s->state[root] = OPEN;
        while (depth != BOUGH_NONE) {
            const uint64_t *skip = done_after(g, s, s->path[depth]);
            uint64_t next = next_link(g, s->path[depth], skip, &s->column[depth]);
            if (next == BOUGH_NONE) {
                depth = close_deepest(g, s, depth);
            } else if (s->state[next] == OPEN) {
                return next;
            } else if (s->state[next] == NEW) {
                s->path[++depth] = next;
                s->column[depth] = 0;
                s->state[next] = OPEN;
            }
        }
    }
    return BOUGH_NONE;
}

/* Breadth-first search from a link back to it: s->before leads backwards along a shortest cycle. */
static uint64_t shortest_back(const graph *g, search *s, uint64_t start) {
    uint64_t count = 0, length = 1;
    for (uint64_t l = 0; l < g->net->links; l++) s->before[l] = BOUGH_NONE;
    s->path[count++] = start;
    for (uint64_t q = 0; q < count && s->before[start] == BOUGH_NONE; q++) {
        uint32_t column = 0;
        for (uint64_t next; (next = next_link(g, s->path[q], NULL, &column)) != BOUGH_NONE;) {
            if (s->before[next] != BOUGH_NONE) continue;
            s->before[next] = s->path[q];
            if (next != start) s->path[count++] = next;
        }
    }
    for (uint64_t l = s->before[start]; l != start; l = s->before[l]) length++;
    return length;
}

static bough_status make_search(const graph *g, search *s, bough_error *error) {
    const uint64_t links = g->net->links, nodes = g->net->nodes;
    uint64_t words = 0;
    bough_status status = bough_alloc(&s->state, links, sizeof *s->state, error);
    TRY(bough_alloc(&s->path, links, sizeof *s->path, error));
    TRY(bough_alloc(&s->before, links, sizeof *s->before, error));
    TRY(bough_alloc(&s->column, links, sizeof *s->column, error));
    TRY(bough_alloc(&s->done_row, nodes, sizeof *s->done_row, error));
    for (uint64_t v = 0; v < nodes && !status; v++) {
        s->done_row[v] = words;
        words += words_for(rows_count(&g->out, v));
    }
    TRY(bough_alloc(&s->done, words, sizeof *s->done, error));
    return status;
}

static bough_status find_cycle(const graph *g, bough_link_cycle *cycle, bough_error *error) {
    search s = {0};
    uint64_t start = BOUGH_NONE, length;
    bough_status status = make_search(g, &s, error);
    if (!status) start = link_on_cycle(g, &s);
    if (start == BOUGH_NONE) goto done;
    length = shortest_back(g, &s, start);
    status = bough_alloc(&cycle->link, length, sizeof *cycle->link, error);
    if (status) goto done;
    cycle->count = length;
    for (uint64_t i = length, l = start; i > 0; i--) cycle->link[i % length] = l, l = s.before[l];
done:
    FREE_ALL(s.state, s.path, s.before, s.column, s.done, s.done_row);
    return status;
}

bough_status bough_deadlock_find(const bough_routing *routing, bough_link_cycle *cycle, bough_error *error) {
    graph g = {.routing = routing, .net = routing->net};
    *cycle = (bough_link_cycle){0};
    if (routing->kind->via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "the deadlock search does not support intermediate nodes, which `%s` uses",
                          routing->spec);
    if (bough_routing_ordered(routing)) return BOUGH_OK;
    bough_status status = make_graph(&g, error);
    if (!status) {
        find_dependencies(&g);
        cycle->dependencies = count_dependencies(&g);
        status = find_cycle(&g, cycle, error);
    }
    free_graph(&g);
    return status;
}

/* Paths of one phase lead from any endpoint to any address, whatever the intermediate nodes. */
bough_status bough_deadlock_find_in_phase(const bough_routing *routing, bough_link_cycle *cycle,
                                          bough_error *error) {
    bough_routing_kind kind = *routing->kind;
    bough_routing phase = *routing;
    kind.via = NULL;
    phase.kind = &kind;
    return bough_deadlock_find(&phase, cycle, error);
}

void bough_link_cycle_fini(bough_link_cycle *cycle) {
    free(cycle->link);
    *cycle = (bough_link_cycle){0};
}

char *bough_link_cycle_text(const bough_net *net, const bough_link_cycle *cycle, uint64_t limit) {
    bough_text text = {0};
    char name[300];
    uint64_t shown = limit && limit < cycle->count ? limit : cycle->count;
    for (uint64_t i = 0; i < shown; i++)
        bough_text_printf(&text, "%s waits for ", bough_link_name(net, cycle->link[i], name, sizeof name));
    if (shown < cycle->count)
        bough_text_printf(&text, "%" PRIu64 " more links, the last of which waits for ",
                          cycle->count - shown);
    bough_text_put(&text, "the first");
    return bough_text_take(&text);
}
