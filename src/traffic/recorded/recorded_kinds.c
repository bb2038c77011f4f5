/* Recorded programs as traffic: mpitrace:PATH, chakra:PATH, otf2:PATH. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/traces/recorded_readers.h"
#include "traffic/recorded/recording_schedule.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { P_PATH, P_RANKS };

#define RECORDED_PARAM_LIST(about, usual)                                                                    \
    {"file", about, BOUGH_TEXT, NULL, 0, 0, .echo = true},                                                   \
        {"ranks", "number of ranks: that of the trace", BOUGH_INT, "", 1, 0x1p28},                           \
        {"algo",                                                                                             \
         "of allreduce, and the matching ones of the others (docs/workloads.md)",                            \
         BOUGH_CHOICE,                                                                                       \
         usual,                                                                                              \
         0,                                                                                                  \
         0,                                                                                                  \
         "ring|doubling|rabenseifner|tree|direct"},                                                          \
    {                                                                                                        \
        "reduce", "CPU time to add one byte to another", BOUGH_TIME, "0ps", 0, 1e9                           \
    }

/* A trace has the computations and messages of one number of ranks; those of others are unknown. */
static bough_status check_ranks(const bough_args *args, const bough_net *net, uint32_t ranks,
                                bough_error *error) {
    const bough_value *v = &args->value[P_RANKS];
    if (!v->set || v->integer == ranks)
        return workload_check_room(args, net, ranks, args->value[P_PATH].text, error);
    return bough_fail(error, BOUGH_INVALID, args->value[P_PATH].text,
                      "is recorded on %" PRIu32 " rank%s; it does not tell what %" PRId64
                      " ranks would send and compute (workloads with ranks=, as simai: and collectives, do)",
                      ranks, bough_s(ranks), v->integer);
}

/* Takes ownership of the recording. */
static bough_status bind_recording(recording *r, bough_args *args, bough_traffic *t, bough_error *error) {
    recording_options options = {.name = args->value[P_PATH].text,
                                 .algorithm = bough_args_get(args, "algo")->text,
                                 .reduce_ps = (uint64_t)bough_args_get(args, "reduce")->integer};
    bough_schedule *s = NULL;
    bough_status status = check_ranks(args, t->net, r->ranks, error);
    TRY(recording_schedule(r, &options, &s, error));
    arena_fini(&r->memory);
    return status ? status : workload_make(s, 0, 0, t, error);
}

/* ---- MPI traces ---- */

