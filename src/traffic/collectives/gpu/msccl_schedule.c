/* A program of MSCCL as a schedule. A thread block runs one step at a time: a step is done when what it sends
 * was taken (if it has more than S= bytes) and what it receives was added. Receives are posted from the
 * start, as the buffers of connections take messages before their step begins; so two blocks may send to each
 * other first. Copies within a GPU take no time. Chunks of the scratch buffer have the size of the chunk with
 * their number. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/workloads/msccl.h"
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include <stdlib.h>
#include <string.h>

typedef struct program {
    collective *c;
    const msccl *m;
    uint32_t (*start)[2]; /* [gpus]: what all its steps wait for */
    uint32_t *done;       /* [steps]: the operation that ends it */
    uint64_t *sent;       /* [steps]: bytes of its message */
    uint32_t tag, most;   /* the first tag; messages of a connection */
} program;

uint64_t gpu_msccl_items(const collective *c) {
    return c->program->vector;
}

static uint64_t bytes_of(const program *p, const msccl_step *s, uint32_t gpu) {
    const uint64_t vector = p->m->vector, first = msccl_vector_chunk(p->m, gpu, s->from);
    if (first + s->count <= vector) return collective_bytes(p->c->size, vector, first, s->count);
    return collective_cut(p->c->size, vector, s->count);
}

static void wait_for(const program *p, uint32_t rank, uint32_t one, uint32_t other) {
    p->c->last[rank][0] = one;
    p->c->last[rank][1] = other;
}

/* The steps that a step waits for; what all wait for if there are none. */
static void wait_for_steps(const program *p, uint32_t step, uint32_t gpu, uint32_t rank) {
    const msccl_step *s = &p->m->step[step];
    const bool first = step == p->m->block[s->block].first;
    if (first && s->after == MSCCL_NONE)
        wait_for(p, rank, p->start[gpu][0], p->start[gpu][1]);
    else
        wait_for(p, rank, first ? COLLECTIVE_NOBODY : p->done[step - 1],
                 s->after == MSCCL_NONE ? COLLECTIVE_NOBODY : p->done[s->after]);
}

static uint32_t tag_of(const program *p, uint32_t send) {
    const msccl_step *s = &p->m->step[send];
    return p->tag + s->number * p->m->channels + p->m->block[s->block].channel;
}

static void add_step(program *p, uint32_t step) {
    collective *c = p->c;
    const msccl_step *s = &p->m->step[step];
    const msccl_block *b = &p->m->block[s->block];
    const uint32_t rank = collective_rank(c, b->gpu);
    uint64_t bytes = s->does ? bytes_of(p, s, b->gpu) : 0;
    uint32_t got = COLLECTIVE_NOBODY;
    if (s->does & MSCCL_RECEIVES) {
        bytes = p->sent[s->partner];
        wait_for(p, rank, p->start[b->gpu][0], p->start[b->gpu][1]);
        c->tag = tag_of(p, s->partner);
        got = collective_recv(c, b->gpu, b->receive, bytes);
    }
    wait_for_steps(p, step, b->gpu, rank);
    if (s->does != MSCCL_SENDS) {
        const uint64_t time = s->does & MSCCL_ADDS ? collective_reduction(c, bytes) : 0;
        p->done[step] = collective_add(c, rank, (bough_op){.size = time, .kind = BOUGH_OP_CALC});
        collective_wait(c, p->done[step], got);
        wait_for(p, rank, p->done[step], COLLECTIVE_NOBODY);
    }
    if (!(s->does & MSCCL_SENDS)) return;
    c->tag = tag_of(p, step);
    p->sent[step] = bytes;
    p->done[step] = collective_send(c, b->gpu, b->send, bytes);
}

/* The next operation of a rank waits for the last steps of its blocks. */
static void end_gpu(const program *p, uint32_t gpu) {
    collective *c = p->c;
    const msccl_gpu *g = &p->m->gpu[gpu];
    const uint32_t rank = collective_rank(c, gpu);
    wait_for(p, rank, p->start[gpu][0], p->start[gpu][1]);
    const uint32_t join = collective_add(c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    for (uint32_t i = g->first; i < g->first + g->blocks; i++) {
        const msccl_block *b = &p->m->block[i];
        if (b->steps) collective_wait(c, join, p->done[b->first + b->steps - 1]);
    }
    wait_for(p, rank, join, COLLECTIVE_NOBODY);
}

static void begin(program *p) {
    const msccl *m = p->m;
    collective *c = p->c;
    c->status = bough_alloc(&p->start, m->gpus, sizeof *p->start, c->error);
    if (!c->status) c->status = bough_alloc(&p->done, m->steps, sizeof *p->done, c->error);
    if (!c->status) c->status = bough_alloc(&p->sent, m->steps, sizeof *p->sent, c->error);
    for (uint32_t g = 0; g < m->gpus && !c->status; g++)
        memcpy(p->start[g], c->last[collective_rank(c, g)], sizeof p->start[g]);
    for (size_t i = 0; i < m->steps; i++)
        if ((m->step[i].does & MSCCL_SENDS) && m->step[i].number >= p->most) p->most = m->step[i].number + 1;
    if (!c->status && c->tag + (uint64_t)p->most * m->channels > UINT32_MAX)
        c->status = bough_fail(c->error, BOUGH_TOO_LARGE, m->file, "more than 2^32 messages of a connection");
}

void gpu_msccl(collective *c) {
    program p = {.c = c, .m = c->program, .tag = c->tag};
    if (c->status) return;
    begin(&p);
    for (size_t i = 0; i < p.m->steps && !c->status; i++) add_step(&p, p.m->order[i]);
    for (uint32_t g = 0; g < p.m->gpus && !c->status; g++) end_gpu(&p, g);
    c->tag = p.tag + p.most * p.m->channels;
    FREE_ALL(p.start, p.done, p.sent);
}
