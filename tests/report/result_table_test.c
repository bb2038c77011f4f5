/* Tables for people, of results made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/text_table.h"
#include "method/rows.h"
#include "report/report.h"
#include "support/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_escapes(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += *text == '\033';
    return n;
}

/* Answers side by side: metrics with indices, the methods as series. */
static void test_table_across(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot = (bough_plot){
        .series = {copied("method")}, .y = {BOUGH_METRIC_DELIVERED_ROUND, BOUGH_METRIC_ROUNDS}, .ys = 2};
    s.compare = true;
    for (int i = 0; i < 2; i++) { /* what the model says of the same rounds */
        bough_answer *a = &s.point[i].answer[1];
        free(a->cell);
        const double same[] = {0.1004}, other[] = {0.102}, large[] = {1118208};
        bough_cell cells[] = {cell(BOUGH_METRIC_DELIVERED_ROUND, 1, 1, same),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 2, 1, other),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 3, 1, large)};
        a->cell = malloc(sizeof cells);
        memcpy(a->cell, cells, sizeof cells);
        a->cells = 3;
    }
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    const char *table = strstr(text, " n  metric");
    assert_non_null(table);
    assert_string_equal(table, " n  metric              unit      circuit:mode=rounds    bound\n"
                               "16  delivered_round[1]  messages                  0.1   0.1004\n"
                               "16  delivered_round[2]  messages                 *0.1    0.102\n"
                               "16  delivered_round[3]  messages                       1118208\n"
                               "16  rounds                                        2.0\n"
                               "32  delivered_round[1]  messages                  0.1   0.1004\n"
                               "32  delivered_round[2]  messages                 *0.1    0.102\n"
                               "32  delivered_round[3]  messages                       1118208\n"
                               "32  rounds                                        3.0\n"
                               "\n"
                               "circuit:mode=rounds: 3 trials (few: values are rough)\n"
                               "*: more than 1 % from the last column\n");
    free(text);
    bough_study_fini(&s);
}

static void test_columns(void **state) {
    (void)state;
    text_table t = {0};
    bough_text out = {0};
    text_table_head(&t, "name", false);
    text_table_head(&t, "unused", false);
    text_table_head(&t, "n", true);
    text_table_end_row(&t);
    text_table_add(&t, "\xc3\xa4");
    text_table_add(&t, "");
    text_table_add(&t, "1000");
    text_table_end_row(&t);
    text_table_add(&t, "longer than the head");
    text_table_end_row(&t);
    assert_int_equal(text_table_line(&t), 26);
    text_table_write(&t, &out);
    assert_string_equal(
        out.data, "name                     n\n\xc3\xa4                     1000\nlonger than the head\n");
    text_table_fini(&t);
    bough_text_fini(&out);
}

static void test_long_table(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    assert_int_equal(bough_report_table(&s, &(bough_table_options){.single = true, .width = 90}, &text, NULL),
                     BOUGH_OK);
    assert_string_equal(
        text, "fattree:n=16   16 endpoints, 32 switches, 128 links\n"
              "routing random   traffic uniform:m=2   seed 1   3 trials\n\n"
              " n  method               metric              mean           +-95%  min  max  trials\n"
              "16  circuit:mode=rounds  rounds               2.0             2.5    1    3   3 few\n"
              "                         delivered_round[1]   0.1 messages  equal             3 few\n"
              "                         delivered_round[2]   0.1 messages      -             1 few\n"
              "16  bound                rounds                 1                             exact\n"
              "                         lg_m                   -                             exact\n"
              "32  circuit:mode=rounds  rounds               3.0             2.5    2    4   3 few\n"
              "                         delivered_round[1]   0.1 messages  equal             3 few\n"
              "                         delivered_round[2]   0.1 messages      -             1 few\n"
              "32  bound                rounds                 2                             exact\n"
              "                         lg_m                   -                             exact\n\n"
              "equal: each of the N trials gave this value; others are rarer than 3 in N (95 %)\n"
              "few: fewer than 16 trials; means and intervals are rough\n\n"
              "comparison       metric  ratio  first  second  difference  +-95%\n"
              "bound / circuit  rounds  0.75x      1     2.0       -1.00   0.50\n");
    free(text);
    bough_study_fini(&s);
}

