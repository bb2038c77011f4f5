/* A wormhole network as queues: greenberg1997, section 2 (Greenberg, Guan: "An improved analytical model for
 * wormhole routed networks with application to butterfly fat-trees", 1997).
 *
 * A channel is a link, or a class of similar links. A queue is where heads wait for one of its servers: the
 * links that a route offers together, all of a group or one that a table names. A turn is the traffic from
 * one link into one queue. All rates are for one message per cycle and sending endpoint; results scale with
 * the requested rate. */
#ifndef BOUGH_MODELS_QUEUEING_QUEUEING_H
#define BOUGH_MODELS_QUEUEING_QUEUEING_H

#include "method/method.h"

typedef struct queueing_channel {
    double rate;           /* messages over one link of the channel */
    double ends;           /* those that end with it */
    double links;          /* number of links in the class */
    uint64_t link;         /* one of them */
    uint32_t first, turns; /* into queueing_net.turn */
    uint16_t level;
    int8_t direction; /* bough_link_direction */
} queueing_channel;

typedef struct queueing_turn {
    uint32_t queue;
    double rate;   /* from one link of the channel into all `copies` queues of the class */
    double copies; /* 1 if queues are not collapsed */
    double block;  /* P of Eq. 9 */
} queueing_turn;

typedef struct queueing_queue {
    double rate;             /* messages into it, total of its links */
    double enters;           /* messages that start here; their P is enters_block */
    double enters_block;     /* 1, unless the variant counts other traffic at a source */
    double copies;           /* number of queues in the class */
    uint32_t servers;        /* m */
    uint32_t first, members; /* into queueing_net.member: the channels that it serves, or their class */
    uint32_t next;           /* next queue of the same group; only during construction */
} queueing_queue;

/* clang-format off */
/* The wait of a head from link i at a queue j of m links. W is the wait in M/G/m, regardless of the link:
 *   published    (1 - m p_i) W, not below 0: Eq. 10; p_k is the fraction of j's traffic from link k
 *   uncorrected  W
 *   conditional  P should "reflect the probability that m messages deemed to be in service by the M/G/m model
 *                actually emanate from m distinct incoming links other than link i". A message in service is
 *                from link k with probability p_k. So the probability that m of them are from m different
 *                links, in any order, and none from i, is m! e_m(p without p_i): the sum over all sets of m
 *                other links of the product of their p. Eq. 10 is the first order of this in p_i, and ignores
 *                that two could be from one link; for m = 1 both are 1 - p_i. Messages that start at the
 *                queue's own node can be there in any number: they count as infinitely many links.
 *   finite       no W: queueing_finite.c
 *   distribution no W: queueing_distribution.c */
/* clang-format on */
typedef enum queueing_variant {
    QUEUEING_PUBLISHED,
    QUEUEING_UNCORRECTED,
    QUEUEING_CONDITIONAL,
    QUEUEING_FINITE,
    QUEUEING_DISTRIBUTION
} queueing_variant;

/* The variance of service times of mean x, where waits follow from M/G/m:
 *   eq5      (x - E[L])^2, Eq. 5
 *   lengths  (x - E[L])^2 + Var[L] */
typedef enum queueing_variance { VARIANCE_EQ5, VARIANCE_LENGTHS } queueing_variance;

typedef struct queueing_net {
    const bough_net *net;
    queueing_variant variant;
    double flits;     /* s/f, the mean */
    double length[3]; /* E[L], E[L^2], E[L^3] */
    const bough_stream_law *law;
    queueing_variance variance;
    queueing_channel *channel;
    queueing_queue *queue;
    queueing_turn *turn;
    uint32_t *member, *order; /* order: channels, each after those that its service time depends on */
    uint64_t channels, queues, turns, members;
    size_t queue_capacity, turn_capacity, member_capacity;
    double messages, crossings; /* totals over all sources and links */
    double unrouted; /* messages whose sources have no route because of faults; not included in `messages` */
    bool printed;    /* Eq. 12 as the paper uses it, see queueing_finish */
    bool printed_rates; /* Eqs. 21 and 23 without the insertion in the margin */
    bool cyclic;        /* no acyclic order exists; `order` is depth first */
} queueing_net;

/* What the memory of a solution depends on. most: links that lead to one queue. */
typedef struct queueing_counts {
    uint64_t channels, queues, turns, most;
} queueing_counts;
/* Memory of a network of queues and of a state. */
uint64_t queueing_net_bytes(const queueing_counts *c);
uint64_t queueing_state_bytes(const queueing_counts *c, queueing_variant variant);

