/* State of the generic engine (circuit_generic.c), shared by its files.
 *
 * Each message has one event, its next request (circuit_calendar.h). Each link stores when it is free again
 * and the previous link of its holder, so a circuit is a chain of links that is released by following it
 * back.
 *
 * Threads. In one cycle and phase, the requests for one group depend on no other group: a link that is
 * released in a cycle is free in a later one. So the groups are divided over the threads of the trial
 * (circuit_phase.c). A thread has its own calendar, and an engine of its own whose counts are added to those
 * of the trial. */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_STATE_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_STATE_H

#include "engines/circuit/circuit.h"
#include "engines/circuit/circuit_calendar.h"

#include <stdatomic.h>

#define TAKEN    UINT32_MAX
#define NO_LINK  UINT32_MAX
#define NO_GOAL  UINT32_MAX
#define GIVEN_UP UINT32_MAX /* attempts of a message without a route */
/* slots without a delivery before a run is stopped, unless retries wait for random times */
#define PATIENCE 8192

#define CIRCUIT_RANGES 8    /* of requests, per thread (circuit_phase.c) */
#define CIRCUIT_SHARDS 2048 /* at most */

typedef struct link_state {
    uint32_t free_at;  /* first cycle in which it can be taken; TAKEN: held */
    uint32_t previous; /* the link by which its holder came, NO_LINK at the first link */
} link_state;

typedef struct message_state {
    uint32_t source, address, target; /* target: the node of the address */
    uint32_t node, last;              /* position of the head, and the link by which it came */
    uint32_t hops;                    /* links taken in this attempt */
    uint32_t attempts;                /* rounds it took part in, or starts */
    uint32_t tries;                   /* starts that got beyond the injection link */
} message_state;

typedef struct request {
    uint32_t message, port, next;
    bough_route route;
} request;

/* The heads that requested a link on their way down: in this round, or without rounds since it was taken
 * last. */
typedef struct link_requests {
    uint32_t above; /* the first from above */
    uint8_t who;    /* 1: one from beside, 2: one from above, 4: another from above */
} link_requests;

/* Use of a link since the last reset. */
typedef struct link_use {
    uint64_t held; /* cycles */
    uint64_t since;
} link_use;

/* A circuit whose links are freed: `last` in cycle `first`, the others later. */
typedef struct circuit_release {
    uint32_t last, first;
} circuit_release;

/* State of one trial, or of one thread in it: its counts are those of the thread. */
typedef struct engine {
    circuit_generic *w;
    struct circuit_worker *k; /* of this thread */
    thread_team *team;        /* NULL: one thread */
    const bough_run *run;
    const bough_net *net;
    const bough_routing *routing;
    const circuit_options *o;
    bough_key key;
    bough_error *error;
    uint64_t now, base;            /* current cycle; first cycle of the round */
    uint64_t messages;             /* number of messages, with replies */
    uint64_t requests;             /* number of requests; messages from here on are replies */
    unsigned hops_max;             /* links of a path at most */
    bool counted;                  /* messages without a route have been counted */
    struct circuit_stream *stream; /* NULL: a batch */
    /* counts */
    circuit_result *r;
    uint64_t latest;  /* last cycle in which a source is notified */
    uint64_t success; /* last cycle in which a head arrived, or a message was given up */
    uint64_t pending, round_delivered, done, given_up;
    uint64_t waiting; /* heads that wait where they are, of those pending */
    uint64_t freed;   /* the last cycle in which a link becomes free, as known so far */
} engine;

/* What a thread needs. */
typedef struct circuit_worker {
    circuit_calendar calendar;
    uint64_t *free;                            /* scratch: free links of a group */
    uint32_t *load, *order, *member, *touched; /* scratch; touched: groups with requests */
    uint32_t *delivered;                       /* messages whose circuits are held until the round ends */
    circuit_release *released;                 /* in this phase */
    size_t order_capacity, member_capacity, touched_capacity, delivered_capacity, released_capacity;
    uint64_t delivered_count, released_count;
    /* its part of a step */
    engine part;
    circuit_result result;
    bough_status status;
    bough_error error;
} circuit_worker;

/* Requests of the current phase that one thread has made: request[first ..]. */
typedef struct request_range {
    uint64_t first, count;
    uint64_t group_first, group_last; /* of their groups */
} request_range;

/* The next step of a worker's part of a loop. */
typedef struct circuit_claim {
    _Atomic uint64_t next;
    char apart[THREAD_APART];
} circuit_claim;

