/* What the benchmarks share. */
#ifndef BOUGH_BENCH_H
#define BOUGH_BENCH_H

#include "bough/status.h"

#include <stdint.h>

double cpu_seconds(void); /* of this process */
double peak_bytes(void);  /* the most memory it has had */

/* Ends the program with the error's reason where there is one. */
void must(bough_status status, const bough_error *error);

/* Nanoseconds of a random access, independent of the others, in so many bytes: read, change, write. */
double access_ns(uint64_t bytes);

#endif
