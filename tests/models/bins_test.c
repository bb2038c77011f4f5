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
    point = point_make("fattree:n=8", NULL, "uniform");
    run_refused(&point, "bins:model=2,engine=exact", BOUGH_UNSUPPORTED, "apply to model=1");
    run_refused(&point, "bins:levels=1,engine=fluid", BOUGH_UNSUPPORTED, "without levels=1");
    run_refused(&point, "bins:levels=1,b=3", BOUGH_INVALID, "excludes model=2, b= and phases=1");
    run_refused(&point, "bins:engine=exact,history=1", BOUGH_INVALID, "history=1 applies to engine=toss");
    run_refused(&point, "bins:engine=exact,phases=1", BOUGH_INVALID, "phases=1 applies to engine=toss");
    run_refused(&point, "bins:engine=fluid,within=3", BOUGH_INVALID, "within= applies to");
    run_refused(&point, "bins:engine=markov", BOUGH_INVALID, "toss");
    point_free(&point);
    point = point_make("bft:n=16", NULL, "uniform");
    run_refused(&point, "bins:levels=1", BOUGH_UNSUPPORTED, "needs a complete tree");
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
    static const char *const models[] = {"bins:model=1", "bins:model=2", "bins:levels=1"};
    for (int model = 0; model < 3; model++) {
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

/* ---- the exact distribution ---- */

enum { BALLS = 6, FEW = 5 };

/* Probability that `balls` need at most `rounds`, by all b^balls tosses. */
static double all_tosses(unsigned balls, unsigned b, unsigned rounds) {
    if (balls == 0) return 1;
    if (rounds == 0) return 0;
    double sum = 0, all = pow(b, balls), rest[BALLS + 1];
    for (unsigned left = 0; left < balls; left++) rest[left] = all_tosses(left, b, rounds - 1);
    for (unsigned toss = 0; toss < all; toss++) {
        unsigned hit = 0;
        for (unsigned i = 0, t = toss; i < balls; i++, t /= b) hit |= 1u << t % b;
        sum += rest[balls - (unsigned)__builtin_popcount(hit)];
    }
    return sum / all;
}

static void the_chain_counts_all_tosses(void **state) {
    (void)state;
    for (unsigned m = 1; m <= BALLS; m++)
        for (unsigned b = 1; b <= FEW; b++) {
            char method[64];
            snprintf(method, sizeof method, "bins:b=%u,engine=exact,within=6", b);
            game g = open_game(8, m, method);
            assert_true(bough_run_exact(g.run));
            bough_rows rows = run_once(g.run, 0);
            for (unsigned r = 1; r <= 6; r++)
                assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS_WITHIN, r), all_tosses(m, b, r), 1e-12);
            assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS_MISSING, NONE), 0, 1e-12);
            if (b == 1) assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), m, 1e-12);
            bough_rows_fini(&rows);
            close_game(&g);
        }
}

/* The whole recursion without bands and windows. */
static double untruncated_mean(unsigned m, unsigned b) {
    double(*one)[301] = calloc(301, sizeof *one), mean[301] = {0};
    one[0][0] = 1;
    for (unsigned k = 1; k <= m; k++) {
        for (unsigned d = 1; d <= k && d <= b; d++)
            one[k][d] = one[k - 1][d] * d / b + one[k - 1][d - 1] * (b - d + 1) / b;
        mean[k] = 1;
        for (unsigned d = 1; d <= k; d++) mean[k] += one[k][d] * mean[k - d];
    }
    free(one);
    return mean[m];
}

static void bands_and_windows_lose_nothing(void **state) {
    (void)state;
    static const unsigned cases[][2] = {{300, 3}, {300, 40}, {300, 1000}, {257, 64}, {300, 300}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char method[64];
        snprintf(method, sizeof method, "bins:b=%u,engine=exact", cases[i][1]);
        double mean = untruncated_mean(cases[i][0], cases[i][1]);
        assert_close(answer(512, cases[i][0], method, BOUGH_METRIC_ROUNDS), mean, 1e-11);
    }
}

