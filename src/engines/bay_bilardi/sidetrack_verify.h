/* The lemmas of bay1991, section 3, checked while `sidetrack` runs: it looks on, and the first that does
 * not hold ends the run with FAILED, naming it, the stage, and the subtree or node, as the paper counts
 * them.
 *
 *   Lemma 1      an edge that two active messages want: all edges of its channel carry active messages
 *   Corollary 1  no two messages of a compression share an edge; an expansion of load factor 1 or less has no
 *                conflict
 *   Lemma 4      the batches of a subtree are lambda_T, of ascending load factor at most 1
 *   Lemma 5      after lambda_T batches all messages of M_T are at leaves of the sibling
 *   Lemma 6      lambda_T is at most 2 ceil(lambda)
 *   Lemma 7      a leaf never stores more than (d + 1) lg N + d sidetracked messages
 *
 * (The times that Lemmas 4 and 5 state are sidetrack_steps.h.) And what goes without saying: a batch has as
 * many messages as the top node has vertices, no edge carries two, everything is delivered. */
#ifndef BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_VERIFY_H
#define BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_VERIFY_H

#include "engines/bay_bilardi/sidetrack.h"

typedef struct sidetrack_verify sidetrack_verify;

/* What a message set is: what the lemmas' bounds are made of. */
typedef struct sidetrack_facts {
    sidetrack_top top;
    uint64_t lambda; /* ceil(lambda(M)) */
    uint64_t degree; /* d(M) */
} sidetrack_facts;

uint64_t sidetrack_verify_bytes(unsigned lg_leaves, uint64_t messages);
bough_status sidetrack_verify_create(unsigned lg_leaves, sidetrack_verify **verify, bough_error *error);
void sidetrack_verify_destroy(sidetrack_verify *verify); /* NULL is fine */

/* Before a run over this batch, which must outlive it: who is to look on. */
bough_status sidetrack_verify_begin(sidetrack_verify *verify, const bough_batch *batch,
                                    const sidetrack_facts *facts, const sidetrack_watch **watch,
                                    bough_error *error);
/* After it. */
bough_status sidetrack_verify_end(sidetrack_verify *verify, bough_error *error);

/* (d + 1) lg N + d */
uint64_t sidetrack_queue_bound(unsigned lg_leaves, uint64_t degree);

#endif
