/* The trees found so far are in order of taper. What a comparison needs of them is in an array of its own,
 * with the smallest numbers of every block, so that most blocks are skipped.
 *
 * A tree of up to three levels of switches is given by the children of its upper switches (the leaf switches
 * take what remains), and by the cables up and their division among parents. For each choice a lower bound of
 * switches and cables is compared with the trees found so far, and the rest is skipped if one of them is
 * already as good. In the top level, of all divisions of the cables up among roots the one with the fewest
 * roots is the best. */
#include "network/families/fat_tree_search.h"

#include "base/memory/memory.h"
#include "base/status/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

/* What is compared; of a block, the smallest of each. */
typedef struct merit {
    double taper, cost;
    uint64_t switches, cables;
} merit;

typedef struct search {
    const fat_tree_demand *ask;
    unsigned levels; /* of the trees that are tried */
    fat_tree t;      /* the tree under construction */
    fat_tree *tree;  /* the best so far */
    size_t count, capacity;
    merit *merit; /* of each tree */
    merit *block; /* of each BLOCK of them */
    size_t merit_capacity, block_capacity;
    uint16_t *divisor; /* [radix + 1][radix + 1]: of the row, the largest up to the column */
    bough_status status;
    bough_error *error;
} search;

static uint64_t divided_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* ---- which to keep ---- */

static double cost_of(const fat_tree_demand *ask, const fat_tree *t) {
    return ask->switch_price * (double)t->switches + ask->cable_price * (double)t->cables;
}

static merit merit_of(const fat_tree_demand *ask, const fat_tree *t) {
    return (merit){t->taper, ask->priced ? cost_of(ask, t) : 0, t->switches, t->cables};
}

static bool no_worse(const fat_tree_demand *ask, const merit *a, const merit *b) {
    if (ask->cheapest) {
        if (a->switches != b->switches) return a->switches < b->switches;
        return a->cables != b->cables ? a->cables < b->cables : a->taper <= b->taper;
    }
    if (a->taper > b->taper) return false;
    if (ask->priced) return a->cost <= b->cost;
    return a->switches <= b->switches && a->cables <= b->cables;
}

/* The number of trees found so far whose taper is at most this one. They are in order of taper. */
static size_t no_more_tapered(const search *s, double taper) {
    size_t low = 0, high = s->count;
    if (s->ask->cheapest) return s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->merit[middle].taper <= taper)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a tree found so far is at least as good as t, or as any tree of which t is a lower bound. Those
 * with the largest taper are the cheapest. */
static bool is_beaten(const search *s, const fat_tree *t) {
    const merit m = merit_of(s->ask, t);
    for (size_t end = no_more_tapered(s, t->taper), first; end > 0; end = first) {
        first = (end - 1) / BLOCK * BLOCK;
        if (!s->ask->cheapest && !no_worse(s->ask, &s->block[first / BLOCK], &m)) continue;
        for (size_t i = end; i-- > first;)
            if (no_worse(s->ask, &s->merit[i], &m)) return true;
    }
    return false;
}

static void find_blocks(search *s) {
    for (size_t i = 0; i < s->count; i++) {
        const merit *m = &s->merit[i];
        merit *b = &s->block[i / BLOCK];
        if (i % BLOCK == 0) *b = *m;
        if (m->cost < b->cost) b->cost = m->cost;
        if (m->switches < b->switches) b->switches = m->switches;
        if (m->cables < b->cables) b->cables = m->cables;
    }
}

static void remove_beaten(search *s, const merit *m) {
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (no_worse(s->ask, m, &s->merit[i])) continue;
        if (left < i) s->tree[left] = s->tree[i], s->merit[left] = s->merit[i];
        left++;
    }
    s->count = left;
}

/* Adds the tree, and removes those that are no better. Of equal trees the first one stays: it has the fewest
 * levels. */
