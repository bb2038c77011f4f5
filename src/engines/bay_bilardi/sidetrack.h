/* The on-line routing of bay1991, section 3.3, on the pruned butterfly of N = 4^k leaves: the engine.
 *
 * Heights count from the leaves (0) to the root node (lg N); stage i of the paper moves the messages whose
 * peak has height lg N - i. In a stage a subtree T below a peak sends all such messages to its sibling T', in
 * lambda_T batches; pass b of a stage is batch b of every subtree that has one, siblings at the same time.
 *
 * A batch is taken from the leaves by ranks from left to right, compressed (rank h to vertex h of the node on
 * top), sorted by destination, and expanded: message r of the sorted batch starts at vertex r, and wherever
 * it goes, at a height with 2^v vertices a node it stands at vertex r mod 2^v. Of two active messages that
 * want one edge the smaller r, which has the smaller destination, takes it; the other is sidetracked down the
 * other edge.
 *
 * What the text leaves open: the node on top is the peak (SIDETRACK_PEAK) or the root of T, with lambda_T
 * also at least messages over its vertices (SIDETRACK_ROOT); messages of one peak leave a leaf as they came,
 * of two that come to a leaf in one pass the one from the lower vertex first; of two sidetracked messages at
 * a vertex the one from the lower vertex goes left; direction bits are used and turned only by a sidetracked
 * message that comes alone. */
#ifndef BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_H
#define BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_H

#include "bough/traffic.h"

#include <stdatomic.h>

#define SIDETRACK_HEIGHTS 31 /* 0 .. 30: traffic has less than 2^32 endpoints */

typedef enum sidetrack_top { SIDETRACK_PEAK, SIDETRACK_ROOT } sidetrack_top;

/* A message that comes to a vertex of an expansion: rank mod 2^v of node. */
typedef struct sidetrack_head {
    uint32_t node;
    uint32_t rank; /* r */
    uint32_t message;
    uint32_t target : 31;
    uint32_t sidetracked : 1;
} sidetrack_head;

/* T in its stage. Message slot[b + h lambda] is the one of rank h in batch b. */
typedef struct sidetrack_subtree {
    unsigned peak;   /* height; T's root is one below */
    uint32_t index;  /* T is this subtree of its height, its sibling is index ^ 1 */
    uint32_t lambda; /* batches */
    uint32_t count;  /* messages, more than none */
    const uint32_t *slot;
} sidetrack_subtree;

/* Somebody who looks on. Each function may be NULL; one that fails ends the run. */
typedef struct sidetrack_watch {
    void *context;
    /* Before its first pass: leaf[m] is where message m is. */
    bough_status (*subtree)(void *context, const sidetrack_subtree *t, const uint32_t *leaf,
                            bough_error *error);
    /* The messages of a batch at the vertices of a height: from the top node, where the expansion starts,
     * down to the leaves. By node; within a node as the ranks' bits read from the lowest on; so those of a
     * vertex stand together, from the lower parent first. */
    bough_status (*descent)(void *context, const sidetrack_subtree *t, uint32_t batch, unsigned height,
                            const sidetrack_head *head, uint32_t count, bough_error *error);
    bough_status (*pass)(void *context, unsigned peak, uint32_t pass, const uint32_t *leaf,
                         bough_error *error);
    bough_status (*stage)(void *context, unsigned peak, bough_error *error); /* after the last pass */
} sidetrack_watch;

typedef struct sidetrack_options {
    sidetrack_top top;
    const sidetrack_watch *watch; /* NULL: nobody */
    const atomic_bool *stop;      /* set from outside: INTERRUPTED; may be NULL */
} sidetrack_options;

typedef struct sidetrack_result {
    uint64_t passes, sidetracked;             /* times that a message was */
    uint32_t stage_passes[SIDETRACK_HEIGHTS]; /* by the height of the peak: the largest lambda_T */
    uint32_t lambda_max;                      /* of all of them */
    uint32_t queue_max; /* sidetracked messages that one leaf stores between passes, at most */
} sidetrack_result;

/* Memory of a run, used again by the next ones. sidetrack_bytes foretells it. */
typedef struct sidetrack_engine sidetrack_engine;
uint64_t sidetrack_bytes(unsigned lg_leaves, uint64_t messages);
bough_status sidetrack_create(unsigned lg_leaves, sidetrack_engine **engine, bough_error *error);
void sidetrack_destroy(sidetrack_engine *engine); /* NULL is fine */

/* Routes a batch (addresses are leaves; a message to its own leaf is delivered at time 0). Cost: O(moves lg N
 * + N lg N), a message moving once and once more for each time it is sidetracked. */
bough_status sidetrack_run(sidetrack_engine *engine, const bough_batch *batch,
                           const sidetrack_options *options, sidetrack_result *result, bough_error *error);

#endif
