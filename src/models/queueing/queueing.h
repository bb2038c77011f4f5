/* A wormhole network as queues: greenberg1997, section 2 (Greenberg, Guan: "An improved analytical model for
 * wormhole routed networks with application to butterfly fat-trees", 1997).
 *
 * A channel is a link, or a class of links that are alike. A queue is where heads wait for one of its
 * servers: the links that a route offers together, all of a group or one that a table names. A turn is the
 * traffic from one link into one queue. All rates are those at one message per cycle and sending endpoint;
 * what is asked for scales them. */
#ifndef BOUGH_MODELS_QUEUEING_QUEUEING_H
#define BOUGH_MODELS_QUEUEING_QUEUEING_H

#include "bough/method.h"

typedef struct queueing_channel {
    double rate;           /* messages over one of the links */
    double ends;           /* those of them whose way ends with it */
    double links;          /* how many are alike */
    uint64_t link;         /* one of them */
    uint32_t first, turns; /* into queueing_net.turn */
    uint16_t level;
    int8_t direction; /* bough_link_direction */
} queueing_channel;

typedef struct queueing_turn {
    uint32_t queue;
    double rate;   /* from one link of the channel into all `copies` queues that are alike */
    double copies; /* 1 where queues are not collapsed */
    double block;  /* P of Eq. 9 */
} queueing_turn;

typedef struct queueing_queue {
    double rate;             /* messages into it, the total of its links */
    double enters;           /* those of them that start here; for these P is enters_block */
    double enters_block;     /* 1, unless the variant sees other traffic at a source */
    double copies;           /* how many are alike */
    uint32_t servers;        /* m */
    uint32_t first, members; /* into queueing_net.member: the channels it serves, or their one class */
    uint32_t next;           /* of the same group; only while the net is built */
} queueing_queue;

/* The wait of a head from link i at a queue j of m links, W of M/G/m being what it would be for anybody:
 *   published    (1 - m p_i) W, not below 0: Eq. 10; p_k is the share of j's traffic that link k brings
 *   uncorrected  W
 *   conditional  P should "reflect the probability that m messages deemed to be in service by the M/G/m model
 *                actually emanate from m distinct incoming links other than link i". A message in service is
 *                from link k with probability p_k, so that m of them are from m different links, in whatever
 *                order, and none from i, has probability m! e_m(p without p_i): the sum over all sets of m
 *                other links of the product of their p. Eq. 10 is this to first order in p_i, and without
 *                minding that two could be from one link; for m = 1 both are 1 - p_i. What starts at the
 *                queue's own node can be there any number of times: it counts as infinitely many links.
 *   finite       no W: queueing_finite.c */
typedef enum queueing_variant {
    QUEUEING_PUBLISHED,
    QUEUEING_UNCORRECTED,
    QUEUEING_CONDITIONAL,
    QUEUEING_FINITE
} queueing_variant;

typedef struct queueing_net {
    const bough_net *net;
    queueing_variant variant;
    double flits; /* s/f */
    queueing_channel *channel;
    queueing_queue *queue;
    queueing_turn *turn;
    uint32_t *member, *order; /* order: channels, each after those its service time depends on */
    uint64_t channels, queues, turns, members;
    size_t queue_capacity, turn_capacity, member_capacity;
    double messages, crossings; /* of all sources, and their links */
    double unrouted;            /* messages whose sources know no way, as faults have it; not among them */
    bool printed;               /* Eq. 12 as the paper uses it, see queueing_finish */
    bool cyclic;                /* no such order; it is a depth-first one then */
} queueing_net;

/* One class per level and direction. usable: the network's links of one level and direction are alike under
 * this routing and pattern, as far as its capabilities and samples of it say. O(levels x log endpoints). */
bool queueing_alike_usable(const bough_point *point);
bough_status queueing_alike_build(const bough_point *point, queueing_net *q, bough_error *error);

/* Every link a channel: follows all flows, those of one destination together where the way on depends on
 * nothing else. Bytes it takes, as far as the network tells; then the same with a pattern's state.
 * Errors: INVALID names a pair without a route, or with one that never ends. */
uint64_t queueing_flows_bytes(const bough_point *point);
bough_status queueing_flows_build(const bough_run *run, const void *pattern_state, queueing_net *q,
                                  bough_error *error);

/* What both builders end with: totals, the order, and the blocking probabilities of a variant.
 *
 * Eq. 12 is the probability that a message goes up from level l; Eq. 22 uses it for messages that have come
 * up to level l already, for which it is larger: P_l / P_{l-1}, as Eq. 14 for their rates has it. printed:
 * turns of links up are shared out as in Eq. 22. That makes sense only for uniform traffic on a regular tree,
 * and there it moves the latency by half a per cent at medium load. */
bough_status queueing_finish(queueing_net *q, bough_error *error);
void queueing_fini(queueing_net *q);

typedef struct queueing_finite queueing_finite;

/* At one rate. */
typedef struct queueing_state {
    double *service;     /* per channel: Eq. 11 */
    double *mean;        /* per queue: service time of its channels */
    double *wait;        /* per queue: Eqs. 6, 8, before any correction; not of QUEUEING_FINITE */
    double *use;         /* per queue: share of its servers that are held */
    double *source_wait; /* per queue: of what enters the network there */
    double *turn_wait;   /* per turn: Eq. 9 */
    queueing_finite *finite;
    uint32_t full; /* the first queue in order that is fully used; UINT32_MAX: none */
    unsigned sweeps;
    bool converged;
} queueing_state;
bough_status queueing_state_make(const queueing_net *q, queueing_state *s, bough_error *error);
void queueing_state_fini(queueing_state *s);
void queueing_solve(const queueing_net *q, double rate, queueing_state *s);

/* The largest rate at which no queue is fully used (Eq. 26: there the source's own queue is), by bisection;
 * leaves s solved at it. */
double queueing_saturation(const queueing_net *q, queueing_state *s);

/* M/G/m by Hokstad: (1 + C^2) / 2 times the wait of M/M/m, C^2 by Eq. 5. Infinite when fully used. */
double queueing_wait(double rate, double service, uint32_t servers, double flits);

/* The variant QUEUEING_FINITE. Errors: UNSUPPORTED where nodes both send and pass on, or where routes offer
 * some of a group's links here and others there. */
bough_status queueing_finite_make(const queueing_net *q, queueing_finite **f, bough_error *error);
void queueing_finite_free(queueing_finite *f);
void queueing_finite_solve(const queueing_net *q, double rate, queueing_state *s);

#endif