static void keep(search *s) {
    const fat_tree *t = &s->t;
    if (t->taper > s->ask->taper * (1 + 1e-12) || s->status || is_beaten(s, t)) return;
    const merit m = merit_of(s->ask, t);
    const size_t more = s->count + 1;
    s->status = bough_grow(&s->tree, &s->capacity, more, sizeof *s->tree, s->error);
    if (!s->status) s->status = bough_grow(&s->merit, &s->merit_capacity, more, sizeof *s->merit, s->error);
    if (!s->status)
        s->status = bough_grow(&s->block, &s->block_capacity, more / BLOCK + 1, sizeof *s->block, s->error);
    if (s->status) return;
    remove_beaten(s, &m);
    size_t place = no_more_tapered(s, t->taper);
    memmove(&s->tree[place + 1], &s->tree[place], (s->count - place) * sizeof *s->tree);
    memmove(&s->merit[place + 1], &s->merit[place], (s->count - place) * sizeof *s->merit);
    s->tree[place] = *t;
    s->merit[place] = m;
    s->count++;
    find_blocks(s);
}

/* ---- up to three levels ---- */

/* What is below the roots: their children, and the subtree of one of them. */
typedef struct base {
    uint64_t children, hosts, width; /* hosts: of a child subtree; width: its switches with ports up */
    uint64_t switches, cables;       /* of all child subtrees */
    uint32_t ports;                  /* that one of these switches has for cables up */
    double taper;
} base;

/* The fewest cables up of a switch of such a subtree. */
static uint64_t least_up(const search *s, uint64_t hosts, uint64_t width) {
    uint64_t least = (uint64_t)ceil((double)hosts / s->ask->taper / (double)width - 1e-9);
    return least ? least : 1;
}

static void take(search *s, const base *b, uint32_t ports, uint32_t links) {
    fat_tree *t = &s->t;
    unsigned top = s->levels - 1;
    t->levels = s->levels;
    t->down[top] = (uint32_t)b->children;
    t->links[top] = links;
    t->up[top] = ports / links;
    t->switches = b->switches + b->width * t->up[top];
    t->cables = b->cables + b->children * b->width * ports;
    t->taper = fmax(b->taper, (double)b->hosts / (double)(b->width * ports));
    t->bisection = fmin(1, (double)(b->width * ports) / (double)b->hosts);
    keep(s);
}

/* Tries all numbers of cables up. Once they lower the taper no more, only fewer roots are worth more cables.
 */
static void try_roots(search *s, const base *b) {
    uint32_t most = s->ask->radix / (uint32_t)b->children, fewest = UINT32_MAX;
    uint64_t least = least_up(s, b->hosts, b->width);
    for (uint32_t ports = least <= b->ports ? (uint32_t)least : b->ports + 1; ports <= b->ports; ports++) {
        uint32_t links = s->divisor[ports * (s->ask->radix + 1) + (most < ports ? most : ports)];
        uint32_t roots = ports / links;
        if (roots < fewest) take(s, b, ports, links);
        if ((double)b->hosts > b->taper * (double)(b->width * ports)) continue;
        if (roots < fewest) fewest = roots;
        if (fewest <= divided_up(ports, most)) return;
    }
}

static void try_two_levels(search *s) {
    const fat_tree_demand *ask = s->ask;
    for (uint64_t leaves = 2; leaves <= ask->radix && leaves <= ask->hosts && !s->status; leaves++) {
        uint64_t down = divided_up(ask->hosts, leaves);
        if (down >= ask->radix) continue;
        s->t.down[0] = (uint32_t)down;
        try_roots(s, &(base){.children = leaves,
                             .hosts = down,
                             .width = 1,
                             .switches = leaves,
                             .ports = ask->radix - (uint32_t)down,
                             .taper = 1});
    }
}

/* Whether trees with these pods, leaf switches and at least these cables up from a leaf can be better than
 * what was found. A middle switch has ports for the cables of its leaves and for its own up, and a root for
 * those of the pods. */
