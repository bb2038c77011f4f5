/* Columnsort by the 0-1 principle: a network of comparisons that sorts all zeros and ones sorts everything.
 * After the first phase a column of zeros and ones is its number of ones, so (R + 1)^C inputs are all there
 * are. */
#include "network/sorting_hardware/columnsort.h"

#include "base/random/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(uint64_t words, uint64_t column, const char *reason) {
    bough_columnsort plan;
    bough_error error;
    assert_int_equal(bough_columnsort_plan(words, column, &plan, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
}

static bough_columnsort plan_of(uint64_t words, uint64_t column) {
    bough_columnsort plan;
    bough_error error;
    if (bough_columnsort_plan(words, column, &plan, &error)) fail_msg("%s", error.reason);
    return plan;
}

/* ---- bad input ---- */

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    bough_columnsort plan;
    bough_error error;
    refused(0, 4, "0 words: between 1 and 2^40 are supported");
    refused(UINT64_MAX, 1, "between 1 and 2^40 are supported");
    refused(12, 0, "columns of 0 do not divide them");
    refused(12, 5, "columns of 5 do not divide them");
    refused(2, 1, "no virtual columns of R words");
    refused(35, 5, "no virtual columns of R words"); /* 7 does not divide 5 */
    refused(3 * 7, 7, "C dividing R");
    assert_int_equal(bough_columnsort_level(16, 4, false, &plan, &error), BOUGH_INVALID);
    assert_string_equal(error.reason,
                        "Columnsort of C = 4 columns needs R >= 2 (C-1)^2 = 18 words per column; "
                        "these have 16");
    assert_int_equal(bough_columnsort_level(10, 4, true, &plan, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "must divide"));
    assert_int_equal(bough_columnsort_level(UINT64_C(1) << 39, 4, false, &plan, &error), BOUGH_INVALID);
    assert_int_equal(bough_columnsort_level(0, 4, false, &plan, &error), BOUGH_INVALID);
}

/* ---- by hand ---- */

static void phases_are_powers_of_four(void **state) {
    (void)state;
    const struct {
        uint64_t words, column;
        unsigned levels;
        uint64_t rows[3];
    } want[] = {
        {8, 8, 0, {0}},          /* one column */
        {16, 8, 1, {8}},         /* 8 >= 2 */
        {32, 8, 2, {16, 8}},     /* C = 4 would need 18 */
        {64, 8, 3, {32, 16, 8}}, /* R = 16, C = 4: 18 */
        {64, 16, 2, {32, 16}},
        {128, 32, 1, {32}},
        {256, 32, 2, {64, 32}},
        {27, 9, 1, {9}}, /* 9 >= 8, and 3 divides 9 */
        {3 * 96, 96, 1, {96}},
        {100 * 25000, 25000, 1, {25000}},
        {1 << 20, 1 << 10, 2, {1 << 14, 1 << 10}},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        bough_columnsort plan = plan_of(want[i].words, want[i].column);
        assert_int_equal(plan.levels, want[i].levels);
        assert_int_equal(plan.phases, UINT64_C(1) << 2 * want[i].levels);
        for (unsigned l = 0; l < plan.levels; l++) assert_int_equal(plan.rows[l], want[i].rows[l]);
    }
}

/* R = 4, C = 2: transpose, back, half a column on, and back with the halves of the first column apart. */
static void four_by_two_by_hand(void **state) {
    (void)state;
    static const unsigned want[4][8] = {{0, 4, 1, 5, 2, 6, 3, 7},
                                        {0, 2, 4, 6, 1, 3, 5, 7},
                                        {2, 3, 4, 5, 6, 7, 0, 1},
                                        {0, 1, 6, 7, 2, 3, 4, 5}};
    bough_columnsort plan = plan_of(8, 4);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned p = 0; p < 8; p++) assert_int_equal(bough_columnsort_target(&plan, k, p), want[k][p]);
}

/* ---- invariants ---- */

static void every_phase_is_a_permutation(void **state) {
    (void)state;
    static const uint64_t size[][2] = {{64, 8},   {128, 32},    {27, 9},   {512, 8},
                                       {288, 96}, {5 * 45, 45}, {1024, 16}};
    bool seen[1024];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        bough_columnsort plan = plan_of(size[i][0], size[i][1]);
        for (uint64_t k = 0; k < plan.phases; k++) {
            memset(seen, 0, sizeof seen);
            for (uint64_t p = 0; p < plan.words; p++) {
                uint64_t to = bough_columnsort_target(&plan, k, p);
                assert_true(to < plan.words && !seen[to]);
                seen[to] = true;
            }
        }
    }
}

/* ---- all zeros and ones ---- */

typedef unsigned __int128 bits;

enum { COLUMNS = 8, ONES = 129 };

/* What a sorted column with so many ones gives to each column after a phase (eight counts of a byte), and in
 * the last phase the places its ones come to. */
typedef struct tables {
    uint64_t gives[256][COLUMNS][ONES];
    bits places[COLUMNS][ONES];
} tables;

