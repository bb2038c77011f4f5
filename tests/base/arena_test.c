#include "base/memory/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void an_array_that_cannot_be_counted_is_refused(void **state) {
    (void)state;
    arena a = {0};
    bough_error error;
    void *p = &error; /* anything but NULL */
    assert_int_equal(arena_alloc(&a, &p, UINT64_MAX, 2, &error), BOUGH_TOO_LARGE);
    assert_null(p);
    assert_non_null(strstr(error.reason, "more than 16 EiB")); /* the saturated number of bytes */
    assert_int_equal(arena_alloc(&a, &p, UINT64_MAX, 1, &error), BOUGH_TOO_LARGE);
    assert_int_equal(arena_alloc(&a, &p, UINT64_C(1) << 32, UINT64_C(1) << 32, NULL), BOUGH_TOO_LARGE);
    assert_null(a.block);
    arena_fini(&a);
}

static void growing_beyond_all_bounds_leaves_the_array_alone(void **state) {
    (void)state;
    static const uint64_t first[] = {3, 5000}; /* in a shared block, and in its own */
    for (int i = 0; i < 2; i++) {
        arena a = {0};
        int *array = NULL;
        assert_int_equal(arena_grow(&a, &array, first[i], sizeof *array, NULL), BOUGH_OK);
        array[0] = 7;
        int *before = array;
        assert_int_equal(arena_grow(&a, &array, UINT64_MAX, sizeof *array, NULL), BOUGH_TOO_LARGE);
        assert_int_equal(arena_grow(&a, &array, UINT64_MAX / 8, sizeof *array, NULL), BOUGH_TOO_LARGE);
        assert_ptr_equal(array, before);
        assert_int_equal(array[0], 7);
        arena_fini(&a);
    }
}

#ifdef BOUGH_SANITIZED
#define LIMITS false
#else
#define LIMITS true
#endif

static void memory_that_the_system_refuses_is_an_error(void **state) {
    (void)state;
    if (!LIMITS) skip(); /* sanitizers need more address space */
    struct rlimit limit, low;
    arena a = {0};
    bough_error error;
    char *array = NULL, *text = NULL;
    assert_int_equal(arena_alloc(&a, &array, 5000, 1, NULL), BOUGH_OK);
    array[0] = 'k';
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    low = limit;
    low.rlim_cur = 1 << 20;
    if (setrlimit(RLIMIT_AS, &low)) skip();
    char *before = array;
    void *more = NULL;
    bough_status alone = arena_alloc(&a, &more, 64 << 20, 1, &error);
    bough_status grown = arena_grow(&a, &array, 64 << 20, 1, NULL);
    bough_status copied = arena_copy_bytes(&a, &text, array, 64 << 20, NULL);
    setrlimit(RLIMIT_AS, &limit);
    if (alone == BOUGH_OK) skip();
    assert_true(alone == BOUGH_TOO_LARGE || alone == BOUGH_NO_MEMORY);
    assert_true(grown && copied);
    assert_null(more);
    assert_null(text);
    assert_ptr_equal(array, before);
    assert_int_equal(array[0], 'k');
    assert_int_equal(arena_alloc(&a, &more, 10, 1, NULL), BOUGH_OK); /* still usable */
    arena_fini(&a);
}

static void memory_is_zero_aligned_and_never_null(void **state) {
    (void)state;
    arena a = {0};
    static const size_t count[] = {0, 1, 7, 1000, ARENA_SHARED, ARENA_SHARED + 1, 100000};
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
            unsigned char *p = NULL;
            char *odd = NULL;
            assert_int_equal(arena_alloc(&a, &p, count[i], 1, NULL), BOUGH_OK);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < count[i]; k++) assert_int_equal(p[k], 0);
            memset(p, 255, count[i]); /* the next one is zero all the same */
            assert_int_equal(arena_copy(&a, &odd, "ab", NULL), BOUGH_OK); /* ends at an odd address */
        }
    arena_fini(&a);
    assert_null(a.block);
    arena_fini(&a);
}

static void arrays_keep_what_they_hold_as_they_grow(void **state) {
    (void)state;
    enum { ARRAYS = 3, LENGTH = 20000 };
    arena a = {0};
    uint64_t *array[ARRAYS] = {0};
    for (uint64_t i = 0; i < LENGTH; i++)
        for (uint64_t k = 0; k < ARRAYS; k++) { /* none is the last allocation for long */
            assert_int_equal(arena_grow(&a, &array[k], i + 1, sizeof **array, NULL), BOUGH_OK);
            array[k][i] = i * ARRAYS + k;
        }
    for (uint64_t i = 0; i < LENGTH; i++)
        for (uint64_t k = 0; k < ARRAYS; k++) assert_true(array[k][i] == i * ARRAYS + k);
    arena_fini(&a);
}

