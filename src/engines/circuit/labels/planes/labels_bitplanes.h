/* Operations on one level of one tile (labels_positions.h) for all its positions at once. A plane has one bit
 * per position. `words` is the size of a plane, a power of two >= 8; consecutive planes are moved together.
 * `bit` is the bit of a position in the tile in which the level differs: the partner of position x is x xor
 * 2^bit.
 *
 * The plane `cross` describes the movement through a level: behind the level, position x has the value of its
 * partner before it if bit x of cross is set, else its own. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_BITPLANES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_BITPLANES_H

#include "base/random/random.h"
#include "engines/circuit/labels/labels_positions.h"

/* Moves planes through a level. */
void plane_move(uint64_t *plane, uint64_t planes, uint64_t words, unsigned bit, const uint64_t *cross);

/* Copies planes with every position and its partner exchanged. */
void plane_flip(const uint64_t *from, uint64_t *to, uint64_t planes, uint64_t words, unsigned bit);

/* Moves a plane back through a level. `behind` must be a subset of the positions that got a link. */
void plane_back(const uint64_t *behind, uint64_t *before, uint64_t words, unsigned bit,
                const uint64_t *cross);

/* The links of a level. */
typedef struct plane_links {
    const uint64_t *shut; /* the links that are not available */
    uint64_t *cross;
    uint64_t *rivals; /* the links that two messages request, where cross is 0 */
} plane_links;

/* The messages at the positions in `held` request the two links of their router, as selected by t. On return,
 * `held` marks the messages that have a link; sets cross and rivals. */
void plane_request(uint64_t *held, const uint64_t *t, uint64_t words, unsigned bit, const plane_links *links);

/* The coins of the down-groups of a level in a tile. Router word u (below bit 6: pair of words u),
 * 64 coins, uses the entities from 128 (block + u step) on. */
typedef struct plane_coins {
    bough_draw draw;
    uint64_t block, step;
} plane_coins;

#define TILE_WORDS_MAX (1u << (LABELS_TILE_BITS - 6))

/* Sets cross for the rivals by their coins. */
void plane_arbitrate(const plane_coins *coins, const uint64_t *rivals, uint64_t words, unsigned bit,
                     uint64_t *cross);
/* The same if all coins fit one word: coin j is that of down-group j. */
void plane_arbitrate_word(uint64_t coins, const uint64_t *rivals, unsigned bit, uint64_t *cross);

/* shut &= ~due; shut |= held. */
void plane_clear(uint64_t *shut, const uint64_t *due, uint64_t words);
void plane_add(uint64_t *shut, const uint64_t *held, uint64_t words);
/* due = (or |=) more & ~less. */
void plane_less(uint64_t *due, const uint64_t *more, const uint64_t *less, uint64_t words, bool first);

/* Keeps in `set` the positions whose bit in t equals that bit of the position (same), or differs from it. A
 * bit beyond the tile counts as 0. */
void plane_match(uint64_t *set, const uint64_t *t, uint64_t words, unsigned bit, bool same);

uint64_t plane_count(const uint64_t *plane, uint64_t words);
bool plane_any(const uint64_t *plane, uint64_t words);

/* Transposes 64 numbers into one word for each of their 32 bits. */
void plane_transpose(const uint32_t number[64], uint64_t bits[32]);

#endif
