/* The values of a metric over trials with the number of trials that have each: memory grows with the number
 * of different values, which is small for counts such as rounds. */
#ifndef BOUGH_STUDY_RUN_VALUE_COUNTS_H
#define BOUGH_STUDY_RUN_VALUE_COUNTS_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct value_count {
    double value;
    uint64_t trials;
} value_count;

/* Zero-initialise; free `item`. The first `sorted` items ascend and are different; later ones wait for
 * sorting. */
typedef struct value_counts {
    value_count *item;
    size_t count, sorted, capacity;
    uint64_t trials;
} value_counts;

/* NaN is no value. */
bough_status value_counts_add(value_counts *c, double value, bough_error *error);
/* The value of a rank, 1 .. trials, in ascending order. */
double value_counts_at(value_counts *c, uint64_t rank);
/* Number of trials with values above a limit. */
uint64_t value_counts_above(const value_counts *c, double limit);

#endif
