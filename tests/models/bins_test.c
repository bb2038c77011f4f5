/* The balls-and-bins games. Statistical tests have fixed seeds; their limits are 99.9 % quantiles. */
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

typedef struct game {
    bough_point point;
    bough_run *run;
} game;

static game open_game(unsigned n, unsigned m, const char *method) {
    char network[40], traffic[40];
    snprintf(network, sizeof network, "fattree:n=%u", n);
    snprintf(traffic, sizeof traffic, "uniform:m=%u", m);
    game g = {.point = point_make(network, NULL, traffic)};
    g.run = run_make(&g.point, method);
    return g;
}

static void close_game(game *g) {
    bough_run_destroy(g->run);
    point_free(&g->point);
}

static double answer(unsigned n, unsigned m, const char *method, bough_metric_id metric) {
    game g = open_game(n, m, method);
    bough_rows rows = run_once(g.run, 0);
    double value = row_value(&rows, metric, NONE);
    bough_rows_fini(&rows);
    close_game(&g);
    return value;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("bft:n=16", NULL, "uniform");
    run_refused(&point, "bins", BOUGH_UNSUPPORTED, "bft:n=16 has no closed form of Pr[C2]; give the number");
    run_refused(&point, "bins:b=0", BOUGH_INVALID, "b must");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, NULL);
    run_refused(&point, "bins", BOUGH_UNSUPPORTED, "needs traffic");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, "uniform");
    run_refused(&point, "bins:model=0", BOUGH_INVALID, "between 1 and 2");
    run_refused(&point, "bins:model=3", BOUGH_INVALID, "between 1 and 2");
    run_refused(&point, "bins:modle=2", BOUGH_INVALID, "did you mean 'model'");
    point_free(&point);
    point = point_make("fattree:n=2", NULL, "uniform");
    run_refused(&point, "bins:model=2", BOUGH_UNSUPPORTED, "Pr[C2] is 0");
    point_free(&point);
}

/* Model I: round(2n / lg n); Model II: round(1 / Pr[C2]), 1/Pr being 4.5, 343/54, 375/38 at 4, 8, 16. */
static void there_are_as_many_bins_as_calibrated(void **state) {
    (void)state;
    static const struct {
        unsigned n;
        double one, two;
    } cases[] = {{4, 4, 5},    {8, 5, 6},        {16, 8, 10},
                 {64, 21, 26}, {1024, 205, 236}, {1 << 20, 104858, 112347}};
    assert_near(answer(2, 2, "bins", BOUGH_METRIC_BINS), 4, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_near(answer(cases[i].n, 2, "bins:model=1", BOUGH_METRIC_BINS), cases[i].one, 0);
        assert_near(answer(cases[i].n, 2, "bins:model=2", BOUGH_METRIC_BINS), cases[i].two, 0);
    }
}

static void one_ball_takes_one_round(void **state) {
    (void)state;
    static const char *const models[] = {"bins:model=1", "bins:model=2"};
    for (unsigned n = 4; n <= 1024; n *= 4)
        for (int model = 0; model < 2; model++) {
            game g = open_game(n, 1, models[model]);
            bough_rows rows = run_once(g.run, 3);
            assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), 1, 0);
            assert_near(row_value(&rows, BOUGH_METRIC_DELIVERED_FIRST, NONE), 1, 0);
            assert_near(row_value(&rows, BOUGH_METRIC_EMPTY_FIRST, NONE),
                        row_value(&rows, BOUGH_METRIC_BINS, NONE) - 1, 0);
            bough_rows_fini(&rows);
            close_game(&g);
        }
    assert_near(answer(64, 1, "bins", BOUGH_METRIC_DELIVERED_EXPECTED), 1, 1e-12);
    assert_near(answer(64, 1, "bins", BOUGH_METRIC_REJECTED_EXPECTED), 0, 0);
    assert_near(answer(2, 1, "bins", BOUGH_METRIC_ROUNDS), 1, 0);
}

