/* Charts in characters: by hand, then what holds of every plot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/charts/chart_marks.h"
#include "report/charts/text_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static chart_point point(double x, double mean, double ci) {
    return (chart_point){.x = x, .mean = mean, .ci95 = ci, .label = "", .index = BOUGH_NO_ROW_INDEX};
}

static char *plot(const chart *c, plot_options o) {
    bough_text out = {0};
    bough_error error;
    assert_int_equal(plot_chart(c, &o, &out, &error), BOUGH_OK);
    return bough_text_take(&out);
}

static const char *line_of(const char *text, int n) {
    while (n-- > 0) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    return text;
}

/* Two series that end in one point; 41 columns of 8 rows are a field of 31 by 4. */
static void test_marks(void **state) {
    (void)state;
    chart_point a[] = {point(0, 0, NAN), point(30, 3, NAN)}, b[] = {point(0, 3, NAN), point(30, 3, NAN)};
    chart_series series[] = {{.name = "up", .style = 0, .point = a, .points = 2},
                             {.name = "flat", .style = 1, .point = b, .points = 2}};
    chart c = {.title = "title", .x_title = "time", .y_title = "y", .series = series, .count = 2};
    char *text = plot(&c, (plot_options){.width = 41, .height = 8, .ascii = true});
    const char *top = line_of(text, 1), *low = line_of(text, 4);
    assert_memory_equal(top, "       3 |x", 11);
    assert_int_equal(top[40], '='); /* both end there */
    assert_int_equal(top[41], '\n');
    assert_memory_equal(low, "       0 |o", 11);
    assert_memory_equal(line_of(text, 5), "         +-------------------------------\n", 42);
    assert_memory_equal(line_of(text, 6), "          0                            30\n", 42);
    assert_non_null(strstr(text, "\no up\nx flat\n= several\n"));
    free(text);
}

/* An interval stands around its point; on a logarithmic axis one that reaches below 0 ends at the bottom. */
static void test_intervals(void **state) {
    (void)state;
    chart_point a[] = {point(1, 10, NAN), point(4, 100, 200), point(16, 1000, NAN)};
    chart_series series[] = {{.name = "s", .point = a, .points = 3}};
    chart c = {.title = "t",
               .x_title = "x",
               .y_title = "y",
               .series = series,
               .count = 1,
               .xscale = CHART_LOG2,
               .yscale = CHART_LOG10};
    char *text = plot(&c, (plot_options){.width = 51, .height = 15, .ascii = true});
    int bars = 0;
    for (int row = 1; row <= 11; row++) {
        const char *line = line_of(text, row);
        size_t length = strcspn(line, "\n");
        bars += length > 30 && line[30] == '|'; /* the middle: 4 between 1 and 16 */
        if (length > 30 && line[30] == 'o') assert_int_equal(row, 6);
    }
    assert_true(bars >= 6);
    free(text);
}

/* What saturates has a dotted line, and few trials a capital; the wide interval of one point is cut off, and
 * what cannot be negative does not start below 0. */
static void test_rough_points(void **state) {
    (void)state;
    bough_answer rough = {.trials = 2, .outcome = BOUGH_RUN_OK},
                 good = {.trials = 16, .outcome = BOUGH_RUN_OK},
                 saturated = {.trials = 99, .outcome = BOUGH_RUN_SATURATED};
    chart_point a[] = {point(0, 10, 1), point(10, 12, 1), point(20, 40, 385), point(30, 30, 1)};
    for (size_t i = 0; i < 4; i++) a[i].answer = i == 2 ? &rough : i == 3 ? &saturated : &good;
    chart_series series[] = {{.name = "worm",
                              .point = a,
                              .points = 4,
                              .saturates = true,
                              .saturated_from = 25,
                              .stable = true,
                              .stable_to = 20}};
    chart c = {.title = "t", .x_title = "load", .y_title = "y", .series = series, .count = 1};
    char *text = plot(&c, (plot_options){.width = 61, .height = 15, .ascii = true});
    assert_non_null(strstr(text, "o worm (saturated from 25)\n"));
    assert_non_null(strstr(text, "capitals: saturated, fewer than 16 trials\n"));
    const char *field = strstr(text, "|");
    int small = 0, large = 0;
    for (const char *at = field; *at && *at != '+'; at++) small += *at == 'o', large += *at == 'O';
    assert_int_equal(small, 2);
    assert_int_equal(large, 2);
    assert_null(strstr(text, "-1")); /* no negative tick */
    chart_range range;
    assert_true(chart_y_range(&c, &range));
    assert_true(range.clipped && range.low >= 0 && range.high <= 55);
    free(text);
    series[0].saturates = false;
    a[2].answer = a[3].answer = &good;
    a[2].ci95 = 2;
    text = plot(&c, (plot_options){.width = 61, .height = 15, .ascii = true});
    assert_null(strstr(text, "capitals"));
    assert_null(strstr(text, "saturated"));
    assert_true(chart_y_range(&c, &range));
    assert_false(range.clipped);
    assert_true(range.low == 9 && range.high == 42);
    free(text);
}

