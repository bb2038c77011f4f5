/* The sorting circuit: it sorts bit by bit, in the steps of its formula, as a program does that moves every
 * bit over its own edge. */
#include "network/sorting_hardware/sorting_circuit.h"

#include "base/random/random.h"
#include "network/sorting_hardware/sorter.h"
#include "support/sorting_circuit_oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES_MAX = 4096 };

static void what_is_no_circuit_is_refused(void **state) {
    (void)state;
    sorting_circuit *c = NULL;
    sorting_mesh *m = NULL;
    bough_error error;
    static const uint64_t none[] = {0, 1, 3, 12};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(sorting_circuit_create(none[i], 8, &c, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "must be a power of two >= 2"));
    }
    assert_int_equal(sorting_circuit_create(16, 64, &c, &error), BOUGH_INVALID);
    assert_string_equal(error.reason,
                        "mesh of trees for 8 words of 64 bits: the words must be a power of two "
                        "from 2 to 4096, of 1 to 63 bits");
    assert_null(c);
    assert_int_equal(sorting_mesh_create(8192, 8, &m, &error), BOUGH_INVALID);
    assert_int_equal(sorting_circuit_create(4, 3, &c, &error), BOUGH_OK);
    uint64_t word[4] = {1, 8, 2, 3}, steps;
    assert_int_equal(sorting_circuit_run(c, word, &steps, &error), BOUGH_INVALID);
    assert_string_equal(error.reason, "sorting circuit: word 1 is 8, more than 3 bits");
    sorting_circuit_destroy(c);
}

