/* The Benes network and the permuter that simulates it: every permutation of up to 8 lines, random ones up to
 * 2^16.
 */
#include "network/sorting_hardware/benes.h"

#include "base/random/random.h"
#include "network/sorting_hardware/permuter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_benes network(uint32_t lines, const uint8_t *order) {
    bough_benes b;
    bough_error error;
    if (bough_benes_make(lines, order, &b, &error)) fail_msg("%s", error.reason);
    return b;
}

static void find(bough_benes *b, const uint32_t *target) {
    bough_error error;
    if (bough_benes_find(b, target, &error)) fail_msg("%s", error.reason);
}

/* ---- bad input ---- */

static void wrong_networks_are_refused(void **state) {
    (void)state;
    static const uint32_t lines[] = {0, 1, 3, 12, UINT32_C(1) << 27};
    static const uint8_t twice[] = {0, 1, 1}, high[] = {0, 3, 1};
    bough_benes b;
    bough_error error;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(bough_benes_make(lines[i], NULL, &b, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "a power of two from 2 to 2^26 is needed"));
        assert_null(b.control);
    }
    assert_int_equal(bough_benes_make(8, twice, &b, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "dimension 1 at place 2"));
    assert_int_equal(bough_benes_make(8, high, &b, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "dimension 3 at place 1"));
    static const uint32_t cycles[][2] = {{1, 8}, {6, 8}, {8, 0}, {8, 6}, {1 << 14, 1 << 13}};
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
        assert_int_equal(
            bough_permuter_network(&(bough_permuter){cycles[i][0], cycles[i][1], 20}, &b, &error),
            BOUGH_INVALID);
}

static void what_is_no_permutation_is_refused(void **state) {
    (void)state;
    static const uint32_t twice[] = {0, 2, 1, 2}, out[] = {0, 1, 4, 3};
    bough_benes b = network(4, NULL);
    bough_error error;
    assert_int_equal(bough_benes_find(&b, twice, &error), BOUGH_INVALID);
    assert_string_equal(error.reason, "Benes: line 3 goes to 2, which is taken; a permutation is needed");
    assert_int_equal(bough_benes_find(&b, out, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "line 2 goes to 4, which does not exist"));
    bough_benes_fini(&b);
}

/* ---- counts ---- */

static void switches_and_steps_are_as_printed(void **state) {
    (void)state;
    assert_int_equal(bough_benes_switches(2), 1);
    assert_int_equal(bough_benes_switches(8), 20);          /* 8 3 - 4 */
    assert_int_equal(bough_benes_switches(65536), 1015808); /* 2^16 16 - 2^15 */
    assert_int_equal(bough_benes_stages(8), 5);
    bough_permuter_steps s = bough_permuter_time(&(bough_permuter){8, 1, 20});
    assert_int_equal(s.words, 2);
    assert_int_equal(s.bits, 2 * 20 + 6);
    s = bough_permuter_time(&(bough_permuter){8, 8, 20});
    assert_int_equal(s.neighbour, 14);
    assert_int_equal(s.words, 30);
    assert_int_equal(s.bits, 14 * 21 + 16 * 20 + 6);
}

/* n lg n - n/2 control bits: those of the cells and of the Omega network, less the stage passed twice. */
static void control_bits_are_those_of_the_paper(void **state) {
    (void)state;
    for (uint32_t k = 1; k < 8; k++)
        for (uint32_t j = 0; j < 8; j++) {
            uint64_t s = 1u << k, w = 1u << j, cells = s * w / 2 * 2 * j, omega = s / 2 * k * 2 * w;
            assert_int_equal(bough_benes_switches((uint32_t)(s * w)), cells + omega - s / 2 * w);
        }
}

/* ---- every permutation ---- */

static bool next_permutation(uint32_t *p, unsigned n) {
    unsigned i = n - 1, k = n - 1;
    while (i > 0 && p[i - 1] > p[i]) i--;
    if (i == 0) return false;
    while (p[k] < p[i - 1]) k--;
    uint32_t t = p[k];
    p[k] = p[i - 1];
    p[i - 1] = t;
    for (k = n - 1; i < k; i++, k--) t = p[i], p[i] = p[k], p[k] = t;
    return true;
}