/* One class per level and direction. usable: true if the network's links of one level and direction are alike
 * under this routing and pattern, as far as its capabilities and samples show. O(levels x log endpoints). */
bool queueing_alike_usable(const bough_point *point);
uint64_t queueing_alike_bytes(const bough_point *point, queueing_variant variant);
bough_status queueing_alike_build(const bough_point *point, queueing_net *q, bough_error *error);
/* True for what greenberg1997 has: uniform traffic and random selection on a tree whose links are alike. */
bool queueing_eq12_applies(const bough_point *point);

/* Every link is a channel. Follows all flows, those of one destination together if the route depends on
 * nothing else. _bytes: an upper bound, but for patterns that are not uniform, whose pairs are counted when
 * they are known. Errors: INVALID names a pair without a route, or with an endless one. */
uint64_t queueing_flows_bytes(const bough_point *point, queueing_variant variant);
bough_status queueing_flows_build(const bough_run *run, const void *pattern_state, queueing_net *q,
                                  bough_error *error);

/* Final step of both builders: totals, the order, and the blocking probabilities of a variant.
 *
 * Eq. 12 is the probability that a message goes up from level l. Eq. 22 uses it for messages that have come
 * up to level l already, for which it is larger: P_l / P_{l-1}, as in Eq. 14 for their rates. printed: turns
 * of links up are divided as in Eq. 22. This makes sense only for uniform traffic on a regular tree, where it
 * changes the latency by half a per cent at medium load. */
bough_status queueing_finish(queueing_net *q, bough_error *error);
void queueing_fini(queueing_net *q);

typedef struct queueing_finite queueing_finite;
typedef struct queueing_distribution queueing_distribution;

/* The solution at one rate. */
typedef struct queueing_state {
    double *service;     /* per channel: Eq. 11 */
    double *mean;        /* per queue: service time of its channels */
    double *wait;        /* per queue: Eqs. 6, 8, before correction; not for QUEUEING_FINITE */
    double *use;         /* per queue: fraction of its servers that are held */
    double *source_wait; /* per queue: wait of messages that enter the network there */
    double *turn_wait;   /* per turn: Eq. 9 */
    queueing_finite *finite;
    queueing_distribution *distribution;
    uint32_t full; /* the first fully used queue in order; UINT32_MAX: none */
    unsigned sweeps;
    bool converged;
} queueing_state;
bough_status queueing_state_make(const queueing_net *q, queueing_state *s, bough_error *error);
void queueing_state_fini(queueing_state *s);
void queueing_solve(const queueing_net *q, double rate, queueing_state *s);

/* The maximum throughput (Eq. 26): the largest rate at which no queue is fully used, by bisection.
 * On return s is the solution at that rate. */
double queueing_saturation(const queueing_net *q, queueing_state *s);

/* M/G/m by Hokstad: (1 + C^2) / 2 times the wait of M/M/m. c2: C^2, the squared coefficient of variation of
 * the service time. Infinite if fully used. */
double queueing_wait(double rate, double service, uint32_t servers, double c2);

/* What bursts add to the wait of the messages that enter at a queue: exact for batch Poisson arrivals at one
 * server, M^X/G/1. With C_a^2 = 2 burst - 1 it is (C_a^2 + C_b^2) / (1 + C_b^2) times the wait (Allen,
 * Cunneen), and the services of the messages of the same batch. */
double queueing_burst_wait(const queueing_net *q, uint32_t queue, double mean, double use);

/* The variant QUEUEING_FINITE. Errors: those of queueing_inputs_check. */
bough_status queueing_finite_make(const queueing_net *q, queueing_finite **f, bough_error *error);
uint64_t queueing_finite_bytes(const queueing_counts *c);
void queueing_finite_free(queueing_finite *f);
void queueing_finite_solve(const queueing_net *q, double rate, queueing_state *s);

/* The variant QUEUEING_DISTRIBUTION. Errors: the same, and UNSUPPORTED if an endpoint has several links. */
bough_status queueing_distribution_make(const queueing_net *q, queueing_distribution **d, bough_error *error);
uint64_t queueing_distribution_bytes(const queueing_counts *c);
void queueing_distribution_free(queueing_distribution *d);
void queueing_distribution_solve(const queueing_net *q, double rate, queueing_state *s);
/* Percentiles of the latency in cycles, of a solution in which no queue is full. NAN: beyond the lattice. */
enum { QUEUEING_QUANTILES = 4 };
void queueing_distribution_quantiles(const queueing_net *q, double rate, queueing_state *s,
                                     const double share[QUEUEING_QUANTILES],
                                     double cycles[QUEUEING_QUANTILES]);

#endif
