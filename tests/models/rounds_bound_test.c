#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX
#define E    2.718281828459045

static bough_rows answers(unsigned n, unsigned m, const char *method) {
    char network[40], traffic[40];
    snprintf(network, sizeof network, "fattree:n=%u", n);
    snprintf(traffic, sizeof traffic, "uniform:m=%u", m);
    bough_point point = point_make(network, NULL, traffic);
    bough_run *run = run_make(&point, method);
    bough_rows rows = run_once(run, 0);
    bough_run_destroy(run);
    point_free(&point);
    return rows;
}

static double answer(unsigned n, unsigned m, const char *method, bough_metric_id metric) {
    bough_rows rows = answers(n, m, method);
    double value = row_value(&rows, metric, NONE);
    bough_rows_fini(&rows);
    return value;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("bft:n=16", NULL, "uniform");
    run_refused(&point, "bound", BOUGH_UNSUPPORTED, "bft:n=16 has no closed form of Pr[C2]; give the number");
    run_refused(&point, "bound:b=0", BOUGH_INVALID, "b must");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, NULL);
    run_refused(&point, "bound", BOUGH_UNSUPPORTED, "needs traffic");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, "alltoall");
    run_refused(&point, "bound", BOUGH_UNSUPPORTED, "1 <= m <= n");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, "uniform");
    run_refused(&point, "bound:eps=0", BOUGH_INVALID, "eps must lie between");
    run_refused(&point, "bound:eps=-0.1", BOUGH_INVALID, "eps must lie between");
    run_refused(&point, "bound:eps=2", BOUGH_INVALID, "eps must lie between");
    run_refused(&point, "bound:esp=0.1", BOUGH_INVALID, "did you mean 'eps'");
    point_free(&point);
}

/* n = m = 16: b = 8. S1 = (2 - 1)/(1 - 2/e) = 3.784422; R1 = 2 (2 S1 + 4 ln 100) = 51.979; S2 = lg 8 = 3;
 * R2 = (6 + 4 ln 100)/(1 - 2/e) = 92.418. */
static void both_phases_by_hand(void **state) {
    (void)state;
    bough_rows rows = answers(16, 16, "bound:eps=0.01");
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_SUCCESSES, NONE), 3.784422, 1e-6);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_ROUNDS, NONE), 51.979051, 1e-5);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE2_SUCCESSES, NONE), 3, 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE2_ROUNDS, NONE), 92.418171, 1e-5);
    assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), 51.979051 + 92.418171, 1e-5);
    assert_near(row_value(&rows, BOUGH_METRIC_CURVE, NONE), 0.4 + 2 + 1, 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_LG_M, NONE), 4, 0);
    bough_rows_fini(&rows);
}

/* m = b = 8 needs no Phase I at all, one message more does. */
static void phase_one_begins_above_b(void **state) {
    (void)state;
    bough_rows rows = answers(16, 8, "bound");
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_SUCCESSES, NONE), 0, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_ROUNDS, NONE), 0, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), (6 + 4 * log(100)) / (1 - 2 / E), 1e-9);
    bough_rows_fini(&rows);
    rows = answers(16, 9, "bound");
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_SUCCESSES, NONE), 0.125 / (1 - 2 / E), 1e-9);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE2_SUCCESSES, NONE), 3, 1e-12);
    bough_rows_fini(&rows);
}

static void a_single_message_and_the_smallest_tree(void **state) {
    (void)state;
    assert_near(answer(16, 1, "bound", BOUGH_METRIC_PHASE2_SUCCESSES), 0, 0);
    assert_near(answer(16, 1, "bound", BOUGH_METRIC_CURVE), 1.125, 1e-12);
    assert_near(answer(16, 1, "bound:eps=1", BOUGH_METRIC_ROUNDS), 0, 0);
    assert_near(answer(2, 2, "bound", BOUGH_METRIC_PHASE1_SUCCESSES), 0, 0); /* b = 4 */
    assert_near(answer(2, 2, "bound", BOUGH_METRIC_PHASE2_SUCCESSES), 1, 0);
}

