/* All shapes are tried, from the leaves up; only Pareto-optimal ones are kept. */
#include "bough/plan.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const bough_plan_ask *ask;
    unsigned levels;       /* of the trees that are tried */
    bough_plan_tree t;     /* the tree under construction */
    bough_plan_tree *tree; /* the best so far */
    size_t count, capacity;
    bough_status status;
    bough_error *error;
} search;

/* ---- one tree ---- */

static void write_list(char *text, size_t size, const char *key, const uint32_t *list, unsigned count) {
    size_t length = strlen(text);
    for (unsigned i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%u", i ? "x" : key, list[i]);
}

static void write_spec(bough_plan_tree *t) {
    bool parallel = false;
    snprintf(t->spec, sizeof t->spec, "xgft:");
    write_list(t->spec, sizeof t->spec, "down=", t->down, t->levels);
    write_list(t->spec, sizeof t->spec, ",up=", t->up, t->levels);
    for (unsigned i = 0; i < t->levels; i++) parallel |= t->links[i] > 1;
    if (parallel) write_list(t->spec, sizeof t->spec, ",links=", t->links, t->levels);
}

/* Counts what a shape has. below: endpoints under a node of the level; width: nodes that are roots of the
 * same endpoints; trees: subtrees of the level. */
static void count(const bough_plan_ask *ask, bough_plan_tree *t) {
    uint64_t below = 1, width = 1, subtrees = 1, ports = 0;
    for (unsigned i = 0; i < t->levels; i++) subtrees = bough_mul(subtrees, t->down[i]);
    t->endpoints = subtrees;
    t->taper = 1;
    t->bisection = 1;
    t->switches = t->cables = 0;
    for (unsigned i = 0; i < t->levels; i++) {
        uint64_t up = bough_mul(width, (uint64_t)t->up[i] * t->links[i]); /* cables of a subtree below */
        if (i > 0) {
            t->cables = bough_add(t->cables, bough_mul(subtrees, up));
            t->taper = fmax(t->taper, (double)below / (double)up);
            if (i + 1 == t->levels)
                t->bisection = fmin(1, (double)(t->down[i] / 2 * up) / (double)(t->down[i] / 2 * below));
        }
        below = bough_mul(below, t->down[i]);
        width = bough_mul(width, t->up[i]);
        subtrees /= t->down[i];
        t->switches = bough_add(t->switches, bough_mul(subtrees, width));
    }
    ports = bough_mul(t->switches, ask->radix);
    t->free_ports = ports - 2 * t->cables - ask->hosts;
    const bough_prices *p = &ask->prices;
    t->cost = p->given ? p->switches * (double)t->switches + p->cables * (double)t->cables +
                             p->hosts * (double)ask->hosts
                       : 0;
}

/* ---- which to keep ---- */

static bool no_worse(const bough_plan_tree *a, const bough_plan_tree *b, bool priced) {
    if (a->taper > b->taper) return false;
    return priced ? a->cost <= b->cost : a->switches <= b->switches && a->cables <= b->cables;
}

/* Adds the tree, and removes those that are no better. Of equal trees the first one stays: it has the fewest
 * levels. */
static void keep(search *s) {
    bough_plan_tree *t = &s->t;
    bool priced = s->ask->prices.given;
    size_t left = 0;
    if (t->taper > s->ask->taper * (1 + 1e-12) || s->status) return;
    for (size_t i = 0; i < s->count; i++)
        if (no_worse(&s->tree[i], t, priced)) return;
    for (size_t i = 0; i < s->count; i++)
        if (!no_worse(t, &s->tree[i], priced)) s->tree[left++] = s->tree[i];
    s->count = left;
    s->status = bough_grow(&s->tree, &s->capacity, s->count + 1, sizeof *s->tree, s->error);
    if (s->status) return;
    write_spec(t);
    s->tree[s->count++] = *t;
}

static int by_cost(const void *a, const void *b) {
    const bough_plan_tree *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->switches != y->switches) return x->switches < y->switches ? -1 : 1;
    if (x->cables != y->cables) return x->cables < y->cables ? -1 : 1;
    return (x->taper > y->taper) - (x->taper < y->taper);
}

/* ---- all of them ---- */

static uint64_t divided_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* The top level joins as many subtrees as the hosts need; its nodes have `up` parents above each child. */
static void try_top(search *s, unsigned i, uint64_t below) {
    const bough_plan_ask *ask = s->ask;
    uint64_t down = divided_up(ask->hosts, below);
    if (down < 2 || down * s->t.links[i] > ask->radix) return;
    s->t.down[i] = (uint32_t)down;
    s->t.levels = i + 1;
    count(ask, &s->t);
    keep(s);
}

