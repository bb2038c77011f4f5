#include "traffic/collectives/collective.h"

#include "base/memory/memory.h"
#include "traffic/collectives/gpu/gpu_algorithms.h"
#include "traffic/schedules/ranks.h"

#include <inttypes.h>
#include <string.h>

bough_status collective_check_size(uint64_t ops, uint64_t waits, const char *place, bough_error *error) {
    if (ops <= BOUGH_OPS_MAX)
        return bough_memory_check(ranks_room(ops, waits), "the schedule and its execution", error);
    return bough_fail(error, BOUGH_TOO_LARGE, place,
                      "%" PRIu64 " operations; the limit of a schedule is 2^31", ops);
}

const collective_algorithm *collective_find(const collective_kind *kind, const char *name) {
    const size_t length = strcspn(name, ":");
    for (const collective_algorithm *a = kind->algorithm; a->name; a++)
        if (strlen(a->name) == length && memcmp(a->name, name, length) == 0) return a;
    return NULL;
}

bool collective_is_gpu(const collective_algorithm *a) {
    return strcmp(a->source, GPU_SOURCE) == 0 || a->adders;
}

const collective_algorithm *collective_matching(const collective_kind *kind, const char *allreduce) {
    static const collective_kind *const chosen[] = {&collective_allgather, &collective_reducescatter,
                                                    &collective_alltoall};
    static const char *const families[][4] = {
        /* allreduce, and the others in the order of `chosen` */
        {"ring", "ring", "ring", "pairwise"},
        {"doubling", "doubling", "halving", "pairwise"},
        {"rabenseifner", "doubling", "halving", "pairwise"},
        {"tree", "bruck", "halving", "bruck"},
        {"direct", "direct", "direct", "linear"},
        {"rails", "rails", "rails", "pairwise"},
        {"nccl-ring", "nccl-ring", "nccl-ring", "nccl-direct"},
        {"nccl-tree", "nccl-ring", "nccl-ring", "nccl-direct"},
        {"hierarchical", "nccl-ring", "nccl-ring", "pxn"},
        {"nvls-tree", "nccl-ring", "nccl-ring", "pxn"},
    };
    if (kind == &collective_allreduce) return collective_find(kind, allreduce);
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++)
        for (size_t f = 0; f < sizeof families / sizeof *families && chosen[k] == kind; f++)
            if (strcmp(families[f][0], allreduce) == 0) return collective_find(kind, families[f][k + 1]);
    return kind->algorithm;
}

uint64_t collective_circle(uint64_t size, uint64_t blocks, uint64_t first, uint64_t count) {
    if (first + count <= blocks) return collective_bytes(size, blocks, first, count);
    return collective_bytes(size, blocks, first, blocks - first) +
           collective_bytes(size, blocks, 0, first + count - blocks);
}

uint64_t collective_n_blocks(const collective *c) {
    return c->n;
}

uint64_t collective_one_block(const collective *c) {
    (void)c;
    return 1;
}

uint64_t collective_power_blocks(const collective *c) {
    return collective_power(c->n);
}

uint32_t collective_rank(const collective *c, uint32_t v) {
    if (v >= c->n) return v;
    uint64_t member = (uint64_t)v + c->root;
    if (member >= c->n) member -= c->n; /* both are below n */
    return c->rank ? c->rank[member] : (uint32_t)member;
}

void collective_wait(collective *c, uint32_t after, uint32_t before) {
    if (before == COLLECTIVE_NOBODY || c->status) return;
    c->waits++;
    if (c->builder) c->status = bough_schedule_wait(c->builder, after, before, false, c->error);
}

/* While operations are only counted, ids are consecutive numbers. */
uint32_t collective_add(collective *c, uint32_t rank, bough_op op) {
    uint32_t id = (uint32_t)c->ops;
    if (!c->builder && !c->status && (c->ops & 0xfffff) == 0xfffff) /* check the count so far */
        c->status = collective_check_size(c->ops, c->waits, NULL, c->error);
    if (!c->status && c->ops == BOUGH_OPS_MAX)
        c->status = bough_fail(c->error, BOUGH_TOO_LARGE, NULL,
                               "more than 2^31 operations; use fewer ranks, rounds or segments");
    if (c->status) return 0;
    op.label = c->label;
    if (!op.cpu) op.cpu = c->cpu; /* delays of pipelines have CPUs of their own */
    c->ops++;
    if (c->builder) c->status = bough_schedule_add(c->builder, rank, op, &id, c->error);
    collective_wait(c, id, c->last[rank][0]);
    collective_wait(c, id, c->last[rank][1]);
    return id;
}

