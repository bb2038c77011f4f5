/* The order of a step in every stage: 1F1B, with interleave > 1 that of Narayanan et al. (2021), section 2.2:
 * virtual microbatches go through the chunks of a stage in groups of `pipeline`.
 *
 * The compute stream of a rank waits for what it needs. Other streams start when the compute stream is where
 * the item stands:
 *   - tensor, context and expert groups: before and after a piece. The gradient of the input is exchanged
 *     while that of the weights is computed.
 *   - gradients: behind the last backward pass of a piece, while others are computed (overlap);
 *   - weights: one piece ahead;
 *   - messages between stages: the receiver waits for them, the sender does not. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/training/model.h"

#include <math.h>
#include <stdlib.h>

/* A forward or backward pass of a microbatch through a chunk of the stage. */
typedef struct pass {
    uint32_t micro, chunk;
    bool forward;
} pass;

/* A piece of a pass. */
typedef struct visit {
    const model_piece *piece;
    pass pass;
    uint32_t from, to; /* half layers of the chunk, or beyond its end */
    bool first, last;
} visit;

typedef struct stage_pieces {
    model_piece *whole, *merged;
    uint32_t wholes, merges;
} stage_pieces;

typedef struct step {
    const training_model *m;
    training *t;
    uint32_t stage, microbatches, merge;
    stage_pieces *chunk; /* [interleave] */
    visit *visit;
    size_t visits;
    bool issued[TRAINING_STREAMS]; /* since the compute stream waited for it */
    double late, late_expert;      /* parameters whose gradients are exchanged at the end */
    bough_status status;
    bough_error *error;
} step;

/* ---- items ---- */

static void add(step *x, training_item item) {
    if (!x->status) x->status = training_add(x->t, item, x->error);
}

static uint64_t bytes_of(double bytes) {
    return (uint64_t)(bytes + 0.5);
}

static void issue(step *x, training_what what, training_group group, uint64_t size, training_stream stream) {
    if (training_group_size(x->t, group) == 1 || size == 0) return;
    add(x, (training_item){
               .size = size, .what = (uint8_t)what, .group = (uint8_t)group, .stream = (uint8_t)stream});
    x->issued[stream] = true;
}

static void await(step *x, training_stream stream, training_group group) {
    if (!x->issued[stream]) return;
    add(x, (training_item){.what = TRAINING_WAIT, .group = (uint8_t)group, .stream = (uint8_t)stream});
    x->issued[stream] = false;
}

static void block(step *x, training_what what, training_group group, uint64_t size) {
    issue(x, what, group, size, TRAINING_STREAM_TENSOR);
    await(x, TRAINING_STREAM_TENSOR, group);
}

static void compute(step *x, double seconds) {
    uint64_t ns = bytes_of(seconds * 1e9);
    if (ns) add(x, (training_item){.size = ns, .what = TRAINING_COMPUTE});
}

static void multiply(step *x, double operations) {
    compute(x, operations / (x->m->flops * x->m->efficiency));
}

/* ---- pieces ---- */

static void forward_piece(step *x, const model_piece *p) {
    bool sequence = x->m->sequence;
    block(x, TRAINING_ALLGATHER, TRAINING_CONTEXT, p->context);
    if (sequence) block(x, TRAINING_ALLGATHER, TRAINING_TENSOR, p->in);
    block(x, TRAINING_ALLTOALL, TRAINING_EXPERT, p->expert);
    multiply(x, p->core + p->matrices);
    block(x, TRAINING_ALLTOALL, TRAINING_EXPERT, p->expert);
    block(x, sequence ? TRAINING_REDUCESCATTER : TRAINING_ALLREDUCE, TRAINING_TENSOR, p->out);
}

