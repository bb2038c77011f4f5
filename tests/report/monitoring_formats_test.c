/* Ranges of monitoring plugins, and escapes of Markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/markdown_text.h"
#include "report/monitoring/threshold.h"

#include <stdlib.h>
#include <string.h>

static void ranges_that_are_none(void **state) {
    (void)state;
    static const char *const wrong[] = {"",  ":x", "x",    "5:4", "~",     "~5", "-1",    "1:2:3", "0x10:",
                                        "@", "@x", "inf:", "nan", "1e999", " 5", "5: 10", "80%",   ":~"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        threshold range;
        bough_error error = {0};
        assert_int_equal(threshold_read(wrong[i], "--warning", &range, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "--warning is a range"));
    }
}

static bool alerts(const char *text, double value) {
    threshold range;
    bough_error error = {0};
    assert_int_equal(threshold_read(text, "--warning", &range, &error), BOUGH_OK);
    return threshold_alert(&range, value);
}

/* The examples of the guidelines: 10, 10:, ~:10, 10:20, @10:20. */
static void ranges_of_the_guidelines(void **state) {
    (void)state;
    assert_true(alerts("10", -0.1) && !alerts("10", 0) && !alerts("10", 10) && alerts("10", 10.1));
    assert_true(alerts("10:", 9.9) && !alerts("10:", 10) && !alerts("10:", 1e9));
    assert_true(!alerts("~:10", -1e9) && !alerts("~:10", 10) && alerts("~:10", 10.1));
    assert_true(alerts("10:20", 9.9) && !alerts("10:20", 10) && !alerts("10:20", 20) &&
                alerts("10:20", 20.1));
    assert_true(!alerts("@10:20", 9.9) && alerts("@10:20", 10) && alerts("@10:20", 20) &&
                !alerts("@10:20", 20.1));
    assert_true(!alerts(":20", 0) && alerts(":20", -1) && alerts("-5:-2", 0) && !alerts("-5:-2", -3));
}

static void escapes(const char *text, const char *expected) {
    bough_text out = {0};
    markdown_put(&out, text);
    assert_string_equal(out.data, expected);
    bough_text_fini(&out);
}

static void markdown(void **state) {
    (void)state;
    escapes("leaf1/U1 - spine (2.5 %), a:b; a.b", "leaf1/U1 - spine (2.5 %), a:b; a.b");
    escapes("a|b`c*d_e", "a\\|b\\`c\\*d\\_e");
    escapes("[x](y) <b> &amp; \\ ~~s~~ $m$", "\\[x\\](y) \\<b\\> \\&amp; \\\\ \\~\\~s\\~\\~ \\$m\\$");
    escapes("@me #1 # x GH-7", "\\@<!-- -->me \\#<!-- -->1 \\# x GH-<!-- -->7");
    escapes("http://a www.b :cat:", "http:<!-- -->//a www.<!-- -->b :<!-- -->cat:");
    escapes("a\nb\x1b[2J\xff", "a?b?\\[2J?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_that_are_none),
        cmocka_unit_test(ranges_of_the_guidelines),
        cmocka_unit_test(markdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