/* Eq. 7 bounds Eq. 6 for 2 <= m <= n where there is a Phase I; the total grows with m and with certainty. */
static void the_bound_behaves_as_the_paper_says(void **state) {
    (void)state;
    for (unsigned n = 16; n <= 65536; n *= 4) {
        double before = 0;
        for (unsigned m = 2; m <= n; m *= 2) {
            bough_rows rows = answers(n, m, "bound");
            double s = row_value(&rows, BOUGH_METRIC_PHASE1_SUCCESSES, NONE);
            if (s > 0) assert_true(s <= (log2(m) / 2 - 1) / (1 - 2 / E) + 1e-9);
            assert_int_equal(s > 0, m > 2 * n / log2(n));
            double rounds = row_value(&rows, BOUGH_METRIC_ROUNDS, NONE);
            assert_true(rounds > before);
            before = rounds;
            assert_near(rounds,
                        row_value(&rows, BOUGH_METRIC_PHASE1_ROUNDS, NONE) +
                            row_value(&rows, BOUGH_METRIC_PHASE2_ROUNDS, NONE),
                        1e-9);
            assert_true(rounds < answer(n, m, "bound:eps=0.001", BOUGH_METRIC_ROUNDS));
            bough_rows_fini(&rows);
        }
    }
}

/* What is proven about the game holds in the game: no trial of Model I took as many rounds. */
static void the_game_keeps_the_bound(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=256", NULL, "uniform");
    bough_run *game = run_make(&point, "bins:model=1"), *bound = run_make(&point, "bound:eps=0.001");
    bough_stats rounds = run_trials(game, 1, 1000, BOUGH_METRIC_ROUNDS);
    bough_rows rows = run_once(bound, 0);
    assert_true(rounds.max <= row_value(&rows, BOUGH_METRIC_ROUNDS, NONE));
    assert_true(bough_run_exact(bound));
    assert_false(bough_run_exact(game));
    assert_string_equal(bound->spec, "bound:eps=0.001");
    bough_rows_fini(&rows);
    bough_run_destroy(game);
    bough_run_destroy(bound);
    point_free(&point);
}

/* Bit reversal of 16: its largest channel. The load factor is linkload's; lg 16 = 4, lg 4 = 2. */
static void bounds_by_the_load_factor(void **state) {
    (void)state;
    static const char *const point[][2] = {{"fattree:n=16", "uniform"},
                                           {"fattree:n=16", "bitrev"},
                                           {"xgft:down=4x4,up=1x2", "shift:k=4"},
                                           {"bft:n=16", "incast"}};
    for (size_t i = 0; i < sizeof point / sizeof *point; i++) {
        bough_point p = point_make(point[i][0], "free", point[i][1]);
        bough_rows load = rows_of(&p, "linkload"), rows = rows_of(&p, "bound:load=1");
        double factor = row_value(&load, BOUGH_METRIC_LOAD_FACTOR, NONE);
        assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE), factor, 1e-12);
        assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_LG_N, NONE), factor * 4, 1e-12);
        assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_LG_LG_N, NONE), factor + 4 * 2, 1e-12);
        assert_int_equal(row_given(&rows, BOUGH_METRIC_ROUNDS, NONE), i == 0); /* Theorem 1 */
        bough_rows_fini(&load);
        bough_rows_fini(&rows);
        point_free(&p);
    }
    /* a shift by half: every message crosses the root, 8 up and 8 down over 8 links */
    bough_point p = point_make("fattree:n=16", "free", "shift:k=8");
    bough_rows rows = rows_of(&p, "bound:load=1");
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE), 2, 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
    p = point_make("cube:n=8", NULL, "uniform");
    run_refused(&p, "bound:load=1", BOUGH_UNSUPPORTED, "load=1 needs a tree");
    point_free(&p);
}

/* Another network takes b = 1 / Pr[C2] for 2n / lg n: one switch of three hosts has b = 4. */
static void bins_of_another_network(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=3,up=1", NULL, "uniform:m=3");
    bough_rows rows = rows_of(&p, "bound");
    assert_near(row_value(&rows, BOUGH_METRIC_CURVE, NONE), log2(3) / 10 + 0.75 + 1, 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE2_SUCCESSES, NONE), log2(3), 1e-12);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "bound:b=2");
    assert_near(row_value(&rows, BOUGH_METRIC_PHASE1_SUCCESSES, NONE), 0.5 / (1 - 2 / E), 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(both_phases_by_hand),
        cmocka_unit_test(phase_one_begins_above_b),
        cmocka_unit_test(a_single_message_and_the_smallest_tree),
        cmocka_unit_test(the_bound_behaves_as_the_paper_says),
        cmocka_unit_test(the_game_keeps_the_bound),
        cmocka_unit_test(bounds_by_the_load_factor),
        cmocka_unit_test(bins_of_another_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
