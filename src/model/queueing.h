/* A wormhole network as queues: document 001, section 2 (Greenberg, Guan: "An improved analytical model for
 * wormhole routed networks with application to butterfly fat-trees", 1997).
 *
 * A channel is a link, or a class of links that are alike. A queue is where heads wait for one of its
 * servers: the links that a route offers together, all of a group or one that a table names. A turn is the
 * traffic from one link into one queue. All rates are those at one message per cycle and sending endpoint;
 * what is asked for scales them. */
#ifndef BOUGH_MODEL_QUEUEING_H
#define BOUGH_MODEL_QUEUEING_H

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

typedef struct queueing_net {
    const bough_net *net;
    double flits; /* s/f */
    queueing_channel *channel;
    queueing_queue *queue;
    queueing_turn *turn;
    uint32_t *member, *order; /* order: channels, each after those its service time depends on */
    uint64_t channels, queues, turns, members;
    size_t queue_capacity, turn_capacity, member_capacity;
    double messages, crossings; /* of all sources, and their links */
    bool printed;               /* Eq. 12 as the document uses it, see queueing_finish */
    bool cyclic;                /* no such order; it is a depth-first one then */
} queueing_net;

typedef enum queueing_variant {
    QUEUEING_PUBLISHED,
    QUEUEING_UNCORRECTED,
    QUEUEING_CONDITIONAL
} queueing_variant;

/* One class per level and direction. usable: the network's links of one level and direction are alike under
 * this routing and pattern, as far as its gifts and samples of it say. O(levels x log endpoints). */
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
bough_status queueing_finish(queueing_net *q, queueing_variant variant, bough_error *error);
void queueing_fini(queueing_net *q);

/* At one rate: service times of channels (Eq. 11), waits of queues before their correction (Eqs. 6, 8). */
typedef struct queueing_state {
    double *service, *wait, *mean; /* mean: service time of a queue's channels */
    double *use;                   /* per queue: share of its servers that are held */
    uint32_t full;                 /* the first queue in order that is fully used; UINT32_MAX: none */
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

#endif
