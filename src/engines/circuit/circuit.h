/* Circuit switching: heads reserve the links of their path. A refused head releases them and its source
 * retries.
 *
 * Time (docs/strumpen2005.md). A source takes its injection link in the cycle in which the head requests a
 * link at its first router. The k-th router of the path (k = 1..K) decides in cycle c0 + 2 (k-1). On success
 * the head reaches the destination in c0 + 2K and the tail `payload` cycles later. The acknowledgement then
 * frees the link that was taken i links before the last one after i + 1 cycles, and reaches the source after
 * K cycles. If router k refuses in cycle C, the link taken i routers before it is free again in C + i (and
 * can be taken in that cycle), and the source is notified in C + k.
 *
 * These are 2 cycles forward and 1 back per router; forward= and back= set others. With blocked=wait a head
 * whose link is taken keeps its links and requests again in the next cycle. With blocked=discard (RN1;
 * dehon1991, section 2.1) the router that refuses a head discards the rest of the message and answers when
 * its tail has arrived: everything that follows the refusal is `payload` cycles later.
 *
 * Wires. With clock= a link has w cycles of its own in both directions (network/layout/link_clocks.h), and a
 * cycle a length in nanoseconds. A head that takes the link in cycle C requests the next one in C + 2 + w (w
 * for an injection link), and a notification takes w cycles more from its end to its start.
 *
 * Over an intermediate node (valiant) the circuit is one path: the links to that node, then those from there.
 *
 * A message whose source is still sending another message waits. This does not count as an attempt.
 *
 * Replies. A reversed connection (reply=reverse; dehon1991, section 2.1) carries the reply back along the
 * path of the acknowledgement, at the same speed, followed by `answer` flits. It starts `turnaround` cycles
 * after the tail of the request has arrived. Every link is freed, and the source done, `turnaround + answer`
 * cycles later. With reply=message the reply is a separate message, which its sender starts in the cycle
 * after the tail of the request has arrived and retries like any other message.
 *
 * Faults. If faults are visible to neighbours only (bough_net.dead_ends) or not at all, a head without a live
 * next link is refused there. It retries if another path of its routes continues, else it is given up. With
 * retry=immediate two messages that restart while the other holds the only remaining path can block each
 * other forever. Such a run is stopped after 8192 slots without a delivery. With give_up= a message whose
 * last allowed attempt is refused is not sent again; its links are free, and its source is notified, as after
 * any refusal.
 *
 * Arbitration. Requests that reach one group in the same cycle are served in input-port order (messages of
 * one source: by id) if every one of them may take any link and there are enough free links. Otherwise, and
 * always under mode=attempt, they are served in keyed random order. Each takes a free eligible link by the
 * selection rule of the routing. The occasion of the keys is the cycle (mode=cycles), round << 32 | cycle in
 * the round (mode=rounds), or the order of the group (mode=attempt). */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_H

#include "base/thread_team.h"
#include "method/method.h"
#include "method/steady_state.h"
#include "network/layout/link_clocks.h"

typedef enum circuit_mode { CIRCUIT_ATTEMPT, CIRCUIT_ROUNDS, CIRCUIT_CYCLES } circuit_mode;
typedef enum circuit_retry {
    CIRCUIT_IMMEDIATE,
    CIRCUIT_ROUND,
    CIRCUIT_BACKOFF,
    CIRCUIT_PERSISTENT
} circuit_retry;

/* Runs are stopped after this cycle at the latest. */
#define CIRCUIT_CYCLES_MAX (UINT32_MAX / 2)

typedef enum circuit_reply { CIRCUIT_NO_REPLY, CIRCUIT_REVERSE, CIRCUIT_MESSAGE } circuit_reply;

