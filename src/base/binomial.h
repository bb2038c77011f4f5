/* Confidence limits from counts of independent trials, without an assumption about the distribution of the
 * values. Two-sided 95 %: either limit is wrong with probability 2.5 % at most. Intervals of discrete values
 * cover more. */
#ifndef BOUGH_BASE_BINOMIAL_H
#define BOUGH_BASE_BINOMIAL_H

#include <stdint.h>

/* P(X <= k) of a binomial X with n >= 1 trials of probability p. */
double binomial_below(uint64_t k, uint64_t n, double p);

typedef struct binomial_range {
    double low, high;
} binomial_range;
/* The interval of Clopper and Pearson for the probability of what occurred in k of n >= 1 trials. */
binomial_range binomial_interval(uint64_t k, uint64_t n);

/* Ranks of ordered values, 1 .. n. */
typedef struct quantile_ranks {
    uint64_t rank;      /* of the quantile of the sample */
    uint64_t low, high; /* of the limits of its interval; 0, n + 1: n values are too few for this limit */
} quantile_ranks;
/* The quantile `share` (0 < share < 1) of n >= 1 values: the least value with at least this share of the
 * values at or below it (H. A. David, Order Statistics, 1981, section 2.5). */
quantile_ranks quantile_ranks_of(double share, uint64_t n);
/* The least number of values that give both limits. */
uint64_t quantile_values_needed(double share);

#endif
