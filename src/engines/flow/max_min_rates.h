/* Max-min fair sharing of links, kept up to date while flows come and go.
 *
 * A flow has a path of links and wants as much as it can get. Rates are max-min fair when none can grow
 * without taking from one that is not larger; they exist, are unique, and are those in which every flow has a
 * bottleneck: a link in full use on which no flow has a larger rate (Bertsekas, Gallager: "Data Networks",
 * 1992, section 6.5.2). Progressive filling finds them: all rates grow together, and at each link that is
 * full, at a *level*, its flows stop.
 *
 * Rates are whole numbers of a unit that the caller chooses, and so is a level: the largest one at which a
 * link still holds its flows. So at each bottleneck b less than n_b units are left over, n_b the flows on it,
 * and
 *
 *   the rates are the exact max-min fair ones of a network whose links have at most what they were given, and
 *   less than n_b units less.                                                                          (1)
 *
 * At a bottleneck on which all flows are its own they get C_b / n_b rounded down: exact where n_b divides
 * C_b. Elsewhere what is left over at one bottleneck shows at others. Rates are continuous and piecewise
 * linear in the capacities, and where b limits e_b of its n_b flows, units left over there and before move
 * its level by at most K_b = (n_b + sum of K of the bottlenecks of its other flows) / e_b. So a rate is
 * within K units of the real one, K the largest K_b of the structures of bottlenecks between the two networks
 * of (1).     (2)
 *
 * Changes. Only what changes is filled again, level by level from below, beside flows that keep their rates:
 * a flow is *kept* (at its old rate), *open* (it grows) or *done* (it has its new rate). Before level x,
 *
 *   flows below x have their final rates; all others are open, or kept at x or above.                  (3)
 *
 * So a link is full at level x when  sum of min(rate, x) over kept, + rates done, + x times open  reaches its
 * capacity, and nothing below can change that any more. Links are *touched* when a flow on them came, left,
 * opened or got another rate; no other link can be full at another level than before. Two things happen, in
 * order of level:
 *   - a touched link is full: its open flows are done at that level, and so are those kept at more;
 *   - the old level of a touched link comes, and it is not full there: the flows that it was the bottleneck
 *     of are open from now on - except those that another link stops at that very level, which then is their
 *     bottleneck.
 * Both leave (3) in force for the next level. What it costs is in proportion to the flows on the links that
 * were touched, not to all that run. */
#ifndef BOUGH_ENGINES_FLOW_MAX_MIN_RATES_H
#define BOUGH_ENGINES_FLOW_MAX_MIN_RATES_H

#include "base/memory/indexed_heap.h"
#include "bough/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAIR_NONE         UINT32_MAX
#define FAIR_CAPACITY_MAX (INT64_MAX / 2)

typedef struct fair_link {
    int64_t capacity, load; /* units; the rates of its flows */
    int64_t left;           /* of the capacity, beside all that does not grow */
    uint64_t level;         /* while bound: what flows get that it is the bottleneck of */
    uint32_t head, flows;   /* its crossings */
    uint32_t bound;         /* those of flows that it is the bottleneck of */
    uint32_t growing;       /* in a round: of open flows, and of kept ones that it is the bottleneck of */
    bool touched, full;
} fair_link;

typedef enum fair_state { FAIR_KEPT, FAIR_OPEN, FAIR_DONE } fair_state;

typedef struct fair_flow {
    uint64_t rate, before; /* units; before: until the last solve */
    uint32_t first;        /* its crossings are first .. first + hops - 1 */
    uint32_t bottleneck;   /* a link; FAIR_NONE while open */
    uint16_t hops;
    uint8_t state; /* fair_state */
} fair_flow;

/* A flow crosses a link: a place of its path, and a place in the link's list. */
typedef struct fair_crossing {
    uint32_t link, flow, next, previous; /* in the link's list */
} fair_crossing;

/* Free crossings by length of path: the first crossing of a free block names the next one. */
#define FAIR_HOPS_MAX 128

typedef struct fair {
    fair_link *link;
    uint32_t links;
    fair_flow *flow;
    fair_crossing *crossing;
    size_t flow_capacity, crossing_capacity, touched_capacity;
    uint32_t crossings, free[FAIR_HOPS_MAX + 1];
    uint32_t *touched; /* links of this round */
    uint32_t touches;
    heap queue; /* touched links by the level at which something may happen */
    /* Flows that came since the last solve; after it, those that have another rate than before, and those
     * that came. */
    uint32_t *changed;
    size_t changed_capacity;
    uint32_t changes, came;
    uint64_t work;           /* crossings looked at, for benchmarks */
    const atomic_bool *stop; /* set from outside: fair_solve ends soon; NULL: nobody does */
} fair;

/* No flows, capacities of 0. Errors: TOO_LARGE, NO_MEMORY. */
bough_status fair_init(fair *f, uint64_t links, bough_error *error);
void fair_fini(fair *f);
uint64_t fair_bytes(uint64_t links, uint64_t flows, uint64_t hops); /* of so many at a time */
void fair_clear(fair *f);                                           /* takes all flows out */
/* Makes room, so that the next flow needs no memory. flows: ids below this are used. */
bough_status fair_reserve(fair *f, uint64_t flows, uint64_t crossings, bough_error *error);

/* A flow comes or goes; rates are those of before until fair_solve. id: the caller's, below flows of
 * fair_reserve. path: at least one link, at most FAIR_HOPS_MAX; a link may stand in it twice, and is then
 * used twice. Capacities of its links are at least 1 and at most FAIR_CAPACITY_MAX; no more than capacity
 * flows share a link. */
void fair_enter(fair *f, uint32_t id, const uint32_t *path, uint32_t hops);
void fair_leave(fair *f, uint32_t id);

/* New rates: changed[0 .. changes-1] are the flows with another one than before, each once, in an order that
 * depends on nothing but what was called before. When *stop is set, rates mean nothing until fair_clear. */
void fair_solve(fair *f);

#endif
