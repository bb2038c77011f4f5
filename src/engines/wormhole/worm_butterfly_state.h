/* The state of the butterfly engine of `worm`, shared by worm_butterfly_cycle.c (events of a cycle),
 * worm_butterfly_ends.c (start and end of worms) and worm_butterfly.c (the rest). */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_STATE_H
#define BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_STATE_H

#include "engines/wormhole/worm_butterfly.h"

#define NEVER   UINT32_MAX
#define NONE    UINT32_MAX
#define LEVELS  16
#define STEPS   (2 * LEVELS)
#define AHEAD   8  /* prefetch distance, requests */
#define COINS   32 /* blocks of coins drawn together */
#define BATCH   64 /* messages taken from the source together */
#define REBASED (UINT32_C(1) << 31)

#define INLINE inline __attribute__((always_inline))

/* Loops with few iterations, which vectors would slow down. */
#if defined(__GNUC__) && !defined(__clang__)
#define FEW_ITERATIONS                                                                                       \
    __attribute__((optimize("no-tree-vectorize", "no-unroll-loops", "no-tree-loop-distribute-patterns")))
#else
#define FEW_ITERATIONS
#endif

/* Shifts by variables and vectors of eight, selected at program start. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) &&                 \
    !defined(__SANITIZE_ADDRESS__)
#define NEWER __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define NEWER
#endif

/* A group: its one or two links, its queue, and its next requests. Times are cycles since the epoch, from
 * 1. */
typedef struct port {
    uint32_t free_at[2];   /* first cycle in which the next head can take the link; NEVER: not known yet */
    uint32_t held[2];      /* cycles, modulo 2^32 */
    uint32_t head, tail;   /* queue */
    uint32_t latest, last; /* cycle of the latest arrival, and the last worm to arrive in it so far */
} port;

/* The path of a worm is known when it is offered, except which of the 2^(l-1) roots of a subtree of level l
 * it reaches: number `root` mod 2^(l-1) (W in families/bft.c). Bit l of `even` is bit 2l of its source, which
 * selects parent_0 of the paper. `next` is NONE unless others are chained behind it. */
typedef struct worm {
    uint64_t offered;
    uint32_t next, id, source, address, root, even;
    uint32_t since; /* start of its wait, modulo 2^32 */
    uint32_t entry; /* cycles from its offer to its first link */
    uint32_t stage; /* STEPS times the level where it turns, plus links crossed */
    uint32_t flits;
    uint32_t path[]; /* of links crossed: 8 group + which; of later ones: the group if root were 0 */
} worm;

/* A step of the path, by stage. */
typedef struct path_step {
    uint32_t mask; /* the bits of root that count */
    uint8_t shift; /* for group numbers: a switch has four groups down, one up */
    uint8_t kind;
} path_step;

/* The groups of a path by the level where it turns, if root were 0: base + ((x & keep) >> shift) + (x >> low
 * & child), with x = address if `down`, else the source. */
typedef struct plan {
    uint32_t base[STEPS], keep[STEPS], shift[STEPS], low[STEPS], child[STEPS], down[STEPS];
} plan;

typedef struct request {
    uint32_t group, who;
} request;

typedef struct event {
    uint32_t time, group, next;
} event;

/* A future message. Messages of its source in the same cycle are chained behind it; the last of them. */
typedef struct future_message {
    uint64_t time;
    uint32_t source, who, last, messages;
} future_message;

/* An arrived head and its arrival time. */
typedef struct head_arrival {
    uint32_t who, at;
} head_arrival;

typedef struct butterfly {
    sim_engine base;
    const bough_net *net;
    uint64_t n, below_roots; /* processors; nodes below the roots */
    uint32_t first[LEVELS];  /* first switch of a level */
    path_step path_steps[LEVELS * STEPS];
    plan plans[LEVELS];
    uint32_t down; /* the group to child c of a switch is down + 4 switch + c */
    uint32_t sink; /* the port behind the last one of a path, which nothing waits for */
    uint32_t unit, hops_max, words, places; /* words: of a worm in the pool; places: of its path */
    uint64_t groups, epoch;
    uint32_t now; /* since the epoch */
    port *port;
    uint32_t *pool; /* worms, by offset */
    event *event;
    request *request, *coming; /* requests of this cycle and of the next */
    head_arrival *arrival;     /* worms whose links have not been released */
    uint32_t *bucket, *chain, *order;
    uint64_t *entity, *low, *high; /* for coins */
    sim_delivery *out;
    size_t pool_capacity, event_capacity, request_capacity, coming_capacity, arrival_capacity, chain_capacity,
        order_capacity, entity_capacity, low_capacity, high_capacity, out_capacity;
    uint32_t request_count, coming_count, arrival_count, outs;
    uint32_t release_by; /* links are released before this cycle */
    uint32_t slack;      /* cycles by which that may be delayed */
    uint64_t room;       /* for heads that arrive in a cycle */
    uint64_t used;       /* words of the pool */
    uint32_t events, pending, free_worm, free_event, bucket_mask;
    /* Coins of all pairs for several cycles from coin_from on; coin_cycles = 0: there are too many pairs, and
     * coins are drawn on request (coins: pairs requested in the next cycle). */
    uint32_t pairs, coins, coin_cycles, coin_words; /* pairs: groups from n on that have two links */
    uint64_t coin_from, coin_block[COINS], coin_row[COINS], coin[2 * COINS];
    bough_key key;
    bough_source *source;
    future_message future[BATCH + 1]; /* sorted; followed by a sentinel that never comes */
    uint32_t future_at, future_count;
    uint64_t last_free, reset_at, taken;                   /* taken: messages taken from the source */
    uint64_t grants[LEVELS * STEPS], waited[STEPS], moves; /* moves: before the reset */
    bough_status status;
    bough_error *error;
} butterfly;

/* The current cycle in the time of the traffic. */
static inline uint64_t clock_of(const butterfly *b) {
    return b->epoch + b->now - 1;
}

static inline worm *worm_at(const butterfly *b, uint32_t who) {
    return (worm *)(void *)(b->pool + who);
}

static inline unsigned links_of(const butterfly *b, uint32_t group) {
    return group >= b->n && group < b->below_roots ? 2 : 1;
}
uint64_t butterfly_link(const butterfly *b, uint32_t group, unsigned which); /* its id in the network */

void butterfly_cycle(butterfly *b); /* runs the current cycle and collects the requests of the next */
/* Records when a link of a group with waiting worms becomes free. */
void butterfly_schedule(butterfly *b, uint32_t time, uint32_t group);

void butterfly_plan(butterfly *b);
void butterfly_take_messages(butterfly *b); /* fetches the next messages of the source when none are left */
void butterfly_release(butterfly *b);

#endif