/* Eqs. 3 to 5 for n = 16, m = 3: b = 8, 8 (7/8)^3 = 343/64. */
static void expectations_are_those_of_the_equations(void **state) {
    (void)state;
    assert_near(answer(16, 3, "bins", BOUGH_METRIC_EMPTY_EXPECTED), 343.0 / 64, 1e-14);
    assert_near(answer(16, 3, "bins", BOUGH_METRIC_DELIVERED_EXPECTED), 8 - 343.0 / 64, 1e-14);
    assert_near(answer(16, 3, "bins", BOUGH_METRIC_REJECTED_EXPECTED), 3 - (8 - 343.0 / 64), 1e-14);
    game g = open_game(16, 3, "bins:model=2"); /* its balls are not independent */
    bough_rows rows = run_once(g.run, 0);
    assert_false(row_given(&rows, BOUGH_METRIC_EMPTY_EXPECTED, NONE));
    bough_rows_fini(&rows);
    close_game(&g);
}

static void the_first_toss_meets_its_expectation(void **state) {
    (void)state;
    static const unsigned size[][2] = {{64, 64}, {64, 8}, {1024, 1024}, {1024, 128}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        game g = open_game(size[i][0], size[i][1], "bins");
        double expected = answer(size[i][0], size[i][1], "bins", BOUGH_METRIC_DELIVERED_EXPECTED);
        double bins = answer(size[i][0], size[i][1], "bins", BOUGH_METRIC_BINS);
        bough_stats delivered = run_trials(g.run, 1, 2000, BOUGH_METRIC_DELIVERED_FIRST);
        bough_stats empty = run_trials(g.run, 1, 2000, BOUGH_METRIC_EMPTY_FIRST);
        assert_near(delivered.mean, expected, 3.3 / 1.96 * bough_stats_ci95(&delivered));
        assert_near(delivered.mean + empty.mean, bins, 1e-9);
        close_game(&g);
    }
}

/* ---- whole distributions, computed otherwise ---- */

enum { MOST = 16, ROUNDS = 24 };

/* chance[k][d]: k balls in b bins leave exactly d of them occupied; ball by ball. */
static void occupancy(unsigned b, double chance[MOST + 1][MOST + 1]) {
    memset(chance, 0, (MOST + 1) * sizeof chance[0]);
    chance[0][0] = 1;
    for (unsigned k = 1; k <= MOST; k++)
        for (unsigned d = 1; d <= k && d <= b; d++)
            chance[k][d] = chance[k - 1][d] * d / b + chance[k - 1][d - 1] * (b - d + 1) / b;
}

static double rounds_chi_square(const game *g, uint64_t trials, const double *chance, unsigned cells) {
    uint64_t count[ROUNDS] = {0};
    bough_rows rows = {0};
    void *workspace = NULL;
    for (uint64_t trial = 0; trial < trials; trial++) {
        assert_int_equal(bough_run_trial(g->run, bough_key_make(1, trial), &workspace, &rows, NULL),
                         BOUGH_OK);
        unsigned rounds = (unsigned)row_value(&rows, BOUGH_METRIC_ROUNDS, NONE);
        count[rounds < cells ? rounds : cells - 1]++; /* the last cell takes the tail */
    }
    bough_run_free_workspace(g->run, workspace);
    bough_rows_fini(&rows);
    double sum = 0;
    for (unsigned r = 0; r < cells; r++) {
        double expected = chance[r] * (double)trials;
        if (expected == 0)
            assert_int_equal(count[r], 0);
        else
            sum += pow((double)count[r] - expected, 2) / expected;
    }
    return sum;
}

