/* D-mod-K by levels and ports, for imported trees. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/tune_tables.h"
#include "network/level_sets.h"
#include "routing/tables/next_hop_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64 };

typedef struct digits {
    const tune_graph *g;
    unsigned *level;         /* [switches] */
    uint32_t *by_port;       /* [arcs]: as g->out.item, a switch's by port */
    uint64_t stride[LEVELS]; /* by level */
} digits;

static bool leads_up(const digits *w, uint32_t arc) {
    return w->level[w->g->to[arc]] > w->level[w->g->from[arc]];
}

static void find_strides(digits *w) {
    const tune_graph *g = w->g;
    uint64_t most[LEVELS] = {0};
    for (uint32_t s = 0; s < g->switches; s++) {
        uint64_t up = 0;
        w->level[s] = g->net->ops->node_level(g->net, g->net->endpoints + s) % LEVELS;
        for (uint32_t i = g->out.first[s]; i < g->out.first[s + 1]; i++) {
            const uint64_t to = g->net->endpoints + g->to[g->out.item[i]];
            up += g->net->ops->node_level(g->net, to) % LEVELS > w->level[s];
        }
        if (up > most[w->level[s]]) most[w->level[s]] = up;
    }
    w->stride[0] = 1;
    for (int i = 1; i < LEVELS; i++)
        w->stride[i] = bough_mul(w->stride[i - 1], most[i - 1] ? most[i - 1] : 1);
}

/* The arc up from a switch that host d takes, of those that it has, in the order of ports. */
static uint32_t arc_up(const digits *w, uint32_t s, uint64_t d) {
    const tune_graph *g = w->g;
    uint32_t count = 0;
    for (uint32_t i = g->out.first[s]; i < g->out.first[s + 1]; i++) count += leads_up(w, w->by_port[i]);
    if (!count) return BOUGH_NO_INDEX;
    uint64_t index = d / w->stride[w->level[s]] % count;
    for (uint32_t i = g->out.first[s]; i < g->out.first[s + 1]; i++)
        if (leads_up(w, w->by_port[i]) && index-- == 0) return w->by_port[i];
    return BOUGH_NO_INDEX;
}

static void sort_ports(digits *w) {
    const tune_graph *g = w->g;
    for (uint32_t s = 0; s < g->switches; s++)
        for (uint32_t i = g->out.first[s]; i < g->out.first[s + 1]; i++) {
            const uint32_t arc = g->out.item[i], port = next_table_port(g->net, g->link[arc]);
            uint32_t k = i;
            for (; k > g->out.first[s] && next_table_port(g->net, g->link[w->by_port[k - 1]]) > port; k--)
                w->by_port[k] = w->by_port[k - 1];
            w->by_port[k] = arc;
        }
}

static uint32_t choose(const digits *w, const tune_choices *c, uint64_t d) {
    const tune_graph *g = w->g;
    const uint32_t first = c->arc[0], s = g->from[first];
    if (!leads_up(w, first)) {
        const uint32_t up = arc_up(w, g->to[first], d);
        const uint64_t twin = up == BOUGH_NO_INDEX ? BOUGH_NONE : g->net->ops->link_twin(g->net, g->link[up]);
        if (twin != BOUGH_NONE && tune_is_choice(c, g->arc_of[twin])) return g->arc_of[twin];
    } else {
        const uint32_t up = arc_up(w, s, d);
        if (up != BOUGH_NO_INDEX && tune_is_choice(c, up)) return up;
    }
    return c->arc[d / w->stride[w->level[s]] % c->count];
}

/* ---- the numbers of hosts ---- */

typedef struct numbering {
    const digits *digits;
    uint32_t *order, *sorted; /* [leaves] */
    level_sets sets;
    uint32_t *part;  /* [nodes], if it is the first of a set */
    uint32_t *count; /* [leaves + 1] */
} numbering;

static uint32_t *part_of(const numbering *w, uint32_t leaf) {
    const tune_graph *g = w->digits->g;
    return &w->part[w->sets.set[g->net->endpoints + g->leaf_switch[leaf]]];
}

/* Sorts the order by the parts that switches up to a level make; equal ones keep their order. */
static void sort_level(numbering *w, unsigned level) {
    const tune_graph *g = w->digits->g;
    uint32_t parts = 0;
    level_sets_raise(&w->sets, level);
    memset(w->part, 0xff, g->net->nodes * sizeof *w->part);
    memset(w->count, 0, (g->leaves + 1) * sizeof *w->count);
    for (uint32_t l = 0; l < g->leaves; l++) {
        if (*part_of(w, l) == BOUGH_NO_INDEX) *part_of(w, l) = parts++;
        w->count[*part_of(w, l) + 1]++;
    }
    for (uint32_t p = 0; p < parts; p++) w->count[p + 1] += w->count[p];
    for (uint32_t i = 0; i < g->leaves; i++) w->sorted[w->count[*part_of(w, w->order[i])]++] = w->order[i];
    memcpy(w->order, w->sorted, g->leaves * sizeof *w->order);
}

/* Hosts are counted leaf after leaf, leaves subtree after subtree. first: [leaves] */
static bough_status number_leaves(const digits *tree, uint64_t *first, bough_error *error) {
    const tune_graph *g = tree->g;
    numbering w = {.digits = tree};
    uint64_t next = 0;
    const bough_array arrays[] = {
        {&w.order, g->leaves, sizeof *w.order},
        {&w.sorted, g->leaves, sizeof *w.sorted},
        {&w.part, g->net->nodes, sizeof *w.part},
        {&w.count, (uint64_t)g->leaves + 1, sizeof *w.count},
    };
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    TRY(level_sets_make(&w.sets, g->net, bough_cable_works, error));
    for (uint32_t l = 0; l < g->leaves && !status; l++) w.order[l] = l;
    for (unsigned level = 1; level <= g->net->levels && !status; level++) sort_level(&w, level);
    for (uint32_t i = 0; i < g->leaves && !status; i++) {
        first[w.order[i]] = next;
        next += g->leaf_hosts[w.order[i]];
    }
    level_sets_fini(&w.sets);
    FREE_ALL(w.order, w.sorted, w.part, w.count);
    return status;
}

bough_status tune_tables_modk(tune_tables *t, bough_error *error) {
    const tune_graph *g = t->graph;
    digits w = {.g = g};
    uint64_t *number = NULL; /* [leaves]: of its next destination, leaf after leaf */
    bough_status status = bough_alloc(&w.level, g->switches, sizeof *w.level, error);
    TRY(bough_alloc(&number, g->leaves, sizeof *number, error));
    TRY(bough_alloc(&w.by_port, g->arcs, sizeof *w.by_port, error));
    if (!status) {
        find_strides(&w);
        sort_ports(&w);
    }
    TRY(number_leaves(&w, number, error));
    for (uint32_t d = 0; d < g->destinations && !status; d++) {
        const uint64_t index = g->leaf_of[d] == BOUGH_NO_INDEX ? 0 : number[g->leaf_of[d]]++;
        for (uint32_t s = 0; s < g->switches && g->leaf_of[d] != BOUGH_NO_INDEX; s++) {
            const tune_choices c = tune_choices_at(g, g->leaf_of[d], s);
            if (c.count) *tune_entry(t, d, s) = choose(&w, &c, index);
        }
    }
    FREE_ALL(w.level, w.by_port, number);
    return status;
}
