/* clang-format off */
/* The engine of `flow`: messages as flows with max-min fair sharing of links, event by event.
 *
 * Time is in whole picoseconds. A rate is a whole number of bit/s / FLOW_UNIT. The remaining volume of a flow
 * is a 128-bit integer in units of rate unit x ps, so the volume that a rate moves in any time is an integer
 * and nothing is lost. FLOW_UNIT is the least common multiple of 1 .. 16: a link with that many flows is
 * divided without a remainder. With a link of more than 6 Tb/s the unit is 16 times as large; then this holds for
 * links whose rate is a multiple of 16 bit/s.
 *
 * A *phase* of a flow is the time between two changes of its rate. The engine rounds in two places:
 *   - the rate, in max_min_rates.h, by at most K units, see (2) there. Over a phase of d ps at rate r the
 *     flow is off by d K / r ps. K is 0 where rates divide evenly, and below 1 on any link that only its own
 *     flows use; at 1 Gb/s and K = 1 the error reaches 1/2 ps after 360 s;
 *   - the end of a flow, to the nearest ps: at most 1/2 ps. Ends are the only computed events; a flow that
 *     continues keeps its exact remaining volume.
 * So a phase is at most 1 ps longer or shorter than in the fluid model with the same flows, volumes and
 * start, as long as d <= r / 2K with r in units. Errors do not drift beyond the sum of these.
 *
 * With `spray` a rate is a whole number of bit/s, as weights have FLOW_UNIT parts: K is the largest sum of
 * weights over that of the flows that a link limits, so rates are exact to about a bit/s.
 *
 * A message starts when its source requests it, occupies its rate until its last bit has left, and arrives
 * the delay of its path (its longest one) later: alone it takes size / rate + delay. All links of a path are occupied for the
 * same time; the traffic is not shifted along the path.
 *
 * With a team, the steps of an instant in which messages are independent of each other are divided over threads, if
 * there are many: paths, and what concerns flows that share no link, as all in a collective without
 * contention. Results do not depend on it.
 *
 * Order within one instant: flows end; messages arrive and the source is notified; ready messages start, in
 * order of id; rates are recomputed once. */
/* clang-format on */
#ifndef BOUGH_ENGINES_FLOW_FLOW_EVENTS_H
#define BOUGH_ENGINES_FLOW_FLOW_EVENTS_H

#include "engines/flow/flow_path_ring.h"
#include "engines/flow/flow_spray.h"
#include "method/method.h"

#define FLOW_UNIT      MAX_MIN_WEIGHT_MAX
#define FLOW_RATE_MIN  1e6  /* bit/s of a link: allows 2^32 flows on it */
#define FLOW_RATE_FAST 6e12 /* its FLOW_UNIT parts fit MAX_MIN_CAPACITY_MAX */
#define FLOW_COARSE    4    /* with a faster link, units are 2^4 times as large */
#define FLOW_RATE_MAX  1e14
#define FLOW_BYTES_MAX (UINT64_C(1) << 60)
#define FLOW_TIME_MAX  (UINT64_C(1) << 62) /* ps: 53 days */

typedef struct flow_options {
    uint64_t unit;            /* bytes per unit of a message's size */
    uint64_t rate, host_rate; /* bit/s of links, of links of endpoints; 0: the network's */
    uint64_t delay;           /* of a link with the switch at its end, ps; BOUGH_NONE: the network's */
    bool spray;               /* messages are divided over all their paths (flow_spray.h) */
    unsigned threads;         /* that create an engine; 0: one */
} flow_options;

/* Statistics of a run. */
typedef struct flow_totals {
    uint64_t end;             /* ps: the last arrival */
    uint64_t arrived, hops;   /* messages; total of their links */
    double bits;              /* of data in arrived messages */
    double inside;            /* of these, within compute nodes */
    uint64_t senders;         /* endpoints that sent arrived messages */
    uint64_t unrouted;        /* messages without a path, which are left out */
    bough_message lost;       /* the first unrouted message */
    uint64_t lost_at;         /* the node where its path ended */
    flow_path_end lost_end;   /* reason */
    uint64_t instants, rates; /* instants with a recomputation; new rates set */
} flow_totals;

/* The rate of a link in bit/s. */
uint64_t flow_link_rate(const bough_net *net, const flow_options *options, uint64_t link);

typedef struct flow_engine flow_engine;

/* messages: number that can be in flight at a time. */
uint64_t flow_bytes(const bough_routing *routing, uint64_t messages, bool spray);
/* That of flow_make_beside and flow_make_ring, at most, for runs with ends_only. */
uint64_t flow_bytes_beside(const bough_routing *routing, uint64_t messages, bool spray);
/* The engine borrows routing. messages: memory to reserve; more is allocated on demand. Errors: INVALID if a
 * link has no rate or one out of bounds, TOO_LARGE, NO_MEMORY. */
bough_status flow_make(const bough_routing *routing, const flow_options *options, uint64_t messages,
                       flow_engine **engine, bough_error *error);
/* An engine for runs beside those of an engine, with its options, and the same results. It has the rates of
 * links that messages take, so with ends_only it uses little memory; it does not have flow_carried. */
bough_status flow_make_beside(const flow_engine *engine, uint64_t messages, flow_engine **beside,
                              bough_error *error);
/* A ring for two such runs; NULL: their paths are not found ahead. Errors: NO_MEMORY. */
bough_status flow_make_ring(const flow_engine *engine, uint64_t messages, flow_path_ring **ring,
                            bough_error *error);
void flow_destroy(flow_engine *engine);

/* What an engine runs. */
typedef struct flow_input {
    bough_source *source;
    bough_key key;         /* of the paths */
    bool ends_only;        /* all links except the first and the last of every path are unlimited */
    const bough_run *run;  /* provides the stop flag and receives the progress; may be NULL */
    uint64_t messages;     /* of the source, for the progress; 0: unknown */
    struct timeline *seen; /* the record of a schedule; NULL: none */
    thread_team *team;     /* divides instants with many messages; may be NULL */
    uint32_t few;          /* fewer messages are not divided; 0: a default */
    /* Of two runs beside each other, of the same messages and key: one gives the paths that it finds, the
     * other takes them. NULL: none. */
    flow_path_ring *gives, *takes;
} flow_input;

/* Runs a source to its end. Errors: FAILED (a message too large or too slow), NO_MEMORY, INTERRUPTED. */
bough_status flow_run(flow_engine *engine, const flow_input *input, bough_error *error);
const flow_totals *flow_result(const flow_engine *engine);
/* Times from start to arrival in ps, in order of arrival. Owned by the engine; the caller may reorder
 * them. */
uint64_t *flow_times(flow_engine *engine);
/* Bits that a link carried, and its capacity in bit/s. */
double flow_carried(const flow_engine *engine, uint64_t link);
double flow_capacity(const flow_engine *engine, uint64_t link);
uint64_t flow_work(const flow_engine *engine); /* of the solver, for benchmarks: max_min_rates.h */

#endif
