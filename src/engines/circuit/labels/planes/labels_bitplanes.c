/* Plain loops over blocks of 8 words, which the compiler vectorises. A partner is in another block (bits from
 * 9 on), in another word of the block (bits 6 to 8), or at another bit of the word. */
#include "engines/circuit/labels/planes/labels_bitplanes.h"

#include <string.h>

/* The widest vectors of the processor are selected at program start. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) &&                 \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 8 };

/* Positions in a word whose bit k is 1. */
static const uint64_t upper[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                  0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

/* The words of a block that hold the upper ones of two partners, or the bits of each word. */
INLINE uint64_t upper_of(unsigned k, unsigned bit) {
    return bit < 6 ? upper[bit] : -(uint64_t)(k >> (bit - 6) & 1);
}

INLINE void partners(const uint64_t *x, uint64_t *y, unsigned bit) {
    if (bit < 6) {
        uint64_t high = upper[bit];
        for (unsigned k = 0; k < BLOCK; k++)
            y[k] = (x[k] & high) >> (1u << bit) | (x[k] << (1u << bit) & high);
    } else {
        for (unsigned k = 0; k < BLOCK; k++) y[k] = x[k ^ 1u << (bit - 6)];
    }
}

/* The lower block of pair i; the other is `apart` words further. */
INLINE uint64_t pair(uint64_t i, uint64_t apart) {
    return 2 * (i & ~(apart - 1)) | (i & (apart - 1));
}

/* Calls NAME_near(..., bit) with the bits 6 to 8 as constants, so that words are exchanged within
 * registers. */
#define NEAR(bit, name, ...)                                                                                 \
    switch (bit) {                                                                                           \
    case 6:                                                                                                  \
        name(__VA_ARGS__, 6);                                                                                \
        break;                                                                                               \
    case 7:                                                                                                  \
        name(__VA_ARGS__, 7);                                                                                \
        break;                                                                                               \
    case 8:                                                                                                  \
        name(__VA_ARGS__, 8);                                                                                \
        break;                                                                                               \
    default:                                                                                                 \
        name(__VA_ARGS__, (bit)&7);                                                                          \
        break;                                                                                               \
    }

/* ---- movement ---- */

/* Two sequences of words that are partners of each other. */
INLINE void move_far(uint64_t *restrict a, uint64_t *restrict b, const uint64_t *restrict ca,
                     const uint64_t *restrict cb, uint64_t words) {
    for (uint64_t k = 0; k < words; k++) {
        uint64_t differ = a[k] ^ b[k];
        a[k] ^= differ & ca[k];
        b[k] ^= differ & cb[k];
    }
}

INLINE void move_near(uint64_t *restrict plane, uint64_t words, const uint64_t *restrict cross,
                      const unsigned bit) {
    for (uint64_t i = 0; i < words; i += BLOCK) {
        uint64_t x[BLOCK], y[BLOCK];
        for (unsigned k = 0; k < BLOCK; k++) x[k] = plane[i + k];
        partners(x, y, bit);
        for (unsigned k = 0; k < BLOCK; k++) plane[i + k] = x[k] ^ ((x[k] ^ y[k]) & cross[i + k]);
    }
}

INLINE void move_planes(uint64_t *plane, uint64_t planes, uint64_t words, const uint64_t *cross,
                        const unsigned bit) {
    for (uint64_t j = 0; j < planes; j++) move_near(plane + j * words, words, cross, bit);
}

WIDE void plane_move(uint64_t *plane, uint64_t planes, uint64_t words, unsigned bit, const uint64_t *cross) {
    if (bit < 9) {
        NEAR(bit, move_planes, plane, planes, words, cross)
        return;
    }
    uint64_t apart = UINT64_C(1) << (bit - 6);
    for (uint64_t i = 0; i < planes * words; i += 2 * apart) {
        const uint64_t *c = cross + (i & (words - 1));
        move_far(plane + i, plane + i + apart, c, c + apart, apart & ~UINT64_C(7));
    }
}

INLINE void flip_near(const uint64_t *from, uint64_t *to, uint64_t words, const unsigned bit) {
    for (uint64_t i = 0; i < words; i += BLOCK) {
        uint64_t x[BLOCK], y[BLOCK];
        memcpy(x, from + i, sizeof x);
        partners(x, y, bit);
        memcpy(to + i, y, sizeof y);
    }
}

WIDE void plane_flip(const uint64_t *from, uint64_t *to, uint64_t planes, uint64_t words, unsigned bit) {
    if (bit >= 9) {
        uint64_t apart = UINT64_C(1) << (bit - 6);
        for (uint64_t i = 0; i < planes * words; i += apart) memcpy(to + (i ^ apart), from + i, apart * 8);
    } else {
        NEAR(bit, flip_near, from, to, planes * words)
    }
}

INLINE void back_near(const uint64_t *behind, uint64_t *before, uint64_t words,
                      const uint64_t *restrict cross, const unsigned bit) {
    for (uint64_t i = 0; i < words; i += BLOCK) {
        uint64_t x[BLOCK], y[BLOCK], stay[BLOCK];
        for (unsigned k = 0; k < BLOCK; k++) {
            x[k] = behind[i + k] & cross[i + k];
            stay[k] = behind[i + k] & ~cross[i + k];
        }
        partners(x, y, bit);
        for (unsigned k = 0; k < BLOCK; k++) before[i + k] = stay[k] | y[k];
    }
}

WIDE void plane_back(const uint64_t *behind, uint64_t *before, uint64_t words, unsigned bit,
                     const uint64_t *cross) {
    if (bit < 9) {
        NEAR(bit, back_near, behind, before, words, cross)
        return;
    }
    uint64_t apart = UINT64_C(1) << (bit - 6);
    for (uint64_t i = 0; i < words / 2; i += BLOCK) {
        uint64_t at = pair(i, apart), x[BLOCK], y[BLOCK];
        const uint64_t *a = behind + at, *b = a + apart, *ca = cross + at, *cb = ca + apart;
        for (unsigned k = 0; k < BLOCK; k++) {
            x[k] = (a[k] & ~ca[k]) | (b[k] & cb[k]);
            y[k] = (b[k] & ~cb[k]) | (a[k] & ca[k]);
        }
        memcpy(before + at, x, sizeof x);
        memcpy(before + at + apart, y, sizeof y);
    }
}

/* ---- requests ---- */

/* What becomes of a link. */
typedef struct outcome {
    uint64_t held, cross, rivals;
} outcome;

/* The two bidders of a link: `straight` from the position itself, `crossing` from its partner. */
INLINE outcome award(uint64_t straight, uint64_t crossing, uint64_t shut) {
    return (outcome){(straight | crossing) & ~shut, crossing & ~straight, straight & crossing & ~shut};
}

INLINE void request_near(uint64_t *restrict held, const uint64_t *restrict t, uint64_t words,
                         const plane_links *links, const unsigned bit) {
    const uint64_t *restrict shut = links->shut;
    uint64_t *restrict cross = links->cross, *restrict rivals = links->rivals;
    for (uint64_t i = 0; i < words; i += BLOCK) {
        uint64_t straight[BLOCK], leaving[BLOCK], crossing[BLOCK], high[BLOCK];
        for (unsigned k = 0; k < BLOCK; k++) high[k] = upper_of(k, bit);
        for (unsigned k = 0; k < BLOCK; k++) {
            uint64_t other = t[i + k] ^ high[k];
            straight[k] = held[i + k] & ~other;
            leaving[k] = held[i + k] & other;
        }
        partners(leaving, crossing, bit);
        for (unsigned k = 0; k < BLOCK; k++) {
            outcome x = award(straight[k], crossing[k], shut[i + k]);
            held[i + k] = x.held;
            cross[i + k] = x.cross;
            rivals[i + k] = x.rivals;
        }
    }
}

WIDE void plane_request(uint64_t *held, const uint64_t *t, uint64_t words, unsigned bit,
                        const plane_links *links) {
    if (bit < 9) {
        NEAR(bit, request_near, held, t, words, links)
        return;
    }
    const uint64_t *shut = links->shut;
    uint64_t apart = UINT64_C(1) << (bit - 6);
    for (uint64_t i = 0; i < words / 2; i += BLOCK) {
        uint64_t at = pair(i, apart), a[3][BLOCK], b[3][BLOCK];
        for (unsigned k = 0; k < BLOCK; k++) {
            uint64_t ha = held[at + k], ta = t[at + k], hb = held[at + apart + k], tb = t[at + apart + k];
            outcome x = award(ha & ~ta, hb & ~tb, shut[at + k]);
            outcome y = award(hb & tb, ha & ta, shut[at + apart + k]);
            a[0][k] = x.held, a[1][k] = x.cross, a[2][k] = x.rivals;
            b[0][k] = y.held, b[1][k] = y.cross, b[2][k] = y.rivals;
        }
        uint64_t *to[3] = {held + at, links->cross + at, links->rivals + at};
        for (unsigned j = 0; j < 3; j++) {
            memcpy(to[j], a[j], sizeof a[j]);
            memcpy(to[j] + apart, b[j], sizeof b[j]);
        }
    }
}

/* ---- coins ---- */

/* Coins are in the order of down-groups: the bit of the level first, then the other bits of the position.
 * Moves that bit to its place in a position; bit 5 of 64, or below. */
INLINE uint64_t to_positions(uint64_t x, unsigned bit) {
    static const uint64_t mask[5] = {0x2222222222222222, 0x0c0c0c0c0c0c0c0c, 0x00f000f000f000f0,
                                     0x0000ff000000ff00, 0x00000000ffff0000};
    for (unsigned k = 0; k < bit; k++) {
        uint64_t differ = (x ^ x >> (1u << k)) & mask[k];
        x ^= differ ^ differ << (1u << k);
    }
    return x;
}

INLINE void arrange_bit(uint64_t *restrict low, uint64_t *restrict high, uint64_t count, const unsigned bit) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = to_positions(low[i], bit < 6 ? bit : 5), y = to_positions(high[i], bit < 6 ? bit : 5);
        low[i] = bit < 6 ? x : (x & UINT32_MAX) | y << 32;
        high[i] = bit < 6 ? y : x >> 32 | (y & ~(uint64_t)UINT32_MAX);
    }
}

