/* Trees of pieces, and the double binary tree of Sanders, Speck, Traeff (Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan, 2009) in the form of NCCL (src/graph/trees.cc): parents follow
 * from bits. */
#include "traffic/collectives/gpu/pipeline.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* The tree whose inner nodes are the even numbers: the parent of k is k with its lowest bit moved up. */
static uint32_t parent_of(uint32_t k, uint32_t nodes) {
    uint32_t bit = k & -k, up = (k ^ bit) | bit << 1;
    if (k == 0) return COLLECTIVE_NOBODY;
    return up < nodes ? up : k ^ bit;
}

/* The second tree is the first one with the numbers reversed, or, if their number is odd, moved by one. */
uint32_t pipeline_tree_parent(uint32_t k, uint32_t nodes, unsigned tree, bool *lower) {
    bool odd = nodes % 2;
    uint32_t as = tree == 0 ? k : odd ? (k + nodes - 1) % nodes : nodes - 1 - k;
    uint32_t up = parent_of(as, nodes);
    *lower = up != COLLECTIVE_NOBODY && as < up;
    if (up == COLLECTIVE_NOBODY || tree == 0) return up;
    return odd ? (up + 1) % nodes : nodes - 1 - up;
}

uint32_t pipeline_tree_depth(uint32_t nodes) {
    uint32_t deep = 0;
    while (nodes >>= 1) deep++;
    return deep;
}

typedef struct tree_state {
    pipeline *p;
    const pipeline_tree *t;
    uint32_t *order;                   /* [n]: children before parents */
    uint32_t *sent[2], *got[2];        /* [n]: of the link to the parent [0], and from it [1] */
    uint32_t (*ready)[PIPELINE_AFTER]; /* [n]: after which it has all of a piece */
    uint32_t *deep, *last[2];          /* [n]: depth; last operations with data, of the way up and down */
} tree_state;

static uint32_t depth_of(const pipeline_tree *t, uint32_t i) {
    uint32_t deep = 0;
    while (t->up[i] != COLLECTIVE_NOBODY) i = t->up[i], deep++;
    return deep;
}

static void sort_by_depth(tree_state *z) {
    uint32_t most = 0, at = 0;
    for (uint32_t i = 0; i < z->t->n; i++) {
        z->deep[i] = depth_of(z->t, i);
        if (z->deep[i] > most) most = z->deep[i];
    }
    for (uint32_t d = most + 1; d-- > 0;)
        for (uint32_t i = 0; i < z->t->n; i++)
            if (z->deep[i] == d) z->order[at++] = i;
}

static void add_ready(uint32_t ready[PIPELINE_AFTER], uint32_t op) {
    for (unsigned i = 0; i < PIPELINE_AFTER; i++)
        if (ready[i] == COLLECTIVE_NOBODY) {
            ready[i] = op;
            return;
        }
}

static void piece_up(tree_state *z, uint32_t piece) {
    const pipeline_tree *t = z->t;
    memset(z->ready, 0xff, t->n * sizeof *z->ready);
    for (uint32_t i = 0; i < t->n && t->own; i++) add_ready(z->ready[i], t->own[i * t->stride + piece]);
    for (uint32_t x = 0; x < t->n; x++) {
        uint32_t i = z->order[x], up = t->up[i];
        if (up == COLLECTIVE_NOBODY) continue;
        pipeline_link link = {t->member[i], t->member[up], &z->sent[0][i], &z->got[0][i]};
        uint32_t op =
            pipeline_hop(z->p, link, z->ready[i], (pipeline_piece){t->item + piece, 1, .reduce = true});
        add_ready(z->ready[up], op);
        z->last[0][i] = op;
    }
    collective_step(z->p->c);
}

/* The result is at the root when all have arrived there. */
static void root_done(tree_state *z, uint32_t piece) {
    const pipeline_tree *t = z->t;
    collective *c = z->p->c;
    uint32_t root = z->order[t->n - 1], rank = collective_rank(c, t->member[root]);
    memcpy(c->last[rank], z->ready[root], sizeof c->last[rank]);
    uint32_t join = collective_add(c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    for (unsigned i = 2; i < PIPELINE_AFTER; i++) collective_wait(c, join, z->ready[root][i]);
    t->done[root * t->stride + piece] = join;
}

static void piece_down(tree_state *z, uint32_t piece) {
    const pipeline_tree *t = z->t;
    if (t->done) root_done(z, piece);
    for (uint32_t x = t->n; x-- > 0;) {
        uint32_t i = z->order[x], up = t->up[i];
        if (up == COLLECTIVE_NOBODY) continue;
        pipeline_link link = {t->member[up], t->member[i], &z->sent[1][i], &z->got[1][i]};
        uint32_t op =
            pipeline_hop(z->p, link, z->ready[up], (pipeline_piece){t->item + piece, 1, .reduce = false});
        memset(z->ready[i], 0xff, sizeof z->ready[i]);
        z->ready[i][0] = z->last[1][i] = op;
        if (t->done) t->done[i * t->stride + piece] = op;
    }
    collective_step(z->p->c);
}

static void add_tails(tree_state *z) {
    const pipeline_tree *t = z->t;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t up = t->up[i];
        if (up == COLLECTIVE_NOBODY) continue;
        pipeline_tail_add(z->p, t->member[i], z->sent[0][i]);
        pipeline_tail_add(z->p, t->member[i], z->last[1][i]);
        pipeline_tail_add(z->p, t->member[up], z->sent[1][i]);
        pipeline_tail_add(z->p, t->member[up], z->last[0][i]);
    }
}

void pipeline_tree_run(pipeline *p, const pipeline_tree *t) {
    tree_state z = {.p = p, .t = t};
    collective *c = p->c;
    uint32_t *cells = NULL;
    if (c->status || t->n < 2) return;
    c->status = bough_alloc(&cells, 8 * (uint64_t)t->n, sizeof *cells, c->error);
    if (!c->status) c->status = bough_alloc(&z.ready, t->n, sizeof *z.ready, c->error);
    if (!c->status) {
        memset(cells, 0xff, 8 * (size_t)t->n * sizeof *cells);
        uint32_t **part[] = {&z.order,  &z.deep,   &z.sent[0], &z.sent[1],
                             &z.got[0], &z.got[1], &z.last[0], &z.last[1]};
        for (unsigned i = 0; i < 8; i++) *part[i] = cells + (size_t)i * t->n;
        sort_by_depth(&z);
    }
    for (uint32_t piece = 0; piece < t->pieces && !c->status; piece++) {
        piece_up(&z, piece);
        piece_down(&z, piece);
    }
    if (!c->status) add_tails(&z);
    FREE_ALL(cells, z.ready);
}
