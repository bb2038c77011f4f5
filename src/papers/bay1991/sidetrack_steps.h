/* Bit steps of the routing of bay1991, section 3.3. Each operation of the text is counted by itself,
 * pipelined and bit-serial; operations follow one another. A bit takes one step through a vertex (and its
 * wire), so m bits through k vertices take k + m. All subtrees of a height work at the same time on the same
 * schedule, which must allow for the maximum: a leaf has two edges, so it takes out two messages and puts in
 * two.
 *
 * L = lg N, b body bits, c bits of a counter (all messages fit), q the height of T's root. Compression and
 * expansion end and start at the top node, of height d (q, or q + 1 at the peak) and 2^v vertices. Ranks are
 * below 2^v; a record in a queue has b + L + ceil(lg L) bits. An edge carries 0, 1 or nothing in a step.
 *
 * bitserial/bit_machine.h runs all this bit by bit; tests/engines/bit_machine_test.c compares the counts. */
#ifndef BOUGH_ENGINES_BAY1991_SIDETRACK_STEPS_H
#define BOUGH_ENGINES_BAY1991_SIDETRACK_STEPS_H

#include "papers/bay1991/sidetrack.h"

#include <stdbool.h>

/* id, whether in every PASS or once in a STAGE, steps, description and place in the paper. In sequence: 16
 * follows 5, and 17 is the first of a pass. */
#define SIDETRACK_OPERATION_MAP(X)                                                                           \
    X(LOAD, STAGE, c, "leaves: the counter of this peak into a register (Partition)")                        \
    X(SUM, STAGE, q + c, "leaf to root: messages below each channel, least bit first (Partition; Lemma 2)")  \
    X(CEILING, STAGE, c, "nodes: shift by lg capacity, rounding up (Partition)")                             \
    X(MAXIMUM, STAGE, q + c, "leaf to root: lambda_T, greatest bit first (Partition)")                       \
    X(BROADCAST, STAGE, q + c, "root to leaves: lambda_T broadcast (Partition)")                             \
    X(PREFIX, STAGE, 2 * q + c, "up and down: messages to the left of each leaf (Lemma 2a)")                 \
    X(MODULO, STAGE, 2 * c + 1,                                                                              \
      "leaves: that number modulo lambda_T, c rows of carry-save, then c carries and the sign (3.2)")        \
    X(DELETEMIN, PASS, 2 * record, "leaves: two messages out of the queue (3.2)")                            \
    X(RANK, PASS, 2 * q + v, "up and down: messages of the batch to the left (Routing of the batches)")      \
    X(COMPRESS, PASS, d + v + L + b,                                                                         \
      "leaf to top: rank, whose bits the vertices consume, destination, body")                               \
    X(TRANSFER, PASS, d == q ? 2 + L + b : 0,                                                                \
      "root of T to root of T' by the peak; none if compressed to the peak")                                 \
    X(SORT, PASS, places *(5 * d + 4 * L + 2 * b + 2 * v), "mesh of trees, see below (Lemma 3)")             \
    X(EXPAND, PASS, 2 * d + 1 + L + v + b - alone,                                                           \
      "top to leaf: flag, destination, rank, body; a vertex waits for flag and bit")                         \
    X(PEAK, PASS, L, "leaves: destination against own number (3.2)")                                         \
    X(INSERT, PASS, 2 * record, "leaves: two messages into the queue (3.2)")                                 \
    X(PASSES, STAGE, 2 * L - q + c, "roots of the subtrees to the root to all leaves: the largest lambda_T") \
    X(SELECT, PASS, c, "leaves: which of their messages are in the batch (Partition)")

/* The sort. V = 2^v words on the mesh of trees of the n = 2^q leaves of T' (network/graphs/mesh_of_trees.h):
 * destinations down the rows and down the columns (d + L each), where the leaves compare them as they come,
 * sums up the rows to ranks (d + v), words with their ranks down the rows (d + v + L + b), and up the columns
 * of that rank (d + L + b). The embedding has dilation 2 in edges, which the depth d of the tree includes. If
 * V^2 > n every leaf simulates V^2 / n places of the mesh, one after another. V is sqrt(n) to 2 sqrt(n),
 * where Lemma 3 has it at most sqrt(n).
 *
 * The expansion. A message is sidetracked at a vertex with two parents below the top node. Before, it loses
 * the first bit of its destination at 1 or 2 vertices (`alone`), and the rank decides between messages for
 * one leaf. */

typedef enum sidetrack_operation {
#define X(id, of, steps, text) SIDETRACK_OP_##id,
    SIDETRACK_OPERATION_MAP(X)
#undef X
        SIDETRACK_OPERATIONS
} sidetrack_operation;

/* Whether an operation is in every pass; else it is once in a stage. */
bool sidetrack_in_passes(sidetrack_operation operation);

typedef struct sidetrack_machine {
    unsigned lg_leaves, body, counter;
    sidetrack_top top;
} sidetrack_machine;

/* Bits for the paper's O(lg N): bodies and counters have at most this many times lg N. */
#define SIDETRACK_FIELD_MAX 8

/* Steps of each operation in the stage of a peak. */
void sidetrack_steps(const sidetrack_machine *machine, unsigned peak, uint64_t steps[SIDETRACK_OPERATIONS]);
/* Steps of a stage before its passes, and of one of its passes. Divided by lg N these are at most
 * SIDETRACK_PARTITION_MAX and SIDETRACK_PASS_MAX for all N, if fields have at most SIDETRACK_FIELD_MAX lg N
 * bits, as Lemmas 4 and 5 state. */
uint64_t sidetrack_partition_steps(const uint64_t steps[SIDETRACK_OPERATIONS]);
uint64_t sidetrack_pass_steps(const uint64_t steps[SIDETRACK_OPERATIONS]);
#define SIDETRACK_PARTITION_MAX 80
#define SIDETRACK_PASS_MAX      200

#endif