/* Both words of each pair, in the order of positions. Constant bits make it twice as fast. */
WIDE static void arrange(uint64_t *restrict low, uint64_t *restrict high, uint64_t count, unsigned bit) {
    switch (bit) {
    case 0:
        return;
    case 1:
        arrange_bit(low, high, count, 1);
        return;
    case 2:
        arrange_bit(low, high, count, 2);
        return;
    case 3:
        arrange_bit(low, high, count, 3);
        return;
    case 4:
        arrange_bit(low, high, count, 4);
        return;
    case 5:
        arrange_bit(low, high, count, 5);
        return;
    default:
        arrange_bit(low, high, count, 6);
    }
}

/* The straight message does not cross if its own face shows, which is 0 at the lower of two partners. */
void plane_arbitrate_word(uint64_t coins, const uint64_t *rivals, unsigned bit, uint64_t *cross) {
    cross[0] |= rivals[0] & (to_positions(coins, bit) ^ upper[bit]);
}

void plane_arbitrate(const plane_coins *c, const uint64_t *rivals, uint64_t words, unsigned bit,
                     uint64_t *cross) {
    uint64_t apart = bit < 6 ? 1 : UINT64_C(1) << (bit - 6), count = 0;
    uint64_t block[TILE_WORDS_MAX / 2], low[TILE_WORDS_MAX / 2], high[TILE_WORDS_MAX / 2];
    uint16_t where[TILE_WORDS_MAX / 2];
    for (uint64_t u = 0; u < words / 2; u++) {
        uint64_t at = pair(u, apart);
        where[count] = (uint16_t)at;
        block[count] = c->block + u * c->step;
        count += (rivals[at] | rivals[at + apart]) != 0;
    }
    if (count == 0) return;
    bough_blocks(&c->draw, block, count, low, high);
    arrange(low, high, count, bit);
    uint64_t below = bit < 6 ? upper[bit] : 0, above = bit < 6 ? upper[bit] : UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = where[i];
        cross[at] |= rivals[at] & (low[i] ^ below);
        cross[at + apart] |= rivals[at + apart] & (high[i] ^ above);
    }
}

