/* clang-format off */
/* Max-min fair sharing of links, updated incrementally while flows come and go.
 *
 * A flow has a path of links and unlimited demand. Rates are max-min fair if none can grow without reducing
 * one that is not larger. They exist, are unique, and are those in which every flow has a bottleneck: a fully
 * used link on which no flow has a larger rate (Bertsekas, Gallager: "Data Networks", 1992, section 6.5.2).
 * Progressive filling computes them: all rates grow together, and when a link is full, at a *level*, its
 * flows stop.
 *
 * Rates are whole numbers of a unit that the caller chooses, and so is a level: the largest one at which a
 * link still carries its flows. So at each bottleneck b less than n_b units remain, n_b being its number of
 * flows, and
 *
 *   the rates are the exact max-min fair ones of a network whose links have at most the given capacities, and
 *   less than n_b units less.                                                                          (1)
 *
 * If a link is the bottleneck of all its flows, they get C_b / n_b rounded down: exact if n_b divides C_b.
 * Elsewhere the remainder of one bottleneck affects others. Rates are continuous and piecewise linear in the
 * capacities. If b limits e_b of its n_b flows, the remainders there and before change its level by at most
 * K_b = (n_b + sum of K of the bottlenecks of its other flows) / e_b. So a rate is within K units of the real
 * one, K being the largest K_b over the bottleneck structures between the two networks of (1).         (2)
 *
 * Updates. Only changes are filled again, level by level from below, next to flows that keep their rates: a
 * flow is *kept* (at its old rate), *open* (it grows) or *done* (it has its new rate). Before level x,
 *
 *   flows below x have their final rates; all others are open, or kept at x or above.                  (3)
 *
 * So a link is full at level x when  sum of min(rate, x) over kept, + rates done, + x times open  reaches its
 * capacity, and no lower level can change that any more. A link is *touched* when a flow on it came, left,
 * opened or got another rate; other links are full at the same level as before. There are two kinds of
 * events, processed in order of level:
 *   - a touched link is full: its open flows are done at that level, and so are those kept above it;
 *   - the old level of a touched link is reached, and it is not full: the flows that it limited become open,
 *     except those that another link limits at the same level, which becomes their bottleneck.
 * Both preserve (3) for the next level. The cost is proportional to the flows on touched links, not to all
 * flows.
 *
 * A flow that comes and shares no link, neither with another flow nor with itself, is limited by the first of its
 * slowest links, as filling would find: it gets its rate without touching them. In a step of a collective
 * that the network carries without contention these are all flows.
 *
 * Weights. A flow that is divided over several paths loads a link with its rate times a weight, the part of
 * it that crosses the link. Max-min fairness and filling are the same; where flows are counted above, their
 * weights are added, so (1) holds with n_b the sum of weights. A flow without weights has weight 1 everywhere. */
/* clang-format on */
#ifndef BOUGH_ENGINES_FLOW_MAX_MIN_RATES_H
#define BOUGH_ENGINES_FLOW_MAX_MIN_RATES_H

#include "base/memory/prefetch.h"
#include "base/status/stop.h"
#include "base/thread_team.h"
#include "bough/status.h"
#include "engines/flow/max_min/max_min_queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_MIN_NONE         UINT32_MAX
#define MAX_MIN_CAPACITY_MAX (INT64_MAX / 2)

typedef struct max_min_link {
    uint64_t capacity : 62; /* units */
    uint64_t touched : 1, full : 1;
    int64_t load;         /* units: sum of the rates of its flows */
    int64_t left;         /* remaining capacity for growing flows */
    uint64_t level;       /* while bound: the rate of the flows that it limits */
    uint64_t bound;       /* weight of the crossings of flows that it limits */
    uint64_t growing;     /* of flows that came; in a round: of open flows, and of kept ones that it limits */
    uint32_t head, flows; /* its crossings; without flows, head may be anything */
    double carried;       /* the caller's */
} max_min_link;           /* a cache line */
_Static_assert(sizeof(max_min_link) == 64, "links are aligned to cache lines");

