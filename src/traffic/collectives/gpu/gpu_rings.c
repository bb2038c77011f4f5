/* Collectives by the rings of NCCL: a ring for each channel, with a part of the vector (src/graph/connect.cc;
 * Hu et al., Demystifying NCCL, 2025). A ring passes all members of a node and leaves it by the NIC of its
 * channel. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

typedef struct rings {
    pipeline p;
    uint32_t *member; /* [n]: in the order of the ring */
    uint64_t *item;   /* [n]: of blocks */
    uint32_t channels, pieces;
} rings;

/* Numbers of channels and pieces. steps: messages of a piece of a block. */
static void ring_shape(rings *r, uint64_t steps) {
    pipeline *p = &r->p;
    collective *c = p->c;
    uint64_t n = c->n;
    if (c->status) return;
    r->channels = p->lanes = pipeline_channels(p);
    uint64_t most = pipeline_budget(bough_mul(r->channels * n, steps));
    r->pieces = pipeline_pieces(p, c->size / r->channels / n, most < 4 ? most : 4);
    p->items = n * r->channels * r->pieces;
    c->made.channels = r->channels;
    c->made.hops = 0;
}

static void rings_begin(rings *r, collective *c) {
    r->member = NULL;
    r->item = NULL;
    pipeline_begin(&r->p, c);
    if (!c->status) c->status = bough_alloc(&r->member, c->n, sizeof *r->member, c->error);
    if (!c->status) c->status = bough_alloc(&r->item, c->n, sizeof *r->item, c->error);
}

static void rings_end(rings *r) {
    pipeline_end(&r->p);
    FREE_ALL(r->member, r->item);
}

/* Blocks belong to members, and every channel has a part of each. */
static void run_rings(collective *c, bool reduce, bool gather) {
    rings r;
    if (c->n < 2) return;
    rings_begin(&r, c);
    ring_shape(&r, (c->n - 1) * ((uint64_t)reduce + gather));
    nccl_start(&r.p, NCCL_RING);
    for (uint32_t channel = 0; channel < r.channels && !c->status; channel++) {
        pipeline_lane(&r.p, channel);
        pipeline_ring_order(&r.p, channel, r.member);
        for (uint32_t i = 0; i < c->n; i++)
            r.item[i] = ((uint64_t)r.member[i] * r.channels + channel) * r.pieces;
        pipeline_ring_run(&r.p, &(pipeline_ring){.n = c->n,
                                                 .member = r.member,
                                                 .item = r.item,
                                                 .pieces = r.pieces,
                                                 .reduce = reduce,
                                                 .gather = gather});
    }
    rings_end(&r);
}

void gpu_ring_allreduce(collective *c) {
    run_rings(c, true, true);
}

void gpu_ring_allgather(collective *c) {
    run_rings(c, false, true);
}

void gpu_ring_reducescatter(collective *c) {
    run_rings(c, true, false);
}

static uint64_t items_of(const collective *c, uint64_t steps) {
    collective k = *c;
    rings r = {0};
    if (c->n < 2) return c->n;
    pipeline_begin(&r.p, &k);
    ring_shape(&r, steps);
    pipeline_fini(&r.p);
    return r.p.items;
}

uint64_t gpu_ring_items(const collective *c) {
    return items_of(c, 2 * (uint64_t)(c->n - 1));
}

uint64_t gpu_ring_gather_items(const collective *c) {
    return items_of(c, c->n - 1);
}

/* ---- broadcast: from the root through all others ---- */

static void broadcast_shape(rings *r) {
    pipeline *p = &r->p;
    collective *c = p->c;
    if (c->status) return;
    r->channels = p->lanes = pipeline_channels(p);
    r->pieces = pipeline_pieces(p, c->size / r->channels, pipeline_budget((uint64_t)r->channels * c->n));
    p->items = (uint64_t)r->channels * r->pieces;
    c->made.channels = r->channels;
    c->made.hops = c->n - 1;
}

static uint32_t position_of_root(const rings *r) {
    uint32_t i = 0;
    while (r->member[i] != 0) i++;
    return i;
}

/* sent, got: [n], of the link that leaves or reaches a member. */
static void run_chain(rings *r, uint32_t channel, uint32_t *sent, uint32_t *got) {
    collective *c = r->p.c;
    uint32_t n = c->n, root = position_of_root(r), last = COLLECTIVE_NOBODY;
    for (uint32_t v = 0; v < n; v++) sent[v] = got[v] = COLLECTIVE_NOBODY;
    for (uint32_t piece = 0; piece < r->pieces && !c->status; piece++) {
        uint32_t after[PIPELINE_AFTER] = {COLLECTIVE_NOBODY, COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
        for (uint32_t i = 0; i + 1 < n; i++) {
            uint32_t from = r->member[(root + i) % n], to = r->member[(root + i + 1) % n];
            after[0] = pipeline_hop(&r->p, (pipeline_link){from, to, &sent[from], &got[to]}, after,
                                    (pipeline_piece){(uint64_t)channel * r->pieces + piece, 1});
            if (piece + 1 == r->pieces) pipeline_tail_add(&r->p, to, after[0]);
        }
        last = after[0];
        collective_step(c);
    }
    if (last == COLLECTIVE_NOBODY) return;
    for (uint32_t v = 0; v < n; v++) pipeline_tail_add(&r->p, v, sent[v]);
}

void gpu_ring_broadcast(collective *c) {
    rings r;
    uint32_t *cells = NULL;
    if (c->n < 2) return;
    rings_begin(&r, c);
    if (!c->status) c->status = bough_alloc(&cells, 2 * (uint64_t)c->n, sizeof *cells, c->error);
    broadcast_shape(&r);
    nccl_start(&r.p, NCCL_RING);
    for (uint32_t channel = 0; channel < r.channels && !c->status; channel++) {
        pipeline_lane(&r.p, channel);
        pipeline_ring_order(&r.p, channel, r.member);
        run_chain(&r, channel, cells, cells + c->n);
    }
    rings_end(&r);
    free(cells);
}

uint64_t gpu_ring_broadcast_items(const collective *c) {
    collective k = *c;
    rings r = {0};
    if (c->n < 2) return 1;
    pipeline_begin(&r.p, &k);
    broadcast_shape(&r);
    pipeline_fini(&r.p);
    return r.p.items;
}