struct circuit_generic {
    link_state *link;
    link_use *use;       /* only for streams */
    uint16_t *wire;      /* cycles per link; NULL: 0 for all */
    uint32_t *id;        /* numbers of the messages; NULL: their indices */
    uint32_t *used;      /* grants per link so far; only for `least` */
    link_requests *seen; /* only for scenarios */
    uint32_t *waited;    /* per message: links that it had when it was last found waiting, plus 1; only for
                            scenarios of heads that wait */
    uint32_t *path;      /* [message][hop]: the link of its last attempt; only for same_path */
    uint32_t *goal;  /* per message that is on its way to an intermediate node: its address, else NO_GOAL */
    uint32_t *group; /* per group: first request of the current cycle and phase */
    message_state *message;
    request *request;
    uint32_t *sorted;           /* requests by shard (circuit_phase.c) */
    uint32_t *tally;            /* [range][shard] */
    uint32_t *shard;            /* where the requests of a shard begin; and the end */
    const calendar_slip **slip; /* the messages of the current phase */
    uint64_t *slip_first;       /* how many come before those of a slip */
    calendar_slip **list;       /* the same by worker */
    request_range *range;
    circuit_worker **worker;
    circuit_claim *claim; /* [workers] */
    unsigned workers;
    uint64_t *per_round, *per_attempt;
    latency_series latency;
    circuit_stage *stage;
    size_t message_capacity, request_capacity, sorted_capacity, tally_capacity, slip_capacity, first_capacity,
        round_capacity, stage_capacity, path_capacity, goal_capacity, attempt_capacity, waited_capacity;
    uint64_t links, groups;
    bool clean;
};

static inline uint32_t circuit_id(const engine *e, uint32_t m) {
    return e->w->id ? e->w->id[m] : m;
}

/* Cycles that a signal spends in the wire of a link. */
static inline uint64_t circuit_wire(const engine *e, uint32_t link) {
    return e->w->wire ? e->w->wire[link] : 0;
}
/* In the wires of the circuit that ends with `link`. */
static inline uint64_t circuit_path_wires(const engine *e, uint32_t link) {
    uint64_t sum = 0;
    for (; e->w->wire && link != NO_LINK; link = e->w->link[link].previous) sum += e->w->wire[link];
    return sum;
}

/* Allocates e->w. */
bough_status circuit_make_workspace(engine *e);
/* Removes all messages from the calendars. */
void circuit_clear_calendars(circuit_generic *w);

/* Calls step(part, context, i) for i = 0 .. count-1 on the threads of e->team, and adds the counts of the
 * parts. Without a team the part is e. */
typedef bough_status (*circuit_step)(engine *part, void *context, uint64_t i);
bough_status circuit_each(engine *e, uint64_t count, circuit_step step, void *context);
/* Flits behind the head of a message of a stream. */
uint64_t circuit_stream_payload(const engine *e, uint32_t m);
/* A message of a stream has arrived; its source is free again after the cycle `notified`. */
bough_status circuit_stream_arrive(engine *e, uint32_t m, uint64_t tail, uint64_t notified);

/* A message of a stream will not arrive: it has no route, or has used up its attempts. Its source is free
 * again after the cycle `notified`. */
bough_status circuit_stream_lose(engine *e, uint32_t m, bool unrouted, uint64_t notified);

/* Whether retries wait for a round. */
static inline bool circuit_in_rounds(const circuit_options *o) {
    return o->mode != CIRCUIT_CYCLES || o->retry == CIRCUIT_ROUND;
}

/* Starts message m in a cycle: one more attempt. */
bough_status circuit_start(engine *e, uint32_t m, uint64_t cycle);
/* The number by which a message draws in its present attempt. */
uint64_t circuit_draw(const engine *e, uint32_t m);
/* Serves the requests of the current cycle. */
bough_status circuit_serve_cycle(engine *e);
/* A request without an eligible link. */
bough_status circuit_refuse(engine *e, const request *q);
/* Serves the requests of a group in this phase: a list, sorted by (input port, message). */
bough_status circuit_serve_group(engine *e, uint32_t group);
/* Frees the links of all delivered messages at the end of a round. */
bough_status circuit_free_delivered(engine *e);

/* Cycles that a message waits, beyond the cycle after the notification, before attempt `tries` + 1. */
uint64_t circuit_wait(const engine *e, uint32_t m, uint32_t tries);

#endif