typedef enum max_min_state { MAX_MIN_KEPT, MAX_MIN_OPEN, MAX_MIN_DONE } max_min_state;

typedef struct max_min_flow {
    uint64_t rate, before; /* units; before: until the last solve */
    uint32_t first;        /* its crossings are first .. first + hops - 1 */
    uint32_t bottleneck;   /* a link; MAX_MIN_NONE while open */
    uint16_t hops;         /* number of crossings */
    uint8_t state;         /* max_min_state */
    bool alone;            /* when it came it shared no link: may be false or outdated */
} max_min_flow;

/* Crossing of a link by a flow: an element of its path and of the link's list. */
typedef struct max_min_crossing {
    uint32_t link, flow, next, previous; /* in the link's list */
} max_min_crossing;

#define MAX_MIN_HOPS_MAX   128        /* links on a path */
#define MAX_MIN_PARTS_MAX  UINT16_MAX /* crossings of a flow with weights */
#define MAX_MIN_WEIGHT_MAX INT64_C(720720)

typedef struct max_min {
    max_min_link *link, *link_memory; /* link: aligned */
    uint32_t links;
    max_min_flow *flow;
    max_min_crossing *crossing;
    uint32_t *weight; /* of crossings; NULL: 1 each */
    bool weighted;
    size_t flow_capacity, crossing_capacity, weight_capacity;
    uint32_t crossings, present; /* present: flows that came and were not released */
    uint32_t *free;    /* free crossings by number: the first crossing of a free block names the next block */
    uint32_t most;     /* crossings of a free block, at most */
    uint32_t *touched; /* links of this round */
    uint32_t touches;
    max_min_queue queue; /* touched links by the level of their next event */
    /* Flows that came since the last solve; after a solve, those and the flows whose rate changed. */
    uint32_t *changed;
    size_t changed_capacity;
    uint32_t changes, came;
    uint64_t work;           /* crossings visited, for benchmarks */
    const atomic_bool *stop; /* set externally: max_min_solve ends early; NULL: unused */
    thread_team *team; /* set externally: divides `few` flows or more that come together; NULL: unused */
    uint32_t few;
} max_min;
#define MAX_MIN_STEP 64 /* flows of a step of a divided loop */

/* Starts without flows and with capacities of 0. weighted: flows have weights. Errors: TOO_LARGE, NO_MEMORY.
 */
bough_status max_min_init(max_min *f, uint64_t links, bool weighted, bough_error *error);
void max_min_fini(max_min *f);
/* For this many at a time. */
uint64_t max_min_bytes(uint64_t links, uint64_t flows, uint64_t hops, bool weighted);
void max_min_clear(max_min *f); /* removes all flows */
/* Reserves memory so that the next flow needs no allocation. flows: ids are below this value. */
bough_status max_min_reserve(max_min *f, uint64_t flows, uint64_t crossings, bough_error *error);

/* Adding and removing a flow, in steps, of which threads divide the longer ones by flows, or by links; rates
 * stay unchanged until max_min_solve. id: the caller's, below `flows` of max_min_reserve. The path of a flow
 * has at least one link and at most MAX_MIN_HOPS_MAX; a link that occurs twice is used twice. The capacities
 * of its links are at least 1 and at most MAX_MIN_CAPACITY_MAX; at most `capacity` flows share a link. With
 * weights, of 1 to MAX_MIN_WEIGHT_MAX, a flow has at most MAX_MIN_PARTS_MAX crossings, and the weights on a
 * link add up to its capacity at most. */

/* Section of a link, of `sections`. */
static inline uint32_t max_min_section(uint32_t link, uint32_t sections) {
    return (uint32_t)((uint64_t)(link * UINT32_C(2654435769)) * sections >> 32);
}
static inline bool max_min_has(uint32_t section, uint32_t sections, uint32_t link) {
    return sections == 1 || max_min_section(link, sections) == section;
}

