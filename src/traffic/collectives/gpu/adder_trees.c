#include "traffic/collectives/gpu/adder_trees.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/aggregation/aggregation.h"
#include "network/net.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Adders in the order of their first use. */
typedef struct maker {
    const bough_net *net;
    collective_adders *out;
    uint32_t n, *member_of; /* [aggregation nodes]: COLLECTIVE_NOBODY: not used yet */
    bough_error *error;
} maker;

static void take_tree(maker *m, const bough_aggregation_tree *made, adder_tree *tree) {
    collective_adders *out = m->out;
    *tree = (adder_tree){made->count, made->depth, made->node, made->up, made->leaf};
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t *member = &m->member_of[tree->member[i]];
        if (*member == COLLECTIVE_NOBODY) {
            out->endpoint[out->ranks] = (uint32_t)(m->net->aggregation->hosts + tree->member[i]);
            *member = m->n + out->ranks++;
        }
        tree->member[i] = *member;
    }
}

static bough_status make_trees(maker *m, const pipeline *p, const uint32_t *endpoint) {
    uint32_t *heads = NULL;
    bough_status status = bough_alloc(&heads, p->nodes, sizeof *heads, m->error);
    for (uint32_t i = 0; i < m->out->trees && !status; i++) {
        bough_aggregation_tree made;
        for (uint32_t k = 0; k < p->nodes; k++) {
            uint32_t head = p->order[p->first[k] + i % (p->first[k + 1] - p->first[k])];
            heads[k] = endpoint[collective_rank(p->c, head)];
        }
        const bough_aggregation_group group = {heads, p->nodes, i};
        status = bough_aggregation_tree_make(m->net, &group, &made, m->error);
        if (!status) take_tree(m, &made, &m->out->tree[i]);
    }
    free(heads);
    return status;
}

bough_status adder_trees_make(collective *c, const bough_net *net, const uint32_t *endpoint,
                              collective_adders *out) {
    pipeline p;
    const uint64_t count = net->aggregation->count;
    maker m = {.net = net, .out = out, .n = c->n, .error = c->error};
    pipeline_begin(&p, c);
    bough_status status = c->status;
    *out = (collective_adders){.nodes = p.nodes, .trees = p.nodes > 1 ? p.most : 0};
    TRY(bough_alloc(&out->tree, out->trees, sizeof *out->tree, c->error));
    TRY(bough_alloc(&out->endpoint, count, sizeof *out->endpoint, c->error));
    TRY(bough_alloc(&m.member_of, count, sizeof *m.member_of, c->error));
    if (!status) memset(m.member_of, 0xff, count * sizeof *m.member_of);
    TRY(make_trees(&m, &p, endpoint));
    free(m.member_of);
    pipeline_fini(&p);
    return status;
}

void adder_trees_fini(collective_adders *a) {
    for (uint32_t i = 0; a->tree && i < a->trees; i++)
        FREE_ALL(a->tree[i].member, a->tree[i].up, a->tree[i].leaf);
    FREE_ALL(a->tree, a->endpoint);
    *a = (collective_adders){0};
}

uint64_t adder_trees_messages(const collective_adders *a) {
    uint64_t sum = 0;
    for (uint32_t i = 0; a && i < a->trees; i++) sum += 2 * (uint64_t)(a->nodes + a->tree[i].count);
    return sum;
}

uint32_t adder_trees_hops(const collective_adders *a) {
    uint32_t most = 0;
    for (uint32_t i = 0; a && i < a->trees; i++)
        if (2 * (a->tree[i].depth + 1) > most) most = 2 * (a->tree[i].depth + 1);
    return most;
}

/* ---- running ---- */

/* Last operations of links at the sender and the receiver, up [0] and down [1]: of the heads, and of the
 * adders below the root. */
typedef struct tree_run {
    pipeline *p;
    const adder_tree *tree;
    const adder_tree_job *job;
    uint32_t *head_sent[2], *head_got[2], *sent[2], *got[2];
    uint32_t *sum; /* [count]: operation after which an adder has what it passes on */
} tree_run;

/* An adder sends on when it has a piece of all its children. */
static void add_sums(tree_run *r) {
    collective *c = r->p->c;
    for (uint32_t i = 0; i < r->tree->count && !c->status; i++) {
        uint32_t *last = c->last[r->tree->member[i]];
        last[0] = last[1] = COLLECTIVE_NOBODY;
        r->sum[i] = collective_add(c, r->tree->member[i], (bough_op){.kind = BOUGH_OP_CALC});
    }
}

