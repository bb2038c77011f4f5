/* Running statistics of trials. */
#ifndef BOUGH_STATS_H
#define BOUGH_STATS_H

#include <stdint.h>

/* Zero-initialise; plain data. Values must be added in trial order for results that are the same to the
 * last bit for any number of threads. */
typedef struct bough_stats {
    uint64_t count;
    double mean, m2, min, max; /* m2: sum of squared distances from the mean (Welford) */
} bough_stats;

void bough_stats_add(bough_stats *stats, double value);
double bough_stats_variance(const bough_stats *stats); /* unbiased; NAN below two values */
/* Half the width of the 95 % confidence interval of the mean (Student); NAN below two values. */
double bough_stats_ci95(const bough_stats *stats);
/* The 0.975 quantile of Student's t with df >= 1 degrees of freedom; 12.706 for 1, 1.960 in the limit. */
double bough_student_975(uint64_t df);

#endif
