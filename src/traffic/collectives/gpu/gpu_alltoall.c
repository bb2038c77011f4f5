/* Alltoall with forwarding on rails (NCCL's PXN, 2.12): a member hands data for a rail to the member of its
 * node that is on this rail, which sends the data of all its node to one member of another node in one
 * message. So no message leaves its rail. In round r node k sends to node k + r. Block d of member o is item
 * o n + d. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct forwarding {
    pipeline p;
    uint32_t *handed; /* [n][most]: last send to a forwarder of the node */
    uint32_t *inbox;  /* [n]: last receipt of a member from its node */
    uint32_t *ready;  /* [n]: after which it has the data of a round */
    uint32_t *sent;   /* [n]: last send to another node */
    uint32_t *got;    /* [n]: last receipt from another node */
} forwarding;

static const uint32_t from_start[PIPELINE_AFTER] = {COLLECTIVE_NOBODY, COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};

static uint32_t size_of(const pipeline *p, uint32_t node) {
    return p->first[node + 1] - p->first[node];
}

static uint32_t member_at(const pipeline *p, uint32_t node, uint32_t i) {
    return p->order[p->first[node] + i];
}

static uint64_t block(const collective *c, uint32_t to) {
    return collective_bytes(c->size, c->n, to, 1);
}

static void report(const collective *c, uint32_t origin, uint32_t to) {
    collective_carries(c, (uint64_t)origin * c->n + to, 1, false);
}

/* Blocks of member i of a node for those members of another node that its member h serves, to h. */
static void hand_over(forwarding *f, uint32_t from, uint32_t h, uint32_t other) {
    pipeline *p = &f->p;
    collective *c = p->c;
    uint32_t node = p->node[from], size = size_of(p, node), to = member_at(p, node, h);
    uint64_t bytes = 0;
    for (uint32_t j = h; j < size_of(p, other); j += size) bytes += block(c, member_at(p, other, j));
    pipeline_link link = {from, to, &f->handed[(uint64_t)from * p->most + h], &f->inbox[to]};
    f->ready[to] = pipeline_hop(p, link, from_start, (pipeline_piece){.bytes = bytes});
    for (uint32_t j = h; j < size_of(p, other); j += size) report(c, from, member_at(p, other, j));
}

/* The blocks of all members of the node for one member of another. */
static void forward(forwarding *f, uint32_t from, uint32_t to) {
    pipeline *p = &f->p;
    collective *c = p->c;
    uint32_t node = p->node[from], size = size_of(p, node);
    const uint32_t after[PIPELINE_AFTER] = {f->ready[from], COLLECTIVE_NOBODY, COLLECTIVE_NOBODY};
    pipeline_link link = {from, to, &f->sent[from], &f->got[to]};
    uint32_t op = pipeline_hop(p, link, after, (pipeline_piece){.bytes = size * block(c, to)});
    for (uint32_t i = 0; i < size; i++) report(c, member_at(p, node, i), to);
    pipeline_tail_add(p, to, op);
}

static void node_round(forwarding *f, uint32_t node, uint32_t other) {
    pipeline *p = &f->p;
    uint32_t size = size_of(p, node), there = size_of(p, other);
    for (uint32_t h = 0; h < size && h < there; h++) {
        f->ready[member_at(p, node, h)] = COLLECTIVE_NOBODY;
        for (uint32_t i = 0; i < size; i++)
            if (i != h) hand_over(f, member_at(p, node, i), h, other);
    }
    for (uint32_t j = 0; j < there && !p->c->status; j++)
        forward(f, member_at(p, node, j % size), member_at(p, other, j));
}

/* Within the node: member i to the members after it, one after the other. */
static void node_inside(forwarding *f, uint32_t node) {
    pipeline *p = &f->p;
    collective *c = p->c;
    uint32_t size = size_of(p, node);
    for (uint32_t k = 1; k < size; k++)
        for (uint32_t i = 0; i < size && !c->status; i++) {
            uint32_t h = (i + k) % size, from = member_at(p, node, i), to = member_at(p, node, h);
            pipeline_link link = {from, to, &f->handed[(uint64_t)from * p->most + h], &f->inbox[to]};
            f->ready[to] = pipeline_hop(p, link, from_start, (pipeline_piece){.bytes = block(c, to)});
            report(c, from, to);
        }
}

