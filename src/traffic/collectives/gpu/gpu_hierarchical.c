/* Allreduce in three stages, piece by piece: a reduction within each node, every member a shard of the
 * vector; an allreduce of each shard between the nodes, on its rail; and a gathering within the node. NCCL's
 * NVLSTree has these stages, with double binary trees between the nodes; there the switches of the node add,
 * here its members. Its CollNetDirect has switches of the network that add between the nodes. */
#include "traffic/collectives/gpu/adder_trees.h"
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum between_nodes_by { BY_RING, BY_TREES, BY_ADDERS } between_nodes_by;

/* The head of a shard on a node is the member at the shard's number, modulo the members of the node. Blocks:
 * of a ring, one for each node; halves for the two trees; one for adders. Pieces of a block are items. */
typedef struct shards {
    pipeline p;
    between_nodes_by by;
    uint32_t blocks, pieces;
    uint32_t *head;                    /* [nodes], of the present shard */
    uint32_t *up;                      /* [nodes] */
    uint64_t *item;                    /* [blocks] */
    uint32_t *own, *done;              /* [nodes][blocks][pieces]: added up in the node; between the nodes */
    uint32_t *out, *sent, *got, *last; /* [n]: to the head; from it; arrived from it */
    uint32_t *inbox;                   /* [nodes]: of the head */
} shards;

/* The default of chunk= for adders. A piece costs the delay of a link, and the last one follows the others up
 * and down the tree: the more hops and the less delay, the smaller are the best pieces. They are the
 * geometric mean of the data and what a link carries in its delay, over the hops: about 4 KiB. */
static uint64_t adder_chunk(uint64_t bytes) {
    double chunk = sqrt(4096.0 * (double)bytes);
    return chunk < 4096 ? 4096 : (uint64_t)chunk;
}

static void shard_shape(shards *s) {
    pipeline *p = &s->p;
    collective *c = p->c;
    if (c->status) return;
    p->lanes = p->most;
    s->blocks = s->by == BY_RING ? p->nodes : s->by == BY_TREES ? 2 : 1;
    uint64_t parts = (uint64_t)p->most * s->blocks;
    uint64_t messages = 2 * parts * p->n + 2 * (uint64_t)p->most * p->nodes * s->blocks;
    if (s->by == BY_ADDERS && !c->gpu.chunk) c->gpu.chunk = adder_chunk(c->size / parts);
    if (s->by == BY_ADDERS) messages += adder_trees_messages(c->adders);
    s->pieces = pipeline_pieces(p, c->size / parts, pipeline_budget(messages));
    p->items = parts * s->pieces;
    c->made.channels = p->most;
    c->made.hops = 2;
    if (s->by == BY_TREES) c->made.hops += 2 * pipeline_tree_depth(p->nodes);
    if (s->by == BY_ADDERS) c->made.hops += adder_trees_hops(c->adders);
}

static bough_status alloc_shards(shards *s) {
    bough_error *error = s->p.c->error;
    uint64_t cells = bough_mul((uint64_t)s->p.nodes * s->blocks, s->pieces), n = s->p.n;
    bough_status status = bough_alloc(&s->head, s->p.nodes, sizeof *s->head, error);
    TRY(bough_alloc(&s->up, s->p.nodes, sizeof *s->up, error));
    TRY(bough_alloc(&s->inbox, s->p.nodes, sizeof *s->inbox, error));
    TRY(bough_alloc(&s->item, s->blocks, sizeof *s->item, error));
    TRY(bough_alloc(&s->own, cells, sizeof *s->own, error));
    TRY(bough_alloc(&s->done, cells, sizeof *s->done, error));
    TRY(bough_alloc(&s->out, n, sizeof *s->out, error));
    TRY(bough_alloc(&s->sent, n, sizeof *s->sent, error));
    TRY(bough_alloc(&s->got, n, sizeof *s->got, error));
    TRY(bough_alloc(&s->last, n, sizeof *s->last, error));
    return status;
}

static void begin_shard(shards *s, uint32_t number) {
    const pipeline *p = &s->p;
    size_t cells = (size_t)p->nodes * s->blocks * s->pieces, n = p->n;
    for (uint32_t k = 0; k < p->nodes; k++)
        s->head[k] = p->order[p->first[k] + number % (p->first[k + 1] - p->first[k])];
    for (uint32_t b = 0; b < s->blocks; b++) s->item[b] = ((uint64_t)number * s->blocks + b) * s->pieces;
    memset(s->own, 0xff, cells * sizeof *s->own);
    memset(s->done, 0xff, cells * sizeof *s->done);
    memset(s->inbox, 0xff, p->nodes * sizeof *s->inbox);
    uint32_t *const cell[] = {s->out, s->sent, s->got, s->last};
    for (unsigned i = 0; i < 4; i++) memset(cell[i], 0xff, n * sizeof *cell[i]);
}

/* What a stage does with one piece of a block on one node. */
typedef void shard_stage(shards *s, uint32_t node, uint64_t block, uint64_t piece);

