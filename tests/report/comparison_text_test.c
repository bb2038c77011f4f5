/* The lines of comparisons, by hand. */
#include "report/comparison/comparison_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const bough_study_point *p, const char *part) {
    bough_text out = {0};
    comparison_text_put(&out, p, 200);
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
    expect(&p, "circuit under dmodk / bound under dmodk:");
    expect(&p, "rounds  1.00x +- 0.25"); /* a mean difference of 0 with an interval is not equal */
    c.difference_ci95 = 0;
    expect(&p, "equal: rounds");
    c.difference = NAN;
    cell[0].stats.mean = cell[1].stats.mean = NAN;
    expect(&p, "not compared: circuit has no value, bound has no value");
    p.routings = 1;
    expect(&p, "circuit / bound:");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
