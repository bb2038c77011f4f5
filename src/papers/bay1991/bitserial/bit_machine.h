/* The routing of bay1991, section 3.3, on a machine that can be built: each vertex of the pruned butterfly is
 * a finite machine, and in a step an edge carries 0, 1 or nothing in each direction. What a vertex reads in a
 * step was written in the step before. It counts the bit steps for which sidetrack_steps.h has formulas.
 *
 * A clock tells all vertices the stage, the operation and the step in it; everything else that a vertex uses
 * is in its registers or comes by its edges. A vertex has a constant number of bits; vertex 0 of a node,
 * which is its node of the counting tree, has registers for numbers of messages (Lemma 2); vertices on top of
 * a subtree have one for each of its words (Lemma 3); a leaf has registers of O(lg N) bits, and its queue
 * (bit_queue.h).
 *
 * An operation ends when no vertex works any more. Bits that nobody reads, two bits on one edge, and an
 * operation that takes longer than its formula end the run with FAILED. */
#ifndef BOUGH_ENGINES_BAY1991_BIT_MACHINE_H
#define BOUGH_ENGINES_BAY1991_BIT_MACHINE_H

#include "papers/bay1991/bitserial/bit_queue.h"
#include "papers/bay1991/sidetrack_steps.h"

#include <stdbool.h>

/* The edges in one direction. Edge e of the channel above node j of height h leads to vertex e of the parent
 * and to vertex e mod 2^v(h) of the node; its place is base[h] + j 2^lg_capacity(h) + e. */
typedef struct bit_edges {
    uint8_t *now, *then;
} bit_edges;

/* Vertex 0 of a node. */
typedef struct bit_node {
    uint64_t sum;             /* messages below the channel; then batches that it needs */
    uint64_t most;            /* lambda_T, at the root of T */
    uint64_t left;            /* prefix: sum of the left child, until the prefix of this node comes */
    uint8_t carry;            /* of the sum upwards; ceiling: of the rounding */
    uint8_t carry2;           /* of the sum downwards */
    uint8_t alive;            /* maximum: which of own value, left and right child may be it (bits 0, 1, 2) */
    uint8_t put, taken, down; /* bits put into and taken out of `left`; bits of `most` that came down */
} bit_node;

/* A message that a leaf takes out of its queue, or receives from one of its parents. */
typedef struct bit_parcel {
    uint64_t word;   /* out: record; in: what came after the flag, the last bit in bit 0 */
    uint64_t rank;   /* out */
    uint64_t record; /* in: destination */
    uint8_t bits;    /* in: of word */
    uint8_t peak;    /* in: height; 0: delivered */
    bool present;
} bit_parcel;

typedef struct bit_leaf {
    uint64_t y;            /* messages of this stage */
    uint64_t x;            /* messages to the left of the leaf */
    uint64_t lambda;       /* lambda_T */
    uint64_t passes;       /* of this stage: the largest lambda_T */
    uint64_t wait;         /* number of the leaf's message, from 0, that the current batch takes; modulo */
    uint64_t turn;         /* batches of T so far */
    uint64_t divisor;      /* lambda_T with its first 1 in the highest place */
    uint64_t sum, carries; /* the remainder, carry-save */
    uint64_t plus;         /* remainder + divisor */
    uint8_t got, zeros;    /* bits of lambda_T that came, and zeros before the first 1 */
    uint8_t carry[3];      /* of serial additions */
    uint8_t is[4];         /* results of serial comparisons */
    uint8_t due;           /* messages for this batch: 0, 1, 2 */
    bit_parcel out[2], in[2];
    /* sort: a place of the mesh of trees */
    uint64_t row, rank; /* destination of the row's word; then the word, and its rank */
    uint8_t row_bits, column_bits, decided, less, takes;
} bit_leaf;

/* A word of a batch on top of the subtree in which it is sorted. */
typedef struct bit_top {
    uint64_t word, sorted; /* destination, body */
    uint64_t rank;
    uint8_t bits, sorted_bits, rank_bits, carry;
} bit_top;

/* A vertex as a switch. Input i is the edge from the left (right) child upwards, from the parent of lower
 * (higher) index downwards. */
typedef struct bit_switch {
    uint8_t got[2];    /* bits read */
    uint8_t choice[2]; /* output */
    uint8_t delay[2];  /* a bit held for a step, or BIT_SILENT */
    uint8_t active[2];
    uint8_t undecided; /* two messages for one output, alike so far */
    uint8_t carry;     /* sort: of the sum in a row */
    uint8_t direction; /* 0: the next sidetracked message that comes alone goes left */
} bit_switch;

