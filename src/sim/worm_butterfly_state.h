/* The state of the butterfly engine of `worm`, for its two halves: worm_butterfly_cycle.c has what happens in
 * a cycle, worm_butterfly.c all else. */
#ifndef BOUGH_SIM_WORM_BUTTERFLY_STATE_H
#define BOUGH_SIM_WORM_BUTTERFLY_STATE_H

#include "base/memory.h"
#include "sim/worm_butterfly.h"

#define NEVER   UINT32_MAX
#define NOBODY  UINT32_MAX
#define LEVELS  16
#define NEAR    65536 /* ports that a cache holds */
#define AHEAD   8     /* asks whose worms are fetched meanwhile */
#define REBASED (UINT32_C(1) << 31)

/* A group: the link or the two links that it has, who waits, and who asks next. Times are cycles since the
 * epoch, from 1. */
typedef struct port {
    uint32_t free_at[2];  /* from then on the next head can take the link; NEVER: not known yet */
    uint32_t held[2];     /* cycles, modulo 2^32 */
    uint32_t head, tail;  /* who waits */
    uint32_t asked, last; /* the cycle that somebody comes in, and the last who does so far */
} port;

/* The way of a worm is known when it is born, but for which of the 2^(l-1) roots of a subtree of level l it
 * comes to: number `root` mod 2^(l-1) (W in families/bft.c). Bit l of `even` is bit 2l of its source, which
 * decides what the document calls parent_0. */
typedef struct worm {
    uint64_t offered;
    uint32_t next, id, source, address, root, even;
    uint32_t since;      /* it waits, modulo 2^32 */
    uint32_t entry;      /* cycles from its offer to its first link */
    uint16_t step, apex; /* links crossed; the level where it turns */
    uint32_t path[];     /* of links crossed: 8 group + which; of those to come: the group if root were 0 */
} worm;

/* A step of the way, by the apex and the links crossed. */
typedef struct stride {
    uint32_t mask; /* of root, the bits that count */
    uint8_t shift; /* in group numbers: a switch has four groups down, one up */
    uint8_t kind;
} stride;

typedef struct ask {
    uint32_t group, who;
} ask;

typedef struct event {
    uint32_t time, group, next;
} event;

typedef struct butterfly {
    sim_engine base;
    const bough_net *net;
    uint64_t n, below_roots; /* processors; nodes below the roots */
    uint32_t first[LEVELS];  /* switch of a level */
    stride strides[LEVELS][2 * LEVELS];
    uint32_t down;         /* the group to child c of a switch is down + 4 switch + c */
    uint32_t flits, words; /* words: of a worm in the pool */
    uint64_t groups, epoch;
    uint32_t now; /* since the epoch */
    port *port;
    uint32_t *pool; /* worms, by offset */
    event *event;
    ask *ask, *coming; /* who asks in this cycle, and in the next */
    uint32_t *bucket, *chain, *order;
    uint64_t *entity, *low, *high; /* of coins */
    sim_delivery *out;
    size_t pool_capacity, event_capacity, ask_capacity, coming_capacity, chain_capacity, order_capacity,
        entity_capacity, low_capacity, high_capacity, out_capacity;
    uint32_t asks, comings, outs, coins; /* coins: pairs that are asked in the next cycle */
    uint32_t pairs;                      /* groups from n on that have two links */
    uint64_t used;                       /* words of the pool */
    uint32_t events, pending, free_worm, free_event, bucket_mask;
    bough_key key;
    bough_source *source;
    uint64_t birth, last_free, reset_at;
    uint64_t grants[2 * LEVELS], waited[2 * LEVELS], moves; /* moves: before the reset */
    bough_status status;
    bough_error *error;
} butterfly;

#define GROW(b, array, need)                                                                                 \
    ((uint64_t)(need) <= (b)->array##_capacity ||                                                            \
     !((b)->status = bough_grow(&(b)->array, &(b)->array##_capacity, need, sizeof *(b)->array, (b)->error)))

/* The cycle at hand, in the traffic's time. */
static inline uint64_t clock_of(const butterfly *b) {
    return b->epoch + b->now - 1;
}

uint64_t butterfly_link(const butterfly *b, uint32_t group, unsigned which); /* its id in the network */
unsigned butterfly_links(const butterfly *b, uint32_t group);                /* of the group: 1 or 2 */
void butterfly_plan_strides(butterfly *b);
void butterfly_cycle(butterfly *b); /* the cycle at hand, and who asks in the next */

#endif
