/* The limits of one core that bench/roofline.py compares engines with: a line of numbers each. */
#include "bench.h"

#include "base/memory/large_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };
static const uint64_t LARGE = UINT64_C(256) << 20, SMALL = 16 << 10;

/* Bytes per second of reading an array of so many bytes. */
static double read_rate(uint64_t bytes) {
    uint64_t words = bytes / sizeof(uint64_t), *array = malloc(bytes), passes = 2 * LARGE / bytes, sum = 0;
    double best = 0;
    if (!array) return 0;
    memset(array, 1, bytes);
    for (int k = 0; k < REPEATS; k++) {
        double start = cpu_seconds();
        for (uint64_t pass = 0; pass < passes; pass++) {
            for (uint64_t i = 0; i < words; i++) sum += array[i];
            __asm__ volatile("" : "+r"(sum) : : "memory"); /* every pass reads again */
        }
        double rate = (double)(passes * bytes) / (cpu_seconds() - start);
        if (rate > best) best = rate;
    }
    free(array);
    return best;
}

/* Nanoseconds of a read whose place the read before it gives. */
static double chain_ns(uint64_t bytes) {
    enum { READS = 1 << 22, LINE = 8 };
    uint32_t lines = (uint32_t)(bytes / (LINE * sizeof(uint64_t)));
    uint64_t *array, at = 0, state = 1;
    bough_error error;
    must(large_alloc(&array, bytes, 1, &error), &error);
    for (uint32_t i = 0; i < lines; i++) array[(uint64_t)i * LINE] = i;
    for (uint32_t i = lines; i-- > 1;) { /* one cycle through all lines */
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t j = (uint32_t)((state >> 33) % i);
        uint64_t other = array[(uint64_t)i * LINE];
        array[(uint64_t)i * LINE] = array[(uint64_t)j * LINE];
        array[(uint64_t)j * LINE] = other;
    }
    double start = cpu_seconds();
    for (int i = 0; i < READS; i++) at = array[at * LINE];
    double seconds = cpu_seconds() - start;
    __asm__ volatile("" : : "r"(at));
    free(array);
    return seconds / READS * 1e9;
}

/* Instructions per second, of additions and shifts that do not wait for each other. */
static double instruction_rate(void) {
    enum { ROUNDS = 1 << 26, EACH = 10 }; /* with the two of the loop */
    uint64_t a = 1, b = 2, c = 3, d = 4;
    double best = 0;
    for (int k = 0; k < REPEATS; k++) {
        double start = cpu_seconds();
        for (uint64_t i = ROUNDS; i > 0; i--)
            __asm__ volatile("add $1, %0; add $3, %1; add $5, %2; add $7, %3;"
                             "rol $1, %0; add $1, %1; add $1, %2; add $1, %3"
                             : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        double rate = (double)ROUNDS * EACH / (cpu_seconds() - start);
        if (rate > best) best = rate;
    }
    return best;
}

int main(void) {
    printf("instructions/ns %.2f\n", instruction_rate() / 1e9);
    printf("L1 bytes/ns %.2f\n", read_rate(SMALL) / 1e9);
    printf("DRAM bytes/ns %.2f\n", read_rate(LARGE) / 1e9);
    printf("DRAM ns/access %.2f\n", access_ns(LARGE));
    printf("DRAM ns/chained access %.2f\n", chain_ns(LARGE));
    return 0;
}