/* With sequence parallelism the input of a piece is gathered again (Korthikanti et al. 2022, section 4.2). */
static void backward_piece(step *x, const model_piece *p) {
    bool sequence = x->m->sequence;
    double again = x->m->recompute == RECOMPUTE_SELECTIVE ? p->core : 0;
    model_piece layers = *p;
    layers.matrices = p->layer_matrices;
    layers.in = p->layer_in;
    layers.out = p->layer_out;
    if (x->m->recompute == RECOMPUTE_FULL) forward_piece(x, &layers);
    if (sequence) block(x, TRAINING_ALLGATHER, TRAINING_TENSOR, p->out);
    block(x, TRAINING_ALLTOALL, TRAINING_EXPERT, p->expert);
    block(x, TRAINING_ALLGATHER, TRAINING_CONTEXT, p->context);
    if (sequence) issue(x, TRAINING_ALLGATHER, TRAINING_TENSOR, p->in, TRAINING_STREAM_TENSOR);
    multiply(x, again + 2 * p->core + p->matrices);
    await(x, TRAINING_STREAM_TENSOR, TRAINING_TENSOR);
    block(x, TRAINING_REDUCESCATTER, TRAINING_CONTEXT, p->context);
    block(x, TRAINING_ALLTOALL, TRAINING_EXPERT, p->expert);
    issue(x, sequence ? TRAINING_REDUCESCATTER : TRAINING_ALLREDUCE, TRAINING_TENSOR, p->in,
          TRAINING_STREAM_TENSOR);
    multiply(x, p->matrices);
    await(x, TRAINING_STREAM_TENSOR, TRAINING_TENSOR);
}

/* ---- weights and gradients ---- */

static void gather(step *x, double params, double expert_params) {
    double each = x->m->weights;
    issue(x, TRAINING_ALLGATHER, TRAINING_DATA, bytes_of(params * each), TRAINING_STREAM_WEIGHTS);
    issue(x, TRAINING_ALLGATHER, TRAINING_EXPERT_DATA, bytes_of(expert_params * each),
          TRAINING_STREAM_WEIGHTS);
}

static void reduce(step *x, double params, double expert_params) {
    double each = x->m->grads;
    training_what what = x->m->zero ? TRAINING_REDUCESCATTER : TRAINING_ALLREDUCE;
    issue(x, what, TRAINING_DATA, bytes_of(params * each), TRAINING_STREAM_GRADS);
    issue(x, what, TRAINING_EXPERT_DATA, bytes_of(expert_params * each), TRAINING_STREAM_GRADS);
}

/* Whether the weights of visit i are gathered before it: under ZeRO-3 unless the previous visit had them,
 * under ZeRO-1 and 2 after the update, which is in the first forward pass of the next step. */
static bool gathers(const step *x, size_t i) {
    const visit *v = &x->visit[i], *before = v - 1;
    if (x->m->zero == 3)
        return i == 0 || before->pass.chunk != v->pass.chunk || v->from < before->from || v->to > before->to;
    return x->m->zero && x->m->overlap && v->pass.forward && v->pass.micro == 0;
}

static void get_weights(step *x, size_t i) {
    const model_piece *now = x->visit[i].piece;
    bool ahead = x->m->overlap && i + 1 < x->visits && gathers(x, i + 1);
    bool early = i > 0 && x->m->overlap; /* visit i - 1 has begun it */
    if (gathers(x, i)) {
        if (!early) gather(x, now->params, now->expert_params);
        await(x, TRAINING_STREAM_WEIGHTS, TRAINING_DATA);
    }
    if (ahead) gather(x, x->visit[i + 1].piece->params, x->visit[i + 1].piece->expert_params);
}

static void give_gradients(step *x, const visit *v) {
    bool every = x->m->zero >= 2;
    if (v->pass.forward || (!every && v->pass.micro + 1 != x->microbatches)) return;
    if (!x->m->overlap && !every) {
        x->late += v->piece->params;
        x->late_expert += v->piece->expert_params;
        return;
    }
    reduce(x, v->piece->params, v->piece->expert_params);
    if (!x->m->overlap) await(x, TRAINING_STREAM_GRADS, TRAINING_DATA);
}

/* ---- passes ---- */

static bool at_end(const step *x, const pass *p, bool upper) {
    uint32_t chunk = p->chunk * x->m->pipeline + x->stage;
    return upper ? chunk + 1 == x->m->pipeline * x->m->interleave : chunk == 0;
}

/* Without sequence parallelism every rank of a tensor group sends its part, and the receivers gather them. */
static void receive(step *x, const pass *p) {
    if (at_end(x, p, !p->forward)) return;
    add(x, (training_item){.size = model_boundary_bytes(x->m),
                           .what = TRAINING_RECV,
                           .group = TRAINING_PIPELINE,
                           .next = !p->forward,
                           .stream = TRAINING_STREAM_PIPELINE});
    x->issued[TRAINING_STREAM_PIPELINE] = true;
    await(x, TRAINING_STREAM_PIPELINE, TRAINING_PIPELINE);
    if (!x->m->sequence)
        block(x, TRAINING_ALLGATHER, TRAINING_TENSOR, model_boundary_bytes(x->m) * x->m->tensor);
}

