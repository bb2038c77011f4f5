/* Tables made to fit: nothing to do, labels as numbers, parts below each other, labels above rows, long
 * lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/narrow_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of cells separated by |; in the heading > aligns to the right, & joins the column before it. */
static text_table table(const char *const *rows, size_t labels, size_t tail) {
    text_table t = {.labels = labels, .tail = tail};
    for (int r = 0; rows[r]; r++) {
        char line[400], *at = line, *cell;
        snprintf(line, sizeof line, "%s", rows[r]);
        while ((cell = strsep(&at, "|"))) {
            if (r > 0)
                text_table_add(&t, cell);
            else if (*cell == '&')
                text_table_head_joined(&t, cell + 1, true);
            else
                text_table_head(&t, cell + (*cell == '>'), *cell == '>');
        }
        text_table_end_row(&t);
    }
    return t;
}

static void check(const char *const *rows, size_t labels, size_t tail, size_t line, const char *want,
                  const char *want_legend) {
    text_table t = table(rows, labels, tail);
    bough_text out = {0}, legend = {0};
    narrow_table_write(&t, line, &out, &legend);
    assert_string_equal(out.data, want);
    assert_string_equal(legend.length ? legend.data : "", want_legend);
    bough_text_fini(&out);
    bough_text_fini(&legend);
    text_table_fini(&t);
}

static const char *const rows[] = {
    "n|method|>rounds|&+-|>cycles|&+-|>trials", "16|circuit:mode=rounds|3.5|0.1|||9",
    "16|circuit:mode=cycles|3.25|0.2|40|2|7", "32|circuit:mode=rounds|4.5|0.1|||9", NULL};

static void test_fits(void **state) {
    (void)state;
    check(rows, 2, 1, 80,
          "n   method               rounds   +-  cycles  +-  trials\n"
          "16  circuit:mode=rounds     3.5  0.1                   9\n"
          "16  circuit:mode=cycles    3.25  0.2      40   2       7\n"
          "32  circuit:mode=rounds     4.5  0.1                   9\n",
          "");
}

static void test_numbers(void **state) {
    (void)state;
    check(rows, 2, 1, 50,
          "n   method  rounds   +-  cycles  +-  trials\n"
          "16  (1)        3.5  0.1                   9\n"
          "16  (2)       3.25  0.2      40   2       7\n"
          "32  (1)        4.5  0.1                   9\n",
          "(1) circuit:mode=rounds\n(2) circuit:mode=cycles\n");
}

/* Numbers would still need two parts, so names stay. A row without a value is not in a part. */
static void test_parts(void **state) {
    (void)state;
    check(rows, 2, 1, 45,
          "n   method  rounds   +-  cycles  +-  trials\n"
          "16  (1)        3.5  0.1                   9\n"
          "16  (2)       3.25  0.2      40   2       7\n"
          "32  (1)        4.5  0.1                   9\n",
          "(1) circuit:mode=rounds\n(2) circuit:mode=cycles\n");
    check(rows, 2, 1, 42,
          "n   method  rounds   +-  trials\n"
          "16  (1)        3.5  0.1       9\n"
          "16  (2)       3.25  0.2       7\n"
          "32  (1)        4.5  0.1       9\n"
          "\n"
          "n   method  cycles  +-  trials\n"
          "16  (2)         40   2       7\n",
          "(1) circuit:mode=rounds\n(2) circuit:mode=cycles\n");
    static const char *const wide[] = {"method|>aaaaaaaaaa|&bbbbbbbbbb|>cccccccccc|>t",
                                       "worm:buffer=1|1|2|3|9", NULL};
    check(wide, 1, 1, 40,
          "method         aaaaaaaaaa  bbbbbbbbbb  t\n"
          "worm:buffer=1           1           2  9\n"
          "\n"
          "method         cccccccccc  t\n"
          "worm:buffer=1           3  9\n",
          "");
    /* Narrower than anything can be: still all of it. */
    check(wide, 1, 1, 5,
          "method  aaaaaaaaaa  bbbbbbbbbb  t\n"
          "worm             1           2  9\n"
          "\n"
          "method  cccccccccc  t\n"
          "worm             3  9\n",
          "worm = worm:buffer=1\n");
}

static void test_headed(void **state) {
    (void)state;
    static const char *const headed[] = {"n|method|metric|>mean", "16|circuit:mode=rounds|rounds|3",
                                         "||attempts|1.5", "32|bins|rounds|4", NULL};
    text_table t = table(headed, 2, 0);
    bough_text out = {0};
    narrow_table_write_headed(&t, 80, &out);
    assert_string_equal(out.data, "n   method               metric    mean\n"
                                  "16  circuit:mode=rounds  rounds       3\n"
                                  "                         attempts   1.5\n"
                                  "32  bins                 rounds       4\n");
    bough_text_fini(&out);
    narrow_table_write_headed(&t, 30, &out);
    assert_string_equal(out.data, "    metric    mean\n"
                                  "16  circuit:mode=rounds\n"
                                  "    rounds       3\n"
                                  "    attempts   1.5\n"
                                  "32  bins\n"
                                  "    rounds       4\n");
    bough_text_fini(&out);
    text_table_fini(&t);
}

static void test_lines(void **state) {
    (void)state;
    bough_text out = {0};
    put_wrapped(&out, "a short one", 20);
    put_wrapped(&out, "one that is longer,than a line", 20);
    put_wrapped(&out, "/a/path/that/has/no/place/to/break,and more", 20);
    assert_string_equal(out.data, "a short one\n"
                                  "one that is longer,than\n    a line\n"
                                  "/a/path/that/has/no/place/to/break,\n    and more\n");
    bough_text_fini(&out);
}

/* Of a table for which there was no memory nothing is known, not even its columns. */
static void test_failed(void **state) {
    (void)state;
    text_table t = {.labels = 2, .tail = 1, .failed = true};
    bough_text out = {0}, legend = {0}, headed = {0}, line = {.failed = true}, whole = {0};
    narrow_table_write(&t, 80, &out, &legend);
    assert_true(out.failed);
    narrow_table_write_headed(&t, 80, &headed);
    assert_true(headed.failed);
    put_wrapped_text(&whole, &line, 80);
    assert_true(whole.failed);
    bough_text_fini(&out);
    bough_text_fini(&legend);
    bough_text_fini(&headed);
    bough_text_fini(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),   cmocka_unit_test(test_numbers), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_headed), cmocka_unit_test(test_lines),   cmocka_unit_test(test_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
