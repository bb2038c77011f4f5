/* State shared by the parts of the router engine: worm_router.c (memory, a trial, a cycle),
 * worm_router_flits.c (buffers, wires, sources), worm_router_heads.c (routing, VC allocation),
 * worm_router_crossbar.c (switch allocation).
 *
 * Work is in lists and bit sets, so what is idle costs nothing: heads in VC allocation by their link, inputs
 * with a flit that can go as bits of their router, flits and credits on wires by the cycle in which they
 * arrive. Attempts of several cycles begin in cycles of one residue, the phase, and there are lists and bits
 * for each. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_ROUTER_STATE_H
#define BOUGH_ENGINES_WORMHOLE_WORM_ROUTER_STATE_H

#include "engines/wormhole/routers/worm_router.h"

#define ROUTER_NONE   UINT32_MAX
#define ROUTER_SOURCE (UINT32_MAX - 1)
#define ROUTER_LIMIT  (UINT32_C(1) << 30) /* of ids of channels and messages */

typedef enum router_stage {
    ROUTER_EMPTY, /* no message is at the front */
    ROUTER_HEAD,  /* routing, or VC allocation */
    ROUTER_SENDS, /* the message at the front holds a channel */
    ROUTER_LEAVES /* it has won an attempt that has not ended */
} router_stage;

/* A virtual channel. Flits are message << 2 | tail << 1 | head. */
typedef struct router_channel {
    /* its buffer, at the end of the link */
    uint64_t front;                    /* when the flit at the front came there */
    uint32_t to;                       /* the channel that the message at the front holds or has won */
    uint32_t next;                     /* in a list */
    uint16_t first, count;             /* flits */
    uint8_t stage, out, phase;         /* out: output of the selected link */
    uint8_t accept_out, accept_number; /* pointer of VC allocation */
    /* what the start of the link knows */
    uint16_t credits;
    uint32_t owner; /* the channel of the message that holds it; ROUTER_SOURCE; ROUTER_NONE */
    uint32_t grant; /* pointer of VC allocation */
    uint32_t offer; /* scratch of VC allocation */
    bool ended;     /* the tail has left for it, and it is not known to be empty (owned) */
} router_channel;

typedef struct router_link {
    uint32_t start, end;         /* routers; ROUTER_NONE: an endpoint */
    uint32_t cycles;             /* from the last cycle of traversal until the flit is at the end */
    uint32_t back;               /* from u of a flit until its credit */
    uint32_t free;               /* channels, as bits */
    uint32_t used;               /* slots that are not known to be free */
    uint8_t input, output;       /* number at the end, and at the start */
    uint8_t next;                /* the channel that is first to send at the end */
    uint8_t taken;               /* from an endpoint: the channel that is first to be taken */
    uint8_t accept[2], grant[2]; /* pointers of switch allocation: of the input, of the output; speculative */
} router_link;

typedef struct router_node {
    uint32_t in, out; /* first of its links in `ends` and `starts` */
    uint8_t inputs, outputs;
} router_node;

typedef struct router_message {
    uint64_t offered, entered;
    uint32_t id, source, address, target, left, hops; /* left: flits at the source */
    uint32_t next;                                    /* in the queue of its source, or unused */
} router_message;

typedef struct router_endpoint {
    uint32_t first, last;   /* messages; first ROUTER_NONE: none */
    uint32_t link, channel; /* that the first message has selected, and taken */
} router_endpoint;

typedef struct router_flight {
    uint32_t channel, flit;
} router_flight;

typedef struct router_flights {
    router_flight *item;
    size_t capacity;
    uint64_t count;
} router_flights;

typedef struct router_credits {
    uint32_t *item;
    size_t capacity;
    uint64_t count;
} router_credits;

