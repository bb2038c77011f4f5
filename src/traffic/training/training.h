/* Training steps: what every stage of a pipeline computes, sends and gathers, as two kinds of files tell it,
 * and the schedule that comes of it.
 *
 * Ranks are numbered as Megatron does: tensor fastest, then data (which holds the expert groups), then
 * pipeline: rank = t + tensor (d + data p). A group is what differs in one of them alone:
 *   tensor: the t of one (d, p)        data: the d of one (t, p)         pipeline: the p of one (t, d)
 *   expert: `expert` neighbours among the d of one (t, p)                expert data: those of one d mod
 * expert
 */
#ifndef BOUGH_TRAFFIC_TRAINING_TRAINING_H
#define BOUGH_TRAFFIC_TRAINING_TRAINING_H

#include "base/files/input.h"
#include "bough/traffic.h"
#include "traffic/collectives/collective.h"

#include <stddef.h>

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
    TRAINING_COMPUTE
} training_what;

typedef enum training_group {
    TRAINING_TENSOR,
    TRAINING_DATA,
    TRAINING_PIPELINE,
    TRAINING_EXPERT,
    TRAINING_EXPERT_DATA,
    TRAINING_ALL,
    TRAINING_GROUPS
} training_group;

typedef struct training_item {
    uint64_t size; /* bytes, of a computation nanoseconds */
    uint32_t line, root;
    uint8_t what, group;
    bool next;  /* SEND, RECV: the next stage, else the previous one */
    bool aside; /* what follows does not wait for it (but for others of its kind) */
} training_item;

typedef struct training_stage {
    training_item *item;
    size_t count, capacity;
} training_stage;

/* Zero-initialise. */
typedef struct training {
    char *file; /* for messages */
    uint32_t ranks, tensor, data, pipeline, expert;
    training_stage *stage; /* [pipeline] */
    size_t stages, stage_capacity;
} training;
void training_fini(training *t);

/* AICB's list of collectives. epoch: 0 is the set-up, 1 the first step. Errors: INVALID with file:line. */
bough_status training_read_aicb(const bough_input *input, uint32_t epoch, training *t, bough_error *error);
/* SimAI's list of layers. ranks: 0: as the file says, or at_most where it does not. expert: 0: as the file
 * says. Errors: INVALID with file:line. */
bough_status training_read_simai(const bough_input *input, uint32_t ranks, uint32_t at_most, training *t,
                                 bough_error *error);

typedef struct training_options {
    const char *algorithm; /* of allreduce: "ring", ...; what goes with it for the others */
    uint64_t reduce_ps;    /* to add a byte to another */
    uint32_t steps;        /* one after another */
} training_options;

/* Errors: INVALID with the file's line, TOO_LARGE, NO_MEMORY. */
bough_status training_schedule(const training *t, const training_options *options, bough_schedule **schedule,
                               bough_error *error);

/* ---- for the readers ---- */

bough_status training_new_stage(training *t, bough_error *error);
bough_status training_add(training *t, training_item item, bough_error *error); /* to the last stage */

extern const bough_traffic_kind bough_traffic_aicb, bough_traffic_simai;

#endif
