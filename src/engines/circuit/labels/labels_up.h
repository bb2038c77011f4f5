/* The way up in the binary fat-tree: which choices p a message makes on the coins of one round.
 *
 * A message climbs along positions: it starts at its source, and the router of level l that joins the
 * positions which differ in bit l alone swaps them if its coin shows 1. p is what the low bits of the
 * position have become. Coins that many will ask for are drawn beforehand, others one by one. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_UP_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_UP_H

#include "bough/random.h"
#include "bough/status.h"
#include "engines/circuit/labels/labels_positions.h"

typedef struct labels_climb {
    const labels_places *places;
    unsigned drawn; /* levels below it are in coins, the others are drawn one by one */
    bough_key key;
    uint64_t round;
    uint64_t *coins; /* [place of a position]: whether it is swapped; levels 0 .. h-2 */
} labels_climb;

uint64_t labels_climb_bytes(const labels_places *places);
/* places outlives it. */
bough_status labels_climb_make(labels_climb *climb, const labels_places *places, bough_error *error);
void labels_climb_fini(labels_climb *climb);

/* Prepares a round: coins of the levels below drawn. 0.03 ns per level and endpoint. */
void labels_climb_start(labels_climb *climb, bough_key key, uint64_t round, unsigned drawn);

/* A message on its way down: t in the low half, t xor p above it, so that link_of takes three instructions.
 */
typedef uint64_t walker;

static inline uint32_t walker_target(walker w) {
    return (uint32_t)w;
}
static inline uint32_t walker_choices(walker w) {
    return (uint32_t)w ^ (uint32_t)(w >> 32);
}

/* The link of level l that it asks for: t with its low l bits replaced by those of p. */
static inline uint32_t walker_link(unsigned l, walker w) {
    return (uint32_t)w ^ ((uint32_t)(w >> 32) & ((UINT32_C(1) << l) - 1));
}

/* Sets the upper half of w[i], the walker of the message from s[i], by its choices as far as the apex L. */
void labels_climb_all(const labels_climb *climb, const uint32_t *s, uint64_t count, unsigned L, walker *w);

#endif