/* A flow comes, but does not enter the lists of its links yet. */
void max_min_come(max_min *f, uint32_t id, uint32_t parts);
/* Its links: [parts]. weight may be NULL: 1 each. Threads may place different flows at a time. */
void max_min_place(max_min *f, uint32_t id, const uint32_t *link, const uint32_t *weight);
/* A flow enters the lists of the links of a section, or of all, if there is one; flows of a section do so in
 * order, and no other call comes before all sections are done. Threads may serve different sections at a
 * time. */
void max_min_attach(max_min *f, uint32_t id, uint32_t section, uint32_t sections);
/* What it reads. */
BOUGH_FETCHES void max_min_fetch_links(const max_min *f, uint32_t id, uint32_t section, uint32_t sections) {
    const max_min_flow *g = &f->flow[id];
    for (uint32_t c = g->first; c < g->first + g->hops; c++)
        if (max_min_has(section, sections, f->crossing[c].link))
            __builtin_prefetch(&f->link[f->crossing[c].link].head, 1);
}
/* Removes a flow from its links if it shares none of them. Flows that share no link may be removed so by
 * several threads at a time; each needs max_min_release afterwards. */
bool max_min_leave_alone(max_min *f, uint32_t id);
/* Without flows, paths of other lengths get the memory of crossings. */
void max_min_free_all(max_min *f);
static inline void max_min_release(max_min *f, uint32_t id) {
    const max_min_flow *g = &f->flow[id];
    f->crossing[g->first].next = f->free[g->hops];
    f->free[g->hops] = g->first;
    if (g->hops > f->most) f->most = g->hops;
    if (!--f->present) max_min_free_all(f);
}

static inline uint64_t max_min_weight(const max_min *f, uint32_t crossing) {
    return f->weight ? f->weight[crossing] : 1;
}

/* Adds a link to the next round; its remaining capacity is computed when filling starts. The order of
 * `touched` has no effect. */
static inline void max_min_mark(max_min *f, uint32_t link) {
    if (f->link[link].touched) return;
    f->link[link].touched = true;
    f->touched[__atomic_fetch_add(&f->touches, 1, __ATOMIC_RELAXED)] = link;
}

/* A crossing of a flow leaves the list of its link. Threads may do so at a time for links of different
 * sections. After all of a flow, max_min_release. */
static inline void max_min_detach(max_min *f, uint32_t crossing) {
    const max_min_crossing *x = &f->crossing[crossing];
    const max_min_flow *g = &f->flow[x->flow];
    max_min_link *k = &f->link[x->link];
    if (x->next != MAX_MIN_NONE) f->crossing[x->next].previous = x->previous;
    if (x->previous != MAX_MIN_NONE)
        f->crossing[x->previous].next = x->next;
    else
        k->head = x->next;
    k->flows--;
    uint64_t weight = max_min_weight(f, crossing);
    k->load -= (int64_t)(weight * g->rate);
    if (g->bottleneck == x->link) k->bound -= weight;
    if (k->bound) max_min_mark(f, x->link); /* otherwise no other flow can use what becomes free */
}

/* What it reads. */
BOUGH_FETCHES void max_min_prefetch_detach(const max_min *f, uint32_t crossing) {
    const max_min_crossing *x = &f->crossing[crossing];
    __builtin_prefetch(&f->link[x->link], 1);
    if (x->next != MAX_MIN_NONE) __builtin_prefetch(&f->crossing[x->next], 1);
    if (x->previous != MAX_MIN_NONE) __builtin_prefetch(&f->crossing[x->previous], 1);
}

/* True if rates may have changed since the last solve. */
static inline bool max_min_pending(const max_min *f) {
    return f->touches || f->came;
}

/* Recomputes the rates. changed[0 .. changes-1] are the flows whose rate changed, each once, in an order that
 * depends only on the calls so far. If *stop is set, rates are undefined until max_min_clear. */
void max_min_solve(max_min *f);

static inline bool max_min_stopped(const max_min *f) {
    return stop_asked(f->stop);
}

#endif
