/* A training step from the description of a model: its layers, the batch, how it is divided over ranks, and
 * the GPU (docs/training.md). model_read.c reads it, model_work.c counts operations and bytes, model_step.c
 * orders them. */
#ifndef BOUGH_TRAFFIC_TRAINING_MODEL_H
#define BOUGH_TRAFFIC_TRAINING_MODEL_H

#include "base/text/yaml_map.h"
#include "traffic/training/training.h"

typedef enum model_recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL } model_recompute;

/* All members are double or uint32_t, for the table of keys. */
typedef struct training_model {
    uint32_t layers, hidden, heads, kv_heads, ffn, vocab, seq;
    uint32_t gated, causal; /* the feed-forward part has three matrices; attention looks back only */
    uint32_t experts, top_k;
    uint32_t global, micro; /* sequences in a step; in a microbatch */
    uint32_t tensor, context, data, pipeline, expert, interleave, zero;
    uint32_t sequence, overlap, recompute;
    double flops, efficiency, memory_bandwidth; /* 1/s, a fraction, bytes/s */
    uint32_t weights, grads, optimizer;         /* bytes of a parameter */
} training_model;

/* Reads and checks a description. Errors: INVALID with file:line. */
bough_status training_read_model(const bough_input *input, training_model *model, bough_error *error);

/* Values of a name in place of a mapping: the model llama3-8b, the GPU h100. */
typedef struct model_preset {
    const char *name, *section, *source;
    struct {
        const char *key, *value;
    } entry[12];
} model_preset;
extern const model_preset model_presets[]; /* ends with a NULL name */

/* ---- work ---- */

/* Consecutive half layers (attention or feed-forward) of one rank: operations of a forward pass and bytes of
 * a microbatch. */
typedef struct model_piece {
    double core;              /* floating-point operations of attention without its matrices of parameters */
    double matrices;          /* ... with these; the backward pass has twice as many of either */
    uint64_t in, out;         /* bytes of the activations of a tensor group before and after it */
    uint64_t context, expert; /* bytes: keys and values of a context group; tokens to experts and back */
    double params, expert_params;
    /* of matrices, in and out, those of layers, which recompute: full repeats; the embedding and the output
     * layer are no layers of it */
    double layer_matrices;
    uint64_t layer_in, layer_out;
} model_piece;

uint32_t model_microbatches(const training_model *m);
/* The pieces of a chunk (0 .. pipeline interleave - 1, in the order of layers), with `merge` neighbouring
 * half layers in each. piece: [model_pieces_max(m)]. Returns their number. */
uint32_t model_pieces(const training_model *m, uint32_t chunk, uint32_t merge, model_piece *piece);
uint32_t model_pieces_max(const training_model *m); /* of any chunk, not merged */
/* Floating-point operations of a step over all ranks, without those that are repeated. */
double model_flops(const training_model *m);
/* Bytes of the activations that a rank sends to the next stage. */
uint64_t model_boundary_bytes(const training_model *m);

/* ---- order ---- */

/* Creates the items of every stage. merge: see model_pieces; under ZeRO-0 and 1 not for the backward pass of
 * the last microbatch, nor, if weights are gathered there, for the forward pass of the first one. Errors:
 * NO_MEMORY. */
bough_status training_from_model(const training_model *m, uint32_t merge, training *t, bough_error *error);
/* Upper bound of the operations of the schedule, for the choice of merge. gpus: ranks of a node, of which
 * algorithm rails takes advantage; 1 for others. */
double training_model_size(const training_model *m, uint32_t merge, uint32_t gpus);
/* The smallest merge with at most `most` operations, or the largest one. */
uint32_t training_model_merge(const training_model *m, double most, uint32_t gpus);

#endif
