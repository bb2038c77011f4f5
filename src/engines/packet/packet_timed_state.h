/* The state of the timed engine of `packet`, shared by packet_timed.c (time, links and nodes),
 * packet_timed_messages.c (new messages), packet_timed_store.c (memory) and packet_timed_stepper.c (runs that
 * stop and go on).
 *
 * A packet takes two events for a link: it leaves the link, and it is at the next node. The second follows
 * the first after one of two constant times (the delay of the link, with that of the switch or without), so
 * two queues in order of time hold these events. Links with packets of one size are free again after a
 * constant time too: their events are appended to the first of a few queues whose last event is not later.
 * Other events go to a heap. So most events cost the same, however many there are.
 *
 * If the routing fixes the path of a message, it is computed when the message starts. Its packets wait at the
 * source as one *run*, from which they are separated when they leave. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_TIMED_STATE_H
#define BOUGH_ENGINES_PACKET_PACKET_TIMED_STATE_H

#include "base/memory/indexed_heap.h"
#include "engines/packet/packet_timed.h"

#define NONE UINT32_MAX

/* What every crossing needs. number: in order of creation. */
typedef struct packet {
    uint64_t number;    /* of a run: of its first packet */
    uint64_t waited;    /* ps; in a queue: less the time at which it joined */
    uint32_t next;      /* in its queue, depending on the discipline; or in the list of free ones */
    uint32_t spot;      /* in a queue: its length, stored at one of its packets; else the link crossed last */
    uint32_t message;   /* a slot */
    uint32_t count;     /* of a run: its packets; else 1 */
    uint32_t aim;       /* current destination address */
    uint16_t hops : 15; /* links crossed */
    uint16_t last : 1;  /* the last of its message, or a run with it: may be shorter than others */
    uint16_t to_go : 15; /* links left; if paths are fixed, and under farthest */
    uint16_t second : 1; /* towards its own address, not towards its via */
} packet;

typedef struct flight {
    uint64_t start, bytes;
    uint64_t first;                       /* number of its first packet */
    uint32_t id, source, address, target; /* target: node of the address */
    uint32_t packets, left;               /* left: not delivered */
    uint32_t hops;                        /* of its path; unless paths are fixed, of the longest one so far */
    uint32_t next_free;
} flight;

/* Picoseconds: whole ones, and the rest in parts of 1 / rate. */
typedef struct timed_span {
    uint64_t whole, rest;
} timed_span;

typedef struct timed_link {
    uint64_t rate;    /* bit/s */
    timed_span full;  /* time of a full packet */
    uint64_t until;   /* end of the last packet, ps */
    uint64_t rest;    /* what was left of its time, and half a ps for rounding: in parts of 1 / rate */
    uint64_t busy;    /* ps */
    uint32_t queue;   /* NONE, or the packet that represents its queue */
    uint32_t sending; /* the packet on it, or NONE */
    uint32_t node;    /* at its end */
    uint32_t port;    /* there */
} timed_link;

/* A packet that will be at a node, or a link that will be free. */
typedef struct timed_event {
    uint64_t time, number; /* number: of the packet */
    uint32_t item;         /* a packet or a link */
} timed_event;

/* Events in order of time, in a ring whose size is a power of two. */
typedef struct timed_lane {
    timed_event *entry;
    uint32_t size, first, count;
} timed_lane;

/* Different delays of links with the nodes at their ends. A network without delays of its own has one, and
 * that of the switch is in `switch_delay`. */
enum { DELAYS_MAX = 8 };

/* Links by the time when they are free again, in the first LANES; packets by the time when they are
 * delivered; packets by the time when they join a queue. */
enum { LANES = 4, ARRIVING = LANES, FORWARDED, ALL_LANES = LANES + 2 * DELAYS_MAX };

