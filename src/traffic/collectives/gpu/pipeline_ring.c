/* Rings of pieces. In step s of the reduction position i sends block i - 1 - s, and in step s of the
 * gathering block i
 * - s: after the first, what it has received in the step before. */
#include "traffic/collectives/gpu/pipeline.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* From position 0 to position 1. Every second node is passed in the opposite direction, so that the last
 * member of a node and the first of the next one use the same rail (NCCL's rings have this form on nodes with
 * a NIC for each GPU); of an odd number of nodes, not between the last and the first. */
void pipeline_ring_order(const pipeline *p, uint32_t channel, uint32_t *member) {
    for (uint32_t k = 0, i = 0; k < p->nodes; k++) {
        uint32_t count = p->first[k + 1] - p->first[k];
        for (uint32_t x = 0; x < count; x++)
            member[i++] = pipeline_member(p, k, channel, k % 2 ? (x + 1) % count : (count - x) % count);
    }
}

typedef struct ring_state {
    pipeline *p;
    const pipeline_ring *r;
    uint32_t *sent, *got; /* [n]: of the link from position i; of that to position i */
    uint32_t *have;       /* [2][n][pieces]: after which a position has what it sends next */
} ring_state;

static uint32_t own(const pipeline_ring *r, uint64_t position, uint64_t block, uint64_t piece) {
    if (!r->own) return COLLECTIVE_NOBODY;
    return r->own[(position * r->n + block) * r->pieces + piece];
}

/* One step: piece by piece, all positions. first: nothing was received yet. */
static void ring_step(ring_state *z, uint64_t step, bool reduce, bool first) {
    const pipeline_ring *r = z->r;
    uint64_t n = r->n, half = n * r->pieces;
    const uint32_t *have = z->have + step % 2 * half;
    uint32_t *next = z->have + (step + 1) % 2 * half;
    uint64_t back = reduce ? step + 1 : r->reduce ? step - (n - 1) : step;
    for (uint64_t piece = 0; piece < r->pieces; piece++) {
        for (uint64_t i = 0; i < n; i++) {
            uint64_t block = (i + 2 * n - back) % n, to = (i + 1) % n;
            bool mine = reduce || back == 0; /* else it passes on the result of another */
            uint32_t after[PIPELINE_AFTER] = {first ? COLLECTIVE_NOBODY : have[i * r->pieces + piece],
                                              mine ? own(r, i, block, piece) : COLLECTIVE_NOBODY,
                                              COLLECTIVE_NOBODY};
            if (first && after[1] != COLLECTIVE_NOBODY) after[0] = after[1], after[1] = COLLECTIVE_NOBODY;
            pipeline_link link = {r->member[i], r->member[to], &z->sent[i], &z->got[to]};
            uint32_t op = pipeline_hop(z->p, link, after,
                                       (pipeline_piece){r->item[block] + piece, 1, .reduce = reduce});
            next[to * r->pieces + piece] = op;
            if (r->done && (!reduce || block == to)) r->done[(to * n + block) * r->pieces + piece] = op;
        }
        collective_step(z->p->c);
    }
}

void pipeline_ring_run(pipeline *p, const pipeline_ring *r) {
    ring_state z = {.p = p, .r = r};
    collective *c = p->c;
    uint64_t steps = r->n - 1, all = steps * (r->reduce + r->gather);
    if (c->status || r->n < 2) return;
    c->status = bough_alloc(&z.have, 2 * (uint64_t)r->n * r->pieces, sizeof *z.have, c->error);
    if (!c->status) c->status = bough_alloc(&z.sent, 2 * (uint64_t)r->n, sizeof *z.sent, c->error);
    if (!c->status) {
        z.got = z.sent + r->n;
        memset(z.sent, 0xff, 2 * (size_t)r->n * sizeof *z.sent);
    }
    for (uint64_t s = 0; s < all && !c->status; s++) ring_step(&z, s, r->reduce && s < steps, s == 0);
    for (uint32_t i = 0; i < r->n && !c->status; i++) {
        pipeline_tail_add(p, r->member[i], z.sent[i]);
        for (uint32_t q = 0; q < r->pieces; q++)
            pipeline_tail_add(p, r->member[i], z.have[((all % 2) * r->n + i) * r->pieces + q]);
    }
    FREE_ALL(z.have, z.sent);
}
