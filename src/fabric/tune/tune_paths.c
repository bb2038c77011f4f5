/* First all shortest paths are taken. If the dependencies between links, over all choices that a message can
 * meet, have a cycle, a table could deadlock, and up/down paths replace them, which cannot. */
#include "fabric/tune/tune_paths.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/computed/up_down_paths.h"

#include <stdlib.h>
#include <string.h>

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

static bough_status check_acyclic(const tune_graph *g, bool *result, bough_error *error) {
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

bough_status tune_paths_find(tune_graph *g, bough_error *error) {
    const bough_net *net = g->net;
    lists w = {.g = g};
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
