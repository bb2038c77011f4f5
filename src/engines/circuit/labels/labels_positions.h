/* Storage order of arrays with one bit per link or per position of a message.
 *
 * The positions of level l are the links of level l, up or down. On the way up a position consists of the
 * high bits of the source and the low l bits of the choices; on the way down, of the high bits of the target
 * and the same choices. The routers of level l join positions that differ in bit l alone.
 *
 * So the levels below cut decompose into tiles of positions with the same bits from cut on, and the others
 * into tiles of positions with the same bits 6 .. cut-1; bits below 6 stay within a word. The words of a tile
 * are contiguous, level after level: an operation on several levels of a tile stays in the nearest cache.
 * Small networks are one tile. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_POSITIONS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_POSITIONS_H

#include <stdbool.h>
#include <stdint.h>

#define LABELS_LEVELS_MAX 26 /* n <= 2^26 */
#define LABELS_TILE_BITS  16 /* positions of a level in a tile: at most 2^16 */

/* The level where a message from s to t turns: the highest bit in which they differ. */
static inline unsigned labels_apex(uint32_t s, uint32_t t) {
    return 31 - (unsigned)__builtin_clz(s ^ t);
}

typedef struct labels_places {
    unsigned h, cut;               /* n = 2^h; 9 <= cut <= h - 3, or cut = h: no levels from cut on */
    uint64_t words;                /* of one level */
    uint64_t low_words, low_tiles; /* of one level and tile; tiles */
    uint64_t high_words, high_tiles;
} labels_places;

/* cut 0, or an impossible one: selected here. */
static inline labels_places labels_places_make(unsigned h, unsigned cut) {
    uint64_t n = UINT64_C(1) << h;
    labels_places p = {.h = h, .cut = cut, .words = n < 512 ? 8 : n / 64};
    bool fits = cut >= 9 && cut + 3 <= h && cut <= LABELS_TILE_BITS && h - cut + 6 <= LABELS_TILE_BITS;
    p.cut = fits ? cut : h < 14 ? h : (h + 6) / 2;
    bool whole = p.cut == h;
    p.low_words = whole ? p.words : UINT64_C(1) << (p.cut - 6);
    p.low_tiles = p.words / p.low_words;
    p.high_words = whole ? p.words : p.low_tiles;
    p.high_tiles = whole ? 0 : p.low_words;
    return p;
}

static inline uint64_t labels_tile_words(const labels_places *p, unsigned l) {
    return l < p->cut ? p->low_words : p->high_words;
}

/* The bit of a word's place in its tile, or of a position in its word, in which level l differs. */
static inline unsigned labels_tile_bit(const labels_places *p, unsigned l) {
    return l < p->cut ? l : l - p->cut + 6;
}

/* The first word of a level in a tile, in an array of all levels (h * words). */
static inline uint64_t labels_tile_first(const labels_places *p, unsigned l, uint64_t tile) {
    if (l < p->cut) return (tile * p->cut + l) * p->low_words;
    return p->cut * p->words + (tile * (p->h - p->cut) + l - p->cut) * p->high_words;
}

/* The tile of a position, and the bit within it. */
static inline uint32_t labels_tile_of(const labels_places *p, bool high, uint32_t x) {
    return high ? x >> 6 & (uint32_t)(p->high_tiles - 1) : (uint32_t)((uint64_t)x >> p->cut);
}
static inline uint32_t labels_tile_offset(const labels_places *p, bool high, uint32_t x) {
    return high ? x >> p->cut << 6 | (x & 63) : x & ((UINT32_C(1) << p->cut) - 1);
}

/* The bit of position x of level l in such an array. */
static inline uint64_t labels_place(const labels_places *p, unsigned l, uint32_t x) {
    bool high = l >= p->cut;
    return labels_tile_first(p, l, labels_tile_of(p, high, x)) * 64 + labels_tile_offset(p, high, x);
}

#endif
