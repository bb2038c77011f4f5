/* The engine of `flow`: messages as flows that share links max-min fairly, event by event.
 *
 * Time is whole picoseconds. Rates are whole numbers of FLOW_UNIT parts of a bit/s, what is left of a flow
 * one of rate unit times picosecond, in 128 bits, so that what a rate moves in a stretch of time is an
 * integer, and nothing is lost. FLOW_UNIT is the least common multiple of 1 .. 16: a link among so many flows
 * is shared without a remainder.
 *
 * A *phase* of a flow lies between two changes of its rate. The engine rounds in two places:
 *   - the rate, by fair.h: with at most K units, see (2) there. Over a phase of d ps at rate r the flow is
 *     off by d K / r ps; K is 0 where shares come out even and below 1 at any link that only flows of its own
 *     share; at 1 Gb/s and K = 1 the error reaches 1/2 ps after 360 s;
 *   - the end of a flow, to the nearest ps: at most 1/2 ps. Ends are the only events that are computed, and a
 *     flow that goes on takes with it what it has left, exactly.
 * So a phase is at most 1 ps longer or shorter than that of the fluid model with the same flows, volumes and
 * start, as long as d <= r / 2K with r in units; there is no drift beside the sum of that.
 *
 * A message starts when its source says so, takes its share until its last bit has left, and has arrived a
 * link's delay for every link of its path later: a message alone takes size / rate + links x delay. What
 * links carry is not shifted along the path: they are all taken for the same time.
 *
 * In one instant: flows end, messages arrive and the source is told, messages that are ready start, in order
 * of id; then rates are shared anew, once. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_EVENTS_H
#define BOUGH_ENGINES_FLOW_FLOW_EVENTS_H

#include "bough/method.h"
#include "engines/flow/flow_path.h"

#define FLOW_UNIT      INT64_C(720720)
#define FLOW_RATE_MIN  1e6  /* bit/s of a link: so that 2^32 flows can share it */
#define FLOW_RATE_MAX  6e12 /* FLOW_UNIT parts of it fit in FAIR_CAPACITY_MAX */
#define FLOW_BYTES_MAX (UINT64_C(1) << 60)
#define FLOW_TIME_MAX  (UINT64_C(1) << 62) /* ps: 53 days */

typedef struct flow_options {
    uint64_t unit;            /* bytes per unit of a message's size */
    uint64_t rate, host_rate; /* bit/s of links, of links of endpoints; 0: the network's own */
    uint64_t delay;           /* ps of a link */
} flow_options;

/* What became of the messages of a run. */
typedef struct flow_totals {
    uint64_t end;             /* ps: the last arrival */
    uint64_t arrived, hops;   /* messages; their links in all */
    double bits;              /* of those that arrived */
    uint64_t senders;         /* endpoints that sent any of them */
    uint64_t unrouted;        /* messages without a path, which are left out */
    bough_message lost;       /* the first of them */
    uint64_t lost_at;         /* the node where its path ended */
    flow_way lost_way;        /* why */
    uint64_t instants, rates; /* that had something to share; new rates given */
} flow_totals;

typedef struct flow_engine flow_engine;

/* messages: that may be under way at a time. */
uint64_t flow_bytes(const bough_routing *routing, uint64_t messages);
/* The engine borrows routing. messages: room that is made beforehand; more is taken when it is needed.
 * Errors: INVALID where a link has no rate, or one out of bounds, TOO_LARGE, NO_MEMORY. */
bough_status flow_make(const bough_routing *routing, const flow_options *options, uint64_t messages,
                       flow_engine **engine, bough_error *error);
void flow_destroy(flow_engine *engine);

/* Runs a source to its end. ends_only: all links but the first and the last of every path are without limit.
 * run (may be NULL): is asked whether to stop, and told how far it is of so many messages, 0: unknown.
 * Errors: FAILED (a message too large or too slow), NO_MEMORY, INTERRUPTED. */
bough_status flow_run(flow_engine *engine, bough_source *source, bough_key key, bool ends_only,
                      const bough_run *run, uint64_t messages, bough_error *error);
const flow_totals *flow_result(const flow_engine *engine);
/* Of the messages that arrived, in order of arrival: from start to arrival, ps. Owned by the engine, may be
 * reordered. */
uint64_t *flow_times(flow_engine *engine);
/* Bits that a link carried, and what it could carry in a second. */
double flow_carried(const flow_engine *engine, uint64_t link);
double flow_capacity(const flow_engine *engine, uint64_t link);
uint64_t flow_work(const flow_engine *engine); /* of the solver, for benchmarks: fair.h */

#endif
