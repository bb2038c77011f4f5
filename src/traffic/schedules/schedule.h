/* Schedules: sends, receives and computations of ranks, with their dependencies. GOAL files, collectives and
 * training steps are schedules. Bound to a network, a schedule is a workload (traffic of shape
 * BOUGH_SCHEDULE).
 *
 * rank: one process, 0 .. ranks-1. operation: one send, receive or computation of a rank. Ids count from 0
 * over all ranks; the operations of a rank are consecutive, in the order in which they were added. b requires
 * a: b may start when a has ended. b irequires a: b may start when a has started.
 *
 * A send ends when its host has processed it (LogGOPS: o + size O of CPU time; by rendezvous: when the
 * receiver has the message). A receive ends when the message has arrived and its host has processed it.
 *
 * Matching follows MPI: a receive takes the first message, in order of arrival, with its source and tag that
 * no other receive has taken. Posted receives are tried in the order in which they were posted. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_H
#define BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_H

#include "bough/status.h"
#include "network/net.h"

#define BOUGH_ANY_RANK   UINT32_MAX /* any peer of a receive */
#define BOUGH_ANY_TAG    UINT32_MAX /* any tag of a receive */
#define BOUGH_CALC_CLOCK 1          /* tag of a computation that only waits: slow hosts do not prolong it */
#define BOUGH_OPS_MAX    (UINT32_C(1) << 31)

typedef enum bough_op_kind { BOUGH_OP_SEND, BOUGH_OP_RECV, BOUGH_OP_CALC } bough_op_kind;

typedef struct bough_op {
    uint64_t size; /* bytes; of a computation: nanoseconds */
    uint32_t peer; /* rank; of a computation: 0 */
    uint32_t tag;  /* of a computation: 0, or BOUGH_CALC_CLOCK */
    uint32_t line; /* line in the input file; 0: none */
    uint8_t kind;  /* bough_op_kind */
    uint8_t cpu;   /* CPU of its rank: operations on one CPU are serialized */
    uint8_t nic;
    uint8_t label; /* phase, for the breakdown of time: index into labels; 0: none */
} bough_op;

/* A finished schedule; immutable. */
typedef struct bough_schedule {
    uint32_t ranks;
    uint32_t adders; /* the last ranks: aggregation nodes of the network, which have no costs of hosts */
    uint32_t ops;
    uint64_t sends, recvs, calcs, bytes; /* operations by kind; total bytes of all sends */
    uint32_t *first;                     /* [ranks + 1]: operations of rank r are first[r] .. first[r+1]-1 */
    bough_op *op;                        /* [ops] */
    uint64_t *then; /* [ops + 1]: followers of operation o are follower[then[o]] .. follower[then[o+1]-1] */
    uint32_t *follower;  /* operation << 1 | 1 if it waits for the start only (irequires) */
    uint32_t *waits;     /* [ops]: number of operations that it waits for */
    char **labels;       /* labels[0] is ""; ends with NULL */
    char *name;          /* for messages: a file name or spec */
    unsigned cpus, nics; /* per rank: the largest number used + 1 */
    bool
        streams; /* CPU 0 of a rank computes, and the others send and receive: only CPU 0 counts as waiting */
    double tokens, flops, peak; /* of a training step: tokens and floating-point operations of all ranks, and
                                   operations a second that a rank can do; 0: unknown */
} bough_schedule;
void bough_schedule_destroy(bough_schedule *schedule); /* NULL is allowed */
/* Ranks on hosts: 0 .. this number - 1. */
static inline uint32_t bough_schedule_hosts(const bough_schedule *schedule) {
    return schedule->ranks - schedule->adders;
}

/* Builds a schedule incrementally. Operations may be added in any order of ranks. The ids returned by add
 * count in order of adding; finish renumbers them. */
typedef struct bough_schedule_builder bough_schedule_builder;
bough_status bough_schedule_begin(const char *name, uint32_t ranks, bough_schedule_builder **builder,
                                  bough_error *error);
/* Reserves space for this many further operations and dependencies. Errors: TOO_LARGE, NO_MEMORY. */
bough_status bough_schedule_reserve(bough_schedule_builder *builder, uint64_t ops, uint64_t waits,
                                    bough_error *error);
/* Adds an operation. rank and peer must be below ranks (the peer of a receive may be BOUGH_ANY_RANK). Errors:
 * INVALID, TOO_LARGE, NO_MEMORY. */
