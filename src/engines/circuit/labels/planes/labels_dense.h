/* Bit planes for classes with so many messages that one bit per position is cheaper than one label per
 * message. Whole levels are processed at a time, as in labels_bitplanes.h. labels_rounds.c defines classes
 * and how they block each other's links. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_DENSE_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_DENSE_H

#include "engines/circuit/labels/labels_up.h"
#include "traffic/traffic.h"

typedef struct labels_planes labels_planes;

/* lowest: the lowest class that may be kept in planes. places and climb must outlive the planes. */
uint64_t labels_planes_bytes(const labels_places *places, unsigned lowest);
bough_status labels_planes_make(const labels_places *places, const labels_climb *climb, unsigned lowest,
                                labels_planes **out, bough_error *error);
void labels_planes_free(labels_planes *planes); /* NULL is allowed */
/* Of each further thread. */
uint64_t labels_planes_bytes_each(const labels_places *places);

/* Starts a trial with a team. */
bough_status labels_planes_start(labels_planes *planes, thread_team *team, bough_error *error);
/* Takes the messages of these classes (a bit set) from a batch with ascending sources. */
void labels_planes_load(labels_planes *planes, const bough_batch *batch, uint32_t classes);
/* Number of requested links on the way down in this trial, if counted. */
uint64_t labels_planes_claims(const labels_planes *planes);

/* Removes a class from the planes: sources to s, targets to w, in the order of low tiles. end[tile]: where
 * those of the tile end. */
void labels_planes_take(labels_planes *planes, unsigned L, uint32_t *s, label *w, uint32_t *end);

/* One round. Classes are run in ascending order; the coins of the climb below the highest class are drawn. */
typedef struct labels_round {
    bough_key key;
    uint64_t occasion;    /* of cycle 0 of the round; the others follow */
    uint64_t order_first; /* id of the down group of link 0, level 0 */
    uint64_t hold;     /* cycles from the arrival of a head to its acknowledgement's start; LABELS_TO_END */
    unsigned highest;  /* highest class with messages */
    unsigned reached;  /* lowest level with requests of the current class */
    uint64_t *shut;    /* [place of a link]: blocked for the current class */
    bool count_claims; /* count requested links on the way down */
} labels_round;

/* The links of delivered messages stay blocked until the round ends. */
#define LABELS_TO_END (UINT64_C(1) << 32)

/* Whether the link of level l of a delivered message is blocked for the class that is `later` higher. */
static inline bool labels_blocks(const labels_round *round, unsigned l, unsigned later) {
    return 4 * (uint64_t)later < 3 * (uint64_t)(l + 1) + round->hold;
}

/* Runs class L; returns the number of arrivals and lowers round->reached. */
uint64_t labels_planes_run(labels_planes *planes, labels_round *round, unsigned L);
/* Called before a class that is not in planes: frees the links that classes in planes have released by
 * then. */
void labels_planes_release(labels_planes *planes, labels_round *round, unsigned L);
/* Removes the messages that arrived. */
void labels_planes_end(labels_planes *planes);

#endif