/* Through all stages. */
static void send(const bough_benes *b, uint64_t *word) {
    for (unsigned t = 0; t < bough_benes_stages(b->lines); t++) {
        uint32_t bit = UINT32_C(1) << bough_benes_dimension(b, t);
        for (uint32_t x = 0; x < b->lines; x++)
            if (!(x & bit) && bough_benes_set(b, t, x)) {
                uint64_t other = word[x | bit];
                word[x | bit] = word[x];
                word[x] = other;
            }
    }
}

static void arrives(bough_benes *b, const uint32_t *target, uint64_t *word) {
    find(b, target);
    for (uint32_t x = 0; x < b->lines; x++) word[x] = x;
    send(b, word);
    for (uint32_t x = 0; x < b->lines; x++)
        if (word[target[x]] != x) fail_msg("the word of line %u is not at %u", x, target[x]);
}

static void every_permutation_of_eight(void **state) {
    (void)state;
    static const uint8_t order[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    static const unsigned counts[] = {2, 24, 40320};
    uint64_t word[8];
    for (unsigned k = 1; k <= 3; k++)
        for (unsigned o = 0; o < (k == 3 ? 3u : 1u); o++) {
            bough_benes b = network(1u << k, order[o]);
            uint32_t p[8];
            unsigned count = 0;
            for (uint32_t x = 0; x < 8; x++) p[x] = x;
            do {
                arrives(&b, p, word);
                count++;
            } while (next_permutation(p, 1u << k));
            assert_int_equal(count, counts[k - 1]);
            bough_benes_fini(&b);
        }
}

/* ---- random ones, and the machine ---- */

static void shuffle(uint32_t *p, uint32_t n, unsigned trial) {
    bough_stream s = bough_stream_make(bough_key_make(7, trial), BOUGH_DRAW_TEST, n, 0);
    for (uint32_t x = 0; x < n; x++) p[x] = x;
    for (uint32_t x = n; x-- > 1;) {
        uint32_t y = (uint32_t)bough_stream_below(&s, x + 1), t = p[x];
        p[x] = p[y];
        p[y] = t;
    }
}

static void random_permutations(void **state) {
    (void)state;
    for (unsigned k = 4; k <= 16; k++) {
        uint32_t n = 1u << k, *p = malloc(n * sizeof *p);
        uint64_t *word = malloc(n * sizeof *word);
        bough_benes b = network(n, NULL);
        for (unsigned trial = 0; trial < (k < 12 ? 20u : 2u); trial++) {
            shuffle(p, n, trial);
            arrives(&b, p, word);
        }
        bough_benes_fini(&b);
        free(word);
        free(p);
    }
}

static void the_machine_does_the_same(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 6; k++)
        for (unsigned j = 0; j <= 6; j++) {
            uint32_t s = 1u << k, w = 1u << j, n = s * w, p[4096], space[64];
            const bough_permuter permuter = {s, w, 20};
            uint64_t word[4096];
            bough_benes b;
            bough_error error;
            assert_int_equal(bough_permuter_network(&permuter, &b, &error), BOUGH_OK);
            for (unsigned trial = 0; trial < 5; trial++) {
                shuffle(p, n, 100 + trial);
                find(&b, p);
                for (uint32_t x = 0; x < n; x++) word[x] = x;
                bough_permuter_steps took = bough_permuter_run(&permuter, &b, word, space);
                bough_permuter_steps want = bough_permuter_time(&permuter);
                assert_memory_equal(&took, &want, sizeof took);
                for (uint32_t x = 0; x < n; x++) assert_int_equal(word[p[x]], x);
            }
            bough_benes_fini(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_networks_are_refused),
        cmocka_unit_test(what_is_no_permutation_is_refused),
        cmocka_unit_test(switches_and_steps_are_as_printed),
        cmocka_unit_test(control_bits_are_those_of_the_paper),
        cmocka_unit_test(every_permutation_of_eight),
        cmocka_unit_test(random_permutations),
        cmocka_unit_test(the_machine_does_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
