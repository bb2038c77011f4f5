#include "fabric/tune/tune_tables.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

bough_status tune_tables_make(tune_tables *t, const tune_graph *g, bough_error *error) {
    const uint64_t entries = bough_mul(g->destinations, g->switches);
    *t = (tune_tables){.graph = g};
    bough_status status = bough_memory_check(bough_mul(entries, 4), "the tables", error);
    TRY(bough_alloc(&t->next, entries, sizeof *t->next, error));
    for (uint32_t d = 0; d < g->destinations && !status; d++)
        for (uint32_t s = 0; s < g->switches; s++) {
            const uint32_t leaf = g->leaf_of[d];
            const tune_choices c = leaf == BOUGH_NO_INDEX ? (tune_choices){0} : tune_choices_at(g, leaf, s);
            *tune_entry(t, d, s) = c.count ? c.arc[0] : BOUGH_NO_INDEX;
        }
    return status;
}

void tune_tables_fini(tune_tables *t) {
    free(t->next);
    *t = (tune_tables){0};
}

void tune_tables_copy(tune_tables *to, const tune_tables *from) {
    memcpy(to->next, from->next,
           (uint64_t)from->graph->destinations * from->graph->switches * sizeof *to->next);
}

/* ---- starts ---- */

static uint32_t fewest(const tune_choices *c, const uint64_t *taken) {
    uint32_t best = c->arc[0];
    for (uint32_t i = 1; i < c->count; i++)
        if (taken[c->arc[i]] < taken[best]) best = c->arc[i];
    return best;
}

bool tune_is_choice(const tune_choices *c, uint32_t arc) {
    for (uint32_t i = 0; i < c->count; i++)
        if (c->arc[i] == arc) return true;
    return false;
}

uint64_t tune_tables_take(tune_tables *t, const bough_routing *routing) {
    const tune_graph *g = t->graph;
    const bough_net *net = g->net;
    uint64_t *taken = NULL, changed = 0;
    if (bough_alloc(&taken, g->arcs, sizeof *taken, NULL)) return 0; /* the entries stay */
    for (uint32_t d = 0; d < g->destinations; d++) {
        if (g->leaf_of[d] == BOUGH_NO_INDEX) continue;
        const bough_flow flow = {BOUGH_NONE, tune_address(g, d), 0};
        for (uint32_t s = 0; s < g->switches; s++) {
            const tune_choices c = tune_choices_at(g, g->leaf_of[d], s);
            if (!c.count) continue;
            const uint64_t link = bough_next_link(routing, net->endpoints + s, &flow);
            uint32_t arc = link == BOUGH_NONE ? BOUGH_NO_INDEX : g->arc_of[link];
            if (arc == BOUGH_NO_INDEX || !tune_is_choice(&c, arc)) arc = fewest(&c, taken), changed++;
            *tune_entry(t, d, s) = arc;
            taken[arc]++;
        }
    }
    free(taken);
    return changed;
}

/* Switches in the order of their distance from a leaf, nearest first. */
typedef struct nearness {
    uint32_t *order, *distance; /* [switches] */
    uint64_t *cost;             /* [switches]: hosts that have taken the arcs of the rest of the path */
    uint64_t *taken;            /* [arcs] */
} nearness;

static uint32_t order_switches(const tune_graph *g, uint32_t leaf, nearness *w) {
    uint32_t head = 0, tail = 0;
    memset(w->distance, 0xff, g->switches * sizeof *w->distance);
    w->distance[g->leaf_switch[leaf]] = 0;
    w->order[tail++] = g->leaf_switch[leaf];
    while (head < tail) {
        const uint32_t v = w->order[head++];
        for (uint32_t i = g->in.first[v]; i < g->in.first[v + 1]; i++) {
            const uint32_t u = g->from[g->in.item[i]];
            const tune_choices c = tune_choices_at(g, leaf, u);
            if (w->distance[u] != UINT32_MAX || !tune_is_choice(&c, g->in.item[i])) continue;
            w->distance[u] = w->distance[v] + 1;
            w->order[tail++] = u;
        }
    }
    return tail;
}

static void spread_host(tune_tables *t, uint32_t host, nearness *w, uint64_t turn) {
    const tune_graph *g = t->graph;
    const uint32_t leaf = g->leaf_of[host], count = order_switches(g, leaf, w);
    w->cost[g->leaf_switch[leaf]] = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t s = w->order[i];
        const tune_choices c = tune_choices_at(g, leaf, s);
        uint32_t best = BOUGH_NO_INDEX;
        uint64_t least = UINT64_MAX;
        for (uint32_t k = 0; k < c.count; k++) {
            const uint32_t arc = c.arc[(k + turn) % c.count];
            const uint64_t cost = w->cost[g->to[arc]] + w->taken[arc];
            if (cost < least) least = cost, best = arc;
        }
        *tune_entry(t, host, s) = best;
        w->cost[s] = least;
    }
    /* what the hosts of leaves load */
    for (uint32_t l = 0; l < g->leaves; l++)
        for (uint32_t s = g->leaf_switch[l], arc;
             l != leaf && (arc = *tune_entry(t, host, s)) != BOUGH_NO_INDEX; s = g->to[arc])
            w->taken[arc] += g->leaf_hosts[l];
}

bough_status tune_tables_spread(tune_tables *t, uint64_t turn, bough_error *error) {
    const tune_graph *g = t->graph;
    nearness w = {0};
    uint32_t *rank = NULL, *seen = NULL, most = 0;
    const bough_array arrays[] = {
        {&w.order, g->switches, sizeof *w.order}, {&w.distance, g->switches, sizeof *w.distance},
        {&w.cost, g->switches, sizeof *w.cost},   {&w.taken, g->arcs, sizeof *w.taken},
        {&rank, g->destinations, sizeof *rank},   {&seen, g->leaves, sizeof *seen},
    };
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    for (uint32_t d = 0; d < g->destinations && !status; d++) {
        if (g->leaf_of[d] == BOUGH_NO_INDEX) continue;
        rank[d] = seen[g->leaf_of[d]]++;
        if (rank[d] >= most) most = rank[d] + 1;
    }
    for (uint32_t r = 0; r < most && !status; r++)
        for (uint32_t d = 0; d < g->destinations; d++)
            if (g->leaf_of[d] != BOUGH_NO_INDEX && rank[d] == r) spread_host(t, d, &w, turn);
    FREE_ALL(w.order, w.distance, w.cost, w.taken, rank, seen);
    return status;
}

/* ---- the tree of a host ---- */

uint32_t tune_leaves_through(const tune_tables *t, uint32_t host, uint32_t node, const tune_leaves *w) {
    const tune_graph *g = t->graph;
    const uint32_t *next = tune_entry(t, host, 0);
    uint32_t depth = 0, count = 0;
    w->stack[depth++] = node;
    while (depth) {
        const uint32_t s = w->stack[--depth];
        if (g->leaf_at[s] != BOUGH_NO_INDEX) w->leaf[count++] = g->leaf_at[s];
        for (uint32_t i = g->in.first[s]; i < g->in.first[s + 1]; i++) {
            const uint32_t arc = g->in.item[i];
            if (next[g->from[arc]] == arc) w->stack[depth++] = g->from[arc];
        }
    }
    return count;
}
