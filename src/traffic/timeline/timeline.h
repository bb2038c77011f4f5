/* A record of one trial of a schedule, or of a list of messages: when operations started and ended, what
 * their messages did, and what links carried. The execution of the ranks and the engines write it through the
 * functions below, if a trial has one; critical_path.h and exposed_time.h read it.
 *
 * Times are in ps; BOUGH_NONE: it never happened.
 *
 * An *occupation* is the use of a CPU by an operation (op << 1) or by the arrived message of a send
 * (op << 1 | 1). */
#ifndef BOUGH_TRAFFIC_TIMELINE_TIMELINE_H
#define BOUGH_TRAFFIC_TIMELINE_TIMELINE_H

#include "traffic/schedules/schedule.h"

#include <stdbool.h>

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_BINS 256

typedef struct timeline_op {
    uint64_t start, end; /* a receive starts when it is posted */
    uint64_t free;       /* a send or computation: when it leaves its CPU */
    uint32_t after;   /* the operation that it waited for last << 1 | 1 if for its start; or TIMELINE_NONE */
    uint32_t before;  /* the occupation of its CPU before it, or TIMELINE_NONE */
    uint32_t partner; /* of a send its receive, of a receive its send; TIMELINE_NONE */
    /* of a send, its message */
    uint32_t message_before; /* as before, on the CPU of the receiver */
    uint32_t link;           /* where it lost most time to others; TIMELINE_NONE */
    bool inside;             /* it did not enter the network */
    uint64_t left, arrived;
    uint64_t taken, done; /* occupation of the CPU of the receiver */
    uint64_t alone;       /* from left to arrived on an idle network; BOUGH_NONE: as it took */
    uint64_t lost;        /* the most time lost on one link; the unit is the engine's */
} timeline_op;

typedef struct timeline {
    timeline_op *op;   /* [ops] */
    uint32_t *message; /* [sends]: the send of a message of the source */
    uint32_t *last;    /* [ranks * cpus]: the latest occupation */
    uint32_t ops, cpus;
    /* Bits that links carried: [links][TIMELINE_BINS], each bin `width` long; NULL: not recorded. */
    double *bits;
    uint64_t links, width;
} timeline;

/* Memory of a record; links: 0 if their use is not recorded. */
uint64_t timeline_bytes(const bough_schedule *schedule, uint64_t links);
/* Checks the memory first. Errors: TOO_LARGE, NO_MEMORY. */
bough_status timeline_make(const bough_schedule *schedule, uint64_t links, timeline **out,
                           bough_error *error);
/* The same for a list of messages without ranks, whose operations are its messages: `start` is when one may
 * leave. */
uint64_t timeline_list_bytes(uint64_t messages, uint64_t links);
bough_status timeline_list_make(uint64_t messages, uint64_t links, timeline **out, bough_error *error);
void timeline_destroy(timeline *t); /* NULL is allowed */
void timeline_clear(timeline *t);   /* before a trial */

/* ---- written by the ranks ---- */

/* A CPU (its index) is used from `start` to `free`. Computations and sends. */
static inline void timeline_start(timeline *t, uint32_t cpu, uint32_t op, uint64_t start, uint64_t free) {
    timeline_op *p = &t->op[op];
    p->start = start;
    p->free = free;
    p->before = t->last[cpu];
    t->last[cpu] = op << 1;
}

static inline void timeline_take(timeline *t, uint32_t cpu, uint32_t send, uint64_t taken, uint64_t done) {
    timeline_op *p = &t->op[send];
    p->taken = taken;
    p->done = done;
    p->message_before = t->last[cpu];
    t->last[cpu] = send << 1 | 1;
}

static inline void timeline_post(timeline *t, uint32_t cpu, uint32_t op, uint64_t time) {
    t->op[op].start = time;
    t->op[op].before = t->last[cpu];
}

/* ---- written by engines; id: of a message of the source ---- */

/* A message was delayed on a link by others; the link with the most is kept. */
static inline void timeline_lose(timeline *t, uint32_t id, uint32_t link, uint64_t lost) {
    timeline_op *p = &t->op[t->message[id]];
    if (lost <= p->lost) return;
    p->lost = lost;
    p->link = link;
}

/* The time that a message takes from its departure to its arrival on an idle network. */
static inline void timeline_alone(timeline *t, uint32_t id, uint64_t alone) {
    t->op[t->message[id]].alone = alone;
}

/* A link carries bits evenly from one time to another. */
void timeline_carry(timeline *t, uint64_t link, uint64_t from, uint64_t to, double bits);

/* ---- read ---- */

/* The rank of an operation. O(log ranks). */
uint32_t timeline_rank(const bough_schedule *schedule, uint32_t op);
/* The time at which what an operation waited for had ended. */
static inline uint64_t timeline_ready(const timeline *t, uint32_t op) {
    uint32_t after = t->op[op].after;
    if (after == TIMELINE_NONE) return 0;
    return after & 1 ? t->op[after >> 1].start : t->op[after >> 1].end;
}
/* The end of an occupation; 0 for TIMELINE_NONE. */
static inline uint64_t timeline_free(const timeline *t, uint32_t occupation) {
    if (occupation == TIMELINE_NONE) return 0;
    const timeline_op *p = &t->op[occupation >> 1];
    return occupation & 1 ? p->done : p->free;
}
/* The part of the time of a message in the network that an idle network would take too. */
static inline uint64_t timeline_ideal(const timeline_op *send) {
    uint64_t took = send->arrived - send->left;
    return send->alone < took ? send->alone : took;
}

#endif
