/* The way up in the binary fat-tree: the choices p that a message makes with the coins of one round.
 *
 * A message climbs along positions. It starts at its source. The router of level l joins two positions that
 * differ in bit l alone, and swaps them if its coin is 1. p is the resulting low bits of the position. Coins
 * of levels that many messages pass are drawn in advance, others one by one. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_UP_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_UP_H

#include "base/random/random.h"
#include "base/thread_team.h"
#include "bough/status.h"
#include "engines/circuit/labels/labels_positions.h"

typedef struct labels_climb {
    const labels_places *places;
    unsigned drawn; /* coins of levels below are in `coins`, the others are drawn one by one */
    bough_key key;
    uint64_t occasion;
    uint64_t *coins; /* [place of a position]: 1 if swapped; levels 0 .. h-2 */
} labels_climb;

uint64_t labels_climb_bytes(const labels_places *places);
/* places must outlive climb. */
bough_status labels_climb_make(labels_climb *climb, const labels_places *places, bough_error *error);
void labels_climb_fini(labels_climb *climb);

/* Prepares a round whose cycle 0 has this occasion: draws the coins of the levels below `drawn`. 0.03 ns per
 * level and endpoint. */
void labels_climb_start(labels_climb *climb, thread_team *team, bough_key key, uint64_t occasion,
                        unsigned drawn);

/* A message on its way down: t in the low half, t xor p in the high half, so that label_link takes three
 * instructions. */
typedef uint64_t label;

static inline uint32_t label_target(label w) {
    return (uint32_t)w;
}
static inline uint32_t label_choices(label w) {
    return (uint32_t)w ^ (uint32_t)(w >> 32);
}

/* The link of level l that it requests: t with its low l bits replaced by those of p. */
static inline uint32_t label_link(unsigned l, label w) {
    return (uint32_t)w ^ ((uint32_t)(w >> 32) & ((UINT32_C(1) << l) - 1));
}

/* Sets the high half of w[i], the label of the message from s[i], to its choices up to the apex L. */
void labels_climb_all(const labels_climb *climb, const uint32_t *s, uint64_t count, unsigned L, label *w);

#endif