static const bough_param mpitrace_params[] = {
    RECORDED_PARAM_LIST("traces of liballprof: a directory or archive with one file a rank", "doubling"),
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status mpitrace_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                  bough_error *error) {
    bough_input input;
    recording r = {0};
    (void)net;
    bough_status status = bough_input_read_some(args->value[P_PATH].text,
                                                &(bough_input_choice){.wanted = mpi_trace_is}, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    status = mpi_trace_read(&input, &r, error);
    bough_input_fini(&input);
    if (!status) return bind_recording(&r, args, t, error);
    arena_fini(&r.memory);
    return status;
}

const bough_traffic_kind bough_traffic_mpitrace = {
    .name = "mpitrace",
    .summary = "a recorded MPI program: the calls of every rank, as liballprof writes them",
    .source = "Hoefler, Schneider, Lumsdaine: LogGOPSim - simulating large-scale applications in the LogGOPS "
              "model, 2010",
    .params = mpitrace_params,
    .shape = BOUGH_SCHEDULE,
    .bind = mpitrace_bind,
    .open = workload_open,
    .fini = workload_fini,
};

/* ---- Chakra ---- */

enum { P_GROUPS = 4 };

static const bough_param chakra_params[] = {
    RECORDED_PARAM_LIST(
        "execution traces: a directory or archive with one file a rank, a prefix P of P.0.et, "
        "P.1.et, .., or one file for all ranks",
        "ring"),
    [P_GROUPS] = {"groups", "process groups as JSON: {\"1\": [0, 1], ..}", BOUGH_TEXT, ""},
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

/* Moves the file PREFIX.k.et to the pieces of an input. */
static bough_status add_file(const char *path, bough_input *all, size_t *capacity, bough_error *error) {
    bough_input one;
    bough_status status = bough_grow(&all->piece, capacity, all->count + 1, sizeof *all->piece, error);
    TRY(bough_input_read(path, &one, error));
    if (status) return status;
    status = bough_input_single(&one, "trace of a rank", error);
    if (!status) {
        all->piece[all->count++] = one.piece[0];
        all->hash = (all->hash ^ one.hash) * UINT64_C(1099511628211);
        one.piece[0] = (bough_input_piece){0};
    }
    bough_input_fini(&one);
    return status;
}

static bough_status read_prefix(const char *prefix, bough_input *all, bough_error *error) {
    char path[4096];
    size_t capacity = 0;
    bough_status status = BOUGH_OK;
    *all = (bough_input){.name = prefix};
    for (;;) {
        int length = snprintf(path, sizeof path, "%s.%zu.et", prefix, all->count);
        if (status || length >= (int)sizeof path || access(path, F_OK) != 0) break;
        status = add_file(path, all, &capacity, error);
    }
    if (status) bough_input_fini(all);
    return status;
}

static bough_status read_files(const char *path, bough_input *input, bough_error *error) {
    char first[4096];
    bough_input_choice choice = {.wanted = chakra_is};
    if (access(path, F_OK) != 0 && snprintf(first, sizeof first, "%s.0.et", path) < (int)sizeof first &&
        access(first, F_OK) == 0)
        return read_prefix(path, input, error);
    return bough_input_read_some(path, &choice, input, error);
}

static bough_status chakra_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                bough_error *error) {
    bough_input input, groups;
    recording r = {0};
    const char *groups_path = args->value[P_GROUPS].set ? args->value[P_GROUPS].text : NULL;
    const bough_value *given = &args->value[P_RANKS];
    uint32_t ranks;
    bough_status status = read_files(args->value[P_PATH].text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    /* a short file may stand for many ranks: what has no room is not made */
    status = chakra_count(&input, given->set ? (uint32_t)given->integer : 0, &ranks, error);
    TRY(check_ranks(args, net, ranks, error));
    if (groups_path) TRY(bough_input_read(groups_path, &groups, error));
    if (!status) {
        if (groups_path) t->input_hash ^= groups.hash * 31;
        status = chakra_read(&input, ranks, groups_path ? &groups : NULL, &r, error);
        if (groups_path) bough_input_fini(&groups);
    }
    bough_input_fini(&input);
    if (!status) return bind_recording(&r, args, t, error);
    arena_fini(&r.memory);
    return status;
}

const bough_traffic_kind bough_traffic_chakra = {
    .name = "chakra",
    .summary = "a recorded training step: the execution traces of its ranks, as ASTRA-sim takes them",
    .source = "Sridharan et al.: Chakra: advancing performance benchmarking and co-design using standardized "
              "execution traces, 2023",
    .params = chakra_params,
    .shape = BOUGH_SCHEDULE,
    .bind = chakra_bind,
    .open = workload_open,
    .fini = workload_fini,
};

/* ---- OTF2 ---- */

static const bough_param otf2_params[] = {
    RECORDED_PARAM_LIST("an OTF2 trace of an MPI program: its directory, or its file traces.otf2",
                        "doubling"),
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

/* The library reads the files by itself. The anchor, whose contents include an identifier of the trace, tells
 * traces apart. */
static bough_status otf2_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    char path[4096];
    struct stat is;
    bough_input anchor;
    recording r = {0};
    const char *given = args->value[P_PATH].text;
    bool directory = stat(given, &is) == 0 && S_ISDIR(is.st_mode);
    (void)net;
    if (snprintf(path, sizeof path, "%s%s", given, directory ? "/traces.otf2" : "") >= (int)sizeof path)
        return bough_fail(error, BOUGH_INVALID, NULL, "otf2: the path is too long");
    bough_status status = bough_input_read(path, &anchor, error);
    if (status) return status;
    t->input_hash = anchor.hash;
    bough_input_fini(&anchor);
    status = otf2_read(path, &r, error);
    if (!status) return bind_recording(&r, args, t, error);
    arena_fini(&r.memory);
    return status;
}

const bough_traffic_kind bough_traffic_otf2 = {
    .name = "otf2",
    .summary = "a recorded MPI program: an OTF2 trace, as Score-P writes it",
    .source = "Eschweiler et al.: Open Trace Format 2, 2012",
    .params = otf2_params,
    .shape = BOUGH_SCHEDULE,
    .bind = otf2_bind,
    .open = workload_open,
    .fini = workload_fini,
};
