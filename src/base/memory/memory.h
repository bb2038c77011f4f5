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

/* Allocates several arrays like bough_alloc, up to the first failure. */
typedef struct bough_array {
    void *slot; /* the address of a pointer */
    uint64_t count, size;
} bough_array;
bough_status bough_alloc_all(const bough_array *array, size_t count, bough_error *error);

/* Grows *array to at least need elements; *capacity counts elements. New elements are not cleared. */
bough_status bough_grow(void *array, size_t *capacity, uint64_t need, size_t size, bough_error *error);

/* Frees what each of these pointers points to: FREE_ALL(s->from, s->to, s). */
#define FREE_ALL(...)                                                                                        \
    bough_free_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void bough_free_all(void *const *pointer, size_t count);

char *bough_strdup(const char *text);

/* Memory in bytes that this process may expect to use: physical memory, or the limit of the process. */
uint64_t bough_memory_limit(void);

/* Fails with TOO_LARGE and the sizes if the memory in use plus `bytes` exceeds the limit; so consecutive
 * checks and allocations check the sum. what: "the simulation", ... */
bough_status bough_memory_check(uint64_t bytes, const char *what, bough_error *error);

/* The same for one of several processes of this machine that share its memory; 0: one. */
bough_status bough_memory_check_shared(uint64_t bytes, unsigned sharers, const char *what,
                                       bough_error *error);

/* Formats "1.5 GiB"; buffer has at least 24 characters. Returns buffer. */
char *bough_format_bytes(uint64_t bytes, char *buffer, size_t size);

#endif
