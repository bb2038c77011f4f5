/* aicb:FILE.csv, simai:FILE.txt and train:FILE.yaml: training steps as traffic. */
#include "base/status/try.h"
#include "traffic/schedules/workload.h"
#include "traffic/training/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAINING_PARAM_LIST                                                                                  \
    {"algo",                                                                                                 \
     "of allreduce, and the matching ones of the others (docs/workloads.md)",                                \
     BOUGH_CHOICE,                                                                                           \
     "rails",                                                                                                \
     0,                                                                                                      \
     0,                                                                                                      \
     "rails|ring|doubling|rabenseifner|tree|direct|nccl-ring|nccl-tree|hierarchical|nvls-tree"},             \
        {"reduce", "CPU time to add one byte to another", BOUGH_TIME, "0ps", 0, 1e9}, {                      \
        "steps", "number of steps", BOUGH_INT, "1", 1, 0x1p16                                                \
    }

/* Algorithms of GPU libraries cut blocks into pieces that follow each other, which S=1 means. */
static bool cuts_pieces(const bough_args *args) {
    const collective_algorithm *a =
        collective_find(&collective_allreduce, bough_args_get(args, "algo")->text);
    return collective_is_gpu(a);
}

/* Takes ownership of t. */
static bough_status bind_training(training *t, bough_args *args, const bough_net *net, bough_traffic *traffic,
                                  bough_error *error) {
    workload_nodes nodes = workload_nodes_of(args, net);
    training_options o = {.algorithm = bough_args_get(args, "algo")->text,
                          .reduce_ps = (uint64_t)bough_args_get(args, "reduce")->integer,
                          .steps = (uint32_t)bough_args_get(args, "steps")->integer,
                          .gpus = nodes.ranks,
                          .nics = nodes.nics};
    bough_schedule *s = NULL;
    if (cuts_pieces(args)) bough_args_derive_int(args, "S", 1);
    collective_seat *seat = NULL;
    bough_status status = workload_check_room(args, net, t->ranks, t->file, error);
    TRY(workload_seats(traffic, t->ranks, t->file, &seat, error));
    o.seat = seat;
    TRY(training_schedule(t, &o, &s, error));
    arena_fini(&t->memory);
    free(seat);
    return status ? status : workload_make(s, 0, 0, traffic, error);
}

/* ---- AICB ---- */

enum { AICB_FILE, AICB_EPOCH };

static const bough_param aicb_params[] = {
    {"file", "CSV of AICB: the collectives of a step", BOUGH_TEXT, NULL, 0, 0, .echo = true},
    {"epoch", "0: set-up, 1: first step", BOUGH_INT, "1", 0, 0x1p20},
    TRAINING_PARAM_LIST,
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status aicb_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_input input;
    training step = {0};
    bough_status status = bough_input_read(args->value[AICB_FILE].text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    status = training_read_aicb(&input, (uint32_t)args->value[AICB_EPOCH].integer, &step, error);
    bough_input_fini(&input);
    if (!status) return bind_training(&step, args, net, t, error);
    arena_fini(&step.memory);
    return status;
}

const bough_traffic_kind bough_traffic_aicb = {
    .name = "aicb",
    .summary = "a training step: the collectives in an AICB file",
    .source = "github.com/aliyun/aicb",
    .params = aicb_params,
    .shape = BOUGH_SCHEDULE,
    .bind = aicb_bind,
    .open = workload_open,
    .fini = workload_fini,
};

/* ---- SimAI ---- */

enum { SIMAI_FILE, SIMAI_RANKS, SIMAI_FIRST };

static const bough_param simai_params[] = {
    {"file", "layers of SimAI or ASTRA-sim: computations and collectives", BOUGH_TEXT, NULL, 0, 0,
     .echo = true},
    {"ranks", "number of ranks; default: as in the file, else as many as fit", BOUGH_INT, "", 1, 0x1p28},
    {"first",
     "ranks of the first dimension, under HYBRID_DATA_MODEL and its like; default: those of a compute node",
     BOUGH_INT, "", 2, 0x1p28},
    TRAINING_PARAM_LIST,
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status simai_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_input input;
    training step = {0};
    bough_status status = bough_input_read(args->value[SIMAI_FILE].text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    const bough_value *v = args->value;
    const training_room room = {.ranks = v[SIMAI_RANKS].set ? (uint32_t)v[SIMAI_RANKS].integer : 0,
                                .at_most = workload_room(args, net),
                                .first = v[SIMAI_FIRST].set ? (uint32_t)v[SIMAI_FIRST].integer
                                                            : workload_nodes_of(args, net).ranks};
    status = training_read_simai(&input, &room, &step, error);
    bough_input_fini(&input);
    if (!status) {
        bough_args_set_int(args, "ranks", step.ranks);
        return bind_training(&step, args, net, t, error);
    }
    arena_fini(&step.memory);
    return status;
}

const bough_traffic_kind bough_traffic_simai = {
    .name = "simai",
    .summary = "a training step: computations and collectives of the layers in a file of SimAI or ASTRA-sim",
    .source = "github.com/aliyun/SimAI",
    .params = simai_params,
    .shape = BOUGH_SCHEDULE,
    .bind = simai_bind,
    .open = workload_open,
    .fini = workload_fini,
};

/* ---- models ---- */

enum { TRAIN_FILE, TRAIN_MERGE };

/* Operations of a schedule that is simulated within a minute on one processor. */
#define TRAIN_OPS 12e6

static const bough_param train_params[] = {
    {"file", "YAML: model, batch, parallel, gpu, precision (docs/training.md)", BOUGH_TEXT, NULL, 0, 0,
     .echo = true},
    {"merge",
     "neighbouring half layers as one, except where gradients or weights are exchanged; default: as few as "
     "keep "
     "the schedule below 12 million operations",
     BOUGH_INT, "", 1, 16384},
    TRAINING_PARAM_LIST,
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status train_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_input input;
    training step = {0};
    training_model model;
    bough_status status = bough_input_read(args->value[TRAIN_FILE].text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    status = training_read_model(&input, &model, error);
    TRY(arena_copy(&step.memory, &step.file, input.piece[0].name, error));
    bough_input_fini(&input);
    if (!status && !args->value[TRAIN_MERGE].set) {
        bool rails = strcmp(bough_args_get(args, "algo")->text, "rails") == 0;
        double most = TRAIN_OPS / (double)bough_args_get(args, "steps")->integer;
        if (cuts_pieces(args)) most /= 4.0 * workload_nodes_of(args, net).nics; /* pieces, channels */
        uint32_t gpus = rails ? workload_nodes_of(args, net).ranks : 1;
        bough_args_set_int(args, "merge", training_model_merge(&model, most, gpus));
    }
    uint32_t merge = (uint32_t)args->value[TRAIN_MERGE].integer;
    TRY(training_from_model(&model, merge, &step, error));
    if (!status) return bind_training(&step, args, net, t, error);
    arena_fini(&step.memory);
    return status;
}

const bough_traffic_kind bough_traffic_train = {
    .name = "train",
    .summary = "a training step of a model, from a description of ten lines",
    .source = "Narayanan et al. 2021; Korthikanti et al. 2022",
    .params = train_params,
    .shape = BOUGH_SCHEDULE,
    .bind = train_bind,
    .open = workload_open,
    .fini = workload_fini,
};
