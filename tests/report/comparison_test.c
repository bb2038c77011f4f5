/* Comparisons, by hand. */
#include "report/comparison/measured_gap.h"
#include "report/tables/result_document.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const bough_study_point *p, const char *part) {
    bough_text out = {0};
    document d = {0};
    comparison_describe(&d, p, &(metric_choice){0});
    document_write_text(&d, &(document_text_options){.width = 200}, &out);
    document_fini(&d);
    if (!out.data || !strstr(out.data, part)) fail_msg("'%s' is not in: %s", part, out.data);
    bough_text_fini(&out);
}

/* Two methods under two routings; only the first pair is compared. */
static void names_and_values(void **state) {
    (void)state;
    static char a[] = "bound", b[] = "circuit", r0[] = "dmodk", r1[] = "smodk";
    bough_cell cell[2] = {{.metric = BOUGH_METRIC_ROUNDS, .index = BOUGH_NO_ROW_INDEX},
                          {.metric = BOUGH_METRIC_ROUNDS, .index = BOUGH_NO_ROW_INDEX}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) bough_stats_add(&cell[i].stats, 4 + k);
    bough_answer answer[2] = {
        {.method = a, .routed = true, .cell = &cell[0], .cells = 1, .trials = 3},
        {.method = b, .asked = 1, .routed = true, .cell = &cell[1], .cells = 1, .trials = 3}};
    bough_asked routing[2] = {{.spec = r0}, {.spec = r1}};
    bough_comparison c = {
        .metric = BOUGH_METRIC_ROUNDS, .answer = 1, .ratio = 1, .ratio_ci95 = 0.25, .difference_ci95 = 1};
    bough_study_point p = {.routing = routing,
                           .routings = 2,
                           .answer = answer,
                           .answers = 2,
                           .comparison = &c,
                           .comparisons = 1};
    expect(&p, "circuit under dmodk / bound under dmodk  rounds  1.00x   0.25");
    expect(&p, "0.0    1.0"); /* a mean difference of 0 with an interval is not equal */
    c.difference_ci95 = 0;
    expect(&p, "circuit under dmodk / bound under dmodk: equal rounds");
    c.difference = NAN;
    cell[0].stats.mean = cell[1].stats.mean = NAN;
    expect(&p, "rounds is not compared: circuit has no value, bound has no value");
    p.routings = 1;
    expect(&p, "circuit / bound: rounds");
}

static void gap(const bough_study_point *p, const bough_answer *given, const char *want) {
    bough_text out = {0};
    measured_gap_put(&out, p, given);
    bool same = out.length ? strcmp(out.data, want) == 0 : !*want;
    if (!same) fail_msg("'%s' instead of '%s'", out.length ? out.data : "", want);
    bough_text_fini(&out);
}

/* The most loaded link is named above a ratio of 1.25 and below its inverse, for a measurement only. */
static void where_measurements_part(void **state) {
    (void)state;
    static char a[] = "flow:size=1", b[] = "data:file=x";
    bough_cell cell[3] = {{.metric = BOUGH_METRIC_COMPLETION_TIME, .index = BOUGH_NO_ROW_INDEX},
                          {.metric = BOUGH_METRIC_LINK_USE_MAX, .index = BOUGH_NO_ROW_INDEX},
                          {.metric = BOUGH_METRIC_COMPLETION_TIME, .index = BOUGH_NO_ROW_INDEX}};
    bough_answer answer[2] = {{.method = a, .routed = true, .cell = &cell[0], .cells = 2, .exact = true},
                              {.method = b, .asked = 1, .cell = &cell[2], .cells = 1, .given = true}};
    bough_study_point p = {.answer = answer, .answers = 2, .routings = 1};
    cell[0].stats.mean = 4;
    cell[1].stats.mean = 0.5;
    cell[2].stats.mean = 5; /* 1.25 */
    strcpy(answer[0].note, "labels: 0 a; links: 3 h1 -> s1; most used links: 7 s1 -> h2");
    gap(&p, &answer[1], "");
    cell[2].stats.mean = 6;
    gap(&p, &answer[0], "");
    gap(&p, &answer[1],
        "1.5 times the completion_time of flow; the most loaded link of flow is s1 -> h2, used 50 % of the "
        "time");
    cell[2].stats.mean = 3.2; /* 1 / 1.25 */
    gap(&p, &answer[1], "");
    cell[2].stats.mean = 3;
    answer[0].note[0] = 0; /* the prediction has no links */
    gap(&p, &answer[1], "0.75 times the completion_time of flow");
    answer[0].given = true; /* two measurements */
    gap(&p, &answer[1], "");
    answer[0].given = false;
    cell[0].metric = BOUGH_METRIC_ROUNDS; /* no time */
    gap(&p, &answer[1], "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values),
        cmocka_unit_test(where_measurements_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
