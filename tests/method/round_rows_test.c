/* Rows about the rounds of a trial, by hand, and as circuit reports them. */
#include "method/round_rows.h"

#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "free", "uniform");
    run_refused(&point, "circuit:mode=cycles,within=3", BOUGH_INVALID, "within= applies to mode=rounds");
    run_refused(&point, "circuit:within=-1", BOUGH_INVALID, "within must");
    run_refused(&point, "bins:within=10001", BOUGH_INVALID, "within must");
    point_free(&point);
}

static void within_by_hand(void **state) {
    (void)state;
    bough_rows rows = {0};
    assert_int_equal(round_rows_within(3, 4, &rows, NULL), BOUGH_OK);
    assert_int_equal(rows.count, 4);
    for (int r = 1; r <= 4; r++) assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS_WITHIN, r), r >= 3, 0);
    bough_rows_fini(&rows);
}

/* Of ten messages 5, 3 and 2 are delivered in rounds 1, 2 and 3: half of them in one round, nine in three. */
static void quantiles_over_messages_by_hand(void **state) {
    (void)state;
    const uint64_t ten[] = {5, 3, 2}, nine[] = {4, 0, 5}, none[] = {0};
    static const bough_metric_id metric[] = {BOUGH_METRIC_ATTEMPTS_P50, BOUGH_METRIC_ATTEMPTS_P90,
                                             BOUGH_METRIC_ATTEMPTS_P99, BOUGH_METRIC_ATTEMPTS_P999};
    const double want[] = {1, 3, 3, 3};
    bough_rows rows = {0};
    assert_int_equal(round_rows_history(ten, 3, &rows, NULL), BOUGH_OK);
    for (int i = 0; i < 4; i++) assert_near(row_value(&rows, metric[i], NONE), want[i], 0);
    for (int r = 0; r < 3; r++)
        assert_near(row_value(&rows, BOUGH_METRIC_DELIVERED_ROUND, r + 1), (double)ten[r], 0);
    rows.count = 0;
    assert_int_equal(round_rows_history(nine, 3, &rows, NULL), BOUGH_OK);
    assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P50, NONE), 3, 0); /* the fifth */
    rows.count = 0;
    assert_int_equal(round_rows_history(none, 1, &rows, NULL), BOUGH_OK); /* nothing was delivered */
    assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P50, NONE), 0, 0);
    bough_rows_fini(&rows);
}

/* Eight messages to one endpoint: one in every round. A run that is cut off has not taken so few rounds. */
static void circuit_reports_them(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=16", "free", "incast:m=8");
    bough_rows rows = rows_of(&point, "circuit:history=1,within=9");
    for (int r = 1; r <= 9; r++) assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS_WITHIN, r), r >= 8, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P50, NONE), 4, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P90, NONE), 8, 0);
    bough_rows_fini(&rows);
    rows = rows_of(&point, "circuit:within=9,limit=3");
    for (int r = 1; r <= 9; r++) assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS_WITHIN, r), 0, 0);
    bough_rows_fini(&rows);
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(within_by_hand),
        cmocka_unit_test(quantiles_over_messages_by_hand),
        cmocka_unit_test(circuit_reports_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
