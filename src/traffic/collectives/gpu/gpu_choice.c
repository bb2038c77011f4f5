/* Algorithm nccl: one of the others, by collective, nodes and size. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include <string.h>

/* What algorithm nccl chooses for these members and this size. *pat: NCCL would take PAT. Sets c->status on
 * failure. */
static nccl_choice choose_algorithm(collective *c, nccl_collective which, bool *pat) {
    nccl_choice choice = {0};
    pipeline p;
    pipeline_begin(&p, c);
    if (!c->status) {
        nccl_question q = {which, p.n, p.nodes, p.rails, c->size};
        c->status = nccl_choose(c->gpu.tuning, &q, &choice, c->error);
        *pat = !c->status && nccl_prefers_pat(c->gpu.tuning, &q, choice);
    }
    pipeline_fini(&p);
    return choice;
}

static const collective_kind *const kinds[NCCL_COLLECTIVES] = {
    [NCCL_ALLREDUCE] = &collective_allreduce,         [NCCL_ALLGATHER] = &collective_allgather,
    [NCCL_REDUCESCATTER] = &collective_reducescatter, [NCCL_BROADCAST] = &collective_broadcast,
    [NCCL_ALLTOALL] = &collective_alltoall,
};

/* Sets the choice in c. Returns the algorithm; NULL on failure. Options that are given have precedence. */
static const collective_algorithm *choose(collective *c, nccl_collective which, bool *pat) {
    nccl_choice choice = choose_algorithm(c, which, pat);
    if (c->status) return NULL;
    if (c->gpu.protocol == COLLECTIVE_PLAIN) c->gpu.protocol = choice.protocol;
    if (!c->gpu.channels) c->gpu.channels = choice.channels;
    return collective_find(kinds[which], nccl_algorithm_name[choice.algorithm]);
}

static void run(collective *c, nccl_collective which) {
    collective_gpu given = c->gpu;
    bool pat = false;
    const collective_algorithm *a = c->n < 2 ? NULL : choose(c, which, &pat);
    if (a) {
        a->generate(c);
        c->made.chosen = true;
        c->made.pat = pat;
        c->made.algorithm = a->name;
        c->made.protocol = c->gpu.protocol;
    }
    c->gpu = given;
}

static uint64_t items(const collective *c, nccl_collective which) {
    collective k = *c;
    bool pat;
    const collective_algorithm *a = c->n < 2 ? NULL : choose(&k, which, &pat);
    return a ? a->blocks(&k) : c->n;
}

void gpu_chosen_allreduce(collective *c) {
    run(c, NCCL_ALLREDUCE);
}
void gpu_chosen_allgather(collective *c) {
    run(c, NCCL_ALLGATHER);
}
void gpu_chosen_reducescatter(collective *c) {
    run(c, NCCL_REDUCESCATTER);
}
void gpu_chosen_broadcast(collective *c) {
    run(c, NCCL_BROADCAST);
}
void gpu_chosen_alltoall(collective *c) {
    run(c, NCCL_ALLTOALL);
}
uint64_t gpu_chosen_allreduce_items(const collective *c) {
    return items(c, NCCL_ALLREDUCE);
}
uint64_t gpu_chosen_allgather_items(const collective *c) {
    return items(c, NCCL_ALLGATHER);
}
uint64_t gpu_chosen_reducescatter_items(const collective *c) {
    return items(c, NCCL_REDUCESCATTER);
}
uint64_t gpu_chosen_broadcast_items(const collective *c) {
    return items(c, NCCL_BROADCAST);
}