typedef struct circuit_options {
    circuit_mode mode;
    circuit_retry retry;
    bool release_at_end; /* rounds: a refused head keeps its links until the round ends */
    bool hold_to_end;    /* rounds: a delivered message keeps its links until the round ends */
    bool scenarios;      /* count collisions by scenario */
    bool history;        /* deliveries per round, or by attempts */
    bool levels;         /* deliveries by NCA level: generic engine only */
    bool stages;         /* attempt: requests and grants by group order */
    bool latency;        /* cycles: latencies of delivered messages: generic engine only */
    bool count_claims;   /* count requested links where that costs time */
    circuit_reply reply;
    uint64_t payload, answer; /* flits behind the head of a message; of its reply */
    uint64_t slot;            /* cycles of a slot of backoff and persistent */
    uint64_t bound, jitter;   /* backoff: slots in the largest range; random cycles added to every wait */
    double p;                 /* persistent: probability of a retry in a slot */
    uint64_t give_up;         /* cycles: attempts after which a message is given up; 0: never */
    bool veterans;            /* of rivals, those with the most attempts are served first */
    bool same_path;           /* a retry asks for the links of its last attempt */
    bool wait;                /* a refused head keeps its links and waits */
    bool discard;             /* a refusal takes effect when the tail has arrived at the router */
    uint64_t forward, back;   /* cycles per router of heads, and of releases and notifications */
    uint64_t turnaround;      /* cycles until a destination has reversed a connection */
    bool wires;               /* links take cycles, by the rules */
    link_clock_rules clock;
    uint64_t round_limit, cycle_limit;
} circuit_options;

/* Whether retries wait for random times. */
static inline bool circuit_waits_randomly(const circuit_options *o) {
    return o->retry == CIRCUIT_BACKOFF || o->retry == CIRCUIT_PERSISTENT || o->jitter;
}

/* Maximum number of links of a path. */
static inline unsigned circuit_hops(const bough_net *net, const bough_routing *routing) {
    return routing->kind->via ? 2 * net->hops_max : net->hops_max;
}

/* Requests at the groups of one order, and how many of them were granted a link. */
typedef struct circuit_stage {
    uint64_t requests, granted;
} circuit_stage;

/* One trial to simulate. */
typedef struct circuit_trial {
    const bough_run *run;
    const circuit_options *options;
    bough_key key;
    thread_team *team; /* may be NULL: one thread */
} circuit_trial;

/* Result of one trial. */
typedef struct circuit_result {
    uint64_t messages, first, attempts, rounds, cycles, undelivered, unrouted;
    uint64_t arrived;  /* the cycle in which the last tail arrived; not set by labels */
    double arrivals;   /* sum of these cycles over the delivered messages */
    uint64_t given_up; /* messages that used up their attempts; they are undelivered too */
    const latency_series
        *latency;               /* from cycle 0 to the tail, in order of delivery; owned by the workspace */
    uint64_t claims;            /* links requested, up and down; not counted by the generic engine */
    uint64_t scenario[4];       /* 0: heads going up or entering; 1, 2, 3 as in the metric */
    uint64_t *per_round;        /* history: deliveries, one entry per round; owned by the workspace */
    uint64_t *per_attempt;      /* without rounds: by the number of attempts, from 1 on; likewise */
    uint64_t attempts_most;     /* entries of per_attempt */
    const circuit_stage *stage; /* by group order, `stages` entries; owned by the workspace */
    uint64_t stages;
    bool cut_off;
    bool locked;     /* stopped because the remaining messages block each other */
    bool deadlocked; /* wait: all remaining heads wait for links that they hold */
} circuit_result;

/* The generic engine, for any network (a faster one for some: labels.h). circuit_generic_bytes returns its
 * memory in bytes. */
typedef struct circuit_generic circuit_generic;
uint64_t circuit_generic_bytes(const bough_point *point, const circuit_options *options);
/* Of each further thread. */
/* Whether a trial uses the threads of its team. */
bool circuit_generic_divides(const circuit_options *options);
uint64_t circuit_generic_bytes_each(const bough_point *point);
bough_status circuit_generic_run(const circuit_trial *trial, circuit_generic **workspace,
                                 circuit_result *result, bough_error *error);
void circuit_generic_free(circuit_generic *workspace);
/* The endpoints of message i of the last run, and whether its first attempt succeeded. */
typedef struct circuit_fate {
    uint32_t source, target;
    bool first;
} circuit_fate;
circuit_fate circuit_generic_fate(const circuit_generic *workspace, uint64_t i);

#endif
