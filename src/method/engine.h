/* What engines that move messages share: how one is driven, and what it tells. Worms and packets differ in
 * what a link can do; the steady state, the rows and the search for saturation see only this. */
#ifndef BOUGH_METHOD_ENGINE_H
#define BOUGH_METHOD_ENGINE_H

#include "base/memory/memory.h"
#include "bough/method.h"

/* A message that has arrived: offered and arrived are cycles (the tail is in at `arrived`). */
typedef struct sim_delivery {
    uint64_t offered, entered, arrived; /* entered: its head took the first link */
    uint32_t id, source, address, hops;
} sim_delivery;

/* An engine, for the length of a method's runs. Engines differ in what a link can do, and begin with this. */
typedef struct sim_engine sim_engine;
typedef struct sim_tally sim_tally;
typedef struct sim_engine_ops {
    void (*destroy)(sim_engine *engine);
    /* Begins a trial: empties everything. Borrows source. */
    void (*start)(sim_engine *engine, bough_key key, bough_source *source);
    /* Simulates up to cycle `until` (exclusive), or to the end of a cycle after which there are at least
     * `want` deliveries, or until nothing is left to do. What arrived stands in *out until the next call;
     * `arrived` may lie ahead unless the source wants to be told. Errors: FAILED (a message without a route,
     * a path longer than foreseen), NO_MEMORY. */
    bough_status (*advance)(sim_engine *engine, uint64_t until, uint64_t want, const sim_delivery **out,
                            uint64_t *count, bough_error *error);
    /* How many messages can never move again, as each waits for links that only such messages hold; links
     * that the first of them wait for, at most limit, into link. */
    bough_status (*stuck)(sim_engine *engine, uint64_t *count, uint64_t *link, uint64_t limit,
                          bough_error *error);
    void (*reset)(sim_engine *engine); /* the tally begins anew */
    void (*tally)(const sim_engine *engine, sim_tally *tally);
} sim_engine_ops;

struct sim_engine {
    const sim_engine_ops *ops;
    uint64_t now, offered,
        arrived;       /* the cycle that comes next; messages taken from the source; of them in */
    uint64_t moves;    /* links that heads took */
    uint64_t unrouted; /* messages that their sources dropped; not offered */
};

/* Makes room for `need` elements of an array of an engine, which has array_capacity, status and error. False
 * where there is no memory, which its status then says. A status that is set stays. */
#define GROW(e, array, need)                                                                                 \
    ((uint64_t)(need) <= (e)->array##_capacity ||                                                            \
     (!(e)->status && !((e)->status = bough_grow(&(e)->array, &(e)->array##_capacity, need,                  \
                                                 sizeof *(e)->array, (e)->error))))

/* Whether its source does not know the way of a message: only with faults. It drops it, then. */
static inline bool sim_is_unrouted(const bough_routing *routing, const bough_message *m) {
    bough_flow flow = {m->source, m->address, m->id};
    bough_route route;
    if (!routing->net->faults) return false;
    bough_route_at(routing, m->source, &flow, &route);
    return route.count == 0;
}

/* Links by kind: 2 * level of the lower end, + 1 for those that lead down. */
#define SIM_KINDS 256
static inline unsigned sim_kind(const bough_net *net, uint64_t link) {
    return 2 * bough_link_level(net, link) + (bough_link_direction(net, link) < 0);
}

/* What links did since the last reset. Without grants nothing has a mean. */
#define SIM_HOT 8
struct sim_tally {
    uint64_t cycles;
    uint64_t links[SIM_KINDS], grants[SIM_KINDS], waited[SIM_KINDS]; /* heads; cycles they waited in all */
    uint64_t held[SIM_KINDS]; /* cycles that links were held (with virtual channels: flits they carried) */
    uint64_t hot_link[SIM_HOT], hot_held[SIM_HOT]; /* the most held links, most first */
    uint64_t entered, entry_waited;                /* heads that left their sources */
};
/* Puts a link among the hottest if it is one. */
void sim_tally_hot(sim_tally *tally, uint64_t link, uint64_t held);
/* Adds "hottest: a, b" of the links to a note, as far as there is room. */
void sim_name_hot(const bough_net *net, const uint64_t *link, unsigned count, char *note, size_t size);
/* Counts a link into held, links and hot. */
void sim_tally_link(sim_tally *tally, uint64_t link, unsigned kind, uint64_t held);

#endif