static bool may_be_better(const search *s, const base *pods, uint64_t leaf_cables, uint64_t middle) {
    uint64_t radix = s->ask->radix, leaves = pods->switches;
    uint64_t up = least_up(s, pods->hosts, 1), needed = divided_up(leaf_cables / pods->children + up, radix);
    fat_tree bound = {.taper = pods->taper};
    if (needed > middle) middle = needed;
    bound.switches = leaves + pods->children * middle + divided_up(pods->children * up, radix);
    bound.cables = leaf_cables + pods->children * up;
    return !is_beaten(s, &bound);
}

/* Every number of middle switches of a pod, and of cables from a leaf to each. */
static void try_middle(search *s, const base *pods, uint32_t leaves) {
    uint32_t radix = s->ask->radix, down = s->t.down[0], unused = radix - down;
    uint64_t least = least_up(s, down, 1);
    for (uint32_t links = 1; links <= unused && leaves * links < radix; links++)
        for (uint32_t up = (uint32_t)divided_up(least, links); up * links <= unused && !s->status; up++) {
            base b = *pods;
            uint32_t ports = up * links;
            b.taper = fmax(1, (double)down / ports);
            b.cables = pods->switches * ports;
            if (!may_be_better(s, &b, b.cables, up)) continue;
            b.width = up;
            b.switches += pods->children * up;
            b.ports = radix - leaves * links;
            s->t.up[1] = up;
            s->t.links[1] = links;
            try_roots(s, &b);
        }
}

static void try_three_levels(search *s) {
    const fat_tree_demand *ask = s->ask;
    uint32_t radix = ask->radix;
    for (uint64_t pods = radix; pods >= 2; pods--) {
        if (ask->progress) ask->progress(ask->context, 1 - (double)pods / radix);
        if (!s->status) s->status = stop_check(ask->stop, s->error);
        for (uint32_t leaves = radix - 1; leaves >= 1 && !s->status; leaves--) {
            uint64_t down = divided_up(ask->hosts, pods * leaves);
            if (pods * leaves > ask->hosts || down >= radix) continue;
            base b = {.children = pods,
                      .hosts = divided_up(ask->hosts, pods),
                      .switches = pods * leaves,
                      .taper = fmax(1, (double)down / (double)(radix - down))};
            uint64_t least = least_up(s, down, 1);
            if (down + least > radix || !may_be_better(s, &b, b.switches * least, 1)) continue;
            s->t.down[0] = (uint32_t)down;
            s->t.down[1] = leaves;
            try_middle(s, &b, leaves);
        }
    }
}

/* ---- four and more levels ---- */

/* Counts what a shape has. width: nodes that are roots of the same endpoints. */
static void count(const fat_tree_demand *ask, fat_tree *t) {
    uint64_t width = 1, subtrees = 1;
    for (unsigned i = 0; i < t->levels; i++) subtrees = bough_mul(subtrees, t->down[i]);
    t->taper = t->bisection = 1;
    t->switches = t->cables = 0;
    for (unsigned i = 0; i < t->levels; i++) {
        uint64_t up = bough_mul(width, (uint64_t)t->up[i] * t->links[i]); /* cables of a subtree below */
        if (i > 0) {
            uint64_t hosts = divided_up(ask->hosts, subtrees);
            t->cables = bough_add(t->cables, bough_mul(subtrees, up));
            t->taper = fmax(t->taper, (double)hosts / (double)up);
            t->bisection = fmin(1, (double)up / (double)hosts);
        }
        width = bough_mul(width, t->up[i]);
        subtrees /= t->down[i];
        t->switches = bough_add(t->switches, bough_mul(subtrees, width));
    }
}

/* The top level joins as many subtrees as the hosts need. */
static void try_top(search *s, unsigned i, uint64_t below) {
    uint64_t down = divided_up(s->ask->hosts, below), subtrees = down;
    if (down < 2 || down * s->t.links[i] > s->ask->radix) return;
    s->t.down[i] = (uint32_t)down;
    s->t.levels = i + 1;
    for (unsigned k = 1; k < i; k++) subtrees = bough_mul(subtrees, s->t.down[k]);
    if (subtrees > s->ask->hosts) return;
    uint32_t down0 = s->t.down[0];
    s->t.down[0] = (uint32_t)divided_up(s->ask->hosts, subtrees);
    count(s->ask, &s->t);
    keep(s);
    s->t.down[0] = down0;
}

