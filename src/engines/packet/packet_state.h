/* The state of the engine of `packet`, and what its parts want of each other: packet_engine.c has the steps,
 * packet_store.c the memory of packets, packet_count.c what links and packets have done.
 *
 * Memory is what a large run waits for. Packets stand in the order of their numbers, in slots; what every
 * step of one looks at is kept apart from what it needs at its ends. A link has 4 bytes, which name a packet
 * in its queue, whatever the discipline (packet_queues.h), and a byte that counts crossings. The links with a
 * queue stand in a list, the packets that are crossing links in a set of bits, which gives them back by
 * number. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_STATE_H
#define BOUGH_ENGINES_PACKET_PACKET_STATE_H

#include "engines/packet/packet.h"

#define NOBODY UINT32_MAX

#define PACKET_HOPS_MAX 32767

typedef struct hot {
    uint32_t next; /* in its queue, as the discipline has it */
    uint32_t spot; /* in a queue: how many are in it, kept at one of them; else the link it crossed last */
    uint32_t aim;  /* the address it goes to now; NOBODY: it is there */
    uint16_t hops : 15;  /* links crossed */
    uint16_t second : 1; /* it goes to its own address, by way of another */
    uint16_t to_go;      /* links left; farthest only */
} hot;

typedef struct cold {
    uint32_t source, address;
    uint32_t message;                 /* its number; of several packets: its place in the engine's `many` */
    uint32_t offered, entered, since; /* times modulo 2^32; since: the beginning of the second phase */
    uint32_t delay;                   /* in the first phase */
    uint16_t turn;                    /* links of the first phase */
    bool part;                        /* one of several packets of its message */
} cold;

/* A message of more than one packet. */
typedef struct many {
    uint64_t offered, entered;
    uint32_t id, left, hops;
} many;

/* A set of slots; the words in use of it are known by a set of words. */
typedef struct slots {
    uint64_t *word, *used;
    size_t word_capacity, used_capacity;
    uint64_t count;
} slots;

/* Crossings beyond what a byte can count: a link, and how often its part of the byte overflowed (0: a free
 * place). */
typedef struct spill {
    uint32_t *link, *times;
    uint64_t size, count; /* size: a power of two, or 0 */
} spill;

typedef struct engine {
    sim_engine base;
    const bough_routing *routing;
    const bough_net *net;
    const bough_net_ops *ops;
    packet_options o;
    bool two, quick;       /* phases; the network's own step will do */
    unsigned limit, kinds; /* links of the longest path; kinds of links */
    bough_key key;
    bough_source *source;
    uint64_t birth; /* of the next message */
    uint64_t born;  /* packets so far */

    hot *hot;
    cold *cold;
    uint32_t *other; /* a second pointer in a queue, for those that are trees; NULL: none wants it */
    size_t hot_capacity, cold_capacity, other_capacity;
    uint32_t used, live; /* slots, among them those of delivered packets; packets not delivered */
    slots moving, held;
    many *many;
    uint32_t *free_many, *map;
    uint32_t manies, free_manies;
    size_t many_capacity, free_many_capacity, map_capacity;

    uint64_t links;
    uint32_t *queue;           /* per link: NOBODY, or who stands for its queue */
    uint32_t *active, actives; /* links with a queue */
    size_t active_capacity;
    uint64_t queued;
    uint32_t *served;            /* per group: how many joined its queues at this time; NULL: no pick asks */
    uint32_t *touched, toucheds; /* groups where it is not 0 */
    uint64_t *eligible;          /* scratch of a group */
    uint32_t *load;

    uint8_t *crossed, *kind; /* per link: crossings; sim_kind, NULL: all 0 */
    spill spill[2];
    uint64_t waiting[SIM_KINDS], grants[SIM_KINDS], waited[SIM_KINDS];
    uint64_t reset_at, entered, entry_waited;
    uint64_t sent_until; /* the end of the last step in which a link was crossed */
    packet_figures figures;

    uint32_t *route; /* the trace; NULL: none is kept */
    uint16_t (*length)[2];
    uint32_t (*late)[2];
    size_t route_capacity, length_capacity, late_capacity;

    sim_delivery *out;
    size_t out_capacity;
    uint64_t outs;
    bough_status status; /* of the run; the first trouble stays */
    bough_error *error;
} engine;

/* ---- packet_engine.c ---- */

bough_status packet_advance(sim_engine *base, uint64_t until, uint64_t want, const sim_delivery **out,
                            uint64_t *count, bough_error *error);

/* ---- packet_store.c ---- */

/* A new packet, numbered in order; NOBODY with the status set when out of memory. */
uint32_t packet_new(engine *e);
uint32_t packet_new_many(engine *e);

static inline void slots_add(slots *s, uint32_t slot) {
    s->word[slot >> 6] |= UINT64_C(1) << (slot & 63);
    s->used[slot >> 12] |= UINT64_C(1) << (slot >> 6 & 63);
    s->count++;
}
/* Takes up to limit of the smallest out of the set, ascending; returns how many. *from: 0 at first. */
uint32_t slots_take(slots *s, uint64_t *from, uint32_t *out, uint32_t limit);

/* ---- packet_count.c ---- */

void packet_spill_fini(spill *s);
void packet_count_overflow(engine *e, uint32_t link, unsigned phase);
void packet_reset(sim_engine *base);
void packet_tally(const sim_engine *base, sim_tally *tally);

/* A byte for one phase, or half of one for each of two. */
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