static void transmit(step *x, const pass *p) {
    if (at_end(x, p, p->forward)) return;
    add(x, (training_item){.size = model_boundary_bytes(x->m),
                           .what = TRAINING_SEND,
                           .group = TRAINING_PIPELINE,
                           .next = p->forward,
                           .stream = TRAINING_STREAM_PIPELINE});
}

static void emit(step *x, size_t i) {
    const visit *v = &x->visit[i];
    if (v->first) receive(x, &v->pass);
    get_weights(x, i);
    (v->pass.forward ? forward_piece : backward_piece)(x, v->piece);
    give_gradients(x, v);
    if (v->last) transmit(x, &v->pass);
}

static pass pass_of(const step *x, uint32_t k, bool forward) {
    uint32_t p = x->m->pipeline, v = x->m->interleave, chunk = k % (p * v) / p;
    if (v == 1) return (pass){k, 0, forward};
    return (pass){k / (p * v) * p + k % p, forward ? chunk : v - 1 - chunk, forward};
}

static void add_pass(step *x, uint32_t k, bool forward) {
    const training_model *m = x->m;
    pass p = pass_of(x, k, forward);
    const stage_pieces *c = &x->chunk[p.chunk];
    bool edge = m->zero < 2 && (forward ? p.micro == 0 && m->zero == 1 : p.micro + 1 == x->microbatches);
    uint32_t count = edge ? c->wholes : c->merges, width = edge ? 1 : x->merge;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = forward ? i : count - 1 - i;
        x->visit[x->visits++] = (visit){.piece = &(edge ? c->whole : c->merged)[at],
                                        .pass = p,
                                        .from = at * width,
                                        .to = (at + 1) * width,
                                        .first = i == 0,
                                        .last = i + 1 == count};
    }
}

static void order_passes(step *x) {
    const training_model *m = x->m;
    uint32_t all = x->microbatches * m->interleave, behind = m->pipeline - 1 - x->stage;
    uint32_t warm = m->interleave == 1 ? behind : 2 * behind + (m->interleave - 1) * m->pipeline;
    if (warm > all) warm = all;
    for (uint32_t k = 0; k < warm; k++) add_pass(x, k, true);
    for (uint32_t k = 0; k < all; k++) {
        if (k + warm < all) add_pass(x, k + warm, true);
        add_pass(x, k, false);
    }
}

/* All stages wait for the norm of the gradients before the update. */
static void update(step *x) {
    const training_model *m = x->m;
    double params = 0, expert_params = 0, traffic = 2.0 * m->optimizer + m->grads + m->weights;
    for (uint32_t c = 0; c < m->interleave; c++)
        for (uint32_t i = 0; i < x->chunk[c].wholes; i++) {
            params += x->chunk[c].whole[i].params;
            expert_params += x->chunk[c].whole[i].expert_params;
        }
    if (x->late > 0 || x->late_expert > 0) reduce(x, x->late, x->late_expert);
    await(x, TRAINING_STREAM_GRADS, TRAINING_DATA);
    issue(x, TRAINING_ALLREDUCE, TRAINING_PIPELINE, 8, TRAINING_STREAM_PIPELINE);
    await(x, TRAINING_STREAM_PIPELINE, TRAINING_PIPELINE);
    double own = m->zero ? params / training_group_size(x->t, TRAINING_DATA) +
                               expert_params / training_group_size(x->t, TRAINING_EXPERT_DATA)
                         : params + expert_params;
    compute(x, own * traffic / m->memory_bandwidth);
    if (!m->overlap && (m->zero == 1 || m->zero == 2)) gather(x, params, expert_params);
    await(x, TRAINING_STREAM_WEIGHTS, TRAINING_DATA);
}

/* ---- stages ---- */

static void list_pieces(step *x) {
    for (uint32_t c = 0; c < x->m->interleave; c++) {
        uint32_t chunk = c * x->m->pipeline + x->stage;
        x->chunk[c].wholes = model_pieces(x->m, chunk, 1, x->chunk[c].whole);
        x->chunk[c].merges = model_pieces(x->m, chunk, x->merge, x->chunk[c].merged);
    }
}

