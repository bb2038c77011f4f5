/* Recorded programs as traffic: mpitrace:PATH. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/recorded/recorded_readers.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>

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
         "ring|doubling|rabenseifner|tree"},                                                                 \
    {                                                                                                        \
        "reduce", "CPU time to add one byte to another", BOUGH_TIME, "0ps", 0, 1e9                           \
    }

/* A trace has the computations and messages of one number of ranks; those of others are unknown. */
static bough_status check_ranks(const bough_args *args, uint32_t ranks, bough_error *error) {
    const bough_value *v = &args->value[P_RANKS];
    if (!v->set || v->integer == ranks) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, args->value[P_PATH].text,
                      "is recorded on %" PRIu32 " ranks; it does not tell what %" PRId64
                      " ranks would send and compute (workloads with ranks=, as simai: and collectives, do)",
                      ranks, v->integer);
}

/* Takes ownership of the recording. */
static bough_status bind_recording(recording *r, bough_args *args, bough_traffic *t, bough_error *error) {
    recording_options options = {.name = args->value[P_PATH].text,
                                 .algorithm = bough_args_get(args, "algo")->text,
                                 .reduce_ps = (uint64_t)bough_args_get(args, "reduce")->integer};
    bough_schedule *s = NULL;
    bough_status status = check_ranks(args, r->ranks, error);
    TRY(workload_check_room(args, t->net, r->ranks, options.name, error));
    TRY(recording_schedule(r, &options, &s, error));
    recording_fini(r);
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
    recording_fini(&r);
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
