/* Wormhole routing: worms of flits that hold the channels behind their heads.
 *
 * Time, as semantics.md settles it for document 001. A message offered in cycle t0 asks for its first link
 * from t0 on. A link carries one flit a cycle and has a buffer of `buffer` flits at its end. A head that
 * crossed a link in cycle a may cross the next from a + 1 on. It waits in its group's queue, first come,
 * first served; heads that come in one cycle are queued in keyed random order; a free link goes to the first
 * waiter that may take it. The next head may cross a link from the cycle on in which the tail of the one
 * before leaves the buffer at its end. A sink takes a flit a cycle. Delivered, tail and all, F cycles after
 * the head crossed the last link; latency counts from t0, so over D links it is F + D - 1 without load. */
#ifndef BOUGH_SIM_WORM_H
#define BOUGH_SIM_WORM_H

#include "bough/method.h"

typedef struct worm_options {
    uint64_t flits;  /* per unit of a message's size */
    uint32_t buffer; /* flits that the end of a link (of a virtual channel of it) can hold; >= 1 */
    uint32_t vcs;    /* virtual channels of a link; 1: the event-driven engine */
    uint32_t credit; /* cycles from a flit's leaving a buffer until the link's start knows */
    bool detect;     /* report deadlock instead of running on */
} worm_options;

/* A message that has arrived: offered and arrived are cycles (the tail is in at `arrived`). */
typedef struct worm_delivery {
    uint64_t offered, entered, arrived; /* entered: its head took the first link */
    uint32_t id, source, address, hops;
} worm_delivery;

/* Counters by link since the last reset: heads that took it, cycles they waited for it in all, flits that
 * crossed it. */
typedef struct worm_counts {
    uint64_t *grants, *waited, *held;
} worm_counts;

/* An engine, for the length of a method's runs. Engines differ in what a link can do, and begin with this. */
typedef struct worm_engine worm_engine;
typedef struct worm_tally worm_tally;
typedef struct worm_engine_ops {
    void (*destroy)(worm_engine *engine);
    /* Begins a trial: empties everything. Borrows source. */
    void (*start)(worm_engine *engine, bough_key key, bough_source *source);
    /* Simulates up to cycle `until` (exclusive), or to the end of a cycle after which there are at least
     * `want` deliveries, or until nothing is left to do. What arrived stands in *out until the next call;
     * `arrived` may lie ahead unless the source wants to be told. Errors: FAILED (a message without a route,
     * a path longer than foreseen), NO_MEMORY. */
    bough_status (*advance)(worm_engine *engine, uint64_t until, uint64_t want, const worm_delivery **out,
                            uint64_t *count, bough_error *error);
    /* How many messages can never move again, as each waits for links that only such messages hold; links
     * that the first of them wait for, at most limit, into link. */
    bough_status (*stuck)(worm_engine *engine, uint64_t *count, uint64_t *link, uint64_t limit,
                          bough_error *error);
    void (*reset)(worm_engine *engine); /* the tally begins anew */
    void (*tally)(const worm_engine *engine, worm_tally *tally);
} worm_engine_ops;

struct worm_engine {
    const worm_engine_ops *ops;
    uint64_t now, offered,
        arrived;    /* the cycle that comes next; messages taken from the source; of them in */
    uint64_t moves; /* links that heads took */
};

/* Links by kind: 2 * level of the lower end, + 1 for those that lead down. */
#define WORM_KINDS 256
static inline unsigned worm_kind(const bough_net *net, uint64_t link) {
    return 2 * bough_link_level(net, link) + (bough_link_direction(net, link) < 0);
}

/* What links did since the last reset. Without grants nothing has a mean. */
#define WORM_HOT 8
struct worm_tally {
    uint64_t cycles;
    uint64_t links[WORM_KINDS], grants[WORM_KINDS], waited[WORM_KINDS]; /* heads; cycles they waited in all */
    uint64_t held[WORM_KINDS]; /* cycles that links were held (with virtual channels: flits they carried) */
    uint64_t hot_link[WORM_HOT], hot_held[WORM_HOT]; /* the most held links, most first */
    uint64_t entered, entry_waited;                  /* heads that left their sources */
};
/* Counts a link into held, links and hot. */
void worm_tally_link(worm_tally *tally, uint64_t link, unsigned kind, uint64_t held);

#endif
