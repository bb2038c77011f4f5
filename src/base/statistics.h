/* Running statistics over trials. */
#ifndef BOUGH_BASE_STATISTICS_H
#define BOUGH_BASE_STATISTICS_H

#include <stdint.h>

/* Running mean and variance. Zero-initialise; plain data. Add values in trial order to get bit-identical
 * results for any number of threads.
 *
 * A value may be a mean over several items, with their number as its weight. The result is then the mean over
 * all items, with the interval of a ratio estimator (W. G. Cochran, Sampling Techniques, 1977, section 6.3).
 * Weights are stored relative to the first, so equal weights give the unweighted results. */
typedef struct bough_stats {
    uint64_t count;
    double mean, m2, min, max;    /* m2: sum of squared weighted distances from lean (Welford) */
    double unit, weight, squares; /* the first weight; sums of weights and of their squares, in units of it */
    double lean;                  /* mean with squared weights; equals the mean without weights */
} bough_stats;

void bough_stats_add(bough_stats *stats, double value);
/* weight > 0 */
void bough_stats_add_weighted(bough_stats *stats, double value, double weight);
/* Unbiased without weights; with weights, count times the variance of the mean to first order. NAN below two
 * values. */
double bough_stats_variance(const bough_stats *stats);
/* Half width of the 95 % confidence interval of the mean (Student); NAN below two values. */
double bough_stats_ci95(const bough_stats *stats);
/* The 0.975 quantile of Student's t with df >= 1 degrees of freedom; 12.706 for 1, 1.960 in the limit. */
double bough_student_975(uint64_t df);

#endif