typedef struct worm_router {
    sim_engine base;
    const bough_net *net;
    const bough_routing *routing;
    worm_options o;
    worm_stages s;
    bough_key key;
    bough_source *source;
    unsigned shift;
    uint32_t vcs, routers;
    uint64_t words; /* of a bit set of routers */
    router_link *link;
    router_channel *channel; /* link << shift | number */
    uint32_t *slot;          /* flits, [channel][buffer] */
    router_node *node;
    uint32_t *ends, *starts; /* links by the router at their end, and at their start */
    router_endpoint *endpoint;
    uint64_t *sending; /* endpoints with messages, a bit each */
    router_message *message;
    size_t message_capacity;
    uint32_t messages, unused;
    /* Switch allocation, by phase: channels that can send, as bits of the link at whose end they are; such
     * inputs as bits of their router; such routers. */
    uint32_t *ready;
    uint64_t *inputs, *active;
    uint32_t *tries;   /* speculative: heads that request an output, as bits of the link */
    uint64_t *tryings; /* such inputs as bits of their router */
    uint32_t *early;   /* channels of which such a request was served */
    uint32_t earlies;
    /* VC allocation, by phase and link: heads; links with heads */
    uint32_t *waiting;
    uint32_t *listed, *list_count;
    bool *in_list;
    uint32_t *route_at;  /* heads that select in a cycle: [cycle % (route + 2)] */
    uint32_t *won_at;    /* heads that won a channel in attempts that end in a cycle: [cycle % vc_alloc] */
    uint32_t *leaves_at; /* the same of switch allocation */
    router_flights *flights; /* by the cycle of arrival: [cycle % wheel] */
    router_credits *credits;
    uint64_t wheel;
    uint64_t *tail; /* id << 32 | record: messages that arrive in this cycle */
    size_t tail_capacity, out_capacity;
    uint32_t tails;
    sim_delivery *out;
    uint64_t outs;
    uint64_t *free; /* scratch of a selection */
    uint32_t *load;
    uint64_t live, buffered, moving; /* messages; flits in buffers; flits and credits on wires */
    uint64_t *grants, *waited, *crossed;
    uint64_t entered, entry_waited, reset_at;
} worm_router;

static inline uint32_t router_link_of(const worm_router *w, uint32_t channel) {
    return channel >> w->shift;
}
static inline uint32_t router_number_of(const worm_router *w, uint32_t channel) {
    return channel & ((UINT32_C(1) << w->shift) - 1);
}

/* The first bit from `from` on, cyclically. bits is not 0. */
static inline uint32_t router_first_from(uint64_t bits, uint32_t from) {
    const uint64_t after = bits >> from << from;
    return (uint32_t)__builtin_ctzll(after ? after : bits);
}

/* The channels that a message may take next, as bits. */
static inline uint32_t router_class_of(const worm_router *w, const router_message *m) {
    if (!w->o.by_hop) return UINT32_MAX >> (32 - w->vcs);
    const uint32_t taken = m->hops - (m->hops > 0), last = w->vcs - 1;
    return UINT32_C(1) << (taken < last ? taken : last);
}

static inline router_message *router_front(const worm_router *w, uint32_t channel) {
    const router_channel *c = &w->channel[channel];
    return &w->message[w->slot[(uint64_t)channel * w->o.buffer + c->first] >> 2];
}

/* ---- flits ---- */

/* Reserves memory for what a cycle can do. */
bough_status router_make_room(worm_router *w, bough_error *error);
void router_arrive(worm_router *w);
void router_take_credits(worm_router *w);
bough_status router_take_messages(worm_router *w, bough_error *error);
bough_status router_send_from_sources(worm_router *w, bough_error *error);
/* A message takes a channel, and leaves it. */
void router_take(worm_router *w, uint32_t channel, uint32_t owner);
/* The flit at the front of a channel leaves over the channel that its message holds. */
void router_leave(worm_router *w, uint32_t channel);
/* The flit at the front, of a message that holds a channel, can request its output from cycle `from` on. */
void router_can_send(worm_router *w, uint32_t channel, uint64_t from);

/* ---- heads ---- */

/* A head is at the front from a cycle on. */
void router_start_head(worm_router *w, uint32_t channel, uint64_t from);
/* The link that a message takes from a node, for a head in a channel; ROUTER_SOURCE: at its source. */
bough_status router_select(worm_router *w, uint32_t message, uint32_t channel, uint32_t *link,
                           bough_error *error);
bough_status router_route(worm_router *w, bough_error *error); /* heads that select in this cycle */
void router_allocate_channels(worm_router *w);                 /* decides, but changes no channel */
void router_give_channels(worm_router *w);                     /* what was decided */
void router_list_link(worm_router *w, uint64_t phase,
                      uint32_t link); /* it may have a free channel for a head */

/* ---- crossbar ---- */

void router_allocate_switches(worm_router *w);
void router_leave_early(worm_router *w); /* after router_give_channels */

#endif