typedef struct packet_timed {
    sim_engine base;
    const bough_routing *routing;
    const bough_net *net;
    packet_timed_options o;
    uint64_t header, delay, switch_delay;
    bool own_delays; /* of links and nodes: bough_net_hop_delay */
    unsigned delays; /* ARRIVING + 2 i and FORWARDED + 2 i have the events of links of the i-th delay */
    unsigned lanes;  /* that are used: LANES + 2 delays */
    uint64_t each_delay[DELAYS_MAX]; /* if own_delays, ascending by first appearance */
    bool two, fixed;                 /* two phases; paths are fixed */
    unsigned limit;                  /* links of the longest path */
    uint64_t now;
    bough_key key;
    bough_source *source;
    uint64_t next_offer; /* time of the next message */
    uint64_t created;    /* packets so far */

    packet *packet;
    uint32_t *other; /* second pointer of queues that are trees; NULL: unused */
    size_t packet_capacity, other_capacity;
    uint32_t packets, free_packet; /* slots that were ever used; the first free one, or NONE */
    flight *flight;
    uint32_t *path; /* [flights * limit]; NULL: paths are not fixed */
    size_t flight_capacity, path_capacity;
    uint32_t flights, free_flight;

    timed_link *link;
    uint32_t *ready, ready_count; /* links that can send */
    uint8_t *latest;  /* per link, half duplex: it carried the last packet of the cable; else NULL */
    uint32_t *served; /* as in packet_state.h */
    uint32_t *touched, touched_count;
    uint64_t *eligible;
    uint32_t *load;

    timed_lane lane[ALL_LANES];
    uint64_t head[ALL_LANES];    /* time of the first event; BOUGH_NONE: empty */
    uint64_t tail[ALL_LANES];    /* time of the last event, possibly removed since */
    heap late;                   /* links that fit in no lane */
    timed_event *batch, *sorted; /* packets of this instant; scratch */
    size_t batch_capacity;       /* of both */

    uint64_t *time; /* of arrived messages */
    size_t time_capacity;
    uint8_t *sends; /* per endpoint */
    bool stops;     /* it runs as a sim_engine: deliveries go to `out` */
    sim_delivery *out;
    size_t out_capacity;
    uint32_t outs;
    uint64_t reset_at;
    packet_timed_totals t;
    struct timeline *seen; /* NULL: nothing is recorded */
    uint64_t *joined;      /* if recorded, by packet: when it joined its queue */
    size_t joined_capacity;
    bough_status status; /* of the run; the first error is kept */
    bough_error *error;
} engine;

/* ---- for packet_queues.h ---- */

static inline uint32_t *queue_of(const engine *e, uint64_t link) {
    return &e->link[link].queue;
}
static inline bool comes_first(const engine *e, uint32_t a, uint32_t b) {
    return e->packet[a].number < e->packet[b].number;
}

/* ---- packet_timed.c ---- */

/* Time of the next event; BOUGH_NONE: none. */
uint64_t timed_next(const engine *e);
/* Processes an instant, which may have to be repeated. */
void timed_instant(engine *e, uint64_t time);

/* A packet or a run joins the queue of a link. */
void timed_join(engine *e, uint32_t slot, uint32_t link);
/* A packet or a run at a node that is not its destination joins the queue of its next link. */
void timed_route(engine *e, uint32_t slot, bough_link_end at);
void timed_deliver(engine *e, uint32_t slot);
void timed_finish_message(engine *e, uint32_t slot);

/* ---- packet_timed_messages.c ---- */

void timed_take_messages(engine *e);
/* The first error is kept. */
void timed_no_route(engine *e, const bough_flow *flow, uint64_t at);
void timed_too_long(engine *e);

void timed_see_wait(engine *e, uint32_t link, uint32_t slot);
void timed_see_packet(engine *e, uint32_t link, uint32_t slot, uint64_t lasts);

/* ---- packet_timed_stepper.c ---- */

void timed_set_ops(engine *e);

/* ---- packet_timed_store.c ---- */

timed_span timed_span_of(uint64_t bytes, uint64_t rate);

/* Slots; NONE if out of memory, which sets the status. */
uint32_t timed_new_packet(engine *e);
uint32_t timed_new_flight(engine *e);
/* Doubles a full lane. */
bool timed_lane_grow(engine *e, timed_lane *lane);
bool timed_batch_grow(engine *e);
void timed_clear(engine *e);

static inline void timed_push(engine *e, unsigned lane, timed_event event) {
    timed_lane *l = &e->lane[lane];
    if (l->count == l->size && !timed_lane_grow(e, l)) return;
    if (l->count == 0) e->head[lane] = event.time;
    l->entry[(l->first + l->count++) & (l->size - 1)] = event;
    e->tail[lane] = event.time;
}
/* The lane must not be empty. */
static inline timed_event timed_pop(engine *e, unsigned lane) {
    timed_lane *l = &e->lane[lane];
    timed_event event = l->entry[l->first];
    l->first = (l->first + 1) & (l->size - 1);
    e->head[lane] = --l->count ? l->entry[l->first].time : BOUGH_NONE;
    return event;
}

#endif
