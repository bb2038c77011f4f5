/* State shared by the parts of the switch engine: worm_switch.c (a trial, a cycle), worm_switch_heads.c
 * (queues and grants), worm_switch_flits.c (crossings and credits), worm_switch_order.c (credit = 0),
 * worm_switch_stuck.c (deadlock).
 *
 * A buffer is two counts, since all its flits are of one message: a flit is in it from its crossing until it
 * crosses the next link. The record of a channel holds all that determines whether it is ready. So a crossing
 * accesses this record, that of the next channel (one more flit available) and, when the credit arrives, that
 * of the previous one. A bit set marks the links with a ready channel. A cycle visits only these, in
 * ascending order of memory. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_STATE_H
#define BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_STATE_H

#include "engines/wormhole/switches/worm_switch.h"

#define SWITCH_NONE UINT32_MAX
#define SWITCH_SINK (UINT32_MAX - 1)
#define SWITCH_NEW  (UINT32_MAX - 2)

typedef struct switch_channel {
    uint32_t message; /* that holds it; SWITCH_NONE: none, or the tail has left the buffer */
    uint32_t from;    /* previous channel; SWITCH_NONE: the source */
    uint32_t to;      /* next channel; SWITCH_NEW: the head has not arrived; SWITCH_NONE: the head waits here;
                         SWITCH_SINK */
    uint32_t left;    /* flits that have not crossed */
    uint16_t credits; /* slots of the buffer known to be free at the start of the link; B: the channel is free
                         if `left` is 0 */
    uint16_t buffered; /* flits in the buffer while `to` is SWITCH_NONE */
    uint32_t at_start; /* the part of `left` that is at the start of the link; not next to `left`, or gcc
                      would join both in a vector */
} switch_channel;

typedef struct switch_link {
    uint32_t ready, free; /* bits by channel; free: may be taken */
    uint8_t last;         /* the channel that was served last */
} switch_link;

typedef struct switch_message {
    uint64_t offered, entered, joined; /* joined: its current or last queue */
    bough_route route;                 /* at the head's node */
    uint32_t id, source, address, flits, hops;
    uint32_t aim, target; /* address of this phase, and its node */
    uint32_t turn;        /* the intermediate node; SWITCH_NONE: none */
    uint32_t at;          /* the channel of the head; SWITCH_NONE: the source */
    uint32_t node;        /* the node of the head */
    uint32_t port;        /* the input port of the head */
    uint32_t next;        /* in its queue, or in the list of unused records */
    bool second;          /* on its way to its own address, not to an intermediate one */
    bool waits;           /* true in a queue */
    bool live;            /* scratch of switch_stuck */
} switch_message;

typedef struct switch_group {
    uint32_t first, last;         /* the queue: messages; first SWITCH_NONE: empty */
    uint32_t coming, coming_last; /* arrivals of this cycle, sorted by (port, id) */
    uint32_t coming_count;        /* 0: none, `coming` is invalid */
    bool busy, listed;            /* it has work; it is in `busy` */
    bool freed;                   /* a channel became free since the last service */
} switch_group;

typedef struct switch_list {
    uint32_t *item;
    size_t capacity;
    uint32_t count;
} switch_list;

typedef struct switch_order switch_order;

/* A link with a rate and a delay. */
typedef struct switch_wire {
    uint64_t due; /* a flit can start from due + late / cycle on */
    uint64_t period;
    unsigned __int128 late, rest, cycle; /* a flit takes period + rest / cycle cycles */
    uint32_t transit,
        onward;     /* cycles from its start until it is in the buffer, less 1; more if it goes on */
    uint32_t slots; /* of a channel: the buffer, and what is on the wire */
} switch_wire;

typedef struct switch_wire_use {
    uint32_t flits, transit; /* of the message that holds the channel: on the wire; its cycles on it */
} switch_wire_use;

typedef struct switch_flight {
    uint32_t channel, next;
} switch_flight;

typedef struct switch_wires switch_wires;

