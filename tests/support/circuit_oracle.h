/* Circuit switching on the binary fat-tree of strumpen2005, cycle by cycle and message by message: slow,
 * plain, and written from the rules alone. It shares with the engines only the coins. */
#ifndef BOUGH_TESTS_CIRCUIT_ORACLE_H
#define BOUGH_TESTS_CIRCUIT_ORACLE_H

#include "routing/routing.h"

typedef enum oracle_mode { ORACLE_ATTEMPT, ORACLE_ROUNDS, ORACLE_CYCLES } oracle_mode;
typedef enum oracle_retry { ORACLE_IMMEDIATE, ORACLE_ROUND, ORACLE_BACKOFF, ORACLE_PERSISTENT } oracle_retry;

/* In rounds, the links of a delivered message: as the mode does by default, kept until the round ends, or
 * freed by its acknowledgement. */
typedef enum oracle_hold { ORACLE_DEFAULT, ORACLE_END, ORACLE_ACK } oracle_hold;

/* What the routers did in one cycle: one entry per router (node - n), in it one bit per port (0, 1 down, 2, 3
 * up). granted, refused: input ports whose heads were decided; held: output ports whose links are taken after
 * that. */
typedef struct oracle_cycle {
    const uint8_t *granted, *refused, *held;
} oracle_cycle;

/* Mode cycles: called for each cycle, from 0 to the last in which a source is notified. */
typedef struct oracle_watch {
    void (*cycle)(struct oracle_watch *watch, const oracle_cycle *cycle);
} oracle_watch;

typedef struct oracle_ask {
    oracle_mode mode;
    oracle_retry retry; /* mode cycles */
    uint64_t payload, slot;
    bool keep; /* mode rounds: a refused head keeps its links until the round ends */
    oracle_hold hold;
    uint64_t bound, jitter; /* bound 0: 1024 slots */
    double p;               /* persistent: the probability of a retry in a slot */
    uint64_t forward, back; /* cycles of a router; 0: two, one */
    bool veterans;          /* of rivals, those that have tried most often are served first */
    bool same_way;          /* a retry asks for the links of the attempt before it */
    bool wait;              /* a refused head waits where it is */
    bool discard;           /* a refusal takes effect when the tail has come */
    uint64_t give_up;       /* mode cycles: attempts that a message is allowed; 0: any number */
    const uint16_t *wire;   /* cycles in the wire of a link, by link number; NULL: none */
    oracle_watch *watch;    /* may be NULL */
} oracle_ask;

/* What became of one message. round counts from 1; time: when its tail arrived (in its round, with mode
 * rounds). */
typedef struct oracle_fate {
    bool delivered;
    uint64_t attempts, round, time;
} oracle_fate;

typedef struct oracle_result {
    uint64_t rounds, cycles, attempts, first;
    uint64_t scenario[4]; /* refusals going down; 1: both heads came from above, 2: one came from beside; 0:
                             others. 3: links that one message from beside and two from above asked for, in
                             one round, or without rounds while one of them had it */
} oracle_result;

/* m messages with distinct sources, source[i] != destination[i], all below n. net is `fattree:n=...`, and is
 * asked for nothing but the ids of groups and links. fate: m entries. */
void circuit_oracle(const bough_net *net, const oracle_ask *ask, const uint32_t *source,
                    const uint32_t *destination, uint32_t m, bough_key key, oracle_fate *fate,
                    oracle_result *result);

#endif
