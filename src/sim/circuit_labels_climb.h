/* The way up in the binary fat-tree, by look-up: which choices p a message makes on the coins of one round.
 *
 * A message climbs along slots: it starts in slot s, and the router of level l that joins the slots which
 * differ in bit l alone swaps them if its coin shows 1. p is what the low bits of the slot have become. Four
 * levels join 16 slots to a small butterfly of 32 coins, whose effect fits a word: a nibble for each of the
 * 16 slots. So a message needs one look-up for every four levels. */
#ifndef BOUGH_SIM_CIRCUIT_LABELS_CLIMB_H
#define BOUGH_SIM_CIRCUIT_LABELS_CLIMB_H

#include "bough/random.h"
#include "bough/status.h"

#define LABELS_LEVELS_MAX 26 /* n <= 2^26 */

typedef struct labels_climb {
    unsigned h;      /* n = 2^h; routers of levels 0 .. h-2 have a choice */
    unsigned tabled; /* levels below it are in the tables of this round, the others are drawn one by one */
    bough_key key;
    uint64_t round;
    uint64_t *butterfly[(LABELS_LEVELS_MAX + 2) / 4]; /* [levels 4q .. 4q+3][s >> (4q+4), p mod 2^4q] */
    uint32_t *coins[4];                               /* scratch: the coins of four levels */
    uint64_t spread[4][256]; /* [level in the butterfly][its 8 coins]: nibbles of the lower slots that swap */
} labels_climb;

uint64_t labels_climb_bytes(unsigned h);
bough_status labels_climb_make(labels_climb *climb, unsigned h, bough_error *error);
void labels_climb_fini(labels_climb *climb);

/* Prepares a round: tables for the levels below tabled. 0.3 ns per level and endpoint. */
void labels_climb_start(labels_climb *climb, bough_key key, uint64_t round, unsigned tabled);

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
