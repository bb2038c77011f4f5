/* Interface of the engines that move messages (worms, packets). The steady-state measurement, the result rows
 * and the saturation search depend on this interface only. */
#ifndef BOUGH_METHOD_ENGINE_H
#define BOUGH_METHOD_ENGINE_H

#include "base/memory/memory.h"
#include "method/method.h"

/* A delivered message. `offered` and `arrived` are cycles; the tail arrives in cycle `arrived`. */
typedef struct sim_delivery {
    uint64_t offered, entered, arrived; /* entered: the head took the first link */
    uint32_t id, source, address, hops;
} sim_delivery;

/* A part of a trial. */
typedef struct sim_advance {
    uint64_t until, want;           /* in: the cycle to stop at; the number of deliveries to stop after */
    const sim_delivery *deliveries; /* out: `count` deliveries, valid until the next call */
    uint64_t count;
} sim_advance;

/* An engine, which lives as long as a bough_run. Every implementation embeds this struct as its first
 * member. */
typedef struct sim_engine sim_engine;
typedef struct sim_tally sim_tally;
typedef struct sim_engine_ops {
    void (*destroy)(sim_engine *engine);
    /* Starts a trial and clears all state. Borrows source. */
    void (*start)(sim_engine *engine, bough_key key, bough_source *source);
    /* Simulates up to cycle `until` (exclusive), to the end of the first cycle after which there are at least
     * `want` deliveries, or until no work is left. The `arrived` of a delivery may be later than `now` unless
     * the source asks to be notified. Errors: FAILED (a message without a route, a path longer than planned),
     * NO_MEMORY. */
    bough_status (*advance)(sim_engine *engine, sim_advance *part, bough_error *error);
    /* Counts the deadlocked messages: those that wait only for links held by deadlocked messages. *link: one
     * that the first of them waits for. NULL: there is no deadlock. */
    bough_status (*stuck)(sim_engine *engine, uint64_t *count, uint64_t *link, bough_error *error);
    void (*reset)(sim_engine *engine); /* resets the tally */
    void (*tally)(const sim_engine *engine, sim_tally *tally);
} sim_engine_ops;

struct sim_engine {
    const sim_engine_ops *ops;
    struct timeline *seen;          /* the record of the current trial, of a schedule; NULL: none */
    struct thread_team *team;       /* of the current trial; NULL: one thread (base/thread_team.h) */
    uint64_t now, offered, arrived; /* next cycle; messages taken from the source; messages delivered */
    uint64_t moves;                 /* links taken by heads */
    uint64_t unrouted;              /* messages dropped by their sources; not counted as offered */
    bough_message unrouted_first;
};

/* Grows an array of an engine to `need` elements. The engine has the members array_capacity, status and
 * error. False if memory runs out, which sets the status; an earlier failure status is kept. */
#define GROW(e, array, need)                                                                                 \
    ((uint64_t)(need) <= (e)->array##_capacity ||                                                            \
     (!(e)->status && !((e)->status = bough_grow(&(e)->array, &(e)->array##_capacity, need,                  \
                                                 sizeof *(e)->array, (e)->error))))

/* Whether the source of a message has no route for it. Happens only with faults. */
static inline bool sim_is_unrouted(const bough_routing *routing, const bough_message *m) {
    bough_flow flow = {m->source, m->address, m->id};
    bough_route route;
    if (!routing->net->faults) return false;
    bough_route_at(routing, m->source, &flow, &route);
    return route.count == 0;
}

/* Drops and counts such a message. */
static inline bool sim_drop_unrouted(sim_engine *engine, const bough_routing *routing,
                                     const bough_message *m) {
    if (!sim_is_unrouted(routing, m)) return false;
    if (!engine->unrouted++) engine->unrouted_first = *m;
    return true;
}

/* Class of a link: 2 * level of the lower end, + 1 for links that lead down. */
#define SIM_KINDS 256
static inline unsigned sim_kind(const bough_net *net, uint64_t link) {
    return 2 * bough_link_level(net, link) + (bough_link_direction(net, link) < 0);
}

/* Link statistics since the last reset. Averages are undefined without grants. */
#define SIM_HOT 8
struct sim_tally {
    uint64_t cycles;
    uint64_t links[SIM_KINDS], grants[SIM_KINDS],
        waited[SIM_KINDS];    /* granted heads; their total waiting time in cycles */
    uint64_t held[SIM_KINDS]; /* cycles that links were held (with virtual channels: flits carried) */
    uint64_t hot_link[SIM_HOT], hot_held[SIM_HOT]; /* the most heavily held links, in descending order */
    uint64_t entered, entry_waited;                /* heads that left their sources */
};
/* Inserts a link into the hottest links if it ranks among them. */
void sim_tally_hot(sim_tally *tally, uint64_t link, uint64_t held);
/* Adds the names of links to a note, for metrics whose index is a link. */
void sim_name_links(const bough_net *net, const uint64_t *link, unsigned count, char note[BOUGH_NOTE_MAX]);
/* Adds a link to the links, held and hot fields. */
void sim_tally_link(sim_tally *tally, uint64_t link, unsigned kind, uint64_t held);

#endif
