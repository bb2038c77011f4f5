/* The state of the engine of schedules, shared by worm_timed.c (instants, deadlock, memory),
 * worm_timed_service.c (queues and grants) and worm_timed_flits.c (steps of heads and what follows). */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_TIMED_STATE_H
#define BOUGH_ENGINES_WORMHOLE_WORM_TIMED_STATE_H

#include "base/memory/indexed_heap.h"
#include "engines/wormhole/timed/worm_timed.h"

#define NEVER UINT64_MAX
#define NONE  UINT32_MAX

/* A link and, at the first link of a group, the group. */
typedef struct port {
    uint64_t free_at;                   /* when the next head can start; NEVER: not known yet */
    uint64_t rate, flit, delay, onward; /* bit/s; ps of a flit, delay, delay of messages that go on */
    uint64_t storage;                   /* C, flits */
    uint64_t taken;                     /* flits of all messages that have taken it */
    uint64_t held;                      /* ps, modulo 2^64 */
    uint64_t at_once; /* from this time on it becomes free at the instant at which the awaited worm moves */
    uint32_t last;    /* last worm on it that has not arrived; NONE */
    uint32_t awaited, next; /* the worm that it awaits, or NONE; next link that awaits it too */
    uint32_t until;         /* nothing is known before the awaited worm has taken so many steps, or arrives */
    uint32_t head, tail;    /* queue of the group */
    uint32_t fresh;         /* worms that joined at this instant, last first */
    uint32_t offset;        /* index of the link in its group */
    uint8_t kind;
    uint8_t flags;
    bool whole; /* a flit takes a whole number of ps */
} port;
enum { DIRTY = 1, OPEN = 2, SERVED = 4 };

/* A link of a path, or at its end the sink. */
typedef struct timed_hop {
    uint64_t start;         /* of the head */
    uint64_t first;         /* flits that have taken the link before */
    uint32_t link, pace;    /* pace: the slowest link so far */
    uint32_t before, after; /* neighbours among the worms on the link that have not arrived; NONE */
} timed_hop;

typedef enum timed_state {
    TIMED_UNUSED,
    TIMED_QUEUED, /* the head waits for a link */
    TIMED_MOVING, /* the head is on a link */
    TIMED_BEHIND, /* the head is on a link, behind a worm whose tail is not known to leave */
    TIMED_ENDING  /* the head has reached the sink, or will at a known time */
} timed_state;

typedef struct worm {
    uint64_t offered, entered, asked, flits; /* asked: start of its wait at the current node */
    const uint32_t *list;                    /* eligible links; NULL: eligible .. eligible + count - 1 */
    uint32_t eligible, count, first;         /* first: the first link of the group where it waits */
    uint32_t next;                           /* in its queue; behind the same worm; unused */
    uint32_t id, source, address, target, input;
    uint32_t row;          /* of hops; NONE before it enters */
    uint32_t steps;        /* links that its head has taken */
    uint32_t links, heads; /* links and worms that await its next step */
    uint32_t behind;       /* TIMED_BEHIND: which worm */
    bool last_link;        /* the latest link leads to its target */
    uint8_t state;
} worm;

typedef struct engine {
    sim_engine base;
    const bough_routing *routing;
    const bough_net *net;
    const bough_net_ops *ops;
    worm_options o;
    uint32_t stride;
    uint64_t slowest;         /* bit/s */
    uint64_t largest_storage; /* of a link, flits */
    port *port;
    worm *worm;
    timed_hop *hop;     /* [row][hop] */
    heap wakes, events; /* by group: when to serve it; by worm: when its head joins a queue, or it arrives */
    uint32_t *used;     /* NULL: not used by the selection rule */
    uint32_t *free_row, *dirty, *opened, *stack, *order, *member, *moved;
    sim_delivery *out;
    uint64_t *free; /* scratch: free eligible links of a group */
    uint32_t *load;
    heap_entry *event;
    uint32_t *event_at;
    size_t worm_capacity, hop_capacity, free_row_capacity, dirty_capacity, opened_capacity, stack_capacity,
        order_capacity, member_capacity, moved_capacity, out_capacity, event_capacity, event_at_capacity;
    uint32_t worms, rows, free_rows, free_worm, dirty_count, opened_count, moved_count, outs;
    bough_key key;
    bough_source *source;
    uint64_t next_offer; /* time of the next message */
    uint64_t reset_at;
    uint64_t grants[SIM_KINDS], waited[SIM_KINDS], entered, entry_waited;
    bough_status status; /* the first failure within an instant */
    bough_error *error;
} engine;

static inline timed_hop *worm_timed_path(const engine *e, const worm *w) {
    return e->hop + (uint64_t)w->row * e->stride;
}

/* ---- flits ---- */

/* The head starts on a link. */
void worm_timed_step(engine *e, uint32_t id, uint32_t link);
/* Removes a worm that has arrived from its links. */
void worm_timed_leave(engine *e, const worm *w);

/* ---- service ---- */

/* Sets the group that the head, now at node, requests next. */
void worm_timed_aim(engine *e, worm *w, uint64_t node);
void worm_timed_join(engine *e, uint32_t id); /* it requests a link from now on */
/* `first`: the first link of a group. */
void worm_timed_mark(engine *e, uint32_t first);                /* schedules service at this instant */
void worm_timed_wake(engine *e, uint32_t first, uint64_t time); /* or later, at the earliest of such times */
/* Serves a group after those whose waiting worms may still free its links. */
void worm_timed_serve(engine *e, uint32_t first);

#endif
