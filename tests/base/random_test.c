#include "base/random/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_block(const uint32_t have[4], uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    assert_int_equal(have[0], a);
    assert_int_equal(have[1], b);
    assert_int_equal(have[2], c);
    assert_int_equal(have[3], d);
}

/* The philox4x32 10 lines of Random123's kat_vectors. They also pin down where purpose, entity, index and
 * occasion stand in the counter, on which every result depends. */
static void blocks_are_those_of_random123(void **state) {
    (void)state;
    uint32_t block[4];
    bough_block(&(bough_draw){{{0, 0}}, (bough_purpose)0, 0}, 0, 0, block);
    assert_block(block, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    bough_block(&(bough_draw){{{0xffffffff, 0xffffffff}}, (bough_purpose)0xff, UINT64_MAX},
                BOUGH_ENTITY_MAX - 1, 0xffff, block);
    assert_block(block, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    /* counter 243f6a88 85a308d3 13198a2e 03707344 */
    bough_draw pi = {{{0xa4093822, 0x299f31d0}}, (bough_purpose)0x85, UINT64_C(0x0370734413198a2e)};
    bough_block(&pi, UINT64_C(0xd3243f6a88), 0xa308, block);
    assert_block(block, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void assert_distinct(uint64_t *value, size_t count) {
    qsort(value, count, sizeof *value, by_value);
    for (size_t i = 1; i < count; i++) assert_true(value[i] != value[i - 1]);
}

static uint64_t key_word(bough_key key) {
    return (uint64_t)key.word[1] << 32 | key.word[0];
}

static void every_seed_and_trial_has_its_own_key(void **state) {
    (void)state;
    enum { SEEDS = 64, TRIALS = 64 };
    static const uint64_t high[] = {0, UINT64_C(1) << 32, UINT64_C(1) << 40, UINT64_C(1) << 63};
    static uint64_t key[SEEDS * TRIALS + 16];
    size_t count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (uint64_t trial = 0; trial < TRIALS; trial++)
            key[count++] = key_word(bough_key_make(seed, trial));
    for (int i = 1; i < 4; i++) { /* no bit of seed or trial is dropped */
        key[count++] = key_word(bough_key_make(high[i], 0));
        key[count++] = key_word(bough_key_make(0, high[i]));
    }
    assert_distinct(key, count);
    assert_true(key_word(bough_key_make(3, 4)) == key_word(bough_key_make(3, 4)));
}

/* Change one coordinate, and the number is another. */
static void every_coordinate_counts(void **state) {
    (void)state;
    bough_key key = bough_key_make(1, 0), other = bough_key_make(1, 1);
    uint64_t word[] = {
        bough_word(key, BOUGH_DRAW_TEST, 6, 9),
        bough_word(other, BOUGH_DRAW_TEST, 6, 9),
        bough_word(key, BOUGH_DRAW_BINS, 6, 9),
        bough_word(key, BOUGH_DRAW_TEST, 7, 9),
        bough_word(key, BOUGH_DRAW_TEST, 8, 9),
        bough_word(key, BOUGH_DRAW_TEST, 6, 10),
        bough_word(key, BOUGH_DRAW_TEST, 6, 9 | UINT64_C(1) << 63),
        bough_word(key, BOUGH_DRAW_TEST, 6 | UINT64_C(1) << 40, 9),
    };
    assert_distinct(word, sizeof word / sizeof *word);
}

static void words_are_halves_of_a_block(void **state) {
    (void)state;
    bough_key key = bough_key_make(2, 5);
    for (uint64_t entity = 0; entity < 64; entity += 2) {
        uint32_t block[4];
        bough_block(&(bough_draw){key, BOUGH_DRAW_TEST, 3}, entity / 2, 0, block);
        assert_true(bough_word(key, BOUGH_DRAW_TEST, entity, 3) == ((uint64_t)block[1] << 32 | block[0]));
        assert_true(bough_word(key, BOUGH_DRAW_TEST, entity + 1, 3) == ((uint64_t)block[3] << 32 | block[2]));
    }
}

/* bough_bits against bough_bit for every offset in a block, before and behind block ends, and every count. */
static void runs_of_bits_are_the_single_bits(void **state) {
    (void)state;
    enum { SPAN = 600, MOST = 300, WORDS = (MOST + 31) / 32 + 1 };
    static const uint64_t base[] = {0, UINT64_C(1) << 32, (UINT64_C(1) << 47) - 256};
    bough_key key = bough_key_make(11, 3);
    for (size_t b = 0; b < sizeof base / sizeof *base; b++) {
        unsigned char single[SPAN];
        for (int i = 0; i < SPAN; i++)
            single[i] = (unsigned char)bough_bit(key, BOUGH_DRAW_TEST, base[b] + (uint64_t)i, b);
        for (uint64_t offset = 0; offset < 260; offset++)
            for (uint64_t count = 0; count <= MOST; count += count < 140 ? 1 : 13) {
                uint32_t bits[WORDS], guard = 0xfeedface;
                size_t words = (size_t)(count + 31) / 32;
                bits[words] = guard;
                bough_bits(&(bough_draw){key, BOUGH_DRAW_TEST, b}, base[b] + offset, count, bits);
                for (uint64_t i = 0; i < count; i++)
                    if ((bits[i / 32] >> i % 32 & 1) != single[offset + i])
                        fail_msg("offset %d count %d: bit %d", (int)offset, (int)count, (int)i);
                assert_true(bits[words] == guard);
            }
    }
}

/* bough_blocks against bough_word and bough_bit: every count around what is drawn at once, any order, high
 * entities and occasions. */
static void blocks_are_the_single_words(void **state) {
    (void)state;
    enum { MOST = 70 };
    bough_key key = bough_key_make(12, 4);
    uint64_t block[MOST], low[MOST + 1], high[MOST + 1], occasion = UINT64_C(0x0123456789abcdef);
    for (uint64_t i = 0; i < MOST; i++)
        block[i] = i % 3 ? i * i : (BOUGH_ENTITY_MAX - 1) / 2 - i; /* the last words there are */
    for (uint64_t count = 0; count <= MOST; count++) {
        low[count] = high[count] = 7;
        bough_blocks(&(bough_draw){key, BOUGH_DRAW_TEST, occasion}, block, count, low, high);
        for (uint64_t i = 0; i < count; i++) {
            assert_true(low[i] == bough_word(key, BOUGH_DRAW_TEST, 2 * block[i], occasion));
            assert_true(high[i] == bough_word(key, BOUGH_DRAW_TEST, 2 * block[i] + 1, occasion));
            uint64_t bit = i * 7 % 64;
            assert_true((low[i] >> bit & 1) ==
                        bough_bit(key, BOUGH_DRAW_TEST, 128 * block[i] + bit, occasion));
            assert_true((high[i] >> bit & 1) ==
                        bough_bit(key, BOUGH_DRAW_TEST, 128 * block[i] + 64 + bit, occasion));
        }
        assert_true(low[count] == 7 && high[count] == 7);
    }
}

/* bough_words against bough_word, every block at an occasion of its own. */
static void words_of_blocks_are_the_single_words(void **state) {
    (void)state;
    enum { MOST = 70 };
    bough_key key = bough_key_make(13, 5);
    uint64_t block[MOST], later[MOST], word[2 * MOST + 1], from = UINT64_C(0xfedcba9876543210);
    for (uint64_t i = 0; i < MOST; i++) {
        block[i] = i % 3 ? i * i : (BOUGH_ENTITY_MAX - 1) / 2 - i;
        later[i] = i * UINT64_C(0x0123456789abcdef);
    }
    for (uint64_t count = 0; count <= MOST; count++) {
        word[2 * count] = 7;
        bough_words(&(bough_draw){key, BOUGH_DRAW_TEST, from}, block, later, count, word);
        for (uint64_t i = 0; i < 2 * count; i++)
            assert_true(word[i] ==
                        bough_word(key, BOUGH_DRAW_TEST, 2 * block[i / 2] + i % 2, from + later[i / 2]));
        assert_true(word[2 * count] == 7);
    }
}

static void numbers_do_not_depend_on_the_order_of_asking(void **state) {
    (void)state;
    enum { COUNT = 257 };
    bough_key key = bough_key_make(5, 0);
    uint64_t forward[COUNT];
    for (int i = 0; i < COUNT; i++) forward[i] = bough_word(key, BOUGH_DRAW_TEST, (uint64_t)i, 0);
    for (int i = COUNT - 1; i >= 0; i--)
        assert_true(bough_word(key, BOUGH_DRAW_TEST, (uint64_t)i, 0) == forward[i]);
    /* two streams, interleaved and one after the other */
    bough_stream a = bough_stream_make(key, BOUGH_DRAW_TEST, 1, 0),
                 b = bough_stream_make(key, BOUGH_DRAW_TEST, 2, 0);
    uint64_t mixed_a[COUNT], mixed_b[COUNT];
    for (int i = 0; i < COUNT; i++) mixed_a[i] = bough_stream_next(&a), mixed_b[i] = bough_stream_next(&b);
    a = bough_stream_make(key, BOUGH_DRAW_TEST, 1, 0);
    b = bough_stream_make(key, BOUGH_DRAW_TEST, 2, 0);
    for (int i = 0; i < COUNT; i++) assert_true(bough_stream_next(&b) == mixed_b[i]);
    for (int i = 0; i < COUNT; i++) assert_true(bough_stream_next(&a) == mixed_a[i]);
}

/* A stream of more than 2^17 words leaves the 16 bits of index behind and must not begin again. */
static void long_streams_do_not_repeat(void **state) {
    (void)state;
    enum { COUNT = (1 << 18) + 4 };
    bough_key key = bough_key_make(6, 0);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_TEST, 1, 8);
    uint64_t *word = malloc(COUNT * sizeof *word);
    assert_non_null(word);
    for (int i = 0; i < COUNT; i++) word[i] = bough_stream_next(&stream);
    uint32_t block[4];
    bough_block(&(bough_draw){key, BOUGH_DRAW_TEST, 8}, 1, 3, block);
    assert_true(word[6] == ((uint64_t)block[1] << 32 | block[0]));
    assert_true(word[7] == ((uint64_t)block[3] << 32 | block[2]));
    assert_distinct(
        word, COUNT); /* 2^36 pairs of 2^64: a chance of 2^-29 that equals are honest; the seed is fixed */
    free(word);
}

static void scaling_stays_in_range(void **state) {
    (void)state;
    assert_true(bough_scale(0, 7) == 0);
    assert_true(bough_scale(UINT64_MAX, 7) == 6);
    assert_true(bough_scale(UINT64_MAX, 1) == 0);
    assert_true(bough_scale(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(bough_scale(UINT64_C(1) << 63, 10) == 5);
    assert_true(bough_unit(0) == 0);
    assert_true(bough_unit(UINT64_MAX) < 1);
    assert_true(bough_unit(UINT64_C(1) << 63) == 0.5);
}

/* ---- distributions: fixed seeds; limits are 99.9 % quantiles of chi-square ---- */

static double chi_square(const uint64_t *count, size_t cells, double total) {
    double sum = 0, expected = total / (double)cells;
    for (size_t i = 0; i < cells; i++) sum += pow((double)count[i] - expected, 2) / expected;
    return sum;
}

static void scaled_words_are_uniform(void **state) {
    (void)state;
    uint64_t count[10] = {0};
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    for (int i = 0; i < 100000; i++) count[bough_stream_below(&stream, 10)]++;
    assert_true(chi_square(count, 10, 100000) < 27.88);
}

/* Neighbouring entities, occasions and trials: pairs of 4-bit numbers fall into 256 cells evenly. */
static void neighbours_are_independent(void **state) {
    (void)state;
    enum { DRAWS = 65536 };
    for (int what = 0; what < 3; what++) {
        uint64_t count[256] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            bough_key key = bough_key_make(1, what == 2 ? i : 0),
                      next = bough_key_make(1, what == 2 ? i + 1 : 0);
            uint64_t a = bough_word(key, BOUGH_DRAW_TEST, what == 0 ? i : 0, what == 1 ? i : 0);
            uint64_t b = bough_word(next, BOUGH_DRAW_TEST, what == 0 ? i + 1 : 0, what == 1 ? i + 1 : 0);
            count[(a >> 60) << 4 | b >> 60]++;
        }
        assert_true(chi_square(count, 256, DRAWS) < 330.5);
    }
}

/* Each of the 128 positions in a block is a fair coin, and so is the exclusive or of two neighbours. */
static void bits_are_fair_coins(void **state) {
    (void)state;
    enum { BLOCKS = 4096 };
    uint64_t one[128] = {0}, unlike[128] = {0};
    for (uint64_t b = 0; b < BLOCKS; b++) {
        uint32_t bits[5];
        bough_bits(&(bough_draw){bough_key_make(9, 0), BOUGH_DRAW_TEST, 0}, b * 128, 129, bits);
        for (unsigned i = 0; i < 128; i++) {
            unsigned bit = bits[i / 32] >> i % 32 & 1, next = bits[(i + 1) / 32] >> (i + 1) % 32 & 1;
            one[i] += bit;
            unlike[i] += bit ^ next;
        }
    }
    double sum = 0, pairs = 0;
    for (unsigned i = 0; i < 128; i++) {
        sum += pow((double)one[i] - BLOCKS / 2.0, 2) / (BLOCKS / 4.0);
        pairs += pow((double)unlike[i] - BLOCKS / 2.0, 2) / (BLOCKS / 4.0);
    }
    assert_true(sum > 83.0 && sum < 181.99); /* 0.05 % and 99.9 % of chi-square with 128 degrees of freedom */
    assert_true(pairs < 181.99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_random123),
        cmocka_unit_test(every_seed_and_trial_has_its_own_key),
        cmocka_unit_test(every_coordinate_counts),
        cmocka_unit_test(words_are_halves_of_a_block),
        cmocka_unit_test(runs_of_bits_are_the_single_bits),
        cmocka_unit_test(blocks_are_the_single_words),
        cmocka_unit_test(words_of_blocks_are_the_single_words),
        cmocka_unit_test(numbers_do_not_depend_on_the_order_of_asking),
        cmocka_unit_test(long_streams_do_not_repeat),
        cmocka_unit_test(scaling_stays_in_range),
        cmocka_unit_test(scaled_words_are_uniform),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(bits_are_fair_coins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
