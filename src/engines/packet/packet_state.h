/* The state of the engine of `packet`, shared by packet_engine.c (steps), packet_store.c (memory of packets),
 * packet_limits.c (half duplex, finite buffers) and packet_link_counts.c (statistics).
 *
 * Memory bandwidth dominates large runs. Packets are stored in slots, in the order of their numbers; fields
 * used in every step are separate from those used at creation and delivery. A link has 4 bytes, which name a
 * packet in its queue under any discipline (packet_queues.h), and one byte that counts crossings. Links with
 * a queue are in a list. Packets that are crossing links are in a bit set, which yields them by number. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_STATE_H
#define BOUGH_ENGINES_PACKET_PACKET_STATE_H

#include "engines/packet/packet.h"

#define NONE UINT32_MAX

#define PACKET_HOPS_MAX 32767

typedef struct packet {
    uint32_t next;      /* in its queue, depending on the discipline */
    uint32_t spot;      /* in a queue: its length, stored at one of its packets; else the link crossed last */
    uint32_t aim;       /* current destination address; NONE: arrived */
    uint16_t hops : 15; /* links crossed */
    uint16_t second : 1; /* in the second phase, towards its own address */
    uint16_t to_go;      /* links left; farthest only */
} packet;

typedef struct packet_record {
    uint32_t source, address;
    uint32_t message; /* its number; if it has several packets: an index into the engine's `large` */
    uint32_t offered, entered, since; /* times modulo 2^32; since: start of the second phase */
    uint32_t delay;                   /* in the first phase */
    uint16_t first_hops;              /* links of the first phase */
    bool part;                        /* its message has several packets */
} packet_record;

/* A message of more than one packet. */
typedef struct large_message {
    uint64_t offered, entered;
    uint32_t id, left, hops;
} large_message;

/* A set of slots, with a set of its non-zero words. */
typedef struct slots {
    uint64_t *word, *used;
    size_t word_capacity, used_capacity;
    uint64_t count;
} slots;

/* Overflow of a byte counter: a link, and how often its part of the byte overflowed (0: an empty entry). */
typedef struct spill {
    uint32_t *link, *times;
    uint64_t size, count; /* size: a power of two, or 0 */
} spill;

/* Bits of a link under half duplex or finite buffers. */
enum {
    WAY_LAST = 1,   /* it, not its twin, carried the last packet of the cable */
    WAY_GOES = 2,   /* it sends in this step */
    WAY_CLOSED = 4, /* a packet waits at its end */
    WAY_DRAINS = 8, /* scratch of packet_stuck */
};

/* Packets that wait for room at a node, first and last, linked by `next`. first NONE: none. */
typedef struct node_queue {
    uint32_t first, last;
} node_queue;

/* One of the parts into which a step is divided, for threads: packet_parts.c. */
typedef struct packet_part packet_part;

typedef struct engine {
    sim_engine base;
    const bough_routing *routing;
    const bough_net *net;
    const bough_net_ops *ops;
    packet_options o;
    bool two, quick;       /* two phases; the network's own step suffices */
    unsigned limit, kinds; /* links of the longest path; kinds of links */
    bough_key key;
    bough_source *source;
    uint64_t next_offer; /* time of the next message */
    uint64_t created;    /* packets so far */
    uint32_t born;       /* the last ones, which have no route yet */

    packet *packet;
    packet_record *record;
    uint32_t *other; /* second pointer of queues that are trees; NULL: unused */
    size_t packet_capacity, record_capacity, other_capacity;
    uint32_t used, live;         /* slots, including those of delivered packets; packets not delivered */
    slots moving, held, stopped; /* stopped: at the ends of links, without room */
    large_message *large;
    uint32_t *free_large, *map;
    uint32_t larges, free_larges;
    size_t large_capacity, free_large_capacity, map_capacity;

    uint64_t links;
    uint32_t *queue;                /* per link: NONE, or the packet that represents its queue */
    uint32_t *active, active_count; /* links with a queue */
    size_t active_capacity;
    uint64_t queued;
    uint32_t *served; /* per group: packets that joined its queues at this time; NULL: not used by the
                         selection rule */
    uint32_t *touched, touched_count; /* groups where `served` is not 0 */
    uint64_t *eligible;               /* scratch: links of a group */
    uint32_t *load;

    bool limited;                     /* half duplex or finite buffers; else the members below are not used */
    bool jammed;                      /* nothing moved in the last step */
    uint8_t *way;                     /* per link: WAY_... */
    node_queue *entrance;             /* per node; only finite buffers */
    uint32_t *crowded, crowded_count; /* nodes with an entrance that is not empty */
    uint64_t at_entrance, joins;      /* packets that wait there; packets that joined queues */

    uint8_t *crossed, *kind; /* per link: crossings; sim_kind, NULL: all 0 */
    spill spill[2];
    uint64_t waiting[SIM_KINDS], grants[SIM_KINDS], waited[SIM_KINDS];
    uint64_t reset_at, entered, entry_waited;
    uint64_t sent_until; /* the end of the last step in which a link was crossed */
    packet_figures figures;

    uint32_t *route; /* the trace; NULL: disabled */
    uint16_t (*length)[2];
    uint32_t (*late)[2];
    size_t route_capacity, length_capacity, late_capacity;

    packet_part *part; /* NULL: one thread */
    unsigned parts;

    sim_delivery *out;
    size_t out_capacity;
    uint64_t outs;
    bough_status status; /* of the run; the first error is kept */
    bough_error *error;
} engine;

