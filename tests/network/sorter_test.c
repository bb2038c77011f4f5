/* The flexible sorter: the steps that it foretells. sorting_circuit_test.c runs it. */
#include "network/sorting_hardware/sorter.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_sorter_time measured(bough_sorter sorter, uint64_t words) {
    bough_sorter_time time;
    bough_error error;
    if (bough_sorter_measure(&sorter, words, &time, &error)) fail_msg("%s", error.reason);
    return time;
}

static void what_is_no_sorter_is_refused(void **state) {
    (void)state;
    static const bough_sorter none[] = {
        {1, 8, 8}, {6, 12, 8}, {8, 24, 8}, {8, 4, 8}, {8, 64, 0}, {8, 0, 8}, {2, UINT64_C(1) << 41, 8}};
    bough_sorter_time time;
    bough_error error;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(bough_sorter_measure(&none[i], 1, &time, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "s must be a power of two >= 2 and l a power of two from s"));
    }
    bough_sorter sorter = {8, 64, 12};
    assert_int_equal(bough_sorter_measure(&sorter, 65, &time, &error), BOUGH_INVALID);
    assert_string_equal(error.reason, "65 words exceed the capacity l = 64 of a flexible sorter with s = 8");
}

/* Figure 4: s = 8, l = 64, words of 12 bits. */
static void figure_4_by_hand(void **state) {
    (void)state;
    bough_sorter sorter = {8, 64, 12};
    bough_sorter_time t = measured(sorter, 0);
    assert_int_equal(t.bit_steps, 0);
    t = measured(sorter, 5); /* one column: no permutation */
    assert_int_equal(t.passes, 1);
    assert_int_equal(t.word_steps, 2);
    assert_int_equal(t.bit_steps, 12 + 12 + 3);
    t = measured(sorter, 9); /* two columns of 8: K = 4 */
    assert_int_equal(t.columns, 2);
    assert_int_equal(t.passes, 8);
    assert_int_equal(t.word_steps, 2 + 8 + 4 * 6);
    assert_int_equal(t.load, 24);
    assert_int_equal(t.setup, 0);
    assert_int_equal(t.sort, 8 * 15);
    assert_int_equal(t.permute, 4 * (2 * 13 + 4 * 12 + 6));
    t = measured(sorter, 33); /* closed off at 8 where 5 columns have words; R = 32, 16, 8: K = 64 */
    assert_int_equal(t.columns, 8);
    assert_int_equal(t.phases, 64);
    assert_int_equal(t.load, 5 * 12);
    assert_int_equal(t.setup, 2 * 2 * 4 + 2 * 4 * 16);
    assert_int_equal(t.bit_steps, t.load + t.setup + t.sort + t.permute);
    assert_int_equal(measured(sorter, 64).sort, t.sort);
}

/* Figure 4: 8 cells a line. K(2) = 4, K(4) = 16, K(8) = 64. Labels 2; 4; 6 and 8. */
static void figure_4_laid_out(void **state) {
    (void)state;
    bough_sorter sorter = {8, 64, 12};
    bough_sorter_length l;
    bough_error error;
    assert_int_equal(bough_sorter_lay_out(&sorter, &l, &error), BOUGH_OK);
    assert_int_equal(l.circuit, 8 * 4);
    assert_int_equal(l.words, 8 * 12);
    uint64_t last = 2 * 64 * 3, fourth = last + 2 * 16 * 2, second = fourth + 2 * 4 * 1;
    assert_int_equal(l.cells, second + fourth + 2 * last);
    assert_int_equal(l.omega, 3 * (2 * 4 * 2 + 2 * 16 * 4 + 2 * 64 * 8));
    assert_int_equal(l.wires, 7);
    assert_int_equal(l.formula, 32 + 8 * (12 + 6));
    sorter.capacity = 8; /* a sorting circuit alone */
    assert_int_equal(bough_sorter_lay_out(&sorter, &l, &error), BOUGH_OK);
    assert_int_equal(l.cells + l.omega, 0);
    sorter.lines = 6;
    assert_int_equal(bough_sorter_lay_out(&sorter, &l, &error), BOUGH_INVALID);
}

static void nodes_have_the_sorters_of_section_4_2(void **state) {
    (void)state;
    const struct {
        uint64_t terminals, degree, lines, capacity;
    } want[] = {
        {128, 1, 16, 128}, {256, 1, 32, 256}, {65536, 1, 512, 65536}, {512, 1, 32, 512}, {512, 3, 32, 2048}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        bough_sorter s = bough_sorter_at(want[i].terminals, want[i].degree, 9);
        assert_int_equal(s.lines, want[i].lines);
        assert_int_equal(s.capacity, want[i].capacity);
        assert_int_equal(s.bits, 9);
    }
}

/* Flexible: passes grow with r, by at most a constant; never by more than K w for w < 2 r/s. */
static void time_is_proportional_to_the_words(void **state) {
    (void)state;
    bough_sorter sorter = bough_sorter_at(65536, 1, 48);
    for (uint64_t r = 512; r <= 65536; r += 512) {
        bough_sorter_time t = measured(sorter, r);
        assert_true(t.columns >= r / 512 && t.columns < 2 * (r / 512) + (r == 512));
        assert_true(t.phases == (t.columns == 1 ? 1 : t.columns <= 16 ? 4 : 16)); /* 512 >= 2 15^2 */
        assert_true(t.bit_steps <= 16 * 2 * (r / 512) * (5 * 49 + 9 + 12));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_sorter_is_refused),
        cmocka_unit_test(figure_4_by_hand),
        cmocka_unit_test(figure_4_laid_out),
        cmocka_unit_test(nodes_have_the_sorters_of_section_4_2),
        cmocka_unit_test(time_is_proportional_to_the_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
