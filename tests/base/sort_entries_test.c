/* sort_entries against qsort. */
#include "base/memory/sort_entries.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3000 };

static int compare(const void *a, const void *b) {
    return heap_before(a, b) ? -1 : heap_before(b, a);
}

/* Keys and ties below these; of equal ones the first stays first. */
static void sorts(uint32_t count, uint64_t keys, uint32_t ties, uint64_t seed) {
    static heap_entry entry[MOST], spare[MOST], want[MOST];
    bough_stream draw = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    for (uint32_t i = 0; i < count; i++)
        entry[i] =
            (heap_entry){bough_stream_below(&draw, keys), (uint32_t)bough_stream_below(&draw, ties), i};
    memcpy(want, entry, sizeof want);
    qsort(want, count, sizeof *want, compare);
    const heap_entry *have = sort_entries(entry, spare, count);
    assert_true(have == entry || have == spare);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(have[i].key, want[i].key);
        assert_int_equal(have[i].tie, want[i].tie);
        if (i && have[i].key == have[i - 1].key && have[i].tie == have[i - 1].tie)
            assert_true(have[i].item > have[i - 1].item);
    }
}

static void test_against_qsort(void **state) {
    (void)state;
    static const uint64_t keys[] = {1, 2, 2048, 1 << 22, UINT64_MAX};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (uint32_t count = 0; count < MOST; count = 3 * count + 1) {
            sorts(count, keys[k], 1, count + k);
            sorts(count, keys[k], 3000, count + k);
            sorts(count, keys[k], UINT32_MAX, count + k);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_qsort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
