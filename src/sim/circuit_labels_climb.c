#include "sim/circuit_labels_climb.h"

#include "base/memory.h"
#include "sim/circuit_labels_memory.h"

#include <stdlib.h>

static unsigned groups_of(unsigned levels) {
    return (levels + 3) / 4;
}

/* Butterflies of levels 4q .. 4q+3. The topmost ones may reach beyond the roots; their slots there stay
 * empty. */
static uint64_t butterflies(unsigned h, unsigned q) {
    return h > 4 * q + 4 ? UINT64_C(1) << (h - 4) : UINT64_C(1) << 4 * q;
}

/* Words of the coins of one level, as many as the butterflies of group q ask for, eight at a time. */
static uint64_t coin_words(unsigned h, unsigned q) {
    return (butterflies(h, q) + 7) / 8 * 2;
}

uint64_t labels_climb_bytes(unsigned h) {
    uint64_t bytes = sizeof(labels_climb);
    for (unsigned q = 0; q < groups_of(h - 1); q++) bytes += butterflies(h, q) * sizeof(uint64_t);
    if (h > 1) bytes += 4 * coin_words(h, groups_of(h - 1) - 1) * sizeof(uint32_t);
    return bytes;
}

/* Pair j of level k of a butterfly: above bit k of the slot the bits of j above k, below it those below. */
static void fill_spread(labels_climb *c) {
    for (unsigned k = 0; k < 4; k++)
        for (unsigned coins = 0; coins < 256; coins++)
            for (unsigned j = 0; j < 8; j++) {
                unsigned slot = j >> k << (k + 1) | (j & ((1u << k) - 1));
                if (coins >> j & 1) c->spread[k][coins] |= UINT64_C(15) << 4 * slot;
            }
}

bough_status labels_climb_make(labels_climb *c, unsigned h, bough_error *error) {
    bough_status status = BOUGH_OK;
    *c = (labels_climb){.h = h};
    fill_spread(c);
    unsigned groups = groups_of(h - 1);
    for (unsigned q = 0; q < groups && !status; q++)
        status = labels_alloc(&c->butterfly[q], butterflies(h, q), sizeof *c->butterfly[q], error);
    for (unsigned k = 0; k < 4 && groups && !status; k++)
        status = bough_alloc(&c->coins[k], coin_words(h, groups - 1), sizeof *c->coins[k], error);
    return status;
}

void labels_climb_fini(labels_climb *c) {
    for (unsigned q = 0; q < sizeof c->butterfly / sizeof *c->butterfly; q++) free(c->butterfly[q]);
    for (unsigned k = 0; k < 4; k++) free(c->coins[k]);
}

/* ---- tables ---- */

static unsigned byte_of(const uint32_t *words, uint64_t i) {
    return words[i >> 2] >> 8 * (i & 3) & 255;
}

