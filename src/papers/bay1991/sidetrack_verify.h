/* clang-format off */
/* The lemmas of bay1991, section 3, checked by an observer while `sidetrack` runs. The first violation ends
 * the run with FAILED, naming the lemma, the stage, and the subtree or node, in the paper's numbering.
 *
 *   Lemma 1      an edge that two active messages request: all edges of its channel carry active messages
 *   Corollary 1  no two messages of a compression share an edge; an expansion of load factor 1 or less has no
 *                conflict
 *   Lemma 4      the batches of a subtree are lambda_T, of ascending load factor at most 1
 *   Lemma 5      after lambda_T batches all messages of M_T are at leaves of the sibling
 *   Lemma 6      lambda_T is at most 2 ceil(lambda)
 *   Lemma 7      a leaf never stores more than (d + 1) lg N + d sidetracked messages; and inequality (1) of its
 *                proof, for every subtree T after every pass: the most at a leaf of T exceeds the mean of T by at
 *                most (d + 1) lg |T|
 *
 * (The times of Lemmas 4 and 5 are in sidetrack_steps.h.) Also checked: a batch has at most as many messages
 * as the top node has vertices, no edge carries two, everything is delivered. */
/* clang-format on */
#ifndef BOUGH_ENGINES_BAY1991_SIDETRACK_VERIFY_H
#define BOUGH_ENGINES_BAY1991_SIDETRACK_VERIFY_H

#include "papers/bay1991/sidetrack.h"

typedef struct sidetrack_verify sidetrack_verify;

/* Properties of a message set that the bounds of the lemmas use. */
typedef struct sidetrack_facts {
    sidetrack_top top;
    uint64_t lambda; /* ceil(lambda(M)) */
    uint64_t degree; /* d(M) */
} sidetrack_facts;

uint64_t sidetrack_verify_bytes(unsigned lg_leaves, uint64_t messages);
/* messages: of the largest batch. */
bough_status sidetrack_verify_create(unsigned lg_leaves, uint64_t messages, sidetrack_verify **verify,
                                     bough_error *error);
void sidetrack_verify_destroy(sidetrack_verify *verify); /* NULL is allowed */

/* Prepares for a run over this batch, which must outlive it. Returns the observer. */
const sidetrack_watch *sidetrack_verify_begin(sidetrack_verify *verify, const bough_batch *batch,
                                              const sidetrack_facts *facts);
/* Checks the end of the run. */
bough_status sidetrack_verify_end(sidetrack_verify *verify, bough_error *error);

/* (d + 1) lg N + d */
uint64_t sidetrack_queue_bound(unsigned lg_leaves, uint64_t degree);

#endif
