/* Confidence limits from counts, against sums of probabilities in long double. */
#include "base/binomial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MISS 0.025L

/* P(X <= k), term by term. */
static long double below(uint64_t k, uint64_t n, long double p) {
    long double sum = 0;
    for (uint64_t i = 0; i <= k && i <= n; i++)
        sum += expl(lgammal((long double)n + 1) - lgammal((long double)i + 1) -
                    lgammal((long double)(n - i) + 1) + (long double)i * logl(p) +
                    (long double)(n - i) * log1pl(-p));
    return sum;
}

static void assert_near(double value, double wanted, double relative) {
    if (!(fabs(value - wanted) <= relative * fabs(wanted))) fail_msg("%.17g instead of %.17g", value, wanted);
}

static void sums_of_probabilities(void **state) {
    (void)state;
    static const double p[] = {1e-9, 0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        for (uint64_t n = 1; n <= 300; n += n < 5 ? 1 : 59)
            for (uint64_t k = 0; k <= n; k += 1 + n / 40) {
                long double wanted = below(k, n, p[i]);
                if (fabsl(binomial_below(k, n, p[i]) - wanted) > 1e-11L)
                    fail_msg("P(X <= %u) of %u with %g", (unsigned)k, (unsigned)n, p[i]);
            }
    assert_true(binomial_below(5, 5, 0.3) == 1 && binomial_below(9, 5, 0.3) == 1);
    assert_true(binomial_below(3, 5, 0) == 1 && binomial_below(3, 5, 1) == 0);
    assert_near(binomial_below(500000000, 1000000000, 0.5), 0.5 + 0.5 * 2.5231e-5, 1e-5);
}

/* Without an event in n trials the limit solves (1 - p)^n = 2.5 %. */
static void intervals_of_probabilities(void **state) {
    (void)state;
    binomial_range r = binomial_interval(0, 10);
    assert_true(r.low == 0);
    assert_near(r.high, 1 - pow(0.025, 0.1), 1e-14);
    r = binomial_interval(10, 10);
    assert_true(r.high == 1);
    assert_near(r.low, pow(0.025, 0.1), 1e-14);
    r = binomial_interval(0, 1000000000);
    assert_near(r.high, 3.688879447e-9, 1e-9);
    r = binomial_interval(5, 10); /* Clopper and Pearson 1934, of published tables */
    assert_near(r.low, 0.187086, 1e-5);
    assert_near(r.high, 0.812914, 1e-5);
    for (uint64_t n = 2; n <= 200; n += 33)
        for (uint64_t k = 1; k < n; k++) {
            r = binomial_interval(k, n);
            assert_true(fabsl(1 - below(k - 1, n, r.low) - MISS) < 1e-10L);
            assert_true(fabsl(below(k, n, r.high) - MISS) < 1e-10L);
        }
}

/* By their definition: the outermost ranks that miss the quantile with a probability of at most 2.5 %. */
static void ranks_of_quantiles(void **state) {
    (void)state;
    static const double share[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++)
        for (uint64_t n = 1; n <= 800; n += n < 50 ? 1 : 83) {
            quantile_ranks r = quantile_ranks_of(share[i], n);
            assert_int_equal(r.rank, (uint64_t)ceil(share[i] * (double)n - 1e-9));
            assert_true(r.low == 0 || below(r.low - 1, n, share[i]) <= MISS + 1e-12L);
            assert_true(r.low == n || below(r.low, n, share[i]) > MISS);
            assert_true(r.high == n + 1 || 1 - below(r.high - 1, n, share[i]) <= MISS + 1e-12L);
            assert_true(r.high == 1 || 1 - below(r.high - 2, n, share[i]) > MISS);
            bool both = r.low > 0 && r.high <= n;
            assert_true(both == (n >= quantile_values_needed(share[i])));
        }
    quantile_ranks r = quantile_ranks_of(0.5, 100); /* tables of the sign test */
    assert_true(r.rank == 50 && r.low == 40 && r.high == 61);
    assert_int_equal(quantile_values_needed(0.5), 6);
    assert_int_equal(quantile_values_needed(0.99), 368);
    assert_int_equal(quantile_values_needed(0.999), 3688);
    assert_int_equal(quantile_values_needed(0.001), 3688);
    assert_true(quantile_values_needed(1 - 0x1p-53) > UINT64_C(1) << 53);
    r = quantile_ranks_of(0.999, 1000000000);
    assert_int_equal(r.rank, 999000000);
    assert_true(r.low > 998997000 && r.low < 998999000 && r.high > 999001000 && r.high < 999003000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_probabilities),
        cmocka_unit_test(intervals_of_probabilities),
        cmocka_unit_test(ranks_of_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