static void test_wide_table(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_LG_M;
    s.compare = true;
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_string_equal(text, "by hand\n"
                              "seed 1   3 trials\n\n"
                              "bound: 0.750 times the rounds of circuit:mode=rounds, over 2 points; 0 of 2\n"
                              "    agree\n\n"
                              " n  method               rounds  +-95%  min  max  ratio    lg_m  trials\n"
                              "                                                         rounds\n"
                              "16  circuit:mode=rounds     2.0    2.5    1    3                  3 few\n"
                              "16  bound                     1                   0.750       -   exact\n"
                              "32  circuit:mode=rounds     3.0    2.5    2    4                  3 few\n"
                              "32  bound                     2                   0.750       -   exact\n\n"
                              "few: fewer than 16 trials; means and intervals are rough\n"
                              "ratio: of the metric to its left, relative to the point's first method\n");
    free(text);
    bough_study_fini(&s);
}

/* Of two metrics that both have, each with its own ratio; and one that was not compared. */
static void test_ratios(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_LG_M;
    s.compare = true;
    for (int i = 0; i < 2; i++) {
        bough_study_point *p = &s.point[i];
        p->comparison = realloc(p->comparison, 2 * sizeof *p->comparison);
        p->comparison[p->comparisons++] =
            (bough_comparison){BOUGH_METRIC_LG_M, 1, 0, i ? NAN : 1, NAN, i ? NAN : 1.25, NAN, 3};
    }
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(
        strstr(text, " n  method               rounds  +-95%  min  max  ratio    lg_m  ratio  trials\n"));
    assert_non_null(
        strstr(text, "16  bound                     1                   0.750       -  1.250   exact\n"));
    assert_non_null(
        strstr(text, "32  bound                     2                   0.750       -          exact\n"));
    free(text);
    s.points = 1;
    s.point[0].comparison[1].difference = NAN;
    s.point[0].answer[1].outcome = BOUGH_RUN_SATURATED;
    assert_int_equal(bough_report_table(&s, &(bough_table_options){.single = true}, &text, NULL), BOUGH_OK);
    if (!strstr(text, "bound (saturated) / circuit  rounds  0.75x      1     2.0       -1.00   0.50\n") ||
        !strstr(text, "bound (saturated) / circuit: lg_m is not compared: bound is saturated"))
        fail_msg("%s", text);
    free(text);
    s.points = 2;
    bough_study_fini(&s);
}

/* Along n: {1 2 3} and {2 3 4}: the mean of six, the interval that of the values 2 and 3; the exact answer
 * two values. */
static void test_pool(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.pool = copied("n");
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_string_equal(text, "by hand\n"
                              "seed 1   3 trials   merged over n\n\n"
                              "method               rounds  +-95%  min  max  trials\n"
                              "circuit:mode=rounds     2.5    6.4    1    4   6 few\n"
                              "bound                   1.5    6.4    1    2   2 few\n\n"
                              "few: fewer than 16 trials; means and intervals are rough\n");
    free(text);
    /* A method that gives the same numbers everywhere does not look at the axis: its trials count once. */
    s.point[1].answer[0].cell[0] = s.point[0].answer[0].cell[0];
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "circuit:mode=rounds     2.0    2.5    1    3   3 few\n"));
    free(text);
    /* Means of three and of one thing: (3 * 1 + 5) / 4, and of 2 (3^2 (1 - 2)^2 + (5 - 2)^2) / 4^2 the root.
     */
    for (int i = 0; i < 2; i++) {
        bough_stats *stats = &s.point[i].answer[0].cell[0].stats;
        *stats = (bough_stats){0};
        bough_stats_add_weighted(stats, i ? 5 : 1, i ? 1 : 3);
    }
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "circuit:mode=rounds       2     19    1    5   6 few\n"));
    free(text);
    bough_study_fini(&s);
}

/* Labels by their names, levels as levels; the names are not repeated below. Units, and trials that tell
 * nothing. */