/* Model I as a Markov chain on the number of balls left. */
static void model_one_has_the_distribution_of_its_chain(void **state) {
    (void)state;
    /* from cells - 1 rounds on all is one cell; fewer rounds than 1 or 2 cannot be: 1, 4, 4 degrees of
     * freedom */
    static const struct {
        unsigned n, m, b, cells;
        double limit;
    } cases[] = {{2, 2, 4, 3, 10.83}, {8, 8, 5, 7, 18.47}, {16, 16, 8, 7, 18.47}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double one[MOST + 1][MOST + 1], left[MOST + 1] = {0}, chance[ROUNDS] = {0};
        occupancy(cases[i].b, one);
        left[cases[i].m] = 1;
        for (unsigned round = 1; round < 200; round++) {
            double next[MOST + 1] = {0};
            for (unsigned k = 1; k <= MOST; k++)
                for (unsigned d = 1; d <= k; d++) next[k - d] += left[k] * one[k][d];
            chance[round < cases[i].cells ? round : cases[i].cells - 1] += next[0];
            memcpy(left, next, sizeof left);
            left[0] = 0;
        }
        game g = open_game(cases[i].n, cases[i].m, "bins:model=1");
        double sum = rounds_chi_square(&g, 20000, chance, cases[i].cells);
        if (!(sum < cases[i].limit)) fail_msg("n=%u: chi-square %g", cases[i].n, sum);
        close_game(&g);
    }
}

/* Model II at n = 4 by hand: 4 destinations, 5 bins.
 *
 * Two balls: one destination (1/4) takes 2 rounds; else they part (4/5) or not: 1 round with 3/4 4/5, else 2.
 * Three balls fall 1+1+1 (6/16), 2+1 (9/16) or 3 (1/16). 1+1+1 hits 3, 2, 1 bins with 60, 60, 5 of 125: 1
 * round, 2, and with one bin two single balls are left: 2 (4/5) or 3. 2+1 parts (4/5): 2 rounds; else the
 * pair loses a ball with 2/3 (each ball is as likely), leaving two single ones: 2 (4/5) or 3; with 1/3 the
 * single one goes: 3. */
static void model_two_has_the_distribution_worked_out_by_hand(void **state) {
    (void)state;
    const double two[] = {0, 0.6, 0.4};
    double part = 9.0 / 16, alone = 6.0 / 16;
    double three[4] = {0, alone * 60 / 125, alone * (60 + 5 * 0.8) / 125 + part * (0.8 + 0.2 * 2 / 3 * 0.8),
                       0};
    three[3] = 1 - three[1] - three[2];
    game g = open_game(4, 2, "bins:model=2");
    assert_true(rounds_chi_square(&g, 20000, two, 3) < 10.83);
    close_game(&g);
    g = open_game(4, 3, "bins:model=2");
    assert_true(rounds_chi_square(&g, 40000, three, 4) < 13.82);
    close_game(&g);
}

/* ---- the paper's figures, 95 % intervals of both sides ---- */

static void the_figures_of_model_one_come_out(void **state) {
    (void)state;
    static const struct {
        unsigned n, m;
        uint64_t trials;
        double rounds, ci95;
    } cases[] = {
        {64, 64, 8000, 5.008, 0.013}, {1024, 1024, 4000, 7.656, 0.048}, {1024, 128, 8000, 2.926, 0.030}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        game g = open_game(cases[i].n, cases[i].m, "bins:model=1");
        bough_stats rounds = run_trials(g.run, 1, cases[i].trials, BOUGH_METRIC_ROUNDS);
        assert_near(rounds.mean, cases[i].rounds, cases[i].ci95 + bough_stats_ci95(&rounds));
        close_game(&g);
    }
}

/* Model II is never faster than its fullest destination, and a constant factor slower than Model I (Fig. 3).
 */
static void model_two_differs_by_a_constant_factor(void **state) {
    (void)state;
    for (unsigned n = 64; n <= 4096; n *= 8) {
        game one = open_game(n, n, "bins:model=1"), two = open_game(n, n, "bins:model=2");
        bough_stats a = run_trials(one.run, 1, 300, BOUGH_METRIC_ROUNDS);
        bough_stats b = run_trials(two.run, 1, 300, BOUGH_METRIC_ROUNDS);
        assert_true(b.mean > a.mean);
        assert_true(b.mean < 1.25 * a.mean);
        close_game(&one);
        close_game(&two);
    }
}

/* ---- what every method owes ---- */

