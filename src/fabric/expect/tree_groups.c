/* Groups of a layer: switches of the lower level are in one group if more than half of their cables lead to
 * the same switches; these are the upper ones. Then each switch goes where most of its cables lead, a few
 * times, as a group that was begun by a switch with wrong cables may be wrong.
 *
 * Where as many cables lead to one group as to another, the smaller group gets the switch, then the group of
 * the switch before it: files list switches in the order of their names more often than not. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/expect/tree_shape.h"

#include <stdlib.h>

enum { ROUNDS = 3, MODE_MOST = 255 };

typedef struct grouping {
    tree *t;
    unsigned level;    /* the lower one */
    uint32_t usual;    /* cables between two switches that have some */
    uint32_t *overlap; /* [node] */
    uint32_t *seen;    /* nodes, or groups, that overlap or votes have a value for */
    uint32_t *votes;   /* [group] */
    uint32_t *size;    /* [group]: switches of the level that is being assigned */
    uint32_t groups;
} grouping;

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The cables of a switch to the level above; of more between two switches than usual only the usual number.
 */
static uint32_t cables_up(const grouping *g, uint32_t v) {
    uint32_t count = 0;
    for (tree_bundle b = tree_bundles(g->t, v); tree_bundle_next(&b);)
        if (g->t->level[b.node] == g->level + 1) count += smaller(g->usual, b.count);
    return count;
}

/* Overlap of a switch with others of its level: cables to the same switches. Returns how many were seen. */
static uint32_t find_overlap(grouping *g, uint32_t v) {
    const tree *t = g->t;
    uint32_t seen = 0;
    for (tree_bundle a = tree_bundles(t, v); tree_bundle_next(&a);) {
        if (t->level[a.node] != g->level + 1) continue;
        for (tree_bundle b = tree_bundles(t, a.node); tree_bundle_next(&b);) {
            if (t->level[b.node] != g->level) continue;
            if (!g->overlap[b.node]) g->seen[seen++] = b.node;
            g->overlap[b.node] += smaller(g->usual, smaller(a.count, b.count));
        }
    }
    return seen;
}

static void begin_groups(grouping *g) {
    tree *t = g->t;
    for (uint64_t v = 0; v < t->net->nodes; v++) {
        if (t->level[v] != g->level || t->up[v] != TREE_NONE) continue;
        uint32_t own = cables_up(g, (uint32_t)v);
        uint32_t seen = own ? find_overlap(g, (uint32_t)v) : 0;
        for (uint32_t i = 0; i < seen; i++) {
            uint32_t x = g->seen[i], least = smaller(own, cables_up(g, x));
            if (t->up[x] == TREE_NONE && 2 * g->overlap[x] > least) t->up[x] = g->groups;
            g->overlap[x] = 0;
        }
        g->groups += own > 0;
    }
}

/* ---- votes ---- */

/* Counts the cables of v to groups. of: groups of the switches there. Returns how many were seen. */
static uint32_t count_votes(grouping *g, uint32_t v, const uint32_t *of, unsigned other) {
    const tree *t = g->t;
    uint32_t seen = 0;
    for (tree_bundle b = tree_bundles(t, v); tree_bundle_next(&b);) {
        uint32_t k = of[b.node];
        if (t->level[b.node] != other || k == TREE_NONE) continue;
        if (!g->votes[k]) g->seen[seen++] = k;
        g->votes[k] += smaller(g->usual, b.count);
    }
    return seen;
}

/* Whether group k is to be preferred to another one. before: the group of the switch before. */
static bool is_better(const grouping *g, uint32_t k, uint32_t other, uint32_t before) {
    if (other == TREE_NONE) return true;
    if (g->votes[k] != g->votes[other]) return g->votes[k] > g->votes[other];
    if (g->size[k] != g->size[other]) return g->size[k] < g->size[other];
    return k == before;
}

/* The group with most of the votes that were counted, which are cleared. *tied: another has as many. */
static uint32_t choose(grouping *g, uint32_t seen, uint32_t before, bool *tied) {
    uint32_t best = TREE_NONE, times = 0;
    for (uint32_t i = 0; i < seen; i++)
        if (is_better(g, g->seen[i], best, before)) best = g->seen[i];
    for (uint32_t i = 0; i < seen; i++) times += g->votes[g->seen[i]] == g->votes[best];
    for (uint32_t i = 0; i < seen; i++) g->votes[g->seen[i]] = 0;
    *tied = times > 1;
    return best;
}

typedef struct assignment {
    unsigned level, other; /* of the switches, and of those that their cables lead to */
    uint32_t *own;         /* [node]: group */
    const uint32_t *of;
    bool tied; /* only switches with as many cables to another group; else only those with a majority */
} assignment;

static void assign_some(grouping *g, const assignment *a) {
    const tree *t = g->t;
    uint32_t before = TREE_NONE;
    for (uint64_t v = 0; v < t->net->nodes; v++) {
        bool tied;
        if (t->level[v] != a->level) continue;
        uint32_t best = choose(g, count_votes(g, (uint32_t)v, a->of, a->other), before, &tied);
        if (tied == a->tied) {
            a->own[v] = best;
            if (best != TREE_NONE) g->size[best]++;
        }
        before = a->own[v];
    }
}

