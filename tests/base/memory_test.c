#include "base/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void an_array_that_cannot_be_counted_is_refused(void **state) {
    (void)state;
    bough_error error;
    void *p = &error; /* anything but NULL */
    assert_int_equal(bough_alloc(&p, UINT64_MAX, 2, &error), BOUGH_TOO_LARGE);
    assert_null(p);
    assert_non_null(strstr(error.reason, "more than 16 EiB")); /* the saturated number of bytes */
    p = &error;
    assert_int_equal(bough_alloc(&p, UINT64_C(1) << 61, 16, &error), BOUGH_TOO_LARGE);
    assert_null(p);
    assert_int_equal(bough_alloc(&p, UINT64_C(1) << 32, UINT64_C(1) << 32, NULL), BOUGH_TOO_LARGE);
}

static void growing_beyond_all_bounds_leaves_the_array_alone(void **state) {
    (void)state;
    bough_error error;
    int *array = NULL;
    size_t capacity = 0;
    assert_int_equal(bough_grow(&array, &capacity, 3, sizeof *array, &error), BOUGH_OK);
    array[0] = 7;
    int *before = array;
    size_t held = capacity;
    assert_int_equal(bough_grow(&array, &capacity, UINT64_MAX, sizeof *array, &error), BOUGH_TOO_LARGE);
    assert_int_equal(bough_grow(&array, &capacity, UINT64_MAX / 2, sizeof *array, &error), BOUGH_TOO_LARGE);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, held);
    assert_int_equal(array[0], 7);
    free(array);
}

static void products_and_sums_saturate(void **state) {
    (void)state;
    assert_true(bough_mul(UINT64_C(1) << 32, UINT64_C(1) << 31) == UINT64_C(1) << 63);
    assert_true(bough_mul(UINT64_C(1) << 32, UINT64_C(1) << 32) == UINT64_MAX);
    assert_true(bough_mul(UINT64_MAX, 0) == 0);
    assert_true(bough_mul(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(bough_add(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(bough_add(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(bough_add(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(bough_add(2, 3) == 5);
}

static void new_memory_is_zero_and_never_null(void **state) {
    (void)state;
    unsigned char *p;
    assert_int_equal(bough_alloc(&p, 0, 8, NULL), BOUGH_OK);
    assert_non_null(p);
    free(p);
    assert_int_equal(bough_alloc(&p, 1000, 3, NULL), BOUGH_OK);
    for (int i = 0; i < 3000; i++) assert_int_equal(p[i], 0);
    free(p);
}

static void growing_keeps_what_was_there(void **state) {
    (void)state;
    uint64_t *array = NULL;
    size_t capacity = 0, moves = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        size_t before = capacity;
        assert_int_equal(bough_grow(&array, &capacity, i + 1, sizeof *array, NULL), BOUGH_OK);
        assert_true(capacity >= i + 1);
        moves += capacity != before;
        array[i] = i * i;
    }
    for (uint64_t i = 0; i < 10000; i++) assert_true(array[i] == i * i);
    assert_true(moves < 30); /* in proportion, not by ones */
    size_t before = capacity;
    assert_int_equal(bough_grow(&array, &capacity, 5, sizeof *array, NULL), BOUGH_OK);
    assert_int_equal(capacity, before); /* never shrinks */
    free(array);
}

static void a_run_that_cannot_fit_says_how_much_it_wants(void **state) {
    (void)state;
    bough_error error;
    assert_true(bough_memory_limit() > 0);
    assert_int_equal(bough_memory_check(0, "nothing", &error), BOUGH_OK);
    assert_int_equal(bough_memory_check(bough_memory_limit() / 2, "half of it", &error), BOUGH_OK);
    assert_int_equal(bough_memory_check(UINT64_C(3) << 60, "the simulation", &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "the simulation would take 3.00 EiB"));
    assert_int_equal(bough_memory_check(UINT64_MAX, "the simulation", &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "more than 16 EiB"));
}

static void bytes_read_well(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1.00 KiB"},
        {1536, "1.50 KiB"},
        {10240, "10.0 KiB"},
        {102400, "100 KiB"},
        {UINT64_C(5) << 30, "5.00 GiB"},
        {UINT64_C(1) << 63, "8.00 EiB"},
        {UINT64_MAX, "more than 16 EiB"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(bough_format_bytes(cases[i].bytes, buffer, sizeof buffer), cases[i].text);
}

static void a_copied_string_is_another_string(void **state) {
    (void)state;
    const char *text = "spine";
    char *copy = bough_strdup(text);
    assert_string_equal(copy, text);
    assert_ptr_not_equal(copy, text);
    free(copy);
    copy = bough_strdup("");
    assert_string_equal(copy, "");
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_cannot_be_counted_is_refused),
        cmocka_unit_test(growing_beyond_all_bounds_leaves_the_array_alone),
        cmocka_unit_test(products_and_sums_saturate),
        cmocka_unit_test(new_memory_is_zero_and_never_null),
        cmocka_unit_test(growing_keeps_what_was_there),
        cmocka_unit_test(a_run_that_cannot_fit_says_how_much_it_wants),
        cmocka_unit_test(bytes_read_well),
        cmocka_unit_test(a_copied_string_is_another_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
