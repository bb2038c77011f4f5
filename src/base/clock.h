/* Seconds of clocks that are never set back. */
#ifndef BOUGH_BASE_CLOCK_H
#define BOUGH_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time of the calling thread: what work takes on a quiet machine. Browsers do not measure it. */
static inline double clock_thread_seconds(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)) return clock_seconds();
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