static void try_level(search *s, unsigned i, uint64_t below, uint64_t width);

/* A node of level i - 1 has `ports` cables up: every division among parents is tried; of more than four
 * levels only for the roots. */
static void try_parents(search *s, unsigned i, uint64_t below, uint64_t width, uint32_t ports) {
    bool top = i + 1 == s->levels;
    for (uint32_t links = 1; links <= ports && (links == 1 || top || s->levels <= 4); links++) {
        if (ports % links) continue;
        s->t.up[i] = ports / links;
        s->t.links[i] = links;
        if (top)
            try_top(s, i, below);
        else
            try_level(s, i, below, width * s->t.up[i]);
    }
}

/* Chooses the children of a node of level i, not the top, and its number of cables up, no fewer than the
 * taper allows. */
static void try_level(search *s, unsigned i, uint64_t below, uint64_t width) {
    const fat_tree_demand *ask = s->ask;
    uint32_t links = s->t.links[i], most = (ask->radix - 1) / links;
    for (uint32_t down = i ? ask->radix / 2 / links : 1; down <= most && down > 0; down++) {
        uint64_t under = below * down;
        uint32_t used = down * links, unused = ask->radix - used;
        uint64_t least = i ? used : least_up(s, under, width);
        if (under >= ask->hosts || s->status) break;
        s->t.down[i] = down;
        for (uint64_t ports = least; ports <= unused && ports <= used; ports++)
            try_parents(s, i + 1, under, width, (uint32_t)ports);
        if (i) break;
    }
}

/* ---- all of them ---- */

static void try_levels(search *s, unsigned levels) {
    const fat_tree_demand *ask = s->ask;
    s->levels = levels;
    s->t = (fat_tree){.levels = levels, .up = {1}, .links = {1}};
    if (levels == 1 && ask->hosts <= ask->radix) {
        s->t.down[0] = (uint32_t)ask->hosts;
        count(ask, &s->t);
        keep(s);
    }
    if (levels == 2) try_two_levels(s);
    if (levels == 3) try_three_levels(s);
    if (levels > 3) try_level(s, 0, 1, 1);
}

static bough_status list_divisors(search *s) {
    uint32_t radix = s->ask->radix;
    bough_status status =
        bough_alloc(&s->divisor, (uint64_t)(radix + 1) * (radix + 1), sizeof *s->divisor, s->error);
    for (uint32_t n = 1; n <= radix && !status; n++)
        for (uint32_t most = 1; most <= n; most++)
            s->divisor[n * (radix + 1) + most] =
                n % most == 0 ? (uint16_t)most : s->divisor[n * (radix + 1) + most - 1];
    return status;
}

bough_status fat_tree_search(const fat_tree_demand *ask, fat_tree **trees, size_t *trees_count,
                             bough_error *error) {
    search s = {.ask = ask, .error = error};
    *trees = NULL;
    *trees_count = 0;
    s.status = list_divisors(&s);
    for (unsigned levels = 1; levels <= ask->levels_max && !s.status; levels++)
        if (ask->levels ? ask->levels == levels : levels < 4 || s.count == 0) try_levels(&s, levels);
    FREE_ALL(s.divisor, s.merit, s.block);
    if (s.status) {
        free(s.tree);
        return s.status;
    }
    *trees = s.tree;
    *trees_count = s.count;
    return BOUGH_OK;
}

xgft_shape fat_tree_shape(const fat_tree_demand *ask, const fat_tree *t) {
    xgft_shape shape = {.levels = t->levels, .hosts = ask->hosts};
    for (unsigned i = 0; i < t->levels; i++) {
        shape.m[i] = t->down[i];
        shape.w[i] = t->up[i];
        shape.p[i] = t->links[i];
    }
    return shape;
}