/* Assigns the switches of a level: those with a majority first. */
static void assign(grouping *g, assignment a) {
    for (uint32_t k = 0; k < g->groups; k++) g->size[k] = 0;
    assign_some(g, &a);
    a.tied = true;
    assign_some(g, &a);
}

/* ---- the layer ---- */

/* Numbers the groups that have both kinds of switches, in the order of their lower ones. */
static bough_status number_groups(grouping *g, tree_layer *layer, bough_error *error) {
    tree *t = g->t;
    const uint64_t nodes = t->net->nodes;
    uint32_t *number = g->votes; /* [group] + 1; 0: not numbered */
    uint8_t *high = NULL;
    bough_status status = bough_alloc(&high, g->groups, 1, error);
    TRY(arena_alloc(&t->memory, &layer->group, g->groups, sizeof *layer->group, error));
    for (uint64_t v = 0; v < nodes && !status; v++)
        if (t->level[v] == g->level + 1 && t->down[v] != TREE_NONE) high[t->down[v]] = 1;
    for (uint64_t v = 0; v < nodes && !status; v++) {
        if (t->level[v] != g->level || t->up[v] == TREE_NONE) continue;
        uint32_t k = t->up[v];
        if (high[k] && !number[k]) {
            layer->group[layer->groups].first = (uint32_t)v;
            number[k] = ++layer->groups;
        }
        t->up[v] = number[k] - 1; /* TREE_NONE where it has no number */
        if (number[k]) layer->group[number[k] - 1].lowers++;
    }
    for (uint64_t v = 0; v < nodes && !status; v++) {
        if (t->level[v] != g->level + 1 || t->down[v] == TREE_NONE) continue;
        t->down[v] = number[t->down[v]] - 1;
        if (t->down[v] != TREE_NONE) layer->group[t->down[v]].uppers++;
    }
    for (uint32_t k = 0; k < g->groups && !status; k++) number[k] = 0;
    free(high);
    return status;
}

typedef struct row_source {
    const tree *t;
    const uint32_t *group;
    unsigned level;
} row_source;

static uint32_t row_of(const void *context, uint32_t node) {
    const row_source *s = context;
    return s->t->level[node] == s->level ? s->group[node] : ROWS_NONE;
}

static bough_status list_members(tree *t, unsigned level, tree_layer *layer, bough_error *error) {
    arena *memory = &t->memory;
    const row_source low = {t, t->up, level}, high = {t, t->down, level + 1};
    layer->low = (compressed_rows){.rows = layer->groups, .items = (uint32_t)t->net->nodes, .memory = memory};
    layer->high = layer->low;
    bough_status status = rows_make(&layer->low, row_of, &low, error);
    TRY(rows_make(&layer->high, row_of, &high, error));
    return status;
}

/* The commonest number of cables between two switches of a layer. */
static uint32_t usual_cables(const tree *t, unsigned level) {
    uint64_t histogram[MODE_MOST + 1] = {0};
    uint32_t usual = 1;
    for (uint64_t v = 0; v < t->net->nodes; v++) {
        if (t->level[v] != level) continue;
        for (tree_bundle b = tree_bundles(t, (uint32_t)v); tree_bundle_next(&b);)
            histogram[smaller(b.count, MODE_MOST)] += t->level[b.node] == level + 1;
    }
    for (uint32_t c = 1; c <= MODE_MOST; c++)
        if (histogram[c] > histogram[usual]) usual = c;
    return usual;
}

static bough_status find_layer(grouping *g, unsigned level, bough_error *error) {
    tree *t = g->t;
    tree_layer *layer = &t->layer[level];
    g->level = level;
    g->groups = 0;
    g->usual = layer->cables = usual_cables(t, level);
    begin_groups(g);
    const assignment lower = {level, level + 1, t->up, t->down, false};
    const assignment upper = {level + 1, level, t->down, t->up, false};
    assign(g, upper);
    for (int i = 0; i < ROUNDS; i++) {
        assign(g, lower);
        assign(g, upper);
    }
    bough_status status = number_groups(g, layer, error);
    TRY(list_members(t, level, layer, error));
    return status;
}

bough_status tree_set_groups(tree *t, bough_error *error) {
    const uint64_t nodes = t->net->nodes;
    grouping g = {.t = t};
    bough_status status = arena_alloc(&t->memory, &t->up, nodes, sizeof *t->up, error);
    TRY(arena_alloc(&t->memory, &t->down, nodes, sizeof *t->down, error));
    TRY(bough_alloc(&g.overlap, nodes, sizeof *g.overlap, error));
    TRY(bough_alloc(&g.seen, nodes, sizeof *g.seen, error));
    TRY(bough_alloc(&g.votes, nodes, sizeof *g.votes, error));
    TRY(bough_alloc(&g.size, nodes, sizeof *g.size, error));
    for (uint64_t v = 0; v < nodes && !status; v++) t->up[v] = t->down[v] = TREE_NONE;
    for (unsigned level = 1; level < t->levels && !status; level++) status = find_layer(&g, level, error);
    FREE_ALL(g.overlap, g.seen, g.votes, g.size);
    return status;
}