static void tosses_have_the_exact_distribution(void **state) {
    (void)state;
    static const unsigned size[][2] = {{64, 64}, {1024, 1024}, {1024, 128}, {4096, 4096}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const uint64_t trials = 1000;
        game toss = open_game(size[i][0], size[i][1], "bins:within=10");
        game exact = open_game(size[i][0], size[i][1], "bins:engine=exact,within=10");
        bough_rows law = run_once(exact.run, 0), rows = {0};
        bough_stats rounds = run_trials(toss.run, 1, trials, BOUGH_METRIC_ROUNDS);
        assert_near(rounds.mean, row_value(&law, BOUGH_METRIC_ROUNDS, NONE),
                    3.3 / 1.96 * bough_stats_ci95(&rounds));
        assert_near(row_value(&law, BOUGH_METRIC_ROUNDS_MISSING, NONE), 0, 1e-12);
        double within[11] = {0};
        void *workspace = NULL;
        for (uint64_t t = 0; t < trials; t++) {
            assert_int_equal(bough_run_trial(toss.run, bough_key_make(1, t), &workspace, &rows, NULL),
                             BOUGH_OK);
            for (unsigned r = 1; r <= 10; r++) within[r] += row_value(&rows, BOUGH_METRIC_ROUNDS_WITHIN, r);
        }
        for (unsigned r = 1; r <= 10; r++) {
            double p = row_value(&law, BOUGH_METRIC_ROUNDS_WITHIN, r), n = (double)trials;
            assert_near(within[r] / n, p, 3.9 * sqrt(p * (1 - p) / n) + 1e-9);
        }
        bough_run_free_workspace(toss.run, workspace);
        bough_rows_fini(&rows);
        bough_rows_fini(&law);
        close_game(&toss);
        close_game(&exact);
    }
}

/* b = 8. Two balls part (7/8) or need a second round. Three balls part with 42/64; they need a third round if
 * all fall into one bin (1/64) and the two that are left do again (1/8). */
static void quantiles_by_hand(void **state) {
    (void)state;
    const char *exact = "bins:engine=exact";
    assert_near(answer(16, 2, exact, BOUGH_METRIC_ROUNDS), 9.0 / 8, 1e-12);
    assert_near(answer(16, 2, exact, BOUGH_METRIC_ROUNDS_P999), 2, 0);
    assert_near(answer(16, 3, exact, BOUGH_METRIC_ROUNDS), 42.0 / 64 + 2 * 22.0 / 64 + 1.0 / 512, 1e-12);
    assert_near(answer(16, 3, exact, BOUGH_METRIC_ROUNDS_P50), 1, 0);
    assert_near(answer(16, 3, exact, BOUGH_METRIC_ROUNDS_P90), 2, 0);
    assert_near(answer(16, 3, exact, BOUGH_METRIC_ROUNDS_P99), 2, 0);
    assert_near(answer(16, 3, exact, BOUGH_METRIC_ROUNDS_P999), 3, 0);
}

/* b = 8, m = 3: 3 - 169/64 = 23/64, below 1/2 after one step. b = 1: one ball a round. b = 4, m = 4: 4 -
 * 175/64 = 81/64, then 81/64 - 4 (1 - (3/4)^(81/64)). */
static void the_fluid_limit_by_hand(void **state) {
    (void)state;
    assert_near(answer(16, 3, "bins:engine=fluid", BOUGH_METRIC_ROUNDS), 1, 0);
    assert_near(answer(16, 7, "bins:engine=fluid,b=1", BOUGH_METRIC_ROUNDS), 7, 0);
    game g = open_game(4, 4, "bins:engine=fluid,history=1");
    bough_rows rows = run_once(g.run, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_DELIVERED_ROUND, 1), 175.0 / 64, 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_DELIVERED_ROUND, 2), 4 * (1 - pow(0.75, 81.0 / 64)), 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_ROUNDS, NONE), 2, 0);
    bough_rows_fini(&rows);
    close_game(&g);
    for (unsigned n = 256; n <= 65536; n *= 16) /* within a round of the mean */
        assert_near(answer(n, n, "bins:engine=fluid", BOUGH_METRIC_ROUNDS),
                    answer(n, n, "bins:engine=exact", BOUGH_METRIC_ROUNDS), 1);
}

/* ---- rounds and phases of a trial ---- */

