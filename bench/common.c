#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

double peak_bytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

void must(bough_status status, const bough_error *error) {
    if (!status) return;
    fprintf(stderr, "bench: %s\n", error->reason);
    exit(1);
}

double access_ns(uint64_t bytes) {
    enum { ACCESSES = 1 << 23 };
    uint64_t words = 1, state = 1;
    while (words * 2 * sizeof(uint64_t) <= bytes) words *= 2;
    uint64_t *array = malloc(words * sizeof *array);
    if (!array) return 0;
    memset(array, 1, words * sizeof *array);
    double start = cpu_seconds();
    for (int i = 0; i < ACCESSES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        array[(state >> 24) & (words - 1)] ^= state;
    }
    double seconds = cpu_seconds() - start;
    volatile uint64_t sink = array[state & (words - 1)];
    (void)sink;
    free(array);
    return seconds / ACCESSES * 1e9;
}