/* Two that grow in turn are in each other's way: each moves only when it has grown by half. */
static void growing_arrays_move_seldom(void **state) {
    (void)state;
    arena a = {0};
    uint32_t *array[2] = {NULL, NULL};
    unsigned moves = 0;
    for (uint32_t i = 0; i < 400; i++)
        for (unsigned k = 0; k < 2; k++) {
            const uintptr_t before = (uintptr_t)array[k];
            assert_int_equal(arena_grow(&a, &array[k], i + 1, sizeof **array, NULL), BOUGH_OK);
            moves += (uintptr_t)array[k] != before;
        }
    assert_in_range(moves, 2, 2 * 12);
    arena_fini(&a);
}

static void an_array_made_at_once_can_grow(void **state) {
    (void)state;
    arena a = {0};
    char *text = NULL, *other = NULL;
    assert_int_equal(arena_alloc(&a, &text, 5, 1, NULL), BOUGH_OK);
    memcpy(text, "abcd", 5);
    char *same = text;
    assert_int_equal(arena_grow(&a, &text, 3, 1, NULL), BOUGH_OK); /* it has them */
    assert_ptr_equal(text, same);
    assert_int_equal(arena_alloc(&a, &other, 5, 1, NULL), BOUGH_OK);
    assert_int_equal(arena_grow(&a, &text, 100, 1, NULL), BOUGH_OK);
    assert_string_equal(text, "abcd");
    arena_fini(&a);
}

static void large_arrays_can_be_given_back_in_any_order(void **state) {
    (void)state;
    enum { ARRAYS = 5 };
    arena a = {0};
    for (int start = 0; start < ARRAYS; start++) {
        char *array[ARRAYS] = {0}, *small = NULL;
        for (int k = 0; k < ARRAYS; k++) {
            assert_int_equal(arena_alloc(&a, &array[k], 100000, 1, NULL), BOUGH_OK);
            if (k == start) assert_int_equal(arena_alloc(&a, &small, 10, 1, NULL), BOUGH_OK);
        }
        for (int k = 0; k < ARRAYS - 1; k++) arena_release(&a, array[(start + k * 2) % ARRAYS]);
        arena_release(&a, small);
        arena_release(&a, NULL);
        char *last = array[(start + (ARRAYS - 1) * 2) % ARRAYS];
        assert_int_equal(arena_grow(&a, &last, 300000, 1, NULL), BOUGH_OK);
        last[299999] = 1;
    }
    arena_fini(&a);
}

static void strings_are_copied_and_printed(void **state) {
    (void)state;
    arena a = {0};
    char *text = NULL, large[5000];
    assert_int_equal(arena_copy(&a, &text, NULL, NULL), BOUGH_OK);
    assert_null(text);
    assert_int_equal(arena_copy(&a, &text, "", NULL), BOUGH_OK);
    assert_string_equal(text, "");
    assert_int_equal(arena_copy_bytes(&a, &text, "abcdef", 3, NULL), BOUGH_OK);
    assert_string_equal(text, "abc");
    assert_int_equal(arena_printf(&a, &text, NULL, "%s=%d", "n", 8), BOUGH_OK);
    assert_string_equal(text, "n=8");
    snprintf(large, sizeof large, "%04999d", 1);
    assert_int_equal(arena_printf(&a, &text, NULL, "%s!", large), BOUGH_OK);
    assert_int_equal(strlen(text), 5000);
    assert_int_equal(text[4999], '!');
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_cannot_be_counted_is_refused),
        cmocka_unit_test(growing_beyond_all_bounds_leaves_the_array_alone),
        cmocka_unit_test(memory_that_the_system_refuses_is_an_error),
        cmocka_unit_test(memory_is_zero_aligned_and_never_null),
        cmocka_unit_test(arrays_keep_what_they_hold_as_they_grow),
        cmocka_unit_test(growing_arrays_move_seldom),
        cmocka_unit_test(an_array_made_at_once_can_grow),
        cmocka_unit_test(large_arrays_can_be_given_back_in_any_order),
        cmocka_unit_test(strings_are_copied_and_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