static void a_trial_is_a_function_of_seed_and_number(void **state) {
    (void)state;
    static const char *const models[] = {"bins:model=1", "bins:model=2"};
    for (int model = 0; model < 2; model++) {
        game g = open_game(256, 200, models[model]);
        bough_rows rows = {0};
        void *workspace = NULL;
        bool differ = false;
        for (uint64_t trial = 20; trial-- > 0;) { /* backwards, in one workspace, against a fresh one each */
            assert_int_equal(bough_run_trial(g.run, bough_key_make(1, trial), &workspace, &rows, NULL),
                             BOUGH_OK);
            bough_rows fresh = run_once(g.run, trial), other = run_once(g.run, trial + 1);
            assert_int_equal(rows.count, fresh.count);
            for (size_t i = 0; i < rows.count; i++) assert_true(rows.row[i].value == fresh.row[i].value);
            for (size_t i = 0; i < fresh.count; i++) differ |= fresh.row[i].value != other.row[i].value;
            bough_rows_fini(&fresh);
            bough_rows_fini(&other);
        }
        assert_true(differ);
        bough_run_free_workspace(g.run, workspace);
        bough_rows_fini(&rows);
        close_game(&g);
    }
}

/* Only n and m of the traffic count: the game is the same under a permutation. */
static void only_the_number_of_messages_counts(void **state) {
    (void)state;
    game random = open_game(64, 64, "bins");
    game shift = {.point = point_make("fattree:n=64", NULL, "shift:k=3")};
    shift.run = run_make(&shift.point, "bins");
    for (uint64_t trial = 0; trial < 10; trial++) {
        bough_rows a = run_once(random.run, trial), b = run_once(shift.run, trial);
        assert_near(row_value(&a, BOUGH_METRIC_ROUNDS, NONE), row_value(&b, BOUGH_METRIC_ROUNDS, NONE), 0);
        bough_rows_fini(&a);
        bough_rows_fini(&b);
    }
    close_game(&random);
    close_game(&shift);
}

static void a_game_can_be_stopped(void **state) {
    (void)state;
    static const char *const models[] = {"bins:model=1", "bins:model=2"};
    for (int model = 0; model < 2; model++) {
        game g = open_game(1024, 1024, models[model]);
        atomic_bool stop = true;
        bough_rows rows = {0};
        void *workspace = NULL;
        g.run->stop = &stop;
        assert_int_equal(bough_run_trial(g.run, bough_key_make(1, 0), &workspace, &rows, NULL),
                         BOUGH_INTERRUPTED);
        atomic_store(&stop, false);
        assert_int_equal(bough_run_trial(g.run, bough_key_make(1, 0), &workspace, &rows, NULL), BOUGH_OK);
        bough_run_free_workspace(g.run, workspace);
        bough_rows_fini(&rows);
        close_game(&g);
    }
}

static void memory_is_named_before_the_run(void **state) {
    (void)state;
    game g = open_game(1 << 20, 1 << 20, "bins:model=1");
    assert_true(g.run->bytes >= 104858 / 8 && g.run->bytes < 20000); /* a bit a bin */
    close_game(&g);
    g = open_game(1 << 20, 1 << 20, "bins:model=2");
    assert_true(g.run->bytes >= 2 * (4 << 20) + 8 * 112347 && g.run->bytes < 10 << 20);
    close_game(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(there_are_as_many_bins_as_calibrated),
        cmocka_unit_test(one_ball_takes_one_round),
        cmocka_unit_test(expectations_are_those_of_the_equations),
        cmocka_unit_test(the_first_toss_meets_its_expectation),
        cmocka_unit_test(model_one_has_the_distribution_of_its_chain),
        cmocka_unit_test(model_two_has_the_distribution_worked_out_by_hand),
        cmocka_unit_test(the_figures_of_model_one_come_out),
        cmocka_unit_test(model_two_differs_by_a_constant_factor),
        cmocka_unit_test(a_trial_is_a_function_of_seed_and_number),
        cmocka_unit_test(only_the_number_of_messages_counts),
        cmocka_unit_test(a_game_can_be_stopped),
        cmocka_unit_test(memory_is_named_before_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