static void test_rows_of_a_point(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    const double us[] = {2.02e-05}, one[] = {1.5}, same[] = {64.5, 64.5, 64.5};
    bough_cell cells[] = {cell(BOUGH_METRIC_FCT, NONE, 1, us), cell(BOUGH_METRIC_LABEL_WAIT, 2, 1, us),
                          cell(BOUGH_METRIC_LIMIT_UP, 2, 1, one)};
    bough_cell worm[] = {cell(BOUGH_METRIC_LATENCY, NONE, 3, same)};
    bough_study_point *p = &s.point[0];
    p->answer[p->answers++] = answer("flow:size=1", true, 2, 0, cells, 3);
    p->answer[p->answers++] = answer("worm", false, 3, 0, worm, 1);
    strcpy(p->answer[2].note, "labels: 1 tensor, 2 data");
    p->answer[3].outcome = BOUGH_RUN_SATURATED;
    strcpy(p->answer[3].note, "queues grow");
    p->comparisons = 0;
    s.points = 1;
    char *text;
    assert_int_equal(
        bough_report_table(&s, &(bough_table_options){.single = true, .width = 120}, &text, NULL), 0);
    const char *from = strstr(text, "flow:size=1 ");
    assert_non_null(from);
    assert_string_equal(
        from, "flow:size=1          fct                 20.2 us                          exact\n"
              "                     label_wait[data]    20.2 us                          exact\n"
              "                     limit_up[level 2]    1.5                             exact\n"
              "worm                 latency             64.5 cycles    equal             3 few  saturated\n\n"
              "equal: each of the N trials gave this value; others are rarer than 3 in N (95 %)\n"
              "few: fewer than 16 trials; means and intervals are rough\n\n"
              "worm: saturated: queues grow\n");
    free(text);
    s.points = 2;
    bough_study_fini(&s);
}

/* Colours are added to cells, never to what external text says. */
static void test_colours(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *plain, *coloured, *at;
    s.points = 1;
    s.point[0].answer[0].outcome = BOUGH_RUN_PARTIAL;
    s.point[0].answer[1].outcome = BOUGH_RUN_SATURATED;
    s.point[0].traffic.spec = copied("messages:\033[31mred.csv");
    bough_table_options options = {.single = true};
    assert_int_equal(bough_report_table(&s, &options, &plain, NULL), BOUGH_OK);
    assert_int_equal(count_escapes(plain), 0);
    options.colours = true;
    assert_int_equal(bough_report_table(&s, &options, &coloured, NULL), BOUGH_OK);
    assert_non_null(strstr(coloured, "\033[31msaturated\033[0m"));
    assert_non_null(strstr(coloured, "\033[33mpartial\033[0m"));
    assert_non_null(strstr(coloured, "\033[1mrounds\033[0m"));
    char *to = coloured; /* without the escape sequences it is the same text */
    for (at = coloured; *at;)
        if (*at == '\033')
            at += strcspn(at, "m") + 1;
        else
            *to++ = *at++;
    *to = 0;
    assert_string_equal(coloured, plain);
    free(plain);
    free(coloured);
    s.points = 2;
    bough_study_fini(&s);
}

/* No line is wider than asked for, and no word is broken. */
static void test_widths(void **state) {
    (void)state;
    static const size_t width[] = {80, 100, 140};
    bough_study s = study_by_hand();
    char *text;
    const double many[] = {0.005568, 0.005601};
    bough_cell cells[] = {cell(BOUGH_METRIC_ACCEPTED_MESSAGES, NONE, 2, many),
                          cell(BOUGH_METRIC_ACCEPTED, NONE, 2, many)};
    for (int i = 0; i < 2; i++) {
        bough_study_point *p = &s.point[i];
        p->answer[p->answers++] = answer("worm:buffer=16,vcs=2,flits=32", false, 2, 0, cells, 2);
        p->answer[2].outcome = BOUGH_RUN_SATURATED;
        strcpy(p->answer[2].note, "offered 0.2, accepted 0.1784 flits/cycle/endpoint: queues grow by 0.0417 "
                                  "messages per cycle; the busiest link is s1.0/5 -> s2.0/1");
    }
    for (int ys = 0; ys < 8; ys += 3)
        for (size_t i = 0; i < COUNT(width); i++) {
            s.plot.ys = (unsigned)(ys > 4 ? 4 : ys);
            static const bough_metric_id y[] = {BOUGH_METRIC_ROUNDS, BOUGH_METRIC_ACCEPTED_MESSAGES,
                                                BOUGH_METRIC_ACCEPTED, BOUGH_METRIC_LG_M};
            memcpy(s.plot.y, y, sizeof y);
            bough_table_options options = {.width = width[i]};
            assert_int_equal(bough_report_table(&s, &options, &text, NULL), BOUGH_OK);
            for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
                if (strcspn(at, "\n") > width[i])
                    fail_msg("%zu columns at %zu: %s", strcspn(at, "\n"), width[i], text);
            assert_non_null(strstr(text, "saturated"));
            free(text);
        }
    bough_study_fini(&s);
}

