/* Circuit switching: heads reserve links on their way; a refused head lets go and its source tries again.
 *
 * Time (docs/strumpen2005.md). A source takes its injection link in the cycle in which
 * the head decides at its first router. The k-th router of the path (k = 1..K) decides in cycle c0 + 2 (k-1).
 * Delivered: the head is at the destination in c0 + 2K and the tail `payload` cycles later; the
 * acknowledgement then frees the link that was taken i links before the last one i + 1 cycles later, and
 * reaches the source after K cycles. Refused at router k in cycle C: the link taken i routers back is free
 * again in C + i (it can be taken in that very cycle), and the source knows in C + k.
 *
 * A message whose source is still sending another waits; that is no attempt.
 *
 * Replies. A reversed connection (reply=reverse; dehon1991, section 2.1) carries the reply back the way
 * the acknowledgement takes otherwise, at its pace, with `answer` flits behind it: every link is freed, and
 * the source done, `answer` cycles later. With reply=message the reply is a message of its own, which its
 * sender starts in the cycle after the request's tail has come, and retries as all do.
 *
 * With faults that only neighbours know (bough_net.dead_ends), or nobody, a head that finds no way on is
 * refused there; it tries again where some other way of its routes leads on, else it is given up. Two
 * messages that always start anew while the other holds the one way that is left can do so for ever
 * (retry=immediate): such a run is cut off after 8192 slots without a delivery.
 *
 * Who wins. Requests that reach one group in the same cycle are served in input-port order (messages of one
 * source: by id) when every one of them can have any link and there are enough free links; else, and
 * always under mode=attempt, in keyed random order. Each takes a free eligible link by the routing's pick.
 * The occasion of the keys is the cycle (mode=cycles), round << 32 | cycle in the round (mode=rounds), or the
 * rank of the group (mode=attempt). */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_H

#include "bough/method.h"

typedef enum circuit_mode { CIRCUIT_ATTEMPT, CIRCUIT_ROUNDS, CIRCUIT_CYCLES } circuit_mode;
typedef enum circuit_retry { CIRCUIT_IMMEDIATE, CIRCUIT_ROUND, CIRCUIT_BACKOFF } circuit_retry;

typedef enum circuit_reply { CIRCUIT_NO_REPLY, CIRCUIT_REVERSE, CIRCUIT_MESSAGE } circuit_reply;

typedef struct circuit_options {
    circuit_mode mode;
    circuit_retry retry;
    bool release_at_end; /* rounds: a refused head keeps its links until the round ends */
    bool scenarios;      /* count collisions by scenario */
    bool history;        /* deliveries per round */
    bool levels;         /* who is delivered by the level of the meeting: generic engine only */
    bool stages;         /* attempt: requests and grants by rank */
    bool count_claims;   /* links asked for, where that is not free: circuit_labels_claims */
    circuit_reply reply;
    uint64_t payload, answer; /* flits behind the head of a message; of its reply */
    uint64_t slot;            /* cycles of a backoff slot */
    uint64_t round_limit, cycle_limit;
} circuit_options;

/* Requests at the groups of one rank, and how many of them got a link. */
typedef struct circuit_stage {
    uint64_t asked, granted;
} circuit_stage;

/* What one trial found. */
typedef struct circuit_result {
    uint64_t messages, first, attempts, rounds, cycles, undelivered, unrouted;
    uint64_t scenario[4];       /* 0: heads going up or entering; 1, 2, 3 as the metric says */
    uint64_t *per_round;        /* history: deliveries, rounds entries; owned by the workspace */
    const circuit_stage *stage; /* by rank, `stages` entries; owned by the workspace */
    uint64_t stages;
    bool cut_off;
    bool locked; /* cut off as those that were left would not have got through */
} circuit_result;

/* The generic engine: any network, through its public face. Bytes of memory: circuit_generic_bytes. */
typedef struct circuit_generic circuit_generic;
uint64_t circuit_generic_bytes(const bough_point *point, const circuit_options *options);
bough_status circuit_generic_run(const bough_run *run, const circuit_options *options, bough_key key,
                                 circuit_generic **workspace, circuit_result *result, bough_error *error);
void circuit_generic_free(circuit_generic *workspace);
/* Of message i of the last run: the endpoints, and whether its first attempt was a success. */
typedef struct circuit_fate {
    uint32_t source, target;
    bool first;
} circuit_fate;
circuit_fate circuit_generic_fate(const circuit_generic *workspace, uint64_t i);

/* The fast path for `fattree` under random: paths are labels (labels.h). */

#endif
