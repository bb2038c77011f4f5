/* Maps from names and from numbers to indices: empty, then against arrays, beyond several growths. */
#include "base/memory/index_map.h"
#include "base/memory/name_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000 };

static void empty_maps_have_nothing(void **state) {
    (void)state;
    bough_name_map names = {0};
    bough_index_map indices = {0};
    assert_int_equal(bough_name_map_get(&names, "a", 1), UINT32_MAX);
    assert_int_equal(bough_index_map_get(&indices, 0), UINT32_MAX);
    bough_name_map_clear(&names);
    bough_name_map_fini(&names);
    bough_index_map_fini(&indices);
}

static void names_keep_their_values(void **state) {
    (void)state;
    static char name[COUNT][8];
    bough_name_map map = {0};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            int length = snprintf(name[i], sizeof name[i], "n%u", i);
            assert_int_equal(bough_name_map_get(&map, name[i], (size_t)length), UINT32_MAX);
            assert_int_equal(bough_name_map_add(&map, name[i], (size_t)length, 2 * i, NULL), BOUGH_OK);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(bough_name_map_get(&map, name[i], strlen(name[i])), 2 * i);
        assert_int_equal(bough_name_map_get(&map, "n1", 1), UINT32_MAX); /* "n" */
        assert_int_equal(bough_name_map_get(&map, "n12x", 3), 24);
        bough_name_map_clear(&map);
        assert_int_equal(bough_name_map_get(&map, "n1", 2), UINT32_MAX);
    }
    bough_name_map_fini(&map);
}

static void numbers_keep_their_last_values(void **state) {
    (void)state;
    bough_index_map map = {0};
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(bough_index_map_put(&map, (uint64_t)i << 40, i + turn, NULL), BOUGH_OK);
    assert_int_equal(map.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(bough_index_map_get(&map, (uint64_t)i << 40), i + 1);
    assert_int_equal(bough_index_map_get(&map, 1), UINT32_MAX);
    bough_index_map_fini(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_maps_have_nothing),
        cmocka_unit_test(names_keep_their_values),
        cmocka_unit_test(numbers_keep_their_last_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
