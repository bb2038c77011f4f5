/* What a traffic sends in a trial, and whether counts are those expected. */
#ifndef BOUGH_SUPPORT_DRAWS_H
#define BOUGH_SUPPORT_DRAWS_H

#include "traffic/traffic.h"

#include <stddef.h>

/* Of seed 1. */
bough_source *open_source(const bough_traffic *traffic, uint64_t trial);
/* The first messages of a trial; to be freed. */
bough_message *first_messages(const bough_traffic *traffic, uint64_t trial, uint32_t count);
/* Chi-square below its 99.9 % quantile; cells where nothing is expected are empty, others expect more than 5.
 */
void assert_fits(const char *what, const double *count, const double *expected, size_t cells);

#endif
