/* Hostlists: what is refused, cases by hand, and lists that read back. tests/cli/slurm_test.sh compares with
 * scontrol. */
#include "formats/fabrics/fabric.h"
#include "formats/slurm/host_list.h"
#include "formats/slurm/host_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bough_status expand(host_list *list, const char *text, bough_error *error) {
    return host_list_expand(list, "f:1", (bough_slice){text, strlen(text)}, error);
}

static void wrong_lists_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "a name is empty"},
        {"a,,b", "a name is empty"},
        {"a,", "a name is empty"},
        {"n[1-3", "[ without ]"},
        {"n1-3]", "] without ["},
        {"n[]", "a range is not a number"},
        {"n[a]", "a range is not a number"},
        {"n[1,]", "a range is not a number"},
        {"n[1x]", "a range is not a number"},
        {"n[1-]", "a range has no second number"},
        {"n[1-2-3]", "a range is not a number"},
        {"n[3-1]", "a range falls"},
        {"n[1-99999999]", "a range has more than 1048576 names"},
        {"n[1234567890123456789]", "a range is not a number"},
        {"a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]", "more than 8 brackets"},
        {"a[[1]]", "a range is not a number"},
        {"aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb1234", "longer than 63 bytes"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        host_list list = {.count = 0};
        bough_error error = {0};
        if (expand(&list, bad[i].text, &error) != BOUGH_INVALID || !strstr(error.reason, bad[i].reason))
            fail_msg("%s: '%s', not '%s'", bad[i].text, error.reason, bad[i].reason);
        assert_string_equal(error.place, "f:1");
        arena_fini(&list.memory);
    }
}

static void large_lists_are_refused(void **state) {
    (void)state;
    host_list list = {.count = 0};
    bough_error error = {0};
    assert_int_equal(expand(&list, "n[0-1023]m[0-1023]k[0-1]", &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "more than 1048576 names"));
    arena_fini(&list.memory);
}

static void expressions_expand_in_order(void **state) {
    (void)state;
    static const struct {
        const char *text, *names;
    } good[] = {
        {"a", "a"},
        {"b,a,b", "b a b"},
        {"n[001-003,010]", "n001 n002 n003 n010"},
        {"n[9-11]", "n9 n10 n11"},
        {"n[09-10]x", "n09x n10x"},
        {"r[1-2]n[3-4],z", "r1n3 r1n4 r2n3 r2n4 z"},
        {"[7-8]", "7 8"},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        host_list list = {.count = 0};
        bough_error error = {0};
        bough_text names = {0};
        assert_int_equal(expand(&list, good[i].text, &error), BOUGH_OK);
        for (size_t k = 0; k < list.count; k++) bough_text_printf(&names, "%s%s", k ? " " : "", list.name[k]);
        assert_string_equal(names.data, good[i].names);
        bough_text_fini(&names);
        arena_fini(&list.memory);
    }
}

typedef bough_status put_list(bough_text *out, const char *const *name, size_t count, bough_error *error);

/* Expands a list, compresses it, and compares. */
static void comes_to_by(put_list *put, const char *text, const char *want) {
    host_list list = {.count = 0};
    bough_error error = {0};
    bough_text out = {0};
    const char *name[64];
    assert_int_equal(expand(&list, text, &error), BOUGH_OK);
    assert_true(list.count <= COUNT(name));
    for (size_t k = 0; k < list.count; k++) name[k] = list.name[k];
    assert_int_equal(put(&out, name, list.count, &error), BOUGH_OK);
    assert_string_equal(out.data, want);
    bough_text_fini(&out);
    arena_fini(&list.memory);
}

static void comes_to(const char *text, const char *want) {
    comes_to_by(host_list_put, text, want);
}

static void order_is_kept(void **state) {
    (void)state;
    static const char *const same[] = {"n[1,3,5,7,2,4,6,8]", "n[3-5,1-2]",       "b1,a,b[2-3,2]",
                                       "n[100,099,098-099]", "r10n2,r2n1,r10n1", "n5",
                                       "n[9,10-11,09-10]"};
    for (size_t i = 0; i < COUNT(same); i++) comes_to_by(host_list_put_in_order, same[i], same[i]);
    comes_to_by(host_list_put_in_order, "n1,n2,m7,n3", "n[1-2],m7,n3");
}

static void names_become_ranges(void **state) {
    (void)state;
    comes_to("node020,node[001-016],node016", "node[001-016,020]");
    comes_to("n5", "n5");
    comes_to("n5,n5", "n5");
    comes_to("n10,n9", "n[9-10]");
    comes_to("n099,n100,n98,n99", "n[98-99,099-100]");
    comes_to("node9,node10,node011,node010", "node[9-10,010-011]");
    comes_to("b2,b10,a,a1,b1", "a,a1,b[1-2,10]");
    comes_to("r10n2,r2n1,r10n1,r1n1", "r1n1,r2n1,r10n[1-2]");
    comes_to("x1-ib,x2-ib", "x1-ib,x2-ib");
    comes_to("n0,n00,n1", "n[0-1,00]");
    comes_to("1,2,a", "[1-2],a");
    comes_to("a1234567890123456789,a1", "a1,a1234567890123456789");
}

static void names_for_slurm(void **state) {
    (void)state;
    static const char *const bad[] = {"",    "a b", "a,b",     "a[1]", "a#1",
                                      "a=b", "all", "DEFAULT", "a;b",  "\xc3\xa4"};
    for (size_t i = 0; i < COUNT(bad); i++) assert_false(host_name_fits(bad[i]));
    assert_true(host_name_fits("gpu-b200_08.site"));
    assert_true(host_name_compare("rack2", "rack10") < 0);
    assert_true(host_name_compare("a01", "a1") != 0);
}

/* ---- names with domains ---- */

static void domains_are_left_out(void **state) {
    (void)state;
    static const char *const names[] = {"n1", "n2.x.org", "n3.x",        "n3.y", "10.0.0.1",
                                        "n4", "n4.z",     "n5.x/mlx5_0", "n5.x"};
    static const struct {
        const char *name;
        uint32_t value;
    } wanted[] = {{"n1", 0},
                  {"n1.any", 0},
                  {"n2", 1},
                  {"n2.x.org", 1},
                  {"n2.other", BOUGH_NO_INDEX},
                  {"n3.x", 2},
                  {"n3.y", 3},
                  {"n3", BOUGH_NO_INDEX},
                  {"10", BOUGH_NO_INDEX},
                  {"10.0.0.1", 4},
                  {"n4", 5},
                  {"n4.z", 6},
                  {"n4.w", 5},
                  {"n5", 8},
                  {"n5.x/mlx5_0", 7},
                  {"gone", BOUGH_NO_INDEX},
                  {"", BOUGH_NO_INDEX}};
    host_map map = {{0}};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(host_map_add(&map, names[i], strlen(names[i]), i, NULL), BOUGH_OK);
    assert_int_equal(host_map_add(&map, "n1", 2, 99, NULL), BOUGH_OK); /* the first one stays */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (host_map_get(&map, wanted[i].name, strlen(wanted[i].name)) != wanted[i].value)
            fail_msg("'%s' is not %u", wanted[i].name, wanted[i].value);
    assert_true(host_map_has_short(&map, "n4.z", 4));
    assert_false(host_map_has_short(&map, "n2.x.org", 8));
    assert_false(host_map_has_short(&map, "n1", 2));
    host_map_fini(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(large_lists_are_refused),
        cmocka_unit_test(expressions_expand_in_order),
        cmocka_unit_test(names_become_ranges),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(names_for_slurm),
        cmocka_unit_test(domains_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