/* compare: without plot: y has a column of ratios too; where there is none, a line says why. */
static void test_compare_always_answers(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.compare = true;
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "  ratio  trials\n"));
    assert_non_null(strstr(text, "0.750   exact\n"));
    assert_non_null(strstr(text, "ratio: of the metric to its left"));
    free(text);
    for (size_t i = 0; i < 2; i++) s.point[i].comparisons = 0;
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "compare: no ratios, because no point has a value of two methods"));
    free(text);
    s.pool = copied("n");
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "compare: no ratios, because points are merged over n\n"));
    free(text);
    bough_study_fini(&s);
}

/* Equal metrics in one line, exact ones without an interval, each with both values. */
static void test_comparisons(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    bough_study_point *p = &s.point[0];
    const double first[] = {974.8e-6}, second[] = {13.3e-3}, messages[] = {480}, zero[] = {0};
    bough_cell a[] = {cell(BOUGH_METRIC_COMPLETION_TIME, NONE, 1, first),
                      cell(BOUGH_METRIC_MESSAGES, NONE, 1, messages),
                      cell(BOUGH_METRIC_DELAY, NONE, 1, zero)};
    bough_cell b[] = {cell(BOUGH_METRIC_COMPLETION_TIME, NONE, 1, second),
                      cell(BOUGH_METRIC_MESSAGES, NONE, 1, messages),
                      cell(BOUGH_METRIC_DELAY, NONE, 1, first)};
    p->answer[p->answers++] = answer("flow:size=1", true, 2, 0, a, 3);
    p->answer[p->answers++] = answer("loggops", true, 3, 0, b, 3);
    p->comparison = realloc(p->comparison, 4 * sizeof *p->comparison);
    p->comparison[0] = (bough_comparison){BOUGH_METRIC_COMPLETION_TIME, 3, 2, 0.0123252, 0, 13.643824, 0, 54};
    p->comparison[1] = (bough_comparison){BOUGH_METRIC_MESSAGES, 3, 2, 0, 0, 1, 0, 54};
    p->comparison[2] = (bough_comparison){BOUGH_METRIC_DELAY, 3, 2, 974.8e-6, NAN, NAN, NAN, 1};
    p->comparisons = 3;
    s.points = 1;
    assert_int_equal(bough_report_table(&s, &(bough_table_options){.single = true}, &text, NULL), BOUGH_OK);
    const char *from = strstr(text, "loggops / ");
    assert_non_null(from);
    assert_string_equal(from, "loggops / flow  completion_time  13.64x       13.3 ms   974.8 us\n"
                              "                delay                 -  0.0009748          0 steps\n\n"
                              "loggops / flow: equal messages\n");
    assert_null(strstr(text, "+- 0"));
    free(text);
    s.points = 2;
    bough_study_fini(&s);
}

static void test_many_indices_are_cut(void **state) {
    (void)state;
    bough_study s = {.title = copied("t"), .points = 1, .effort = {1, 0, BOUGH_METRIC_COUNT}};
    bough_cell cells[40];
    char *text;
    s.point = made(1, sizeof *s.point);
    s.point[0] = point("", "fattree:n=16", NULL, 1);
    s.point[0].value = NULL;
    for (int i = 0; i < 39; i++) cells[i] = cell(BOUGH_METRIC_PR_KIJ, i, 1, (double[]){i});
    cells[39] = cell(BOUGH_METRIC_PR_C2, NONE, 1, (double[]){0.5});
    s.point[0].answer[s.point[0].answers++] = answer("collision", true, 0, 0, cells, 40);
    assert_int_equal(bough_report_table(&s, &(bough_table_options){.single = true}, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "pr_kij[23]"));
    assert_null(strstr(text, "pr_kij[24]"));
    assert_non_null(strstr(text, "... 15 more in --csv\n"));
    assert_non_null(strstr(text, "pr_c2 "));
    free(text);
    bough_study_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_across),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_long_table),      cmocka_unit_test(test_wide_table),
        cmocka_unit_test(test_ratios),          cmocka_unit_test(test_pool),
        cmocka_unit_test(test_rows_of_a_point), cmocka_unit_test(test_colours),
        cmocka_unit_test(test_widths),          cmocka_unit_test(test_compare_always_answers),
        cmocka_unit_test(test_comparisons),     cmocka_unit_test(test_many_indices_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
