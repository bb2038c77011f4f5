/* clang-format off */
/* Deterministic on-line routing on the sorting fat-tree: bay1991, section 4.3. Its eight steps are run one
 * after the other on every message:
 *
 *   1  messages within a mesh are delivered there
 *   2  the others are numbered per peak level, in order of their sources; batch = number mod lg N
 *   3  each mesh arranges its messages row by row, in order of batches
 *   4  the batches climb, one behind the other, to their peaks, and are stored there
 *   5  each peak sorts its messages by destination
 *   6  and numbers them; batch = number mod lg N
 *   7  the batches descend to their meshes
 *   8  each mesh delivers
 *
 * Lockstep. Steps 4 and 7 proceed in stages. In a stage a node sorts what it received in the previous stage
 * (in step 7 together with its own messages of that batch) and sends it on. Even levels work in even stages,
 * odd levels in odd ones, so that a batch enters every second stage and moves one level per stage
 * ("alternate"). Under "every" all levels work in every stage, with sorters that load a batch while they
 * unload another. A stage ends when its slowest node has finished. Messages cross a channel in waves of one
 * message per wire. The waves of a stage are those of its most loaded channel, its sorter passes those of its
 * longest sort. */
/* clang-format on */
#ifndef BOUGH_ENGINES_BAY1991_SORTROUTE_H
#define BOUGH_ENGINES_BAY1991_SORTROUTE_H

#include "method/method_run.h"
#include "network/families/sorting_shape.h"

/* Bodies have O(lg N) bits: at most this many times lg N. */
#define SORTROUTE_BODY_MAX 4

/* ---- positions of messages, for observers ---- */

typedef enum sortroute_part {
    SORTROUTE_TERMINAL,  /* in a terminal, not delivered; slot: register */
    SORTROUTE_DELIVERED, /* in its terminal; slot 0 */
    /* in a tree node: */
    SORTROUTE_RECEIVED, /* received from a channel. slot = wave x wires of all receiving channels + line; step
                           4: lines of the left child first; step 7: slot = place among all arrivals */
    SORTROUTE_SORTED,   /* slot: place in sorted order */
    SORTROUTE_STORED    /* at its peak. Step 4: slot counts arrivals, those of one batch in sorted order; from
                           step 5 on: place by destination; from step 6 on: place by (batch, destination) */
} sortroute_part;

typedef struct sortroute_place {
    uint64_t node; /* of the network */
    sortroute_part part;
    uint64_t slot;
} sortroute_place;

typedef struct sortroute_moment {
    unsigned step;  /* 0: at the start; 1 .. 8 */
    uint64_t stage; /* steps 4 and 7 */
    uint64_t wave;  /* of the stage; 0: the nodes have sorted, no wave was sent */
} sortroute_moment;

/* Receives every move, in order of time; all positions of one moment are consistent. number: of the message,
 * in the traffic's order. */
typedef struct sortroute_observer {
    void *context;
    void (*moved)(void *context, uint64_t number, sortroute_place place);
    void (*moment)(void *context, sortroute_moment moment);
} sortroute_observer;

typedef struct sortroute_options {
    uint64_t degree;                    /* largest degree that is accepted */
    uint64_t body;                      /* bits of a body per unit of a message's size */
    uint64_t gap;                       /* stages between batches: 2 alternate, 1 every */
    bool verify;                        /* assert Lemma 10, storage and delivery */
    bool bits;                          /* engine=bits: run the sorting circuits bit by bit */
    const sortroute_observer *observer; /* NULL: none; otherwise a wave costs the size of the meshes */
} sortroute_options;

/* ---- results ---- */

enum { SORTROUTE_STEPS = 8 };

typedef struct sortroute_result {
    uint64_t messages, crossing; /* all; those that leave their mesh */
    uint64_t degree, word_bits;
    double load_factor;
    uint64_t waves[SORTROUTE_STEPS + 1], passes[SORTROUTE_STEPS + 1], bits[SORTROUTE_STEPS + 1]; /* by step */
    uint64_t counted[SORTROUTE_STEPS + 1]; /* bits, with what the sorting circuits counted; engine=bits */
    double circuit_ratio;                  /* largest steps of a sorting circuit over b + lg s */
    uint64_t queue_max;                    /* maximum messages in one sorter at a time */
    double storage;                        /* largest fraction of a sorter's capacity in use */
} sortroute_result;

typedef struct sortroute sortroute;

/* Memory for this many messages, bytes. */
uint64_t sortroute_bytes(const sorting_shape *shape, uint64_t messages, bool verify);

/* Routes the message set of a trial. *workspace is initially NULL and can be reused for all runs of one
 * network and options, of which the observer may change. Errors: INVALID for a degree or a body too large,
 * FAILED with the first violation found by verify, NO_MEMORY, INTERRUPTED. */
bough_status sortroute_run(const method_trial *trial, const sortroute_options *options, sortroute **workspace,
                           sortroute_result *result, bough_error *error);
void sortroute_free(sortroute *workspace);

#endif
