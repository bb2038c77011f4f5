/* Random pairs of given weights as traffic. */
#ifndef BOUGH_TRAFFIC_PATTERNS_WEIGHTS_H
#define BOUGH_TRAFFIC_PATTERNS_WEIGHTS_H

#include "traffic/traffic.h"

/* Binds arrays, which are copied, for a kind with the members of bough_traffic_weights. Errors: INVALID for
 * an endpoint that does not exist, and without a weight above 0 between two. */
typedef struct weighted_pairs {
    const uint64_t *source, *destination; /* [count]: endpoints */
    const double *weight;                 /* [count]: finite, >= 0 */
    size_t count;
} weighted_pairs;
bough_status weights_take(const weighted_pairs *given, bough_args *args, bough_traffic *traffic,
                          bough_error *error);

#endif
