/* One level of one neighbourhood (labels_positions.h) for all its positions at once: a bit per position,
 * in planes of so many words. Words are a power of two from 8 on; planes that follow each other are moved
 * together. `bit` is the bit of a position in the neighbourhood in which the level differs: the partner of
 * position x is x xor 2^bit.
 *
 * What moves through a level is told by a plane `cross`: position x behind the level has what its partner had
 * before it where cross has a bit, and what x had where not. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BITPLANES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BITPLANES_H

#include "bough/random.h"
#include "engines/circuit/labels/labels_positions.h"

/* Moves planes through a level. */
void hood_move(uint64_t *plane, uint64_t planes, uint64_t words, unsigned bit, const uint64_t *cross);

/* Planes with every position and its partner exchanged. */
void hood_flip(const uint64_t *from, uint64_t *to, uint64_t planes, uint64_t words, unsigned bit);

/* Moves a plane back through a level, but only those that did get through: behind must be among the held. */
void hood_back(const uint64_t *behind, uint64_t *before, uint64_t words, unsigned bit, const uint64_t *cross);

/* Those at the positions in held ask for the two links of their router: t says which, shut what is not to be
 * had. held becomes who has a link; rivals those links that two ask for, and cross is 0 there. */
void hood_ask(uint64_t *held, const uint64_t *t, const uint64_t *shut, uint64_t words, unsigned bit,
              uint64_t *cross, uint64_t *rivals);

/* The coins of a level's down-groups in a neighbourhood: the 64 u-th router words' (or, below bit 6, pair of
 * words') coins are those of entities 128 (block + u step) on. */
typedef struct hood_coins {
    bough_key key;
    uint64_t occasion, block, step;
} hood_coins;

#define HOOD_WORDS_MAX (1u << (LABELS_HOOD_BITS - 6))

/* Settles for the rivals who crosses. */
void hood_toss(const hood_coins *coins, const uint64_t *rivals, uint64_t words, unsigned bit,
               uint64_t *cross);
/* The same where all coins fit a word: coin j is that of down-group j. */
void hood_toss_word(uint64_t coins, const uint64_t *rivals, unsigned bit, uint64_t *cross);

/* shut without what is due; or with what is held. */
void hood_clear(uint64_t *shut, const uint64_t *due, uint64_t words);
void hood_add(uint64_t *shut, const uint64_t *held, uint64_t words);
/* due = or |= what is in more but not in less. */
void hood_less(uint64_t *due, const uint64_t *more, const uint64_t *less, uint64_t words, bool first);

/* Keeps in set those whose bit in t is the same as that bit of their position, or the other one. A bit beyond
 * the neighbourhood counts as 0. */
void hood_match(uint64_t *set, const uint64_t *t, uint64_t words, unsigned bit, bool same);

uint64_t hood_count(const uint64_t *plane, uint64_t words);

/* 64 numbers into a word for each of their 32 bits. */
void hood_transpose(const uint32_t number[64], uint64_t bits[32]);

#endif
