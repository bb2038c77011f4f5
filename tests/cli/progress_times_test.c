/* When progress is reported, with times by hand. */
#include "cli/progress_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_log_gets_a_line_whenever_the_time_has_doubled(void **state) {
    (void)state;
    static const double due[] = {30, 60, 120, 240, 480, 960, 1920, 3840};
    progress_times p;
    progress_times_init(&p, false);
    size_t lines = 0;
    for (int second = 0; second < 3900; second++) {
        assert_false(progress_bar_due(&p, second));
        if (!progress_line_due(&p, second)) continue;
        assert_true(lines < sizeof due / sizeof *due);
        assert_true(second == due[lines]);
        lines++;
    }
    assert_int_equal(lines, sizeof due / sizeof *due);
}

/* Reports may be rare: one line for the time that has passed, not one for each doubling. */
static void a_late_report_is_one_line(void **state) {
    (void)state;
    progress_times p;
    progress_times_init(&p, false);
    assert_true(progress_line_due(&p, 500));
    assert_false(progress_line_due(&p, 501));
    assert_false(progress_line_due(&p, 959));
    assert_true(progress_line_due(&p, 960));
}

static void a_terminal_gets_a_bar(void **state) {
    (void)state;
    progress_times p;
    progress_times_init(&p, true);
    assert_false(progress_bar_due(&p, 1.9));
    assert_true(progress_bar_due(&p, 2.0));
    assert_false(progress_bar_due(&p, 2.1));
    assert_true(progress_bar_due(&p, 2.25));
    assert_false(progress_line_due(&p, 100));
}

/* Whoever waits between two bars or lines misses none. */
static void pauses_are_no_longer_than_what_is_due(void **state) {
    (void)state;
    progress_times terminal, log;
    progress_times_init(&terminal, true);
    progress_times_init(&log, false);
    assert_true(progress_times_pause(&terminal) > 0 && progress_times_pause(&terminal) <= 0.25);
    assert_true(progress_times_pause(&log) > 0 && progress_times_pause(&log) <= 5);
}

/* The first part suggests 20 s: a quarter of them says 200 s, ten times as long. */
static void work_that_takes_ten_times_as_long_is_corrected_once(void **state) {
    (void)state;
    for (int terminal = 0; terminal < 2; terminal++) {
        progress_times p;
        progress_times_init(&p, terminal);
        assert_true(progress_correction(&p, 0.5, 0.4) == 0); /* too early */
        assert_true(progress_correction(&p, 1, 0.05) == 0);
        assert_true(p.suggested == 20);
        assert_true(progress_correction(&p, 49, 0.25) == 0); /* 196 s */
        assert_true(progress_correction(&p, 51, 0.25) == 204);
        assert_true(progress_correction(&p, 300, 0.3) == 0);
    }
}

static void short_work_is_not_corrected(void **state) {
    (void)state;
    progress_times p;
    progress_times_init(&p, true);
    assert_true(progress_correction(&p, 1, 0.99) == 0);
    assert_true(progress_correction(&p, 14, 0.5) == 0); /* 28 s, 28 times as long */
    assert_true(progress_correction(&p, 16, 0.5) == 32);
    progress_times_init(&p, false);
    assert_true(progress_correction(&p, 1, 0.99) == 0);
    assert_true(progress_correction(&p, 29, 0.5) == 0); /* nothing was printed that could be corrected */
    assert_true(progress_correction(&p, 31, 0.5) == 62);
}

/* Half a percent is too little to suggest anything; exactly ten times as long is much longer. */
static void limits_of_corrections(void **state) {
    (void)state;
    progress_times p;
    progress_times_init(&p, true);
    assert_true(progress_correction(&p, 100, 0.005) == 0 && p.suggested == 0);
    assert_true(progress_correction(&p, 1, 0.0625) == 0 && p.suggested == 16);
    assert_true(progress_correction(&p, 40, 0.25) == 160);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_gets_a_line_whenever_the_time_has_doubled),
        cmocka_unit_test(a_late_report_is_one_line),
        cmocka_unit_test(a_terminal_gets_a_bar),
        cmocka_unit_test(pauses_are_no_longer_than_what_is_due),
        cmocka_unit_test(work_that_takes_ten_times_as_long_is_corrected_once),
        cmocka_unit_test(short_work_is_not_corrected),
        cmocka_unit_test(limits_of_corrections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
