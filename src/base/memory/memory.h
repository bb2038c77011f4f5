/* Checked sizes and allocation. */
#ifndef BOUGH_BASE_MEMORY_MEMORY_H
#define BOUGH_BASE_MEMORY_MEMORY_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a*b, a+b; UINT64_MAX on overflow, which later checks refuse. */
static inline uint64_t bough_mul(uint64_t a, uint64_t b) {
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t bough_add(uint64_t a, uint64_t b) {
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* Allocates count*size zeroed bytes in *out (not NULL on success, also for count 0); free with free(). */
bough_status bough_alloc(void *out, uint64_t count, uint64_t size, bough_error *error);

/* Grows *array to at least need elements; *capacity counts elements. New elements are not cleared. */
bough_status bough_grow(void *array, size_t *capacity, uint64_t need, size_t size, bough_error *error);

char *bough_strdup(const char *text);

/* Memory in bytes that this process may expect to use: physical memory, or the limit of the process. */
uint64_t bough_memory_limit(void);

/* Memory in bytes that this process uses now; 0 if unknown. */
uint64_t bough_memory_used(void);

/* Fails with TOO_LARGE and the sizes if the memory in use plus `bytes` exceeds the limit; so consecutive
 * checks and allocations check the sum. what: "the simulation", ... */
bough_status bough_memory_check(uint64_t bytes, const char *what, bough_error *error);

/* Formats "1.5 GiB"; buffer has at least 24 characters. Returns buffer. */
char *bough_format_bytes(uint64_t bytes, char *buffer, size_t size);

#endif