static uint32_t add_reduction(collective *c, uint32_t rank, uint64_t bytes) {
    return collective_add(c, rank, (bough_op){.size = collective_reduction(c, bytes), .kind = BOUGH_OP_CALC});
}

uint32_t collective_send(collective *c, uint32_t v, uint32_t to, uint64_t bytes) {
    c->from = collective_rank(c, v);
    c->to = collective_rank(c, to);
    return collective_add(c, c->from,
                          (bough_op){.size = bytes, .peer = c->to, .tag = c->tag, .kind = BOUGH_OP_SEND});
}

uint32_t collective_recv(collective *c, uint32_t v, uint32_t from, uint64_t bytes) {
    return collective_add(
        c, collective_rank(c, v),
        (bough_op){.size = bytes, .peer = collective_rank(c, from), .tag = c->tag, .kind = BOUGH_OP_RECV});
}

void collective_exchange(collective *c, uint32_t v, collective_transfer sent, collective_transfer received,
                         bool reduce) {
    uint32_t rank = collective_rank(c, v), send = COLLECTIVE_NOBODY, recv = COLLECTIVE_NOBODY;
    if (c->end && (rank < c->first || rank >= c->end)) return;
    uint32_t *last = c->last[rank];
    if (sent.peer == COLLECTIVE_NOBODY && received.peer == COLLECTIVE_NOBODY) return;
    if (sent.peer != COLLECTIVE_NOBODY) send = collective_send(c, v, sent.peer, sent.bytes);
    if (received.peer != COLLECTIVE_NOBODY) recv = collective_recv(c, v, received.peer, received.bytes);
    last[0] = send;
    last[1] = recv;
    if (recv == COLLECTIVE_NOBODY || !reduce || !c->reduce_ps || !received.bytes) return;
    last[0] = add_reduction(c, rank, received.bytes);
    last[1] = COLLECTIVE_NOBODY;
}

/* What member v sends to and receives from all others. Ids of its operations are consecutive. */
static void trade_with_all(collective *c, uint64_t v, collective_item *item, bool reduce) {
    const uint64_t n = c->n;
    const uint32_t rank = collective_rank(c, (uint32_t)v), before[2] = {c->last[rank][0], c->last[rank][1]};
    const uint64_t in = collective_bytes(c->size, n, item(c, (v + 1) % n, v) % n, 1);
    const bool adds = reduce && c->reduce_ps && in;
    uint32_t id = 0;
    for (uint64_t k = 1; k < n && !c->status; k++) {
        const uint64_t to = (v + k) % n, from = (v + n - k) % n, out = item(c, v, to);
        collective_send(c, (uint32_t)v, (uint32_t)to, collective_bytes(c->size, n, out % n, 1));
        collective_carries(c, out, 1, reduce);
        id = collective_recv(c, (uint32_t)v, (uint32_t)from,
                             collective_bytes(c->size, n, item(c, from, v) % n, 1));
        if (!adds) continue;
        c->last[rank][0] = id;
        c->last[rank][1] = COLLECTIVE_NOBODY;
        id = add_reduction(c, rank, in);
        memcpy(c->last[rank], before, sizeof before);
    }
    c->last[rank][0] = c->last[rank][1] = COLLECTIVE_NOBODY;
    const uint32_t join = collective_add(c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    for (uint64_t i = 0; i < (2 + adds) * (n - 1) && !c->status; i++)
        collective_wait(c, join, id - (uint32_t)i);
    c->last[rank][0] = join;
}

void collective_at_once(collective *c, collective_item *item, bool reduce) {
    for (uint32_t v = 0; v < c->n && c->n > 1 && !c->status; v++) trade_with_all(c, v, item, reduce);
    collective_step(c);
}

void collective_step(collective *c) {
    c->tag++;
}

void collective_carries(const collective *c, uint64_t first, uint64_t count, bool reduced) {
    if (!c->watch || c->status) return;
    for (uint64_t i = first; i < first + count; i++)
        c->watch->carries(c->watch->context, c->from, c->to, c->tag, i, reduced);
}