typedef struct bit_machine {
    sidetrack_machine shape;
    unsigned lg, level_bits, record_bits, word_bits; /* word: destination and body */
    uint32_t leaves;
    uint64_t edges, base[SIDETRACK_HEIGHTS]; /* of edges by the height below */
    uint64_t switches;
    uint64_t nodes[SIDETRACK_HEIGHTS], vertices[SIDETRACK_HEIGHTS]; /* first of a height */
    bit_edges up, down;
    bit_node *node;
    bit_leaf *leaf;
    bit_switch *vertex;
    bit_top *top;      /* per subtree of the stage, V words each */
    uint64_t *counter; /* per leaf and level: messages in the queue */
    bit_queues queues;
    uint32_t *at; /* of each message: its leaf. For who compares; no vertex reads it */
    uint64_t messages;
    /* the clock */
    unsigned peak; /* height of the stage; the subtrees T have height q = peak - 1 */
    uint64_t pass, passes, step;
    unsigned width;                         /* bits of the numbers of this operation */
    unsigned row_turn, column_turn;         /* the place that the leaves simulate */
    uint64_t steps[SIDETRACK_OPERATIONS];   /* of the formulas, in this stage */
    uint64_t longest[SIDETRACK_OPERATIONS]; /* counted, in this stage */
    uint64_t counted[SIDETRACK_OPERATIONS]; /* over all stages: longest x times done */
    bool clash;                             /* two bits on one edge */
} bit_machine;

/* Memory of a machine for batches of up to `messages`. */
uint64_t bit_machine_bytes(unsigned lg_leaves, uint64_t messages);
bough_status bit_machine_create(unsigned lg_leaves, uint64_t messages, bit_machine **machine,
                                bough_error *error);
void bit_machine_destroy(bit_machine *machine); /* NULL is allowed */

/* The largest body for this many leaves and counters: registers have 64 bits. */
unsigned bit_machine_body_max(const sidetrack_machine *shape);
/* The smallest body that can number the messages. */
unsigned bit_machine_body_min(uint64_t messages);

/* Puts the messages into the queues; the body of a message is its number. */
void bit_machine_begin(bit_machine *m, const sidetrack_machine *shape, const bough_batch *batch);
/* Runs up to the end of the next pass, stages without messages included. m->peak and m->pass - 1 say which
 * pass it was; *more is false if there was none. */
bough_status bit_machine_pass(bit_machine *m, bool *more, bough_error *error);

/* ---- for the operations ---- */

/* A vertex; of its node's vertices, number k. */
typedef struct bit_place {
    unsigned height;
    uint32_t node, k;
} bit_place;

static inline unsigned bit_lg_top(const bit_machine *m) { /* d */
    return m->shape.top == SIDETRACK_PEAK ? m->peak : m->peak - 1;
}

static inline uint64_t bit_node_of(const bit_machine *m, unsigned height, uint32_t node) {
    return m->nodes[height] + node;
}

uint64_t bit_edge(const bit_machine *m, unsigned height, uint32_t node, uint32_t e);
uint64_t bit_vertex(const bit_machine *m, bit_place at);
/* Word k on top of the subtree of height q of this index. */
bit_top *bit_top_of(const bit_machine *m, uint32_t subtree, uint32_t k);
void bit_send(bit_machine *m, bit_edges *edges, uint64_t edge, unsigned bit);

/* What a vertex does in a step; returns whether it works. */
typedef bool bit_work(bit_machine *m, bit_place at);

/* Runs vertices of heights 0 .. highest (or vertex 0 of each node only) until none works; adds the steps to
 * *steps. */
typedef struct bit_run {
    bit_work *work;
    unsigned highest;
    bool nodes; /* vertex 0 of each node */
} bit_run;
void bit_run_steps(bit_machine *m, bit_run run, uint64_t *steps);

/* The operations; each returns its steps. */
uint64_t bit_load(bit_machine *m);
uint64_t bit_sum(bit_machine *m);
uint64_t bit_ceiling(bit_machine *m);
uint64_t bit_maximum(bit_machine *m);
uint64_t bit_broadcast(bit_machine *m);
uint64_t bit_prefix(bit_machine *m);
uint64_t bit_modulo(bit_machine *m);
uint64_t bit_passes(bit_machine *m);
uint64_t bit_select(bit_machine *m);
uint64_t bit_deletemin(bit_machine *m);
uint64_t bit_rank(bit_machine *m);
uint64_t bit_compress(bit_machine *m);
uint64_t bit_transfer(bit_machine *m);
uint64_t bit_sort(bit_machine *m);
uint64_t bit_expand(bit_machine *m);
uint64_t bit_peak(bit_machine *m);
uint64_t bit_insert(bit_machine *m);

#endif
