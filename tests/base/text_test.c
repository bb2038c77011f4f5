/* Growing strings: what is put together, and that a text that is not whole is never taken for one. */
#include "base/text/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void texts_are_put_together(void **state) {
    (void)state;
    static const char *const item[] = {"a", "b", "c"};
    bough_text t = {0}, other = {0};
    char large[1000] = {0};
    memset(large, 'x', sizeof large - 1);
    bough_text_put_list(&t, item, 3);
    bough_text_put_list(&t, item, 0);
    bough_text_printf(&other, "|%s", large);
    bough_text_join(&t, &other);
    assert_null(other.data);
    assert_int_equal(t.length, 7 + 1 + 999);
    assert_int_equal(strncmp(t.data, "a, b, c|xxx", 11), 0);
    bough_text_join(&t, &other);
    assert_int_equal(t.length, 7 + 1 + 999);
    bough_text_fini(&t);
}

static void a_string_is_taken_over(void **state) {
    (void)state;
    char *string = malloc(3);
    assert_non_null(string);
    memcpy(string, "ab", 3);
    bough_text t = bough_text_own(string);
    bough_text_put(&t, "c");
    char *taken = bough_text_take(&t);
    assert_string_equal(taken, "abc");
    free(taken);
}

static void a_failed_text_stays_failed(void **state) {
    (void)state;
    bough_text t = bough_text_own(NULL), whole = {0};
    assert_true(t.failed);
    bough_text_put(&t, "a");
    assert_int_equal(t.length, 0);
    bough_text_put(&whole, "a");
    bough_text_join(&whole, &t);
    assert_true(whole.failed);
    assert_null(bough_text_take(&whole));
}

static void a_reason_that_is_not_whole_is_none(void **state) {
    (void)state;
    bough_error error = {0};
    bough_text reason = {0};
    bough_text_put(&reason, "100 % of it");
    assert_int_equal(bough_fail_text(&error, BOUGH_INVALID, "here", &reason), BOUGH_INVALID);
    assert_string_equal(error.reason, "100 % of it");
    assert_string_equal(error.place, "here");
    bough_text_put(&reason, "there are: a");
    reason.failed = true;
    assert_int_equal(bough_fail_text(&error, BOUGH_INVALID, "here", &reason), BOUGH_NO_MEMORY);
    assert_string_equal(error.reason, "out of memory");
}

static void times_are_short(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0.0 s"},         {9.94, "9.9 s"},    {9.96, "10 s"},
                 {59.6, "1 min 0 s"},  {80, "1 min 20 s"}, {3600, "1.0 h"},
                 {172800, "2.0 days"}, {1e9, "years"},     {INFINITY, "years"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[32];
        assert_string_equal(bough_format_seconds(cases[i].seconds, buffer, sizeof buffer), cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_put_together),
        cmocka_unit_test(a_string_is_taken_over),
        cmocka_unit_test(a_failed_text_stays_failed),
        cmocka_unit_test(a_reason_that_is_not_whole_is_none),
        cmocka_unit_test(times_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