/* The 8 x 8 bits of x, byte i bit j, with i and j exchanged. */
static uint64_t transpose8(uint64_t x) {
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

/* The coins of 8 neighbouring butterflies in one level, a byte for each. Coin j of butterfly (high, low) is
 * that of router high << (4q+3) | j << 4q | low. */
static uint64_t coins_of_eight(const uint32_t *coins, unsigned q, uint64_t first) {
    uint64_t rows = 0;
    if (q == 0) {
        for (unsigned i = 0; i < 8; i++) rows |= (uint64_t)byte_of(coins, first + i) << 8 * i;
        return rows;
    }
    uint64_t low = first & ((UINT64_C(1) << 4 * q) - 1), high = first >> 4 * q;
    uint64_t byte = (high << (4 * q + 3) | low) >> 3, stride = UINT64_C(1) << (4 * q - 3);
    for (unsigned j = 0; j < 8; j++) rows |= (uint64_t)byte_of(coins, byte + j * stride) << 8 * j;
    return transpose8(rows);
}

static inline uint64_t swap_slots(uint64_t slots, uint64_t lower, unsigned distance) {
    uint64_t d = (slots ^ slots >> 4 * distance) & lower;
    return slots ^ d ^ d << 4 * distance;
}

/* Where the 16 slots lead: swapping the last level first leaves at every slot what the later levels make of
 * it. */
static void build(labels_climb *c, unsigned q) {
    uint64_t count = butterflies(c->h, q), *table = c->butterfly[q];
    for (uint64_t first = 0; first < count; first += 8) {
        uint64_t coins[4];
        for (unsigned k = 0; k < 4; k++) coins[k] = coins_of_eight(c->coins[k], q, first);
        for (unsigned i = 0; i < 8 && first + i < count; i++) {
            uint64_t slots = UINT64_C(0xfedcba9876543210);
            for (unsigned k = 4; k-- > 0;)
                slots = swap_slots(slots, c->spread[k][coins[k] >> 8 * i & 255], 1u << k);
            table[first + i] = slots;
        }
    }
}

/* Up-groups of routers of level l (of endpoints: before them), n/2 in every level. */
static uint64_t first_group(unsigned h, unsigned l) {
    return (UINT64_C(1) << h) + ((uint64_t)l << (h - 1));
}

void labels_climb_start(labels_climb *c, bough_key key, uint64_t round, unsigned tabled) {
    c->key = key;
    c->round = round;
    c->tabled = tabled + 3 < c->h ? (tabled + 3) & ~3u : c->h - 1; /* whole groups */
    for (unsigned q = 0; q < groups_of(c->tabled); q++) {
        for (unsigned k = 0; k < 4 && 4 * q + k < c->tabled; k++)
            bough_bits(key, BOUGH_DRAW_PICK_BIT, first_group(c->h, 4 * q + k), UINT64_C(1) << (c->h - 1),
                       round << 32 | 2 * (4 * q + k), c->coins[k]);
        build(c, q);
    }
}

/* ---- look-up ---- */

static inline uint32_t look_up(const labels_climb *c, unsigned q, uint32_t s, uint32_t p) {
    uint64_t slots = c->butterfly[q][(uint64_t)s >> (4 * q + 4) << 4 * q | p];
    return p | (uint32_t)(slots >> 4 * (s >> 4 * q & 15) & 15) << 4 * q;
}

/* Written so that the compiler sees the number of groups, and with it every shift, as a constant. The
 * look-ups in the topmost table are the ones that miss the caches: by themselves more of them are under way
 * at once. */
static inline void by_tables(const labels_climb *c, const uint32_t *s, uint64_t count, uint32_t low,
                             walker *w, const unsigned groups) {
    enum { CHUNK = 256 };
    uint32_t p[CHUNK];
    for (uint64_t first = 0; first < count; first += CHUNK, s += CHUNK, w += CHUNK) {
        uint64_t some = count - first < CHUNK ? count - first : CHUNK;
        for (uint64_t i = 0; i < some; i++) {
            p[i] = 0;
            for (unsigned q = 0; q + 1 < groups; q++) p[i] = look_up(c, q, s[i], p[i]);
        }
        for (uint64_t i = 0; i < some; i++) {
            uint32_t t = walker_target(w[i]), all = groups ? look_up(c, groups - 1, s[i], p[i]) : 0;
            w[i] = t | (uint64_t)(t ^ (all & low)) << 32;
        }
    }
}

static unsigned coin(const labels_climb *c, unsigned l, uint64_t router) {
    return bough_bit(c->key, BOUGH_DRAW_PICK_BIT, first_group(c->h, l) + router, c->round << 32 | 2 * l);
}

void labels_climb_all(const labels_climb *c, const uint32_t *s, uint64_t count, unsigned L, walker *w) {
    unsigned tabled = L < c->tabled ? L : c->tabled;
    uint32_t low = (UINT32_C(1) << tabled) - 1;
    switch (groups_of(tabled)) {
    case 0:
        by_tables(c, s, count, low, w, 0);
        break;
    case 1:
        by_tables(c, s, count, low, w, 1);
        break;
    case 2:
        by_tables(c, s, count, low, w, 2);
        break;
    case 3:
        by_tables(c, s, count, low, w, 3);
        break;
    case 4:
        by_tables(c, s, count, low, w, 4);
        break;
    case 5:
        by_tables(c, s, count, low, w, 5);
        break;
    case 6:
        by_tables(c, s, count, low, w, 6);
        break;
    default:
        by_tables(c, s, count, low, w, 7);
        break;
    }
    if (tabled == L) return;
    for (uint64_t i = 0; i < count; i++)
        for (unsigned l = tabled; l < L; l++) {
            uint64_t router = (uint64_t)(s[i] >> (l + 1)) << l | walker_choices(w[i]);
            w[i] ^= (uint64_t)((coin(c, l, router) ^ s[i] >> l) & 1) << (32 + l);
        }
}
