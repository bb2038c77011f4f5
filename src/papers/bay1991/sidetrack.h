/* The engine of the on-line routing of bay1991, section 3.3, on the pruned butterfly of N = 4^k leaves.
 *
 * Heights count from the leaves (0) to the root node (lg N); stage i of the paper moves the messages whose
 * peak has height lg N - i. In a stage a subtree T below a peak sends all such messages to its sibling T', in
 * lambda_T batches. Pass b of a stage is batch b of every subtree that has one, siblings at the same time.
 *
 * A batch is taken from the leaves by rank from left to right, compressed (rank h to vertex h of the node on
 * top), sorted by destination, and expanded. Message r of the sorted batch starts at vertex r, and at any
 * height with 2^v vertices per node it is at vertex r mod 2^v, whatever its path. Of two active messages that
 * request one edge, the one with the smaller r, and so the smaller destination, takes it; the other is
 * sidetracked down the other edge.
 *
 * Details that the text leaves open: the node on top is the peak (SIDETRACK_PEAK) or the root of T, with
 * lambda_T also at least messages over its vertices (SIDETRACK_ROOT). Messages of one peak leave a leaf in
 * order of arrival; of two that arrive at a leaf in one pass, the one from the lower vertex is first. Of two
 * sidetracked messages at a vertex, the one from the lower vertex goes left. Direction bits are used and
 * flipped only by a sidetracked message that arrives alone. */
#ifndef BOUGH_ENGINES_BAY1991_SIDETRACK_H
#define BOUGH_ENGINES_BAY1991_SIDETRACK_H

#include "traffic/traffic.h"

#include <stdatomic.h>

#define SIDETRACK_HEIGHTS 31 /* 0 .. 30: traffic has fewer than 2^32 endpoints */

typedef enum sidetrack_top { SIDETRACK_PEAK, SIDETRACK_ROOT } sidetrack_top;

/* A message that arrives at a vertex of an expansion: rank mod 2^v of node. */
typedef struct sidetrack_head {
    uint32_t node;
    uint32_t rank; /* r */
    uint32_t message;
    uint32_t target : 31;
    uint32_t sidetracked : 1;
} sidetrack_head;

/* A subtree T in its stage. slot[b + h lambda] is the message of rank h in batch b. */
typedef struct sidetrack_subtree {
    unsigned peak;   /* height; T's root is one below */
    uint32_t index;  /* T is subtree `index` of its height; its sibling is index ^ 1 */
    uint32_t lambda; /* batches */
    uint32_t count;  /* number of messages, > 0 */
    const uint32_t *slot;
} sidetrack_subtree;

/* The messages of one batch of a subtree at the vertices of a height. Sorted by node; within a node by the
 * bit-reversed ranks, so that messages of a vertex are adjacent, the one from the lower parent first. */
typedef struct sidetrack_front {
    const sidetrack_subtree *tree;
    unsigned height;
    const sidetrack_head *head;
    uint32_t count;
} sidetrack_front;

/* An observer. Each function may be NULL; a failing function ends the run. */
typedef struct sidetrack_watch {
    void *context;
    /* Called before the first pass of a subtree: leaf[m] is the position of message m. */
    bough_status (*subtree)(void *context, const sidetrack_subtree *t, const uint32_t *leaf,
                            bough_error *error);
    /* Called at every height of an expansion: from the top node, where it starts, down to the leaves. */
    bough_status (*descent)(void *context, const sidetrack_front *front, bough_error *error);
    bough_status (*pass)(void *context, unsigned peak, uint32_t pass, const uint32_t *leaf,
                         bough_error *error);
    bough_status (*stage)(void *context, unsigned peak, bough_error *error); /* after the last pass */
} sidetrack_watch;

typedef struct sidetrack_options {
    sidetrack_top top;
    const sidetrack_watch *watch; /* NULL: none */
    const atomic_bool *stop;      /* set externally: INTERRUPTED; may be NULL */
} sidetrack_options;

typedef struct sidetrack_result {
    uint64_t passes, sidetracked;             /* times that a message was sidetracked */
    uint32_t stage_passes[SIDETRACK_HEIGHTS]; /* by the height of the peak: the largest lambda_T */
    uint32_t lambda_max;                      /* maximum over all stages */
    uint32_t queue_max; /* maximum number of sidetracked messages that one leaf stores between passes */
} sidetrack_result;

/* Memory of a run, reused by later runs. messages: of the largest batch. sidetrack_bytes estimates its size.
 */
typedef struct sidetrack_engine sidetrack_engine;
uint64_t sidetrack_bytes(unsigned lg_leaves, uint64_t messages);
bough_status sidetrack_create(unsigned lg_leaves, uint64_t messages, sidetrack_engine **engine,
                              bough_error *error);
void sidetrack_destroy(sidetrack_engine *engine); /* NULL is allowed */

/* Routes a batch (addresses are leaves; a message to its own leaf is delivered at time 0). Cost: O(moves lg N
 * + N lg N), where a message moves once, plus once for each time it is sidetracked. */
bough_status sidetrack_run(sidetrack_engine *engine, const bough_batch *batch,
                           const sidetrack_options *options, sidetrack_result *result, bough_error *error);

#endif
