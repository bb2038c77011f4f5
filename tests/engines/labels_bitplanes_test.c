/* One level of one tile by planes, against the same said position by position. */
#include "engines/circuit/labels/planes/labels_bitplanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 64, PLANES = 3, POSITIONS = WORDS * 64 };

static uint64_t state_of_noise;

static uint64_t noise(void) {
    state_of_noise = state_of_noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state_of_noise ^ state_of_noise >> 29;
}

static void fill(uint64_t *plane, uint64_t words) {
    for (uint64_t i = 0; i < words; i++) plane[i] = noise();
}

static unsigned get(const uint64_t *plane, uint64_t x) {
    return plane[x >> 6] >> (x & 63) & 1;
}

/* Every size of tile, every level in it. */
static void for_all(void (*check)(uint64_t words, unsigned bit)) {
    for (unsigned lg = 3; lg <= 6; lg++)
        for (unsigned bit = 0; bit < lg + 6; bit++)
            for (int k = 0; k < 3; k++) check(UINT64_C(1) << lg, bit);
}

static void check_move(uint64_t words, unsigned bit) {
    uint64_t before[PLANES * WORDS], moved[PLANES * WORDS], flipped[PLANES * WORDS], cross[WORDS];
    fill(before, PLANES * words);
    fill(cross, words);
    memcpy(moved, before, sizeof before);
    plane_move(moved, PLANES, words, bit, cross);
    plane_flip(before, flipped, PLANES, words, bit);
    for (uint64_t j = 0; j < PLANES; j++)
        for (uint64_t x = 0; x < words * 64; x++) {
            uint64_t partner = x ^ UINT64_C(1) << bit;
            assert_int_equal(get(flipped + j * words, x), get(before + j * words, partner));
            assert_int_equal(get(moved + j * words, x), get(before + j * words, get(cross, x) ? partner : x));
        }
}

static void planes_move(void **state) {
    (void)state;
    for_all(check_move);
}

/* held, t and shut are noise; coins as the engine draws them. Then those held again, some of them, are led
 * back to where they came from. */
static void check_ask(uint64_t words, unsigned bit) {
    uint64_t before[WORDS], held[WORDS], t[WORDS], shut[WORDS], cross[WORDS], rivals[WORDS];
    uint64_t some[WORDS], back[WORDS], in_place[WORDS], want_back[WORDS] = {0};
    plane_coins coins = {
        {{{3, 4}}, BOUGH_DRAW_ORDER_BIT, UINT64_C(9) << 32}, noise() % 1000, 1 + noise() % 7};
    fill(before, words);
    fill(t, words);
    fill(shut, words);
    fill(some, words);
    memcpy(held, before, sizeof held);
    plane_request(held, t, words, bit, &(plane_links){shut, cross, rivals});
    plane_arbitrate(&coins, rivals, words, bit, cross);
    for (uint64_t x = 0; x < words * 64; x++) {
        uint64_t partner = x ^ UINT64_C(1) << bit, face = x >> bit & 1, from = x;
        bool straight = get(before, x) && get(t, x) == face;
        bool crossing = get(before, partner) && get(t, partner) == face;
        if (get(shut, x) || !(straight || crossing)) {
            assert_int_equal(get(held, x), 0);
            continue;
        }
        assert_int_equal(get(held, x), 1);
        if (straight && crossing) {
            /* the groups of 64 routers: the bit of the level is the lowest one */
            uint64_t low = x & ((UINT64_C(1) << bit) - 1);
            uint64_t group = (x >> (bit + 1) << (bit + 1)) | low << 1 | face;
            uint64_t entity = 128 * (coins.block + group / 128 * coins.step) + group % 128;
            uint64_t coin = bough_bit(coins.draw.key, coins.draw.purpose, entity, coins.draw.occasion);
            if (coin != face) from = partner;
        } else if (crossing) {
            from = partner;
        }
        assert_int_equal(get(cross, x), from != x);
        want_back[from >> 6] |= (uint64_t)get(some, x) << (from & 63);
    }
    for (uint64_t i = 0; i < words; i++) some[i] &= held[i];
    memcpy(in_place, some, sizeof some);
    plane_back(some, back, words, bit, cross);
    plane_back(in_place, in_place, words, bit, cross);
    assert_memory_equal(back, want_back, words * sizeof *back);
    assert_memory_equal(in_place, want_back, words * sizeof *back);
}

static void those_who_ask_get_links_and_are_led_back(void **state) {
    (void)state;
    for_all(check_ask);
}

static void coins_in_one_word(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 6; bit++) {
        uint64_t coins = noise(), rivals = noise(), cross = 0;
        plane_arbitrate_word(coins, &rivals, bit, &cross);
        for (unsigned x = 0; x < 64; x++) {
            unsigned face = x >> bit & 1, low = x & ((1u << bit) - 1);
            unsigned group = (x >> (bit + 1) << (bit + 1)) | low << 1 | face;
            assert_int_equal(cross >> x & 1, (rivals >> x & 1) && (coins >> group & 1) != face);
        }
    }
}

static void check_match(uint64_t words, unsigned bit) {
    for (int same = 0; same < 2; same++) {
        uint64_t set[WORDS], kept[WORDS], t[WORDS];
        fill(set, words);
        fill(t, words);
        memcpy(kept, set, sizeof set);
        plane_match(kept, t, words, bit, same);
        for (uint64_t x = 0; x < words * 64; x++)
            assert_int_equal(get(kept, x), get(set, x) && (get(t, x) == (x >> bit & 1)) == same);
        memcpy(kept, set, sizeof set);
        plane_match(kept, t, words, 63, same);
        for (uint64_t x = 0; x < words * 64; x++)
            assert_int_equal(get(kept, x), get(set, x) && (get(t, x) == 0) == same);
    }
}

static void sets(void **state) {
    (void)state;
    uint64_t a[8], b[8], c[8], d[8], e[8], count = 0;
    for_all(check_match);
    fill(a, 8);
    fill(b, 8);
    fill(c, 8);
    memcpy(d, a, sizeof a);
    memcpy(e, a, sizeof a);
    plane_clear(d, b, 8);
    plane_add(e, b, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_true(d[i] == (a[i] & ~b[i]) && e[i] == (a[i] | b[i]));
        count += (uint64_t)__builtin_popcountll(a[i]);
    }
    assert_true(plane_count(a, 8) == count);
    plane_less(d, a, b, 8, true);
    memcpy(e, c, sizeof c);
    plane_less(e, a, b, 8, false);
    for (unsigned i = 0; i < 8; i++) assert_true(d[i] == (a[i] & ~b[i]) && e[i] == (c[i] | (a[i] & ~b[i])));
}

static void numbers_become_words(void **state) {
    (void)state;
    uint32_t number[64];
    uint64_t bits[32];
    for (unsigned i = 0; i < 64; i++) number[i] = (uint32_t)(noise() >> 16);
    plane_transpose(number, bits);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 32; j++) assert_int_equal(bits[j] >> i & 1, number[i] >> j & 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_move),          cmocka_unit_test(those_who_ask_get_links_and_are_led_back),
        cmocka_unit_test(coins_in_one_word),    cmocka_unit_test(sets),
        cmocka_unit_test(numbers_become_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
