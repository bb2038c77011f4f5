#include "engines/circuit/labels/labels_up.h"

#include "base/memory/large_pages.h"

#include <stdlib.h>
#include <string.h>

enum { SOME = 64 }; /* words or messages per step */

uint64_t labels_climb_bytes(const labels_places *p) {
    return p->h * p->words * sizeof(uint64_t);
}

bough_status labels_climb_make(labels_climb *c, const labels_places *places, bough_error *error) {
    *c = (labels_climb){.places = places};
    return large_alloc(&c->coins, places->h * places->words, sizeof *c->coins, error);
}

void labels_climb_fini(labels_climb *c) {
    free(c->coins);
}

/* Up-groups of routers of level l, preceded by those of endpoints; n/2 per level. */
static uint64_t first_group(unsigned h, unsigned l) {
    return (UINT64_C(1) << h) + ((uint64_t)l << (h - 1));
}

static bough_draw draw_of(const labels_climb *c, unsigned l) {
    return (bough_draw){c->key, BOUGH_DRAW_PICK_BIT, c->occasion + 2 * l};
}

/* ---- coins drawn in advance ---- */

/* The 32 coins of a word of positions: bit j of `coins` is placed at both positions that router j of level l
 * joins. */
static inline uint64_t spread(uint64_t coins, unsigned l) {
    static const uint64_t mask[5] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff};
    for (unsigned k = 5; k-- > l;) coins = (coins | coins << (1u << k)) & mask[k];
    return coins | coins << (1u << l);
}

/* The coins of a level are drawn in so many parts. */
enum { PARTS = 32 };

/* A level below cut: routers of a tile, and of adjacent ones, are consecutive. */
static void draw_low(const labels_climb *c, unsigned l, uint64_t part, uint64_t parts) {
    const labels_places *p = c->places;
    uint64_t routers = UINT64_C(1) << (p->h - 1), first = first_group(p->h, l), half = p->low_words / 2;
    uint64_t some = half < SOME ? half : SOME; /* words of coins, 64 routers each */
    uint32_t bits[2 * SOME];
    const bough_draw draw = draw_of(c, l);
    uint64_t steps = (routers + some * 64 - 1) / (some * 64), end = team_part(steps, parts, part + 1) * some;
    for (uint64_t r = team_part(steps, parts, part) * some; r < end; r += some) {
        uint64_t count = routers - r * 64 < some * 64 ? routers - r * 64 : some * 64;
        memset(bits, 0, sizeof bits);
        bough_bits(&draw, first + r * 64, count, bits);
        uint64_t in_tile = r % half, *to = c->coins + labels_tile_first(p, l, r / half);
        if (l < 6) {
            for (uint64_t k = 0; k < 2 * some; k++) to[2 * in_tile + k] = spread(bits[k], l);
            continue;
        }
        uint64_t apart = UINT64_C(1) << (l - 6);
        for (uint64_t k = 0; k < some; k++) {
            uint64_t at = 2 * ((in_tile + k) & ~(apart - 1)) | ((in_tile + k) & (apart - 1));
            to[at] = to[at + apart] = (uint64_t)bits[2 * k + 1] << 32 | bits[2 * k];
        }
    }
}

/* A level from cut on: 128 consecutive routers are two words in adjacent tiles. */
static void draw_high(const labels_climb *c, unsigned l, uint64_t part, uint64_t parts) {
    const labels_places *p = c->places;
    uint64_t apart = UINT64_C(1) << (l - p->cut), block[SOME], low[SOME], high[SOME];
    const bough_draw draw = draw_of(c, l);
    uint64_t end = 2 * team_part(p->high_tiles / 2, parts, part + 1);
    for (uint64_t tile = 2 * team_part(p->high_tiles / 2, parts, part); tile < end; tile += 2) {
        uint64_t *even = c->coins + labels_tile_first(p, l, tile);
        uint64_t *odd = c->coins + labels_tile_first(p, l, tile + 1);
        uint64_t first = (first_group(p->h, l) + tile * 64) / 128, half = p->high_words / 2;
        for (uint64_t r = 0; r < half; r += SOME) {
            uint64_t some = half - r < SOME ? half - r : SOME;
            for (uint64_t k = 0; k < some; k++) block[k] = first + ((r + k) << (p->cut - 7));
            bough_blocks(&draw, block, some, low, high);
            for (uint64_t k = 0; k < some; k++) {
                uint64_t at = 2 * ((r + k) & ~(apart - 1)) | ((r + k) & (apart - 1));
                even[at] = even[at + apart] = low[k];
                odd[at] = odd[at + apart] = high[k];
            }
        }
    }
}

static void draw_part(const labels_climb *c, uint64_t part, uint64_t parts) {
    for (unsigned l = 0; l < c->drawn && l < c->places->cut; l++) draw_low(c, l, part, parts);
    for (unsigned l = c->places->cut; l < c->drawn; l++) draw_high(c, l, part, parts);
}

static void draw_step(void *context, unsigned worker, uint64_t part) {
    (void)worker;
    draw_part(context, part, PARTS);
}

void labels_climb_start(labels_climb *c, thread_team *team, bough_key key, uint64_t occasion,
                        unsigned drawn) {
    c->key = key;
    c->occasion = occasion;
    c->drawn = drawn;
    if (team)
        team_each(team, PARTS, draw_step, c);
    else
        draw_part(c, 0, 1);
}

/* ---- messages one by one ---- */

/* Level by level, so that many loads are in flight at once. at[i]: the position of message i. */
static void by_coins(const labels_climb *c, uint32_t *at, uint64_t count, unsigned l) {
    const uint64_t *coins = c->coins;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = labels_place(c->places, l, at[i]);
        at[i] ^= (uint32_t)(coins[place >> 6] >> (place & 63) & 1) << l;
    }
}

static void one_by_one(const labels_climb *c, uint32_t *at, uint64_t count, unsigned l) {
    const bough_draw draw = draw_of(c, l);
    const uint64_t first = first_group(c->places->h, l);
    const uint32_t low = (UINT32_C(1) << l) - 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t router = (uint64_t)(at[i] >> (l + 1)) << l | (at[i] & low);
        at[i] ^= bough_bit(draw.key, draw.purpose, first + router, draw.occasion) << l;
    }
}

void labels_climb_all(const labels_climb *c, const uint32_t *s, uint64_t count, unsigned L, label *w) {
    uint32_t at[SOME], low = (UINT32_C(1) << L) - 1;
    for (uint64_t first = 0; first < count; first += SOME) {
        uint64_t some = count - first < SOME ? count - first : SOME;
        memcpy(at, s + first, some * sizeof *at);
        for (unsigned l = 0; l < L; l++)
            if (l < c->drawn)
                by_coins(c, at, some, l);
            else
                one_by_one(c, at, some, l);
        for (uint64_t i = 0; i < some; i++) {
            uint32_t t = label_target(w[first + i]);
            w[first + i] = t | (uint64_t)(t ^ (at[i] & low)) << 32;
        }
    }
}