static bough_status alloc_forwarding(forwarding *f) {
    bough_error *error = f->p.c->error;
    uint64_t n = f->p.n, links = n * f->p.most;
    bough_status status = bough_alloc(&f->handed, links, sizeof *f->handed, error);
    TRY(bough_alloc(&f->inbox, n, sizeof *f->inbox, error));
    TRY(bough_alloc(&f->ready, n, sizeof *f->ready, error));
    TRY(bough_alloc(&f->sent, n, sizeof *f->sent, error));
    TRY(bough_alloc(&f->got, n, sizeof *f->got, error));
    if (status) return status;
    memset(f->handed, 0xff, links * sizeof *f->handed);
    uint32_t *const cell[] = {f->inbox, f->ready, f->sent, f->got};
    for (unsigned i = 0; i < 4; i++) memset(cell[i], 0xff, n * sizeof *cell[i]);
    return status;
}

static void free_forwarding(forwarding *f) {
    FREE_ALL(f->handed, f->inbox, f->ready, f->sent, f->got);
}

void gpu_pxn_alltoall(collective *c) {
    forwarding f = {0};
    pipeline *p = &f.p;
    if (c->n < 2) return;
    pipeline_begin(p, c);
    if (!c->status) c->status = alloc_forwarding(&f);
    c->made = (collective_made){.channels = 1, .pieces = 1, .chunks = 1};
    nccl_start(p, NCCL_PXN);
    for (uint32_t r = 1; r < p->nodes && !c->status; r++) {
        for (uint32_t k = 0; k < p->nodes; k++) node_round(&f, k, (k + r) % p->nodes);
        collective_step(c);
    }
    for (uint32_t k = 0; k < p->nodes && !c->status; k++) node_inside(&f, k);
    collective_step(c);
    for (uint32_t v = 0; v < c->n && !c->status; v++) {
        pipeline_tail_add(p, v, f.ready[v]);
        pipeline_tail_add(p, v, f.inbox[v]);
        pipeline_tail_add(p, v, f.sent[v]);
        for (uint32_t h = 0; h < p->most; h++) pipeline_tail_add(p, v, f.handed[(uint64_t)v * p->most + h]);
    }
    pipeline_end(p);
    free_forwarding(&f);
}

/* ---- direct: in round k to the member at distance k, many rounds at a time ---- */

/* NCCL sends to 8 peers at a time on each of 16 or more channels (NCCL_MAX_DEV_WORK_P2P_PER_BATCH). */
enum { AT_ONCE = 128 };

void gpu_direct_alltoall(collective *c) {
    pipeline p;
    uint32_t *cells = NULL, n = c->n, most = n - 1 < AT_ONCE ? n - 1 : AT_ONCE;
    if (n < 2) return;
    pipeline_begin(&p, c);
    uint64_t count = 2 * (uint64_t)n * most;
    if (!c->status) c->status = bough_alloc(&cells, count, sizeof *cells, c->error);
    if (!c->status) memset(cells, 0xff, count * sizeof *cells);
    c->made = (collective_made){.channels = 1, .pieces = 1, .chunks = 1};
    p.under_way = most;
    nccl_start(&p, NCCL_DIRECT);
    for (uint32_t k = 1; k < n && !c->status; k++) {
        uint32_t *sent = cells + (uint64_t)(k - 1) % most * n, *got = sent + (uint64_t)most * n;
        for (uint32_t v = 0; v < n; v++) {
            uint32_t to = (uint32_t)(((uint64_t)v + k) % n);
            uint32_t op = pipeline_hop(&p, (pipeline_link){v, to, &sent[v], &got[to]}, from_start,
                                       (pipeline_piece){.bytes = block(c, to)});
            report(c, v, to);
            pipeline_tail_add(&p, to, op);
        }
        collective_step(c);
    }
    for (uint32_t i = 0; i < most && !c->status; i++)
        for (uint32_t v = 0; v < n; v++) pipeline_tail_add(&p, v, cells[(uint64_t)i * n + v]);
    pipeline_end(&p);
    free(cells);
}