static void piece_up(tree_run *r, uint32_t piece) {
    const adder_tree *t = r->tree;
    const adder_tree_job *j = r->job;
    pipeline *p = r->p;
    pipeline_piece what = {j->item + piece, 1, .reduce = true};
    add_sums(r);
    for (uint32_t k = 0; k < p->nodes; k++) {
        const uint32_t after[PIPELINE_AFTER] = {j->own[(size_t)k * j->pieces + piece], COLLECTIVE_NOBODY,
                                                COLLECTIVE_NOBODY};
        pipeline_link link = {j->head[k], t->member[t->leaf[k]], &r->head_sent[0][k], &r->head_got[0][k]};
        collective_wait(p->c, r->sum[t->leaf[k]], pipeline_hop(p, link, after, what));
    }
    for (uint32_t i = t->count; i-- > 1;) {
        const uint32_t after[PIPELINE_AFTER] = {r->sum[i], COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
        pipeline_link link = {t->member[i], t->member[t->up[i]], &r->sent[0][i], &r->got[0][i]};
        collective_wait(p->c, r->sum[t->up[i]], pipeline_hop(p, link, after, what));
    }
    collective_step(p->c);
}

static void piece_down(tree_run *r, uint32_t piece) {
    const adder_tree *t = r->tree;
    const adder_tree_job *j = r->job;
    pipeline *p = r->p;
    pipeline_piece what = {j->item + piece, 1, .reduce = false};
    for (uint32_t i = 1; i < t->count; i++) {
        const uint32_t after[PIPELINE_AFTER] = {r->sum[t->up[i]], COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
        pipeline_link link = {t->member[t->up[i]], t->member[i], &r->sent[1][i], &r->got[1][i]};
        r->sum[i] = pipeline_hop(p, link, after, what);
    }
    for (uint32_t k = 0; k < p->nodes; k++) {
        const uint32_t after[PIPELINE_AFTER] = {r->sum[t->leaf[k]], COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
        pipeline_link link = {t->member[t->leaf[k]], j->head[k], &r->head_sent[1][k], &r->head_got[1][k]};
        j->done[(size_t)k * j->pieces + piece] = pipeline_hop(p, link, after, what);
    }
    collective_step(p->c);
}

static void add_tails(tree_run *r) {
    pipeline *p = r->p;
    for (uint32_t k = 0; k < p->nodes; k++) {
        pipeline_tail_add(p, r->job->head[k], r->head_sent[0][k]);
        pipeline_tail_add(p, r->job->head[k], r->head_got[1][k]);
    }
}

static bough_status find_tree(pipeline *p, const adder_tree_job *job, const adder_tree **tree) {
    const collective_adders *a = p->c->adders;
    *tree = a && job->number < a->trees ? &a->tree[job->number] : NULL;
    if (*tree) return BOUGH_OK;
    return bough_fail(p->c->error, BOUGH_INVALID, NULL, "algorithm sharp has no tree of switches that add");
}

void adder_tree_run(pipeline *p, const adder_tree_job *job) {
    tree_run r = {.p = p, .job = job};
    collective *c = p->c;
    uint32_t *cells = NULL;
    if (c->status || p->nodes < 2) return;
    c->status = find_tree(p, job, &r.tree);
    if (c->status) return;
    uint64_t nodes = p->nodes, count = r.tree->count, all = 4 * nodes + 5 * count;
    c->status = bough_alloc(&cells, all, sizeof *cells, c->error);
    if (c->status) return;
    memset(cells, 0xff, all * sizeof *cells);
    for (unsigned down = 0; down < 2; down++) {
        r.head_sent[down] = cells + 2 * down * nodes;
        r.head_got[down] = r.head_sent[down] + nodes;
        r.sent[down] = cells + 4 * nodes + 2 * down * count;
        r.got[down] = r.sent[down] + count;
    }
    r.sum = cells + 4 * nodes + 4 * count;
    for (uint32_t piece = 0; piece < job->pieces && !c->status; piece++) {
        piece_up(&r, piece);
        piece_down(&r, piece);
    }
    if (!c->status) add_tails(&r);
    free(cells);
}
