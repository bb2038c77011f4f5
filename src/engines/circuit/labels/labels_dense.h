/* Classes with so many messages that a bit per position is cheaper than a walker per message: whole levels at
 * a time, as in labels_bitplanes.h. labels_rounds.c says what a class is, and how classes block
 * each other's links. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DENSE_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DENSE_H

#include "bough/traffic.h"
#include "engines/circuit/labels/labels_up.h"

typedef struct labels_planes labels_planes;

/* lowest: the lowest class that may be in planes. places and climb outlive the planes. */
uint64_t labels_planes_bytes(const labels_places *places, unsigned lowest);
bough_status labels_planes_make(const labels_places *places, const labels_climb *climb, unsigned lowest,
                                labels_planes **out, bough_error *error);
void labels_planes_free(labels_planes *planes); /* NULL is fine */

/* A trial: takes the messages of these classes (a bit each) from a batch with ascending sources. */
void labels_planes_load(labels_planes *planes, const bough_batch *batch, uint32_t classes);

/* Hands a class over: sources to s, targets to w; returns how many. */
uint64_t labels_planes_take(labels_planes *planes, unsigned L, uint32_t *s, walker *w);

/* One round: classes ascend; the climb's coins below the highest class are drawn. */
typedef struct labels_round {
    bough_key key;
    uint64_t number, order_first; /* id of the down group of link 0, level 0 */
    unsigned highest;             /* class that has messages */
    uint64_t *shut;               /* [place of a link]: blocked for the class at hand */
    uint64_t *claims;             /* counts links asked for on the way down; NULL: does not */
} labels_round;

/* Runs class L; returns how many arrived. */
uint64_t labels_planes_run(labels_planes *planes, const labels_round *round, unsigned L);
/* Before a class that is not in planes: frees what classes in planes have let go of by now. */
void labels_planes_release(labels_planes *planes, const labels_round *round, unsigned L);
/* Strikes those that arrived. */
void labels_planes_end(labels_planes *planes);

#endif
