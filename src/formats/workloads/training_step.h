/* Training steps: computations, messages and collectives of every pipeline stage, as files of
 * AICB and SimAI list them.
 *
 * Ranks are numbered as in Megatron: tensor fastest, then data (which contains the expert groups), then
 * pipeline: rank = t + tensor (d + data p). Groups:
 *   tensor       ranks that differ in t only
 *   data         ranks that differ in d only
 *   pipeline     ranks that differ in p only
 *   expert       `expert` neighbouring d for one (t, p)
 *   context      `context` neighbouring d for one (t, p)
 *   expert data  the d with equal d mod expert, for one (t, p)
 *   embedding    the first and the last stage, for one (t, d) */
#ifndef BOUGH_FORMATS_WORKLOADS_TRAINING_STEP_H
#define BOUGH_FORMATS_WORKLOADS_TRAINING_STEP_H

#include "base/files/input.h"
#include "base/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum training_what {
    TRAINING_ALLREDUCE,
    TRAINING_ALLGATHER,
    TRAINING_REDUCESCATTER,
    TRAINING_ALLTOALL,
    TRAINING_BROADCAST,
    TRAINING_REDUCE,
    TRAINING_BARRIER,
    TRAINING_COLLECTIVES,
    TRAINING_SEND = TRAINING_COLLECTIVES, /* to the next or the previous stage */
    TRAINING_RECV,
    TRAINING_COMPUTE,
    TRAINING_WAIT /* the compute stream waits for another stream */
} training_what;

typedef enum training_group {
    TRAINING_TENSOR,
    TRAINING_DATA,
    TRAINING_PIPELINE,
    TRAINING_EXPERT,
    TRAINING_EXPERT_DATA,
    TRAINING_ALL,
    TRAINING_CONTEXT,
    TRAINING_EMBEDDING,
    TRAINING_GROUPS
} training_group;

/* Streams of a rank, each with a CPU: computations in order, and beside them messages, in order within a
 * stream.
 */
typedef enum training_stream {
    TRAINING_STREAM_COMPUTE,
    TRAINING_STREAM_TENSOR, /* tensor, context and expert groups */
    TRAINING_STREAM_GRADS,
    TRAINING_STREAM_WEIGHTS,
    TRAINING_STREAM_PIPELINE,
    TRAINING_STREAMS
} training_stream;

typedef struct training_item {
    uint64_t size; /* bytes; of a computation: nanoseconds */
    uint32_t line, root;
    uint8_t what, group;
    bool next;  /* SEND, RECV: the next stage, otherwise the previous one */
    bool aside; /* background: later items do not wait for it, except those of its kind */
    /* If the step has streams: where it runs, computations too (of WAIT: for which one). It waits for the
     * preceding items of its stream and of the compute stream. A receive waits for those of the compute
     * stream only. */
    uint8_t stream;
} training_item;

typedef struct training_stage {
    training_item *item;
    size_t count;
} training_stage;

/* Zero-initialise. */
typedef struct training {
    char *file; /* for messages */
    uint32_t ranks, tensor, data, pipeline, expert;
    uint32_t context;      /* 0: none */
    bool data_first;       /* d is fastest: rank = d + data t, in one stage */
    training_stage *stage; /* [pipeline] */
    size_t stages;
    bool streams;               /* items have streams; else CPU 0 of a rank does everything */
    bool wraps;                 /* the last stage sends to the first one */
    double tokens, flops, peak; /* as in bough_schedule; 0: unknown */
    arena memory;               /* of all of it; the caller frees it */
} training;

/* Reads AICB's list of collectives. epoch: 0 is the set-up, 1 the first step. Collectives of the embedding
 * group, which AICB lists in the last stage only, are added at the end of the first one. Errors: INVALID with
 * file:line. */
bough_status training_read_aicb(const bough_input *input, uint32_t epoch, training *t, bough_error *error);
/* What a list of layers does not say. */
typedef struct training_room {
    uint32_t ranks;   /* 0: as in the file, or at_most if not given there */
    uint32_t at_most; /* ranks */
    uint32_t first;   /* ranks of the first dimension of ASTRA-sim's network; 0 or 1: unknown */
} training_room;
/* Reads a list of layers of SimAI or ASTRA-sim 1.0. Errors: INVALID with file:line. */
bough_status training_read_simai(const bough_input *input, const training_room *room, training *t,
                                 bough_error *error);

/* ---- for the readers ---- */

bough_status training_new_stage(training *t, bough_error *error);
bough_status training_add(training *t, training_item item, bough_error *error); /* to the last stage */

#endif