/* Columns of R words, C of them: the largest C with R >= 2 (C-1)^2. */
static void columns_are_as_many_as_columnsort_allows(void **state) {
    (void)state;
    static const struct {
        uint64_t lines, rows;
    } want[] = {{2, 2},
                {4, 2},
                {8, 4},
                {16, 8},
                {32, 16},
                {64, 32},
                {128, 32},
                {256, 64},
                {512, 128},
                {1024, 128},
                {2048, 256},
                {4096, 512},
                {UINT64_C(1) << 13, 512}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(sorting_circuit_rows(want[i].lines), want[i].rows);
}

/* Two words of two bits, L = 1: compared in step 3, ranks at the roots in step 4, words sent again from step
 * 5 on, the last bit at a column's root in step 8. */
static void two_words_by_hand(void **state) {
    (void)state;
    sorting_mesh *m;
    bough_error error;
    assert_int_equal(sorting_mesh_create(2, 2, &m, &error), BOUGH_OK);
    static const uint64_t given[][2] = {{2, 1}, {1, 2}, {3, 3}, {SORTING_MESH_EMPTY, 0}};
    static const uint64_t sorted[][2] = {{1, 2}, {1, 2}, {3, 3}, {0, SORTING_MESH_EMPTY}};
    for (int i = 0; i < 4; i++) {
        uint64_t word[2], steps;
        memcpy(word, given[i], sizeof word);
        assert_int_equal(sorting_mesh_run(m, word, &steps, &error), BOUGH_OK);
        assert_memory_equal(word, sorted[i], sizeof word);
        assert_int_equal(steps, 8);
    }
    assert_int_equal(sorting_mesh_steps(2, 2), 8);
    uint64_t none[2] = {SORTING_MESH_EMPTY, SORTING_MESH_EMPTY}, steps;
    assert_int_equal(sorting_mesh_run(m, none, &steps, &error), BOUGH_OK);
    assert_int_equal(steps, 2 + 4 - 1); /* ranks, but no words */
    sorting_mesh_destroy(m);
}

/* ---- agreement with the oracle ---- */

static void draw(uint64_t *word, uint64_t lines, unsigned bits, unsigned kind) {
    bough_stream s = bough_stream_make(bough_key_make(7, kind), BOUGH_DRAW_TEST, lines, bits);
    for (uint64_t p = 0; p < lines; p++) {
        uint64_t most = kind == 1 ? 2 : UINT64_C(1) << bits;
        word[p] = bough_stream_below(&s, most);
        if (kind == 2) word[p] = (lines - 1 - p) & (most - 1);
        if (kind == 3 && bough_stream_below(&s, 3) == 0) word[p] = SORTING_MESH_EMPTY;
    }
}

static void meshes_move_as_the_oracle(void **state) {
    (void)state;
    static const unsigned widths[] = {1, 2, 7, 20};
    for (unsigned rows = 2; rows <= 128; rows *= 2)
        for (size_t b = 0; b < sizeof widths / sizeof *widths; b++) {
            sorting_mesh *m;
            bough_error error;
            if (sorting_mesh_create(rows, widths[b], &m, &error)) fail_msg("%s", error.reason);
            for (unsigned kind = 0; kind < (rows > 64 ? 2 : 4); kind++) {
                uint64_t word[128], want[128], steps;
                draw(word, rows, widths[b], kind);
                memcpy(want, word, sizeof want);
                uint64_t wanted = oracle_mesh_sort(want, rows, widths[b]);
                if (sorting_mesh_run(m, word, &steps, &error)) fail_msg("%s", error.reason);
                assert_memory_equal(word, want, rows * sizeof *word);
                assert_int_equal(steps, wanted);
                if (want[0] != SORTING_MESH_EMPTY)
                    assert_int_equal(steps, sorting_mesh_steps(rows, widths[b]));
            }
            sorting_mesh_destroy(m);
        }
}

/* Every order of zeros, ones and missing words on 4 lines; every seventh input of zeros and ones
 * on 16. */
static void run_both(sorting_circuit *c, uint64_t *word, unsigned lines, unsigned bits) {
    uint64_t want[128], steps;
    bough_error error;
    unsigned rows = (unsigned)sorting_circuit_rows(lines);
    memcpy(want, word, lines * sizeof *want);
    uint64_t wanted = oracle_circuit_sort(want, rows, lines / rows, bits);
    if (sorting_circuit_run(c, word, &steps, &error)) fail_msg("%s", error.reason);
    assert_memory_equal(word, want, lines * sizeof *word);
    assert_int_equal(steps, wanted);
}

static void small_circuits_sort_everything(void **state) {
    (void)state;
    sorting_circuit *four, *sixteen;
    bough_error error;
    uint64_t word[16], steps;
    assert_int_equal(sorting_circuit_create(4, 1, &four, &error), BOUGH_OK);
    for (unsigned set = 0; set < 81; set++) {
        for (unsigned p = 0, rest = set; p < 4; p++, rest /= 3)
            word[p] = rest % 3 == 2 ? SORTING_MESH_EMPTY : rest % 3;
        run_both(four, word, 4, 1);
        for (unsigned p = 1; p < 4; p++) assert_true(word[p - 1] <= word[p]);
    }
    assert_int_equal(sorting_circuit_create(16, 1, &sixteen, &error), BOUGH_OK);
    for (unsigned set = 0; set < 1u << 16; set += 7) {
        for (unsigned p = 0; p < 16; p++) word[p] = set >> p & 1;
        assert_int_equal(sorting_circuit_run(sixteen, word, &steps, &error), BOUGH_OK);
        for (unsigned p = 0; p < 16; p++)
            assert_int_equal(word[p], p >= 16 - (unsigned)__builtin_popcount(set));
    }
    sorting_circuit_destroy(four);
    sorting_circuit_destroy(sixteen);
}

static void circuits_move_as_the_oracle(void **state) {
    (void)state;
    for (unsigned lines = 2; lines <= 128; lines *= 2) {
        sorting_circuit *c;
        bough_error error;
        if (sorting_circuit_create(lines, 11, &c, &error)) fail_msg("%s", error.reason);
        for (unsigned kind = 0; kind < 4; kind++) {
            uint64_t word[128];
            draw(word, lines, 11, kind);
            run_both(c, word, lines, 11);
        }
        sorting_circuit_destroy(c);
    }
}

/* ---- Lemma 9 ---- */

static int by_word(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void large_circuits_sort_in_the_time_of_lemma_9(void **state) {
    (void)state;
    static uint64_t word[LINES_MAX], want[LINES_MAX];
    for (uint64_t lines = 16; lines <= LINES_MAX; lines *= 2) {
        unsigned lg = (unsigned)__builtin_ctzll(lines);
        const unsigned widths[] = {lg, 3 * lg, 63};
        for (unsigned b = 0; b < (lines > 1024 ? 2 : 3); b++) {
            sorting_circuit *c;
            bough_error error;
            uint64_t steps;
            if (sorting_circuit_create(lines, widths[b], &c, &error)) fail_msg("%s", error.reason);
            draw(word, lines, widths[b], 3);
            memcpy(want, word, sizeof want);
            qsort(want, lines, sizeof *want, by_word);
            if (sorting_circuit_run(c, word, &steps, &error)) fail_msg("%s", error.reason);
            assert_memory_equal(word, want, lines * sizeof *word);
            assert_int_equal(steps, sorting_circuit_steps(lines, widths[b]));
            assert_true(steps <= SORTING_CIRCUIT_STEPS_MAX * (widths[b] + lg));
            sorting_circuit_destroy(c);
        }
    }
}

/* The bound holds for all sizes, the limit 12 is approached; the area stays below a multiple of s^2. */
static void lemma_9_holds_for_all_sizes(void **state) {
    (void)state;
    double most = 0, area = 0, squares = 0;
    for (uint64_t lines = 2; lines <= UINT64_C(1) << 40; lines *= 2) {
        unsigned lg = (unsigned)__builtin_ctzll(lines);
        for (uint64_t bits = lg; bits <= 8 * (uint64_t)lg; bits++) {
            double ratio = (double)sorting_circuit_steps(lines, bits) / (double)(bits + lg);
            if (ratio > most) most = ratio;
        }
        sorting_circuit_size size = sorting_circuit_measure(lines, lg, 4, 1);
        squares = (double)size.height * (double)size.length / ((double)lines * (double)lines);
        if (squares > area) area = squares;
        assert_true(size.height >= 4 * lines);
    }
    assert_true(most <= SORTING_CIRCUIT_STEPS_MAX && most > 11.5);
    assert_true(area < 370);   /* at s = 64 */
    assert_true(squares < 25); /* at s = 2^40 */
}

/* ---- the flexible sorter on it ---- */

/* It sorts r words on a circuit in the steps that it foretells, but for those of the circuit. */
static void runs_on(const bough_sorter *sorter, sorting_circuit *c, uint64_t r, uint64_t range) {
    uint64_t key[256], want[256];
    bough_sorter_time took, predicted;
    bough_error error;
    bough_stream random =
        bough_stream_make(bough_key_make(3, sorter->lines), BOUGH_DRAW_TEST, r, (uint32_t)range);
    for (uint64_t p = 0; p < r; p++) want[p] = key[p] = bough_stream_below(&random, range);
    qsort(want, r, sizeof *want, by_word);
    if (bough_sorter_measure(sorter, r, &predicted, &error)) fail_msg("%s", error.reason);
    const bough_sorter_words words = {key, r, c};
    if (bough_sorter_run(sorter, &words, &took, &error)) fail_msg("%s", error.reason);
    assert_memory_equal(key, want, r * sizeof *key);
    assert_int_equal(took.sort, took.passes * sorting_circuit_steps(sorter->lines, sorter->bits));
    predicted.bit_steps += took.sort - predicted.sort;
    predicted.sort = took.sort;
    assert_memory_equal(&took, &predicted, sizeof took);
}

static void flexible_sorters_run_on_it(void **state) {
    (void)state;
    static const bough_sorter sorters[] = {{8, 64, 12}, {16, 128, 20}, {32, 256, 20}, {4, 32, 7}, {2, 8, 3}};
    for (size_t i = 0; i < sizeof sorters / sizeof *sorters; i++) {
        sorting_circuit *c;
        bough_error error;
        if (sorting_circuit_create(sorters[i].lines, (unsigned)sorters[i].bits, &c, &error))
            fail_msg("%s", error.reason);
        for (uint64_t r = 0; r <= sorters[i].capacity; r += 1 + r / 4) {
            runs_on(&sorters[i], c, r, 2); /* equal words */
            runs_on(&sorters[i], c, r, UINT64_C(1) << sorters[i].bits);
        }
        sorting_circuit_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_circuit_is_refused),
        cmocka_unit_test(columns_are_as_many_as_columnsort_allows),
        cmocka_unit_test(two_words_by_hand),
        cmocka_unit_test(meshes_move_as_the_oracle),
        cmocka_unit_test(small_circuits_sort_everything),
        cmocka_unit_test(circuits_move_as_the_oracle),
        cmocka_unit_test(large_circuits_sort_in_the_time_of_lemma_9),
        cmocka_unit_test(lemma_9_holds_for_all_sizes),
        cmocka_unit_test(flexible_sorters_run_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