static bough_status make_room(step *x, bough_error *error) {
    uint64_t most = model_pieces_max(x->m), passes = 2 * (uint64_t)x->microbatches * x->m->interleave;
    bough_status status = bough_alloc(&x->chunk, x->m->interleave, sizeof *x->chunk, error);
    for (uint32_t c = 0; c < x->m->interleave && !status; c++) {
        status = bough_alloc(&x->chunk[c].whole, most, sizeof *x->chunk[c].whole, error);
        TRY(bough_alloc(&x->chunk[c].merged, most, sizeof *x->chunk[c].merged, error));
    }
    TRY(bough_alloc(&x->visit, bough_mul(most, passes), sizeof *x->visit, error));
    return status;
}

static void set_sizes(const training_model *m, training *t) {
    t->tensor = m->tensor;
    t->data = m->data * m->context;
    t->pipeline = m->pipeline;
    t->expert = m->expert;
    t->context = m->context;
    t->ranks = m->tensor * m->data * m->context * m->pipeline;
    t->streams = true;
    t->wraps = m->interleave > 1;
    t->tokens = (double)m->global * m->seq;
    t->flops = model_flops(m);
    t->peak = m->flops;
}

bough_status training_from_model(const training_model *m, uint32_t merge, training *t, bough_error *error) {
    step x = {.m = m, .t = t, .microbatches = model_microbatches(m), .merge = merge, .error = error};
    set_sizes(m, t);
    bough_status status = make_room(&x, error);
    for (x.stage = 0; x.stage < m->pipeline && !status; x.stage++) {
        status = training_new_stage(t, error);
        list_pieces(&x);
        x.visits = 0;
        x.late = x.late_expert = 0;
        order_passes(&x);
        for (size_t i = 0; i < x.visits && !status; i++) {
            emit(&x, i);
            status = x.status;
        }
        if (!status) update(&x);
        TRY(x.status);
    }
    for (uint32_t c = 0; x.chunk && c < m->interleave; c++) FREE_ALL(x.chunk[c].whole, x.chunk[c].merged);
    FREE_ALL(x.chunk, x.visit);
    return status;
}

/* ---- size ---- */

/* Of an exchange in the data group: by rails its steps are those of a ring over nodes and of one in the node,
 * of whose `gpus` ranks a tensor group has some. */
static double data_operations(const training_model *m, uint32_t gpus) {
    uint64_t n = (uint64_t)m->data * m->context, each = gpus % m->tensor ? 1 : gpus / m->tensor;
    if (each > n) each = n;
    if (each == 0 || n % each) each = 1;
    const uint64_t steps = n / each - 1 + each - 1;
    return 2.0 * (double)steps + 2;
}

/* Operations of a rank for a forward and a backward pass of a piece: rings of n have 2 (n - 1) steps of a
 * send and a receive for an allreduce, half as many for others. */
static double piece_operations(const training_model *m, uint32_t gpus) {
    double tensor = 2.0 * (m->tensor - 1) + 2, context = 2.0 * (m->context - 1) + 2;
    double expert = 2.0 * (m->expert - 1) + 2, data = data_operations(m, gpus);
    double again = m->recompute == RECOMPUTE_FULL ? 2 : 1, operations = 5;
    if (m->tensor > 1) operations += tensor * (m->sequence ? 3 + 2 * again : 2 + 2 * again);
    if (m->context > 1) operations += context * (2 + again);
    if (m->expert > 1) operations += expert * (2 + 2 * again);
    if (m->zero >= 2) operations += data * (m->zero == 3 ? 3 : 1);
    return operations;
}

double training_model_size(const training_model *m, uint32_t merge, uint32_t gpus) {
    double chunks = (double)m->pipeline * m->interleave, whole = 2.0 * m->layers + 2;
    double merged = fmax(chunks, ceil(whole / chunks / merge) * chunks), micro = model_microbatches(m);
    double edge = m->zero < 2 ? whole : merged, data = 2 * data_operations(m, gpus);
    double ranks = (double)m->tensor * m->data * m->context; /* of a stage: pieces are of all stages */
    return ranks *
           (piece_operations(m, gpus) * (merged * (micro - 1) + edge) + edge * 2 * data + 8 * chunks * micro);
}

uint32_t training_model_merge(const training_model *m, double most, uint32_t gpus) {
    uint32_t merge = 1, limit = model_pieces_max(m);
    while (merge < limit && training_model_size(m, merge, gpus) > most) merge++;
    return merge;
}