static void fill_tables(const bough_columnsort *plan, tables *t) {
    uint64_t rows = plan->column, columns = plan->words / rows;
    memset(t, 0, sizeof *t);
    for (uint64_t k = 0; k < plan->phases; k++)
        for (uint64_t c = 0; c < columns; c++)
            for (uint64_t ones = 1; ones <= rows; ones++) {
                uint64_t to = bough_columnsort_target(plan, k, c * rows + rows - ones);
                t->gives[k][c][ones] = t->gives[k][c][ones - 1] + (UINT64_C(1) << 8 * (to / rows));
                if (k + 1 == plan->phases) t->places[c][ones] = t->places[c][ones - 1] | (bits)1 << to;
            }
}

static bool sorts(const bough_columnsort *plan, const tables *t, uint64_t counts) {
    uint64_t columns = plan->words / plan->column, ones = 0;
    bits end = 0;
    for (uint64_t c = 0; c < columns; c++) ones += counts >> 8 * c & 255;
    for (uint64_t k = 0; k + 1 < plan->phases; k++) {
        uint64_t next = 0;
        for (uint64_t c = 0; c < columns; c++) next += t->gives[k][c][counts >> 8 * c & 255];
        counts = next;
    }
    for (uint64_t c = 0; c < columns; c++) end |= t->places[c][counts >> 8 * c & 255];
    bits all = plan->words == 128 ? ~(bits)0 : ((bits)1 << plan->words) - 1;
    bits want = ones == 0 ? 0 : all & ~(((bits)1 << (plan->words - ones)) - 1);
    return end == want;
}

/* How many of all inputs are not sorted. At most 128 words in at most 8 columns. */
static uint64_t failures(const bough_columnsort *plan, uint64_t *inputs) {
    uint64_t rows = plan->column, columns = plan->words / rows, failed = 0;
    tables *t = malloc(sizeof *t);
    assert_non_null(t);
    fill_tables(plan, t);
    *inputs = 0;
    for (uint64_t counts = 0;;) {
        failed += !sorts(plan, t, counts);
        ++*inputs;
        uint64_t c = 0;
        while (c < columns && (counts >> 8 * c & 255) == rows) counts &= ~(UINT64_C(255) << 8 * c++);
        if (c == columns) break;
        counts += UINT64_C(1) << 8 * c;
    }
    free(t);
    return failed;
}

static void zeros_and_ones_are_sorted(void **state) {
    (void)state;
    static const uint64_t size[][3] = {
        {128, 32, 1185921},                                   /* 33^4 */
        {32, 8, 6561},                                        /* 9^4, two levels */
        {16, 4, 625},       {8, 2, 81},      {64, 16, 83521}, /* 17^4, two levels */
        {27, 9, 1000},      {128, 64, 4225}, {32, 4, 390625}, /* 5^8, three levels */
        {16, 2, 6561},      {54, 18, 6859},  {45, 15, 4096},
    };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        bough_columnsort plan = plan_of(size[i][0], size[i][1]);
        uint64_t inputs;
        assert_int_equal(failures(&plan, &inputs), 0);
        assert_int_equal(inputs, size[i][2]);
    }
}

static void below_the_condition_it_fails(void **state) {
    (void)state;
    bough_columnsort plan;
    bough_error error;
    uint64_t inputs;
    assert_int_equal(bough_columnsort_level(16, 4, true, &plan, &error), BOUGH_OK);
    assert_int_equal(failures(&plan, &inputs), 128);
    assert_int_equal(inputs, 83521);
    assert_int_equal(bough_columnsort_level(9, 3, true, &plan, &error), BOUGH_OK); /* at it: 9 >= 8 */
    assert_int_equal(failures(&plan, &inputs), 0);
}

/* ---- keys ---- */

static int by_key(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Phase by phase. */
static void sort_keys(const bough_columnsort *plan, uint64_t *key, uint64_t *space) {
    for (uint64_t phase = 0; phase < plan->phases; phase++) {
        for (uint64_t c = 0; c < plan->words; c += plan->column)
            qsort(key + c, plan->column, sizeof *key, by_key);
        if (plan->levels == 0) break;
        for (uint64_t p = 0; p < plan->words; p++) space[bough_columnsort_target(plan, phase, p)] = key[p];
        memcpy(key, space, plan->words * sizeof *key);
    }
}

static void keys_are_sorted(void **state) {
    (void)state;
    static const uint64_t size[][2] = {{1, 1},       {64, 8},      {1 << 14, 1 << 7},
                                       {3 * 96, 96}, {5000, 1000}, {4096, 16}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        bough_columnsort plan = plan_of(size[i][0], size[i][1]);
        uint64_t *key = malloc(3 * plan.words * sizeof *key), *want = key + plan.words,
                 *space = want + plan.words;
        for (unsigned range = 2; range; range *= 16) { /* few values and many */
            bough_stream s = bough_stream_make(bough_key_make(1, i), BOUGH_DRAW_TEST, range, 0);
            for (uint64_t p = 0; p < plan.words; p++) want[p] = key[p] = bough_stream_below(&s, range);
            qsort(want, plan.words, sizeof *want, by_key);
            sort_keys(&plan, key, space);
            assert_memory_equal(key, want, plan.words * sizeof *key);
        }
        free(key);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),   cmocka_unit_test(phases_are_powers_of_four),
        cmocka_unit_test(four_by_two_by_hand),       cmocka_unit_test(every_phase_is_a_permutation),
        cmocka_unit_test(zeros_and_ones_are_sorted), cmocka_unit_test(below_the_condition_it_fails),
        cmocka_unit_test(keys_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