typedef struct worm_switch {
    sim_engine base;
    const bough_net *net;
    const bough_routing *routing;
    worm_options o;
    bough_key key;
    bough_source *source;
    switch_link *link;
    switch_channel *channel; /* link << shift | number */
    switch_group *group;
    switch_message *message;
    uint64_t *active; /* a bit per link: it has a ready channel */
    uint64_t *some;   /* a bit per word of active: it is not 0 */
    uint64_t words;   /* size of some */
    /* groups with grants to make, and under credit = 0 flits to carry; each at most once */
    uint32_t *busy;
    uint32_t busy_count;
    unsigned shift;
    uint32_t class[2]; /* channels of a link that a message may take in its first and second phase, as bits */
    uint64_t moved_last;         /* the last cycle in which a flit crossed */
    switch_list moved;           /* channels that were crossed in this cycle */
    switch_list heads;           /* messages whose head crossed a link and is not at its address */
    switch_list *credit;         /* channels whose credit arrives in a cycle: [cycle % (credit + 2)] */
    switch_list *left, *sinking; /* of flits that leave a buffer in this cycle, and to sinks in the next */
    uint64_t *tail;              /* id << 32 | record: messages that arrive in this cycle */
    size_t tail_capacity, out_capacity;
    uint32_t tails;
    sim_delivery *out;
    uint64_t outs;
    switch_list member, order;
    uint64_t *free;        /* scratch: free links of a group */
    uint32_t *load, *used; /* used: grants since the start, only for selection rules that use it */
    size_t message_capacity;
    uint32_t messages, unused;           /* records in use or used before; list of unused ones */
    uint64_t *grants, *waited, *crossed; /* by link since the reset: grants, waiting cycles, flits */
    uint64_t entered, entry_waited, reset_at;
    switch_order *sequence; /* credit = 0 */
    switch_wires *wires;    /* NULL: a flit takes a cycle */
} worm_switch;

/* The channels that a message may take. */
static inline uint32_t switch_class_of(const worm_switch *w, const switch_message *s) {
    if (!w->o.by_hop) return w->class[s->second];
    const uint32_t taken = s->hops - (s->hops && !bough_is_switch(w->net, s->source)), last = w->o.vcs - 1;
    return UINT32_C(1) << (taken < last ? taken : last);
}

/* Whether the path of a message ends if it reaches this node now. */
static inline bool switch_ends_at(const worm_switch *w, const switch_message *s, uint64_t node) {
    return node == s->target && (s->second || node == bough_address_node(w->net, s->address));
}

static inline uint32_t switch_link_of(const worm_switch *w, uint32_t channel) {
    return channel >> w->shift;
}

bough_status switch_reserve(switch_list *list, uint64_t more, bough_error *error);
static inline void switch_put(switch_list *list, uint32_t item) {
    list->item[list->count++] = item;
}

/* ---- flits ---- */

void switch_set_ready(worm_switch *w, uint32_t channel);
void switch_take_credits(worm_switch *w); /* all that arrive now */
/* Reserves memory for what the active links, or all, can do in a cycle. */
bough_status switch_make_room(worm_switch *w, bough_error *error);
void switch_cross(worm_switch *w, uint32_t link); /* link must have a ready channel */
void switch_cross_all(worm_switch *w);            /* all active links */
void switch_tidy_active(worm_switch *w);
bool switch_any_active(const worm_switch *w);
void switch_settle(worm_switch *w); /* delivers the flits that crossed */

/* ---- heads ---- */

bough_status switch_join_all(worm_switch *w, bough_error *error);
void switch_list_group(worm_switch *w, uint32_t group); /* adds the group to `busy` */
void switch_mark_busy(worm_switch *w, uint32_t group);
bough_status switch_serve(worm_switch *w, uint32_t group, bough_error *error);
/* Serves the busy groups. */
bough_status switch_serve_all(worm_switch *w, bough_error *error);

/* ---- links with rates and delays: only if there are wires ---- */

uint64_t switch_wires_bytes(uint64_t links, uint64_t channels, uint64_t slots);
bough_status switch_wires_make(const worm_switch *w, switch_wires **out, bough_error *error);
void switch_wires_free(switch_wires *wires); /* NULL is allowed */
void switch_wires_start(worm_switch *w);
uint32_t switch_wire_slots(const worm_switch *w, uint32_t channel);
bool switch_wires_empty(const worm_switch *w);
uint32_t switch_wires_landing(const worm_switch *w); /* flits that are in their buffers after this cycle */
/* Reserves memory for more flits on wires. */
bough_status switch_wires_reserve(worm_switch *w, uint64_t more, bough_error *error);
/* A message takes a channel. ends: the link leads to its target. */
void switch_wire_take(worm_switch *w, uint32_t channel, bool ends);
bool switch_wire_due(const worm_switch *w, uint32_t link); /* a flit can start */
void switch_fly(worm_switch *w, uint32_t channel);         /* it starts */
void switch_land(worm_switch *w);                          /* puts flits that land now into `moved` */
/* Counts a flit that has landed; true if the wire has no other of its message. */
bool switch_wire_last(worm_switch *w, uint32_t channel);

/* ---- deadlock ---- */

bough_status switch_stuck(sim_engine *engine, uint64_t *count, uint64_t *link, bough_error *error);

/* ---- credit = 0 ---- */

uint64_t switch_order_bytes(uint64_t groups);
bough_status switch_order_make(uint64_t groups, switch_order **out, bough_error *error);
void switch_order_start(switch_order *order);
void switch_order_free(switch_order *order);
/* Steps 4 and 5 of a cycle. */
bough_status switch_in_order(worm_switch *w, bough_error *error);

#endif
