#include "traffic/timeline/critical_path.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const critical_cause_name[] = {"compute", "overhead", "transfer", "sharing"};

/* The next step backwards: why something happened at `time`. */
typedef enum reason {
    AT_END,   /* the operation ended */
    AT_START, /* the operation started, or a receive was posted */
    AT_TAKEN, /* the CPU of the receiver began to handle its message */
    AT_FREE,  /* the occupation left its CPU */
    DONE
} reason;

typedef struct walk {
    const bough_workload *w;
    const timeline *t;
    critical_path *path;
    reason why;
    uint32_t what; /* an operation; AT_FREE: an occupation */
    uint64_t time;
    bough_status status;
    bough_error *error;
} walk;

static void add(walk *k, critical_part part) {
    critical_path *p = k->path;
    if (part.from == part.to || k->status) return;
    k->status = bough_grow(&p->part, &p->capacity, p->parts + 1, sizeof *p->part, k->error);
    if (!k->status) p->part[p->parts++] = part;
}

/* Adds the time since `from`, and goes on from there. */
static void back(walk *k, uint64_t from, critical_part part) {
    if (from > k->time) {
        k->status = bough_fail(k->error, BOUGH_FAILED, NULL,
                               "the timeline does not explain operation %" PRIu32 " at %" PRIu64 " ps",
                               part.op, k->time);
        return;
    }
    part.from = from;
    part.to = k->time;
    k->time = from;
    add(k, part);
}

static void go(walk *k, reason why, uint32_t what) {
    k->why = why;
    k->what = what;
}

/* The last occupation of a CPU that had ended by now, from this one backwards. */
static uint32_t ended_before(const walk *k, uint32_t occupation) {
    const timeline *t = k->t;
    while (occupation != TIMELINE_NONE && timeline_free(t, occupation) > k->time) {
        const timeline_op *p = &t->op[occupation >> 1];
        occupation = occupation & 1 ? p->message_before : p->before;
    }
    return occupation;
}

/* The time from which an operation or a message could have used its CPU; what it waited for until then is
 * stored by the caller. The rest of the time it waited for its NIC. */
static void wait_for_nic(walk *k, uint64_t ready, uint64_t cpu, uint32_t op) {
    uint64_t from = ready > cpu ? ready : cpu;
    back(k, from, (critical_part){.op = op, .link = TIMELINE_NONE, .cause = CRITICAL_SHARING});
}

static void before_start(walk *k) {
    const timeline_op *p = &k->t->op[k->what];
    uint32_t op = k->what, after = p->after, cpu = ended_before(k, p->before);
    uint64_t ready = timeline_ready(k->t, op), free = timeline_free(k->t, cpu);
    wait_for_nic(k, ready, free, op);
    if (k->time == 0)
        k->why = DONE;
    else if (after != TIMELINE_NONE && ready == k->time)
        go(k, after & 1 ? AT_START : AT_END, after >> 1);
    else
        go(k, AT_FREE, cpu);
}

/* The network, and the sender until the message left. */
static void before_arrival(walk *k) {
    const timeline_op *p = &k->t->op[k->what];
    const critical_part part = {.op = k->what, .link = p->link};
    critical_part sharing = part, transfer = part, overhead = part;
    sharing.cause = CRITICAL_SHARING;
    transfer.cause = CRITICAL_TRANSFER;
    overhead.cause = CRITICAL_OVERHEAD;
    back(k, p->left + timeline_ideal(p), sharing);
    if (!k->status) back(k, p->left, transfer);
    if (!k->status) back(k, p->start, overhead);
    go(k, AT_START, k->what);
}

static void before_taken(walk *k) {
    const timeline_op *p = &k->t->op[k->what];
    uint32_t cpu = ended_before(k, p->message_before);
    uint64_t free = timeline_free(k->t, cpu);
    wait_for_nic(k, p->arrived, free, k->what);
    if (k->time == p->arrived)
        before_arrival(k);
    else
        go(k, AT_FREE, cpu);
}