static void reduce_piece(shards *s, uint32_t k, uint64_t block, uint64_t piece) {
    pipeline *p = &s->p;
    static const uint32_t start[PIPELINE_AFTER] = {COLLECTIVE_NOBODY, COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
    uint32_t left = p->first[k + 1] - p->first[k] - 1;
    for (uint32_t i = p->first[k]; i < p->first[k + 1]; i++) {
        uint32_t from = p->order[i];
        if (from == s->head[k]) continue;
        s->own[(k * s->blocks + block) * s->pieces + piece] =
            pipeline_hop(p, (pipeline_link){from, s->head[k], &s->out[from], &s->inbox[k]}, start,
                         (pipeline_piece){s->item[block] + piece, 1, .reduce = true, .quick = --left > 0});
    }
}

static void gather_piece(shards *s, uint32_t k, uint64_t block, uint64_t piece) {
    pipeline *p = &s->p;
    uint64_t at = (k * s->blocks + block) * s->pieces + piece;
    bool alone = s->done[at] == COLLECTIVE_NOBODY;
    const uint32_t after[PIPELINE_AFTER] = {alone ? s->own[at] : s->done[at],
                                            alone ? COLLECTIVE_NOBODY : s->own[at], COLLECTIVE_NOBODY};
    for (uint32_t i = p->first[k]; i < p->first[k + 1]; i++) {
        uint32_t to = p->order[i];
        if (to == s->head[k]) continue;
        s->last[to] = pipeline_hop(p, (pipeline_link){s->head[k], to, &s->sent[to], &s->got[to]}, after,
                                   (pipeline_piece){s->item[block] + piece, 1});
    }
}

/* One piece of a block on all nodes. */
static void stage_piece(shards *s, bool gather, uint64_t step, uint64_t piece) {
    shard_stage *stage = gather ? gather_piece : reduce_piece;
    for (uint32_t k = 0; k < s->p.nodes; k++) {
        uint64_t ring = (k + 2 * (uint64_t)s->blocks - step - !gather) % s->blocks;
        stage(s, k, s->by == BY_RING ? ring : step, piece);
    }
    collective_step(s->p.c);
}

/* Pieces in the order in which a ring needs or completes their blocks; of trees, which run at the same time,
 * alternately. */
static void run_stage(shards *s, bool gather) {
    const uint64_t blocks = s->blocks, all = blocks * s->pieces;
    for (uint64_t i = 0; i < all && !s->p.c->status; i++)
        if (s->by == BY_TREES)
            stage_piece(s, gather, i % blocks, i / blocks);
        else
            stage_piece(s, gather, i / s->pieces, i % s->pieces);
}

static void between_nodes(shards *s, uint32_t number) {
    pipeline *p = &s->p;
    for (unsigned tree = 0; tree < 2 && s->by == BY_TREES; tree++) {
        bool lower;
        for (uint32_t k = 0; k < p->nodes; k++) s->up[k] = pipeline_tree_parent(k, p->nodes, tree, &lower);
        pipeline_tree_run(p, &(pipeline_tree){.n = p->nodes,
                                              .member = s->head,
                                              .up = s->up,
                                              .item = s->item[tree],
                                              .pieces = s->pieces,
                                              .own = s->own + tree * s->pieces,
                                              .done = s->done + tree * s->pieces,
                                              .stride = 2 * (size_t)s->pieces});
    }
    if (s->by == BY_ADDERS)
        adder_tree_run(p, &(adder_tree_job){.number = number,
                                            .head = s->head,
                                            .item = s->item[0],
                                            .pieces = s->pieces,
                                            .own = s->own,
                                            .done = s->done});
    if (s->by == BY_RING)
        pipeline_ring_run(p, &(pipeline_ring){.n = p->nodes,
                                              .member = s->head,
                                              .item = s->item,
                                              .pieces = s->pieces,
                                              .reduce = true,
                                              .gather = true,
                                              .own = s->own,
                                              .done = s->done});
}

static void end_shard(shards *s) {
    pipeline *p = &s->p;
    for (uint32_t v = 0; v < p->n; v++) {
        uint32_t head = s->head[p->node[v]];
        pipeline_tail_add(p, v, s->out[v]);
        pipeline_tail_add(p, v, s->last[v]);
        pipeline_tail_add(p, head, s->sent[v]);
    }
}

static void run_shards(collective *c, between_nodes_by by) {
    static const nccl_algorithm as[] = {
        [BY_RING] = NCCL_HIERARCHICAL, [BY_TREES] = NCCL_NVLS_TREE, [BY_ADDERS] = NCCL_SHARP};
    shards s = {.by = by};
    if (c->n < 2) return;
    pipeline_begin(&s.p, c);
    shard_shape(&s);
    if (!c->status) c->status = alloc_shards(&s);
    nccl_start(&s.p, as[by]);
    for (uint32_t i = 0; i < s.p.most && !c->status; i++) {
        pipeline_lane(&s.p, i);
        begin_shard(&s, i);
        run_stage(&s, false);
        between_nodes(&s, i);
        run_stage(&s, true);
        end_shard(&s);
    }
    pipeline_end(&s.p);
    FREE_ALL(s.head, s.up, s.inbox, s.item, s.own, s.done, s.out, s.sent, s.got, s.last);
}

void gpu_hierarchical_allreduce(collective *c) {
    run_shards(c, BY_RING);
}

void gpu_nvls_tree_allreduce(collective *c) {
    run_shards(c, BY_TREES);
}

void gpu_sharp_allreduce(collective *c) {
    run_shards(c, BY_ADDERS);
}

static uint64_t items_of(const collective *c, between_nodes_by by) {
    collective k = *c;
    shards s = {.by = by};
    if (c->n < 2) return 1;
    pipeline_begin(&s.p, &k);
    shard_shape(&s);
    pipeline_fini(&s.p);
    return s.p.items;
}

uint64_t gpu_hierarchical_items(const collective *c) {
    return items_of(c, BY_RING);
}

uint64_t gpu_nvls_tree_items(const collective *c) {
    return items_of(c, BY_TREES);
}

uint64_t gpu_sharp_items(const collective *c) {
    return items_of(c, BY_ADDERS);
}
