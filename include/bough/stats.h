/* Running statistics of trials. */
#ifndef BOUGH_STATS_H
#define BOUGH_STATS_H

#include <stdint.h>

/* Zero-initialise; plain data. Values must be added in trial order for results that are the same to the
 * last bit for any number of threads.
 *
 * A value may be the mean of so many things, its weight: the mean is then that of all things, and its
 * interval that of a ratio (W. G. Cochran, Sampling Techniques, 1977, section 6.3). Weights are kept in units
 * of the first one, so that equal weights are as good as none. */
typedef struct bough_stats {
    uint64_t count;
    double mean, m2, min, max;    /* m2: sum of squared weighted distances from lean (Welford) */
    double unit, weight, squares; /* the first weight; sums of weights and of their squares, in units of it */
    double lean;                  /* mean by squared weights; without weights the mean */
} bough_stats;

void bough_stats_add(bough_stats *stats, double value);
/* weight > 0 */
void bough_stats_add_weighted(bough_stats *stats, double value, double weight);
/* Unbiased where there are no weights; with them count times the variance of the mean, to first order. NAN
 * below two values. */
double bough_stats_variance(const bough_stats *stats);
/* Half the width of the 95 % confidence interval of the mean (Student); NAN below two values. */
double bough_stats_ci95(const bough_stats *stats);
/* The 0.975 quantile of Student's t with df >= 1 degrees of freedom; 12.706 for 1, 1.960 in the limit. */
double bough_student_975(uint64_t df);

#endif
