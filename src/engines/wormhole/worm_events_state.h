/* The state of the event-driven engine of `worm`, shared by worm_events.c (cycles) and worm_events_service.c
 * (heads, groups and links within a cycle). */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_STATE_H
#define BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_STATE_H

#include "engines/wormhole/worm_events.h"

#define NEVER UINT64_MAX
#define NONE  UINT32_MAX

/* A link and, at the first link of a group, the group. Half a cache line. */
typedef struct port {
    uint64_t free_at;    /* first cycle in which the next head can take it; NEVER: not known yet */
    uint32_t holder;     /* last worm that took it */
    uint32_t held;       /* cycles it was held, modulo 2^32 */
    uint32_t head, tail; /* queue of the group */
    uint32_t fresh;      /* worms that arrived in this cycle, last first */
    uint16_t offset;     /* index of the link in its group */
    uint8_t kind;
    uint8_t flags;
} port;
enum { DIRTY = 1, OPEN = 2, SERVED = 4 };

typedef struct worm {
    uint64_t offered;
    const uint32_t *list;     /* eligible links; NULL: eligible .. eligible + count - 1 */
    uint32_t eligible, first; /* first: the first link of the group where it waits */
    uint32_t next, id, source, address, target, flits;
    uint32_t row;   /* of path; NONE before it enters */
    uint32_t asked; /* first cycle of waiting at the current node, modulo 2^32 */
    uint16_t count, input;
    uint16_t steps; /* links that its head has crossed */
    bool whole;     /* every link of the group is eligible */
} worm;

/* A scheduled event: serve a group, or notify a source of an arrival. */
typedef struct event {
    uint64_t time;
    uint32_t next, what;
    bool delivery;
} event;

typedef struct engine {
    sim_engine base;
    const bough_routing *routing;
    const bough_net *net;
    const bough_net_ops *ops;
    worm_options o;
    uint32_t stride;
    uint64_t links, nodes;
    port *port;
    worm *worm;
    uint32_t *path; /* [row][0]: cycles from the offer to the first link; [row][k]: link k, from 1 */
    /* [row][k]: cycle in which the head crossed it; only for buffers of more than one flit */
    uint64_t *crossed;
    event *event;
    /* NULL: not used by the selection rule */
    uint32_t *bucket, *used, *free_row, *coming, *going, *dirty, *opened, *stack, *order, *member;
    sim_delivery *out;
    uint64_t *free; /* scratch: free eligible links of a group */
    uint32_t *load;
    size_t worm_capacity, path_capacity, crossed_capacity, event_capacity, free_row_capacity, coming_capacity,
        going_capacity, dirty_capacity, opened_capacity, stack_capacity, order_capacity, member_capacity,
        out_capacity;
    uint32_t worms, rows, free_rows, events, free_worm, free_event, bucket_mask;
    uint32_t coming_count, dirty_count, opened_count, outs;
    uint64_t pending; /* events */
    bough_key key;
    bough_source *source;
    uint64_t next_offer; /* time of the next message */
    uint64_t last_free;  /* latest known time at which a link becomes free */
    bool quick;          /* the network's own step suffices: the routing does not change the routes */
    bool cascades;       /* a head's step can free a link in the same cycle */
    uint64_t reset_at;
    uint64_t grants[SIM_KINDS], waited[SIM_KINDS], entered, entry_waited;
    bough_status status; /* the first failure within a cycle */
    bough_error *error;
} engine;

/* Number of links from the one that a head crosses back to the one that its tail then leaves: when the head
 * has crossed link k + reach, the time at which link k becomes free is known. */
uint32_t events_reach(const engine *e, const worm *w);

uint32_t events_new_worm(engine *e); /* NONE: out of memory */
/* sets the group that the head, now at node, requests next */
void events_aim(engine *e, worm *w, uint64_t node);
void events_join(engine *e, uint32_t id); /* it requests a link from now on */
void events_deliver(engine *e, uint32_t id, uint64_t arrived);

/* `first`: the first link of a group. */
void events_mark(engine *e, uint32_t first); /* schedules service in this cycle */
/* Grants free links to waiting worms; if a head's step can free a link in the same cycle, after the groups
 * whose waiting worms may still free links of this one. */
void events_serve(engine *e, uint32_t first);

#endif