/* ---- sets ---- */

WIDE void plane_match(uint64_t *restrict set, const uint64_t *restrict t, uint64_t words, unsigned bit,
                      bool same) {
    uint64_t flip = same ? UINT64_MAX : 0;
    if (bit < 6)
        for (uint64_t i = 0; i < words; i++) set[i] &= t[i] ^ upper[bit] ^ flip;
    else
        for (uint64_t i = 0; i < words; i++) set[i] &= t[i] ^ -(i >> (bit - 6) & 1) ^ flip;
}

WIDE void plane_clear(uint64_t *restrict shut, const uint64_t *restrict due, uint64_t words) {
    for (uint64_t i = 0; i < words; i++) shut[i] &= ~due[i];
}

WIDE void plane_add(uint64_t *restrict shut, const uint64_t *restrict held, uint64_t words) {
    for (uint64_t i = 0; i < words; i++) shut[i] |= held[i];
}

WIDE void plane_less(uint64_t *restrict due, const uint64_t *more, const uint64_t *less, uint64_t words,
                     bool first) {
    if (first)
        for (uint64_t i = 0; i < words; i++) due[i] = more[i] & ~less[i];
    else
        for (uint64_t i = 0; i < words; i++) due[i] |= more[i] & ~less[i];
}

WIDE uint64_t plane_count(const uint64_t *plane, uint64_t words) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < words; i++) sum += (uint64_t)__builtin_popcountll(plane[i]);
    return sum;
}

bool plane_any(const uint64_t *plane, uint64_t words) {
    for (uint64_t i = 0; i < words; i++)
        if (plane[i]) return true;
    return false;
}

/* Two matrices of 32 x 32 bits: recursively exchanges quarters. */
WIDE void plane_transpose(const uint32_t number[64], uint64_t bits[32]) {
    uint32_t x[64];
    memcpy(x, number, sizeof x);
    uint32_t mask = 0x0000ffff;
    for (unsigned size = 16; size; size /= 2, mask ^= mask << size)
        for (unsigned i = 0; i < 64; i += 2 * size)
            for (unsigned k = i; k < i + size; k++) {
                uint32_t differ = (x[k] >> size ^ x[k + size]) & mask;
                x[k] ^= differ << size;
                x[k + size] ^= differ;
            }
    for (unsigned j = 0; j < 32; j++) bits[j] = (uint64_t)x[32 + j] << 32 | x[j];
}
