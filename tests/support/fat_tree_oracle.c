#include "support/fat_tree_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct trees {
    oracle_tree *tree;
    size_t count, capacity;
} trees;

static void add(trees *all, oracle_tree t) {
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 1024;
        all->tree = realloc(all->tree, all->capacity * sizeof t);
        assert_non_null(all->tree);
    }
    all->tree[all->count++] = t;
}

static int by_size(const void *a, const void *b) {
    const oracle_tree *x = a, *y = b;
    if (x->switches != y->switches) return x->switches < y->switches ? -1 : 1;
    if (x->cables != y->cables) return x->cables < y->cables ? -1 : 1;
    return (x->taper > y->taper) - (x->taper < y->taper);
}

/* In order of size a tree can only be beaten by one before it. */
static void leave_the_best(trees *all) {
    size_t left = 0;
    if (all->count) qsort(all->tree, all->count, sizeof *all->tree, by_size);
    for (size_t i = 0; i < all->count; i++) {
        bool beaten = false;
        for (size_t k = 0; k < left && !beaten; k++)
            beaten = all->tree[k].cables <= all->tree[i].cables && all->tree[k].taper <= all->tree[i].taper;
        if (!beaten) all->tree[left++] = all->tree[i];
    }
    all->count = left;
}

/* The endpoints of the fullest of some subtrees, over its cables up. */
static double taper_of(uint64_t hosts, uint64_t subtrees, uint64_t cables) {
    return (double)((hosts + subtrees - 1) / subtrees) / (double)cables;
}

static bool holds(uint64_t hosts, uint64_t down, uint64_t leaves) {
    return hosts <= down * leaves && leaves <= hosts;
}

static void two_levels(trees *all, uint64_t hosts, uint32_t radix, double taper) {
    for (uint32_t d0 = 1; d0 < radix; d0++)
        for (uint32_t d1 = 1; d1 <= radix; d1++)
            for (uint32_t w = 1; d0 + w <= radix && holds(hosts, d0, d1); w++)
                for (uint32_t p = 1; d0 + w * p <= radix && d1 * p <= radix; p++) {
                    oracle_tree t = {d1 + w, d1 * w * p, fmax(1, taper_of(hosts, d1, w * p))};
                    if (t.taper <= taper) add(all, t);
                }
}

/* The roots above pods of d1 leaf switches and w1 middle switches. */
static void roots(trees *all, uint64_t hosts, uint32_t radix, const uint32_t shape[5], double leaf_taper,
                  double taper) {
    uint32_t d1 = shape[1], d2 = shape[2], w1 = shape[3], p1 = shape[4];
    for (uint32_t w2 = 1; d1 * p1 + w2 <= radix; w2++)
        for (uint32_t p2 = 1; d1 * p1 + w2 * p2 <= radix && d2 * p2 <= radix; p2++) {
            oracle_tree t = {d1 * d2 + d2 * w1 + w1 * w2, d1 * d2 * w1 * p1 + d2 * w1 * w2 * p2,
                             fmax(leaf_taper, taper_of(hosts, d2, w1 * w2 * p2))};
            if (t.taper <= taper) add(all, t);
        }
}

static void three_levels(trees *all, uint64_t hosts, uint32_t radix, double taper) {
    for (uint32_t d0 = 1; d0 < radix; d0++)
        for (uint32_t d1 = 1; d1 < radix; d1++)
            for (uint32_t d2 = 1; d2 <= radix; d2++)
                for (uint32_t w1 = 1; d0 + w1 <= radix && holds(hosts, d0, d1 * d2); w1++)
                    for (uint32_t p1 = 1; d0 + w1 * p1 <= radix && d1 * p1 < radix; p1++) {
                        double leaf = fmax(1, taper_of(hosts, d1 * d2, w1 * p1));
                        if (leaf <= taper)
                            roots(all, hosts, radix, (uint32_t[]){d0, d1, d2, w1, p1}, leaf, taper);
                    }
}

oracle_tree *fat_tree_oracle(uint64_t hosts, uint32_t radix, double taper, size_t *count) {
    trees all = {0};
    if (hosts <= radix) add(&all, (oracle_tree){1, 0, 1});
    two_levels(&all, hosts, radix, taper);
    three_levels(&all, hosts, radix, taper);
    leave_the_best(&all);
    *count = all.count;
    return all.tree;
}
