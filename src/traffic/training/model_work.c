/* Operations, parameters and bytes of half layers. A multiplication of matrices a x b and b x c has 2 a b c
 * operations. */
#include "traffic/training/model.h"

#include <math.h>

typedef struct sizes {
    double tokens; /* of a microbatch of one rank */
    double width;  /* of keys, and of values, of all heads */
    double hidden, tensor;
} sizes;

static sizes sizes_of(const training_model *m) {
    double hidden = m->hidden;
    return (sizes){(double)m->micro * m->seq / m->context, hidden / m->heads * m->kv_heads, hidden,
                   m->tensor};
}

uint32_t model_microbatches(const training_model *m) {
    return (uint32_t)(m->global / ((uint64_t)m->data * m->micro));
}

static uint64_t activation_bytes(const training_model *m) {
    return (uint64_t)m->micro * m->seq / m->context * m->hidden * m->weights;
}

uint64_t model_boundary_bytes(const training_model *m) {
    return activation_bytes(m) / m->tensor;
}

/* ---- half layers ---- */

static double attention_params(const training_model *m) {
    sizes s = sizes_of(m);
    return 2 * s.hidden * s.hidden + 2 * s.hidden * s.width;
}

static double expert_size(const training_model *m) {
    return (m->gated ? 3.0 : 2.0) * m->hidden * m->ffn;
}

static double router_params(const training_model *m) {
    return m->experts > 1 ? (double)m->hidden * m->experts : 0;
}

static model_piece attention_piece(const training_model *m) {
    sizes s = sizes_of(m);
    double head = s.hidden / m->heads, of_rank = fmax(s.width / s.tensor, head);
    uint64_t keys_values = (uint64_t)(2.0 * m->micro * m->seq * of_rank * m->weights);
    return (model_piece){.core = 4 * s.tokens * m->seq * s.hidden / s.tensor * (m->causal ? 0.5 : 1),
                         .matrices = 2 * s.tokens * attention_params(m) / s.tensor,
                         .in = activation_bytes(m),
                         .out = activation_bytes(m),
                         .context = m->context > 1 ? keys_values : 0,
                         .params = attention_params(m) / s.tensor + s.hidden};
}

static model_piece feed_forward_piece(const training_model *m) {
    sizes s = sizes_of(m);
    bool experts = m->experts > 1;
    double size = expert_size(m);
    return (model_piece){
        .matrices = 2 * s.tokens * (size * m->top_k + router_params(m)) / s.tensor,
        .in = activation_bytes(m),
        .out = activation_bytes(m),
        .expert = m->expert > 1 ? (uint64_t)((double)activation_bytes(m) * m->top_k / s.tensor) : 0,
        .params = (experts ? 0 : size / s.tensor) + router_params(m) + s.hidden,
        .expert_params = experts ? size * m->experts / m->expert / s.tensor : 0};
}

static model_piece embedding_piece(const training_model *m) {
    return (model_piece){.out = activation_bytes(m), .params = (double)m->vocab * m->hidden / m->tensor};
}

static model_piece head_piece(const training_model *m) {
    sizes s = sizes_of(m);
    return (model_piece){.matrices = 2 * s.tokens * s.hidden * m->vocab / s.tensor,
                         .in = activation_bytes(m),
                         .params = s.hidden * m->vocab / s.tensor + s.hidden};
}

/* ---- chunks ---- */

static void add_piece(model_piece *sum, const model_piece *p, bool layer) {
    sum->core += p->core;
    sum->matrices += p->matrices;
    sum->in += p->in;
    sum->out += p->out;
    sum->context += p->context;
    sum->expert += p->expert;
    sum->params += p->params;
    sum->expert_params += p->expert_params;
    if (!layer) return;
    sum->layer_matrices += p->matrices;
    sum->layer_in += p->in;
    sum->layer_out += p->out;
}

uint32_t model_pieces_max(const training_model *m) {
    uint32_t chunks = m->pipeline * m->interleave;
    return 2 * ((m->layers + chunks - 1) / chunks) + 2;
}

uint32_t model_pieces(const training_model *m, uint32_t chunk, uint32_t merge, model_piece *piece) {
    uint64_t chunks = (uint64_t)m->pipeline * m->interleave, layers = m->layers;
    uint64_t first = layers * chunk / chunks, end = layers * (chunk + 1) / chunks;
    const model_piece kind[] = {attention_piece(m), feed_forward_piece(m), embedding_piece(m), head_piece(m)};
    bool embeds = chunk == 0, ends = chunk + 1 == chunks;
    uint64_t halves = 2 * (end - first) + embeds + ends;
    for (uint64_t i = 0; i < halves; i++) {
        uint64_t k = embeds && i == 0 ? 2 : ends && i + 1 == halves ? 3 : (i - embeds) % 2;
        if (i % merge == 0) piece[i / merge] = (model_piece){0};
        add_piece(&piece[i / merge], &kind[k], k < 2);
    }
    return (uint32_t)((halves + merge - 1) / merge);
}

/* ---- the whole model ---- */

double model_flops(const training_model *m) {
    double s = m->seq, core = 4 * s * s * m->hidden * (m->causal ? 0.5 : 1);
    double layer = 2 * s * (attention_params(m) + expert_size(m) * m->top_k + router_params(m)) + core;
    return 3 * (m->layers * layer + 2 * s * m->hidden * (double)m->vocab) * m->global;
}
