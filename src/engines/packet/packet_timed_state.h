/* The state of the timed engine of `packet`, shared by packet_timed.c (time), packet_timed_move.c (packets
 * at nodes) and packet_timed_store.c (memory).
 *
 * A packet takes two events for a link: it leaves the link, and it is at the next node. The second follows
 * the first after one of two constant times (the delay of the link, with that of the switch or without), so
 * two queues in order of time hold these events. Links with packets of one size are free again after a
 * constant time too: their events are appended to the first of a few *lanes* whose last event is not later.
 * Other events go to a heap. So most events cost the same, however many there are.
 *
 * If the routing fixes the path of a message, it is computed when the message starts. Its packets wait at the
 * source as one *run*, from which they are separated when they leave. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_TIMED_STATE_H
#define BOUGH_ENGINES_PACKET_PACKET_TIMED_STATE_H

#include "base/memory/indexed_heap.h"
#include "engines/packet/packet_timed.h"

#define NONE UINT32_MAX

typedef struct packet {
    uint32_t next;    /* in its queue, depending on the discipline; or in the list of free ones */
    uint32_t spot;    /* in a queue: its length, stored at one of its packets; else the link crossed last */
    uint32_t message; /* a slot */
    uint32_t index;   /* in its message, from 0 */
    uint32_t count;   /* of a run: packets from index on; else 1 */
    uint32_t aim;     /* current destination address */
    uint64_t waited;  /* ps; in a queue: less the time at which it joined */
    uint16_t hops;    /* links crossed */
    uint16_t to_go : 15; /* links left; farthest only */
    uint16_t second : 1; /* towards its own address, not towards its via */
} packet;

typedef struct flight {
    uint64_t start, bytes;
    uint64_t first; /* number of its first packet */
    uint32_t id, source, address;
    uint32_t packets, left; /* left: not delivered */
    uint32_t hops;          /* of its path; unless paths are fixed, of the longest one so far */
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

#define TIMED_LANES 4

typedef struct packet_timed {
    const bough_routing *routing;
    const bough_net *net;
    packet_timed_options o;
    uint64_t header, delay, switch_delay;
    bool two, fixed; /* two phases; paths are fixed */
    unsigned limit;  /* links of the longest path */
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
    uint32_t *served;             /* as in packet_state.h */
    uint32_t *touched, touched_count;
    uint64_t *eligible;
    uint32_t *load;

    timed_lane leaving[TIMED_LANES]; /* links by the time when they are free again */
    heap late;                       /* links that fit in no lane */
    timed_lane arriving, forwarded;  /* packets by the time when they are delivered, join a queue */
    timed_event *batch, *sorted;     /* packets of this instant; scratch */
    size_t batch_capacity;           /* of both */

    uint64_t *time; /* of arrived messages */
    size_t time_capacity;
    uint8_t *sends; /* per endpoint */
    packet_timed_totals t;
    bough_status status; /* of the run; the first error is kept */
    bough_error *error;
} engine;

/* Number of a packet, in order of creation. */
static inline uint64_t number_of(const engine *e, uint32_t slot) {
    return e->flight[e->packet[slot].message].first + e->packet[slot].index;
}

/* ---- for packet_queues.h ---- */

static inline uint32_t *queue_of(const engine *e, uint64_t link) {
    return &e->link[link].queue;
}
static inline bool comes_first(const engine *e, uint32_t a, uint32_t b) {
    return number_of(e, a) < number_of(e, b);
}

/* ---- packet_timed_move.c ---- */

/* A packet that has passed a switch joins the queue of its next link. */
void timed_forward(engine *e, uint32_t slot);
/* A packet is at its destination. */
void timed_deliver(engine *e, uint32_t slot);
/* True if the packet on a link is delivered at its end. */
bool timed_ends_there(const engine *e, uint32_t slot);
void timed_take_messages(engine *e);
/* Takes a packet from the queue of a link; NONE if out of memory, which sets the status. */
uint32_t timed_take(engine *e, uint32_t link);

/* ---- packet_timed_store.c ---- */

timed_span timed_span_of(uint64_t bytes, uint64_t rate);

/* Slots; NONE if out of memory, which sets the status. */
uint32_t timed_new_packet(engine *e);
uint32_t timed_new_flight(engine *e);
/* Doubles a full lane. */
bool timed_lane_grow(engine *e, timed_lane *lane);
bool timed_batch_grow(engine *e);
void timed_clear(engine *e);

static inline const timed_event *timed_lane_head(const timed_lane *lane) {
    return &lane->entry[lane->first];
}
static inline void timed_lane_push(engine *e, timed_lane *lane, timed_event event) {
    if (lane->count == lane->size && !timed_lane_grow(e, lane)) return;
    lane->entry[(lane->first + lane->count++) & (lane->size - 1)] = event;
}
static inline void timed_lane_pop(timed_lane *lane) {
    lane->first = (lane->first + 1) & (lane->size - 1);
    lane->count--;
}

#endif