static void histories_and_phases_add_up(void **state) {
    (void)state;
    static const char *const methods[] = {"bins:history=1,phases=1", "bins:model=2,history=1,phases=1"};
    for (int i = 0; i < 2; i++) {
        game g = open_game(64, 64, methods[i]);
        bough_rows rows = run_once(g.run, 2);
        unsigned rounds = (unsigned)row_value(&rows, BOUGH_METRIC_ROUNDS, NONE);
        double bins = row_value(&rows, BOUGH_METRIC_BINS, NONE), left = 64, wins[2] = {0}, length[2] = {0};
        double half = 0;
        for (unsigned r = 1; r <= rounds; r++) {
            double delivered = row_value(&rows, BOUGH_METRIC_DELIVERED_ROUND, r);
            int phase = left > bins ? 0 : 1;
            if (left >= 2) length[phase]++;
            if (left >= 2)
                wins[phase] +=
                    phase ? delivered >= left / 2 : bins - delivered < 2 * bins / 2.718281828459045;
            left -= delivered;
            if (!half && left <= 32) half = r;
        }
        assert_near(left, 0, 0);
        for (int phase = 0; phase < 2; phase++) {
            assert_near(row_value(&rows, BOUGH_METRIC_PHASE_LENGTH, phase + 1), length[phase], 0);
            assert_near(row_value(&rows, BOUGH_METRIC_PHASE_SUCCESS, phase + 1), wins[phase] / length[phase],
                        1e-12);
        }
        assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P50, NONE), half, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_ATTEMPTS_P999, NONE), rounds, 0);
        bough_rows_fini(&rows);
        close_game(&g);
    }
}

/* What the proof needs of a round: at least 1/2 of those of Phase I, 1 - 2/e of Phase II. */
static void rounds_succeed_as_often_as_the_proof_needs(void **state) {
    (void)state;
    for (unsigned n = 64; n <= 4096; n *= 8) {
        game g = open_game(n, n, "bins:phases=1");
        double won[2] = {0}, all[2] = {0};
        for (uint64_t t = 0; t < 200; t++) {
            bough_rows rows = run_once(g.run, t);
            for (int phase = 0; phase < 2; phase++) {
                double length = row_value(&rows, BOUGH_METRIC_PHASE_LENGTH, phase + 1);
                all[phase] += length;
                won[phase] += length * row_value(&rows, BOUGH_METRIC_PHASE_SUCCESS, phase + 1);
            }
            bough_rows_fini(&rows);
        }
        assert_true(won[0] >= 0.5 * all[0]);
        assert_true(won[1] >= (1 - 2 / 2.718281828459045) * all[1]);
        close_game(&g);
    }
}

/* ---- bins by level ---- */

/* One switch, three hosts: bins of the last level only, 1 / Pr[C2] = 4 of capacity 1, as in the game of one
 * set. Two messages: 3/4 in one round. */
static void one_level_is_one_set_of_bins(void **state) {
    (void)state;
    game g = {.point = point_make("xgft:down=3,up=1", NULL, "uniform:m=2")};
    g.run = run_make(&g.point, "bins:levels=1");
    double chance[] = {0, 0.75, 0.25};
    assert_true(rounds_chi_square(&g, 20000, chance, 3) < 10.83);
    close_game(&g);
}

/* 16 hosts of a switch share one link up: in the game as in the network, a round takes few of them. */
static void a_narrow_level_takes_many_rounds(void **state) {
    (void)state;
    static const char *const networks[] = {"xgft:down=16x16,up=1x1", "xgft:down=16x16,up=1x4",
                                           "fattree:n=256"};
    double before = 1e9;
    for (size_t i = 0; i < 3; i++) {
        bough_point point = point_make(networks[i], "free", "uniform");
        bough_run *run = run_make(&point, "bins:levels=1"), *net = run_make(&point, "circuit:mode=rounds");
        bough_stats rounds = run_trials(run, 1, 40, BOUGH_METRIC_ROUNDS);
        bough_stats real = run_trials(net, 1, 40, BOUGH_METRIC_ROUNDS);
        assert_true(rounds.mean < before);
        assert_near(rounds.mean / real.mean, 1, 0.35);
        before = rounds.mean;
        bough_run_destroy(run);
        bough_run_destroy(net);
        point_free(&point);
    }
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
        cmocka_unit_test(the_chain_counts_all_tosses),
        cmocka_unit_test(bands_and_windows_lose_nothing),
        cmocka_unit_test(tosses_have_the_exact_distribution),
        cmocka_unit_test(quantiles_by_hand),
        cmocka_unit_test(the_fluid_limit_by_hand),
        cmocka_unit_test(histories_and_phases_add_up),
        cmocka_unit_test(rounds_succeed_as_often_as_the_proof_needs),
        cmocka_unit_test(one_level_is_one_set_of_bins),
        cmocka_unit_test(a_narrow_level_takes_many_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