/* ---- for packet_queues.h ---- */

static inline uint32_t *queue_of(const engine *e, uint64_t link) {
    return &e->queue[link];
}
static inline bool comes_first(const engine *e, uint32_t a, uint32_t b) {
    (void)e;
    return a < b;
}

/* Where the present phase of a packet ends. */
static inline uint64_t packet_target(const engine *e, uint32_t slot) {
    const packet *p = &e->packet[slot];
    return e->two && !p->second ? bough_turn_node(e->net, e->record[slot].source, p->aim)
                                : bough_address_node(e->net, p->aim);
}

/* The flow of a packet on its way to an address, as seen by routes. */
static inline bough_flow packet_flow_to(const engine *e, uint32_t slot, uint64_t address) {
    const packet_record *c = &e->record[slot];
    uint64_t id = c->part ? e->large[c->message].id : c->message;
    return (bough_flow){c->source, address, bough_flow_key(e->routing, e->key, id)};
}

/* ---- packet_engine.c ---- */

bough_status packet_advance(sim_engine *base, sim_advance *part, bough_error *error);
/* Parts of a step, with counters of their own: see packet_parts.c. */
typedef struct packet_joining {
    uint32_t slot, link;
} packet_joining;
/* Routes the packets of a list; `joining` receives those that go on. Returns their number. */
uint32_t packet_route_some(engine *e, const uint32_t *slot, uint32_t count, packet_joining *joining);
/* The same for new packets, in slots from `first` on. */
uint32_t packet_start_some(engine *e, uint32_t first, uint32_t count, packet_joining *joining);
void packet_join_all(engine *e, const packet_joining *joining, uint64_t count);
/* The links of e->active send; returns their number. Afterwards e->active holds the queues that remain. */
uint64_t packet_send_active(engine *e);

/* ---- packet_limits.c ---- */

uint64_t packet_limits_bytes(const bough_net *net, const packet_options *options);
bough_status packet_limits_make(engine *e, bough_error *error);
void packet_limits_free(engine *e);
void packet_limits_start(engine *e);
/* Adapts the state to new slots: e->map. */
void packet_limits_move(engine *e);
/* Packets at the ends of links move again. */
void packet_reopen(engine *e);
/* Marks the links that send in this step: WAY_GOES. */
void packet_choose_ways(engine *e);
/* Appends a packet to those that wait for room at a node. */
void packet_wait_at(engine *e, uint32_t slot, uint64_t node);
/* Counts the messages that will never arrive; see sim_engine_ops. */
bough_status packet_stuck(sim_engine *base, uint64_t *count, uint64_t *link, bough_error *error);

/* ---- packet_store.c ---- */

/* Creates a packet, numbered in order. NONE if out of memory, which sets the status. */
uint32_t packet_new(engine *e);
uint32_t packet_new_large(engine *e);

static inline void slots_add(slots *s, uint32_t slot) {
    s->word[slot >> 6] |= UINT64_C(1) << (slot & 63);
    s->used[slot >> 12] |= UINT64_C(1) << (slot >> 6 & 63);
    s->count++;
}
/* Removes up to `limit` of the smallest elements from the set, ascending; returns their number. *from:
 * initially 0. */
uint32_t slots_take(slots *s, uint64_t *from, uint32_t *out, uint32_t limit);

bool packet_reserve_slots(engine *e, slots *s);

/* ---- packet_parts.c ---- */

bough_status packet_parts_make(engine *e, bough_error *error);
void packet_parts_free(engine *e);
/* Packets on links are in the sets of the parts (place) or in e->moving; links with a queue are in the lists
 * of the parts (send) or in e->active. These move all to the engine. */
void packet_gather_moving(engine *e);
void packet_gather_active(engine *e);
/* A step of many packets on several threads. False: the engine does it alone. */
bool packet_parts_place(engine *e);
bool packet_parts_release(engine *e); /* packets that are held start their second phase */
bool packet_parts_start(engine *e);   /* new packets: e->born */
bool packet_parts_send(engine *e, uint64_t *sent);

/* ---- packet_link_counts.c ---- */

void packet_spill_fini(spill *s);
void packet_count_overflow(engine *e, uint32_t link, unsigned phase);
/* Adds the overflows of a part, and clears them. */
void packet_add_spill(engine *e, spill *of, unsigned phase);
void packet_reset(sim_engine *base);
void packet_tally(const sim_engine *base, sim_tally *tally);

/* Counts a crossing: a byte for one phase, or half of one for each of two. */
static inline void packet_count(engine *e, uint32_t link, bool second) {
    uint8_t *c = &e->crossed[link];
    if (!e->two) {
        if (++*c == 0) packet_count_overflow(e, link, 0);
    } else if (second) {
        *c = (uint8_t)(*c + 16);
        if (*c < 16) packet_count_overflow(e, link, 1);
    } else if ((*c & 15) == 15) {
        *c &= 0xf0;
        packet_count_overflow(e, link, 0);
    } else {
        ++*c;
    }
}

#endif