static void try_level(search *s, unsigned i, uint64_t below, uint64_t width);

/* A node of level i - 1 has `ports` cables up: every division among parents is tried. */
static void try_parents(search *s, unsigned i, uint64_t below, uint64_t width, uint32_t ports) {
    for (uint32_t links = 1; links <= ports; links++) {
        if (ports % links) continue;
        s->t.up[i] = ports / links;
        s->t.links[i] = links;
        if (i + 1 == s->levels)
            try_top(s, i, below);
        else
            try_level(s, i, below, width * s->t.up[i]);
    }
}

/* Chooses the children of a node of level i, not the top, and its number of cables up: never more than
 * down, which would be of no use, and no fewer than the taper allows. */
static void try_level(search *s, unsigned i, uint64_t below, uint64_t width) {
    const bough_plan_ask *ask = s->ask;
    bool half = s->levels > 3 && i > 0;
    uint32_t links = s->t.links[i], most = (ask->radix - 1) / links;
    for (uint32_t down = half ? ask->radix / 2 / links : i ? 2 : 1; down <= most && down > 0; down++) {
        uint64_t under = below * down;
        uint32_t used = down * links, unused = ask->radix - used;
        uint64_t least = (uint64_t)ceil((double)under / ask->taper / (double)width - 1e-9);
        if (under >= ask->hosts || s->status) break;
        s->t.down[i] = down;
        for (uint64_t ports = least ? least : 1; ports <= unused && ports <= used; ports++)
            try_parents(s, i + 1, under, width, (uint32_t)ports);
        if (half) break;
    }
}

static void try_one_switch(search *s) {
    if (s->ask->hosts > s->ask->radix) return;
    s->t = (bough_plan_tree){.levels = 1, .down = {(uint32_t)s->ask->hosts}, .up = {1}, .links = {1}};
    count(s->ask, &s->t);
    keep(s);
}

static bough_status check(const bough_plan_ask *ask, bough_error *error) {
    if (ask->hosts < 1 || ask->hosts > UINT64_C(1) << 40)
        return bough_fail(error, BOUGH_INVALID, NULL, "hosts: 1 to 2^40");
    if (ask->radix < 2 || ask->radix > 1024)
        return bough_fail(error, BOUGH_INVALID, NULL, "radix: a switch has 2 to 1024 ports");
    if (!(ask->taper >= 1) || ask->taper > 1024)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "taper: %g is out of range; it must lie between 1 (full) and 1024", ask->taper);
    if (ask->levels > BOUGH_PLAN_LEVELS)
        return bough_fail(error, BOUGH_INVALID, NULL, "levels: 1 to %d", BOUGH_PLAN_LEVELS);
    return BOUGH_OK;
}

static bough_status nothing_fits(const bough_plan_ask *ask, bough_error *error) {
    unsigned levels = ask->levels ? ask->levels : BOUGH_PLAN_LEVELS;
    double most = ask->radix;
    for (unsigned i = 1; i < levels; i++) most *= (double)ask->radix / 2;
    if (levels > 1) most *= 2 * ask->taper / (1 + ask->taper);
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "no fat-tree of %u-port switches in %u level%s joins %llu hosts with a taper of at most %g; "
        "about %.0f is the most",
        ask->radix, levels, levels > 1 ? "s" : "", (unsigned long long)ask->hosts, ask->taper, most);
}

bough_status bough_plan(const bough_plan_ask *ask, bough_plan_tree **trees, size_t *trees_count,
                        bough_error *error) {
    search s = {.ask = ask, .error = error};
    *trees = NULL;
    *trees_count = 0;
    s.status = check(ask, error);
    if (s.status) return s.status;
    if (ask->levels < 2) try_one_switch(&s);
    for (unsigned levels = 2; levels <= BOUGH_PLAN_LEVELS && !s.status; levels++) {
        bool wanted = ask->levels ? ask->levels == levels : levels < 4 || s.count == 0;
        s.t = (bough_plan_tree){.up = {1}, .links = {1}};
        s.levels = levels;
        if (wanted) try_level(&s, 0, 1, 1);
    }
    if (!s.status && s.count == 0) s.status = nothing_fits(ask, error);
    if (s.status) {
        free(s.tree);
        return s.status;
    }
    qsort(s.tree, s.count, sizeof *s.tree, by_cost);
    *trees = s.tree;
    *trees_count = s.count;
    return BOUGH_OK;
}