static void check_any(const chart *c, plot_options o) {
    char *text = plot(c, o);
    size_t width = o.width < 40 ? o.width ? 40 : 80 : o.width, lines = 0;
    for (const char *at = text; *at; at++) {
        size_t letters = 0;
        bool escape = false;
        for (; *at && *at != '\n'; at++) {
            if (*at == '\033') {
                assert_true(o.colours);
                escape = true;
            }
            letters += !escape && ((unsigned char)*at & 0xc0) != 0x80;
            if (escape && *at == 'm') escape = false;
        }
        assert_int_equal(*at, '\n');
        assert_false(escape);
        if (letters > width) fail_msg("%zu characters in line %zu of a plot of %zu", letters, lines, width);
        lines++;
    }
    free(text);
}

static void test_any(void **state) {
    (void)state;
    static const double value[] = {0, -3, 1e-300, 1e300, 0.1, 7, 1e15};
    chart_point p[60];
    char name[3][64];
    const char *category[] = {"one", "two \x1b[31m", "three"};
    chart_series series[3];
    for (unsigned round = 0; round < 200; round++) {
        for (int s = 0; s < 3; s++) {
            size_t count = (round * 7 + (unsigned)s * 5) % 20;
            for (size_t i = 0; i < count; i++)
                p[20 * s + (int)i] =
                    point(round % 4 == 3 ? (double)(i % 3) : 1 + (double)i * (round % 9),
                          value[(i * 3 + round + (unsigned)s) % 7], i % 2 ? NAN : value[i % 7]);
            snprintf(name[s], sizeof name[s], "series %d \x1b[1m%s", s, round % 2 ? "\xc3\xa4" : "");
            series[s] = (chart_series){
                .name = name[s], .style = (unsigned)s + round, .point = &p[20 * s], .points = count};
        }
        chart c = {.title = "t",
                   .x_title = "x",
                   .y_title = "y",
                   .series = series,
                   .count = round % 4,
                   .xscale = (chart_scale)(round % 4),
                   .yscale = round % 3 ? CHART_LINEAR : CHART_LOG10,
                   .ratio = round % 5 == 0,
                   .category = category,
                   .categories = round % 4 == 3 ? 3 : 0};
        check_any(
            &c, (plot_options){.width = round % 7 * 20, .height = round % 5 * 9, .colours = round % 3 == 0});
        check_any(&c, (plot_options){.width = 1000000, .height = 1000000, .ascii = false});
    }
}

/* No other characters than ASCII, whatever the names. */
static void test_ascii(void **state) {
    (void)state;
    chart_point a[] = {point(0, 0, 1), point(30, 3, 1)};
    chart_series series[] = {{.name = "plain", .point = a, .points = 2}};
    chart c = {.title = "t", .x_title = "x", .y_title = "y", .series = series, .count = 1};
    char *ascii = plot(&c, (plot_options){.ascii = true}), *other = plot(&c, (plot_options){.ascii = false});
    bool beyond = false;
    for (const char *at = ascii; *at; at++) assert_true(*at == '\n' || (*at >= 0x20 && *at < 0x7f));
    for (const char *at = other; *at; at++) beyond |= (unsigned char)*at >= 0x80;
    assert_true(beyond);
    free(ascii);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks), cmocka_unit_test(test_intervals), cmocka_unit_test(test_rough_points),
        cmocka_unit_test(test_any),   cmocka_unit_test(test_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
