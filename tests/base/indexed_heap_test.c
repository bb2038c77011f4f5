/* The heap against a search through everything: puts, moves both ways, and pops, in random order. */
#include "base/memory/indexed_heap.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 50 };

static void test_random_work(void **state) {
    (void)state;
    heap_entry entry[ITEMS];
    uint32_t at[ITEMS], inside = 0;
    uint64_t key[ITEMS] = {0}; /* 0: not in */
    heap h = {entry, at, 0};
    bough_stream draw = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    memset(at, 0xff, sizeof at);
    for (int step = 0; step < 20000; step++) {
        uint32_t item = (uint32_t)bough_stream_below(&draw, ITEMS);
        if (bough_stream_below(&draw, 3) || !inside) {
            inside += !key[item];
            key[item] = 1 + bough_stream_below(&draw, 30);
            heap_put(&h, item, key[item], ITEMS - item);
        } else {
            uint32_t least = ITEMS; /* the later item is the first of equal keys: its tie is less */
            for (uint32_t i = 0; i < ITEMS; i++)
                if (key[i] && (least == ITEMS || key[i] <= key[least])) least = i;
            heap_entry e = heap_pop(&h);
            assert_int_equal(e.item, least);
            assert_int_equal(e.key, key[least]);
            key[least] = 0;
            inside--;
        }
        assert_int_equal(h.count, inside);
        for (uint32_t i = 0; i < ITEMS; i++) {
            assert_int_equal(at[i] != HEAP_OUT, key[i] > 0);
            if (key[i]) assert_int_equal(entry[at[i]].item, i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
