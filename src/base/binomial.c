#include "base/binomial.h"

#include <math.h>

static const double MISS = 0.025; /* of each limit */

/* The continued fraction of the incomplete beta function, by Lentz's method (W. H. Press et al., Numerical
 * Recipes, 6.4). It converges in O(sqrt(a + b)) steps for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (double m = 1; m < 1e7; m++) {
        const double step[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                               -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double change = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + step[i] * d;
            c = 1 + step[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            change *= c * d;
        }
        f *= change;
        if (fabs(change - 1) < 1e-14) break;
    }
    return f;
}

/* The regularised incomplete beta function I_x(a, b), a, b > 0, y = 1 - x. */
static double incomplete_beta(double a, double b, double x, double y) {
    if (x <= 0 || y <= 0) return x > 0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double binomial_below(uint64_t k, uint64_t n, double p) {
    if (k >= n) return 1;
    return incomplete_beta((double)(n - k), (double)k + 1, 1 - p, p);
}

static double binomial_at_least(uint64_t k, uint64_t n, double p) {
    return k == 0 ? 1 : incomplete_beta((double)k, (double)(n - k) + 1, p, 1 - p);
}

/* The limits are where the tail beyond k has the probability MISS; both tails are monotone in p. */
binomial_range binomial_interval(uint64_t k, uint64_t n) {
    binomial_range r = {0, 1};
    if (k == 0) return (binomial_range){0, -expm1(log(MISS) / (double)n)};
    if (k == n) return (binomial_range){exp(log(MISS) / (double)n), 1};
    for (double low = 0, high = 1, p; p = (low + high) / 2, p > low && p < high; r.low = p)
        *(binomial_at_least(k, n, p) < MISS ? &low : &high) = p;
    for (double low = 0, high = 1, p; p = (low + high) / 2, p > low && p < high; r.high = p)
        *(binomial_below(k, n, p) > MISS ? &low : &high) = p;
    return r;
}

/* The k-th smallest value lies above the quantile with the probability that fewer than k values lie at or
 * below it, at most P(X <= k - 1), and below it with at most P(X >= k). */
quantile_ranks quantile_ranks_of(double share, uint64_t n) {
    double wanted = ceil(share * (double)n * (1 - 1e-12));
    quantile_ranks r = {wanted < 1 ? 1 : wanted > (double)n ? n : (uint64_t)wanted, 0, n + 1};
    for (uint64_t low = 0, high = n; low < high; r.low = low) {
        uint64_t k = low + (high - low + 1) / 2;
        if (binomial_below(k - 1, n, share) <= MISS)
            low = k;
        else
            high = k - 1;
    }
    for (uint64_t low = 1, high = n + 1; low < high; r.high = low) {
        uint64_t k = low + (high - low) / 2;
        if (binomial_at_least(k, n, share) <= MISS)
            high = k;
        else
            low = k + 1;
    }
    return r;
}

uint64_t quantile_values_needed(double share) {
    double larger = share > 0.5 ? share : 1 - share, needed = ceil(log(MISS) / log(larger));
    return needed < 0x1p62 ? (uint64_t)needed : UINT64_C(1) << 62;
}