/* Without a network the CPU of the receiver is also used while the bytes arrive. */
static uint64_t bytes_arrive(const walk *k, uint32_t send) {
    const bough_host *h = bough_rank_host(k->w, k->w->schedule->op[send].peer);
    const timeline_op *p = &k->t->op[send];
    uint64_t size = k->w->schedule->op[send].size, all = p->done - p->taken;
    if (p->inside || h->G == BOUGH_FROM_NETWORK || h->G <= h->O || size < 2) return 0;
    uint64_t lasts = bough_mul(h->G - h->O, size - 1);
    return lasts < all ? lasts : all;
}

static void before_done(walk *k, uint32_t send) {
    const timeline_op *p = &k->t->op[send];
    const critical_part transfer = {.op = send, .link = TIMELINE_NONE, .cause = CRITICAL_TRANSFER},
                        overhead = {
                            .op = send, .link = TIMELINE_NONE, .cause = CRITICAL_OVERHEAD, .receiver = true};
    back(k, p->taken + (p->done - p->taken - bytes_arrive(k, send)), transfer);
    if (!k->status) back(k, p->taken, overhead);
    go(k, AT_TAKEN, send);
}

static void before_free(walk *k) {
    uint32_t op = k->what >> 1;
    if (k->what & 1) {
        before_done(k, op);
        return;
    }
    bool send = k->w->schedule->op[op].kind == BOUGH_OP_SEND;
    back(k, k->t->op[op].start,
         (critical_part){
             .op = op, .link = TIMELINE_NONE, .cause = send ? CRITICAL_OVERHEAD : CRITICAL_COMPUTE});
    go(k, AT_START, op);
}

/* A receive has ended when its message was handled; if it was posted later, at once. */
static void before_end_of_receive(walk *k) {
    const timeline_op *p = &k->t->op[k->what], *message = &k->t->op[p->partner];
    if (p->start > message->done || (p->start == message->done && p->start > message->taken))
        go(k, AT_START, k->what);
    else
        before_done(k, p->partner);
}

/* A send by rendezvous has ended when a receive has met its message. */
static void before_end_of_send(walk *k) {
    const timeline_op *p = &k->t->op[k->what];
    if (p->end == p->free)
        go(k, AT_FREE, k->what << 1);
    else if (p->end == p->taken)
        go(k, AT_TAKEN, k->what);
    else
        go(k, AT_START, p->partner);
}

static void step(walk *k) {
    switch (k->why) {
    case AT_START:
        before_start(k);
        break;
    case AT_TAKEN:
        before_taken(k);
        break;
    case AT_FREE:
        if (k->what == TIMELINE_NONE)
            k->why = DONE; /* reported below, as time is left */
        else
            before_free(k);
        break;
    default:
        if (k->w->schedule->op[k->what].kind == BOUGH_OP_RECV)
            before_end_of_receive(k);
        else if (k->w->schedule->op[k->what].kind == BOUGH_OP_SEND)
            before_end_of_send(k);
        else
            go(k, AT_FREE, k->what << 1);
    }
}

bough_status critical_path_find(const bough_workload *w, const timeline *t, critical_path *path,
                                bough_error *error) {
    walk k = {.w = w, .t = t, .path = path, .error = error, .why = DONE};
    path->parts = 0;
    for (uint32_t o = 0; o < t->ops; o++) {
        if (t->op[o].end == BOUGH_NONE || (k.why != DONE && t->op[o].end <= k.time)) continue;
        k.time = t->op[o].end;
        go(&k, AT_END, o);
    }
    /* a step goes back in time or to an earlier event; each operation has at most four */
    for (uint64_t steps = bough_mul(t->ops, 8); k.why != DONE && k.time && !k.status && steps; steps--)
        step(&k);
    if (!k.status && k.time)
        k.status =
            bough_fail(error, BOUGH_FAILED, NULL, "the timeline does not explain %" PRIu64 " ps", k.time);
    return k.status;
}

void critical_path_fini(critical_path *path) {
    free(path->part);
    *path = (critical_path){0};
}