bough_status bough_schedule_add(bough_schedule_builder *builder, uint32_t rank, bough_op op, uint32_t *id,
                                bough_error *error);
/* Adds a dependency: `after` waits for the end of `before` (start: for its start). Both must belong to one
 * rank. Errors: INVALID, NO_MEMORY. */
bough_status bough_schedule_wait(bough_schedule_builder *builder, uint32_t after, uint32_t before, bool start,
                                 bough_error *error);
/* Returns the number of a label; equal texts have equal numbers, at most 255. */
bough_status bough_schedule_label(bough_schedule_builder *builder, const char *text, uint8_t *label,
                                  bough_error *error);
/* Consumes the builder, also on error. Errors: INVALID for a cycle of dependencies (the message lists it:
 * rank, lines, kinds), NO_MEMORY. O(ops + dependencies). */
bough_status bough_schedule_finish(bough_schedule_builder *builder, bough_schedule **schedule,
                                   bough_error *error);
/* Several threads may each add the operations of some ranks, to a builder of its own: this one takes the
 * ranks first .. end - 1 only. */
void bough_schedule_only(bough_schedule_builder *builder, uint32_t first, uint32_t end);
/* The same as finish for builders of the same number of ranks, on as many threads: each has the ranks that
 * follow those of the one before, together all, and all but the first have no labels. */
bough_status bough_schedule_join(bough_schedule_builder *const *builder, unsigned count,
                                 bough_schedule **schedule, bough_error *error);
void bough_schedule_abandon(bough_schedule_builder *builder);

/* Reads GOAL, text or binary. hash: receives that of the input; may be NULL. Errors: INVALID with file:line
 * and the expected syntax, IO. Implemented in traffic/schedules/goal/goal.c. */
bough_status bough_schedule_read_goal(const char *path, uint64_t *hash, bough_schedule **schedule,
                                      bough_error *error);

/* One of several concurrent jobs: ranks first .. first+ranks-1 of a schedule. */
typedef struct bough_job {
    char name[64];
    uint32_t first, ranks;
    uint64_t start_ps; /* origin of its times */
} bough_job;

/* How a collective became a schedule; empty texts: nothing to say. */
typedef struct bough_workload_how {
    char algorithm[96]; /* with protocol and channels */
    char chunks[64];    /* how its chunks were joined, so that there are fewer messages */
    char limits[96];    /* in what its choice and its messages differ from those of the library */
} bough_workload_how;

/* A schedule placed on a network: the data of traffic of shape BOUGH_SCHEDULE. */
typedef struct bough_workload {
    const bough_schedule *schedule;
    const uint32_t *endpoint;   /* [ranks]: endpoint of a rank; ranks may share one, and messages between them
                                   do not enter the network */
    const uint32_t *node;       /* [ranks]: nor do messages between ranks of one node; NULL: no nodes */
    const bough_job *job;       /* [jobs] */
    uint32_t jobs;              /* 0: a single schedule */
    const bough_host *job_host; /* [jobs]: costs o, g, O and S of a job; NULL: those of host */
    const uint8_t *job_of;      /* [ranks]: the job; NULL without job_host */
    bough_host host; /* of the network's physical setting, with the values given in the spec; a simulated
                        network replaces L and G */
    /* Bytes per rank in a collective, for algorithm and bus bandwidth; 0: none. */
    uint64_t payload;
    double bus_factor; /* bus bandwidth over algorithm bandwidth (NCCL's convention); 0: none */
    bough_workload_how how;
} bough_workload;

/* The costs of a rank. */
static inline const bough_host *bough_rank_host(const bough_workload *w, uint32_t rank) {
    return w->job_host ? &w->job_host[w->job_of[rank]] : &w->host;
}

/* True if messages between these ranks do not enter the network. */
static inline bool bough_ranks_inside(const bough_workload *w, uint32_t a, uint32_t b) {
    return w->endpoint[a] == w->endpoint[b] || (w->node && w->node[a] == w->node[b]);
}

/* Time and size units of an engine: picoseconds per tick, bytes per unit of message size. */
typedef struct bough_clock {
    uint64_t tick_ps, unit_bytes;
    bool headers; /* sizes include the headers of packets (network/physical/physical.h) */
    /* Streams: ticks in a cycle, the time of a flit at the fastest endpoint. Other endpoints send less, in
     * proportion to their rates (bough_net_endpoint_rate, of which rate is the argument). 0: a tick is a
     * cycle, and all endpoints are alike. */
    double cycle;
    uint64_t rate;
} bough_clock;

#endif
