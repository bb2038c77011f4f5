/* Schedules: what ranks send, receive and compute, and what waits for what. A GOAL file, a collective, a
 * training step are schedules; on a network they are workloads (traffic of the shape BOUGH_SCHEDULE).
 *
 * rank: one process, 0 .. ranks-1. operation: one send, receive or computation of a rank; ids count from 0
 * through all ranks, those of one rank are consecutive and in the order they were added. b requires a:  b may
 * start when a has ended; b irequires a: b may start when a has started. A send has ended when its host is
 * done with it (LogGOPS: o + size O of CPU time; by rendezvous: when the receiver has it), a receive when the
 * message is there and its host has dealt with it.
 *
 * A receive takes the first message, in order of arrival, of its source and tag that no other receive took;
 * receives that are posted look in the order they were posted (MPI's rule). */
#ifndef BOUGH_SCHEDULE_H
#define BOUGH_SCHEDULE_H

#include "bough/net.h"
#include "bough/status.h"

#define BOUGH_ANY_RANK UINT32_MAX /* a receive's peer */
#define BOUGH_ANY_TAG  UINT32_MAX /* of a receive */
#define BOUGH_OPS_MAX  (UINT32_C(1) << 31)

typedef enum bough_op_kind { BOUGH_OP_SEND, BOUGH_OP_RECV, BOUGH_OP_CALC } bough_op_kind;

typedef struct bough_op {
    uint64_t size; /* bytes; of a computation: nanoseconds */
    uint32_t peer; /* rank; of a computation: 0 */
    uint32_t tag;
    uint32_t line; /* of the file it came from, 0: none */
    uint8_t kind;  /* bough_op_kind */
    uint8_t cpu;   /* of its rank: operations of one CPU follow each other */
    uint8_t nic;
    uint8_t label; /* what it is part of: an index into labels, 0: nothing ("where the time goes") */
} bough_op;

/* Immutable once made. */
typedef struct bough_schedule {
    uint32_t ranks;
    uint32_t ops;
    uint64_t sends, recvs, calcs, bytes; /* operations by kind; bytes of all sends */
    uint32_t *first;     /* [ranks + 1]: the operations of rank r are first[r] .. first[r+1]-1 */
    bough_op *op;        /* [ops] */
    uint64_t *then;      /* [ops + 1]: the followers of operation o are follower[then[o]] .. */
    uint32_t *follower;  /* operation << 1 | 1 where it waits for the start only (irequires) */
    uint32_t *waits;     /* [ops]: how many operations it waits for */
    char **labels;       /* labels[0] is ""; ends with NULL */
    char *name;          /* for messages: a file, a spec */
    unsigned cpus, nics; /* of a rank: the largest used + 1 */
} bough_schedule;
void bough_schedule_destroy(bough_schedule *schedule); /* NULL is fine */

/* Makes a schedule piece by piece. Ranks may be added to in any order; ids that add returns are the
 * builder's, in order of adding, and are renumbered by finish. */
typedef struct bough_schedule_builder bough_schedule_builder;
bough_status bough_schedule_begin(const char *name, uint32_t ranks, bough_schedule_builder **builder,
                                  bough_error *error);
/* Room for so many more, in advance. Errors: TOO_LARGE, NO_MEMORY. */
bough_status bough_schedule_reserve(bough_schedule_builder *builder, uint64_t ops, uint64_t waits,
                                    bough_error *error);
/* rank and peer must be below ranks (a receive's peer may be BOUGH_ANY_RANK). Errors: INVALID, TOO_LARGE,
 * NO_MEMORY. */
bough_status bough_schedule_add(bough_schedule_builder *builder, uint32_t rank, bough_op op, uint32_t *id,
                                bough_error *error);
/* after waits for before's end, or (start) for its start. Both belong to one rank. Errors: INVALID,
 * NO_MEMORY. */
bough_status bough_schedule_wait(bough_schedule_builder *builder, uint32_t after, uint32_t before, bool start,
                                 bough_error *error);
/* A number for a label, the same for the same text; at most 255. */
bough_status bough_schedule_label(bough_schedule_builder *builder, const char *text, uint8_t *label,
                                  bough_error *error);
/* Consumes the builder, also after an error. Errors: INVALID where operations wait for each other in a ring
 * (it is named: rank, lines, kinds), NO_MEMORY. O(ops + waits). */
bough_status bough_schedule_finish(bough_schedule_builder *builder, bough_schedule **schedule,
                                   bough_error *error);
void bough_schedule_abandon(bough_schedule_builder *builder);

/* Text GOAL. Errors: INVALID with file:line and what would be right, IO. Defined where inputs are read
 * (traffic/schedules/goal.c). */
bough_status bough_schedule_read_goal(const char *path, bough_schedule **schedule, bough_error *error);

/* Hosts as LogGOPS sees them (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010). In picoseconds. A simulated
 * network takes the place of L and G. */
typedef struct bough_host {
    uint64_t L; /* from the last byte sent to the last byte there */
    uint64_t o; /* CPU time of a message, at either end */
    uint64_t g; /* between two messages of one NIC, at least */
    uint64_t G; /* of a NIC for each byte after the first */
    uint64_t O; /* CPU time for each byte after the first */
    uint64_t S; /* bytes: messages of more are sent by rendezvous; 0: none are */
} bough_host;

/* One of several jobs that run side by side: ranks first .. first+ranks-1 of a schedule. */
typedef struct bough_job {
    char name[64];
    uint32_t first, ranks;
    uint64_t start_ps; /* its time is counted from there */
} bough_job;

/* A schedule on a network: what a traffic of the shape BOUGH_SCHEDULE is made of. */
typedef struct bough_workload {
    const bough_schedule *schedule;
    const uint32_t *endpoint; /* [ranks]: where a rank sits; several ranks may share one, and what they send
                                 each other does not enter the network */
    const uint32_t *node;     /* [ranks]: nor does what ranks of one node send each other; NULL: no nodes */
    const bough_job *job;     /* [jobs] */
    uint32_t jobs;            /* 0: the schedule is one */
    bough_host host;
    uint64_t
        payload; /* bytes that one rank gives to a collective, for algorithm and bus bandwidth; 0: none */
    double bus_factor; /* bus bandwidth over algorithm bandwidth (NCCL's convention); 0: none */
} bough_workload;

/* What these ranks send each other does not enter the network. */
static inline bool bough_ranks_inside(const bough_workload *w, uint32_t a, uint32_t b) {
    return w->endpoint[a] == w->endpoint[b] || (w->node && w->node[a] == w->node[b]);
}

/* How an engine counts: its tick in picoseconds, and bytes of one unit of a message's size. */
typedef struct bough_clock {
    uint64_t tick_ps, unit_bytes;
} bough_clock;

#endif
