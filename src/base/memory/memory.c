#include "base/memory/memory.h"

#include "base/status/try.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

bough_status bough_alloc(void *out, uint64_t count, uint64_t size, bough_error *error) {
    uint64_t bytes = bough_mul(count, size);
    void *p = bytes < SIZE_MAX / 2 ? calloc(count ? count : 1, size) : NULL;
    memcpy(out, &p, sizeof p);
    if (p) return BOUGH_OK;
    /* more than there is at all: a smaller question has an answer */
    bough_status status =
        bytes > bough_memory_limit() ? bough_memory_check(bytes, "an array", error) : BOUGH_OK;
    return status ? status : bough_fail_memory(error, bytes);
}

bough_status bough_alloc_all(const bough_array *array, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count; i++) TRY(bough_alloc(array[i].slot, array[i].count, array[i].size, error));
    return status;
}

#define GROWN_LARGE (UINT64_C(64) << 20) /* check memory above this size: the final size is unknown */

bough_status bough_grow(void *array, size_t *capacity, uint64_t need, size_t size, bough_error *error) {
    if (need <= *capacity) return BOUGH_OK;
    uint64_t target = *capacity ? *capacity : 16;
    while (target < need) target = bough_add(target, target / 2 + 1);
    uint64_t bytes = bough_mul(target, size);
    if (bytes >= GROWN_LARGE) {
        bough_status status = bough_memory_check(bytes - *capacity * size, "a growing array", error);
        if (status) return status;
    }
    void *old, *grown = NULL;
    memcpy(&old, array, sizeof old);
    if (bytes < SIZE_MAX / 2) grown = realloc(old, bytes);
    if (!grown) return bough_fail_memory(error, bytes);
    memcpy(array, &grown, sizeof grown);
    *capacity = target;
    return BOUGH_OK;
}

void bough_free_all(void *const *pointer, size_t count) {
    for (size_t i = 0; i < count; i++) free(pointer[i]);
}

char *bough_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

uint64_t bough_memory_limit(void) {
    uint64_t limit = UINT64_MAX;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) limit = (uint64_t)pages * (uint64_t)page;
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < limit)
        limit = r.rlim_cur;
    return limit;
}

/* Resident memory in bytes; 0 if unknown. */
static uint64_t memory_used(void) {
    char text[64] = "";
    long page = sysconf(_SC_PAGESIZE);
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    const char *resident = got > 0 ? strchr(text, ' ') : NULL; /* the second number */
    return resident && page > 0 ? bough_mul(strtoull(resident, NULL, 10), (uint64_t)page) : 0;
}

bough_status bough_memory_check_shared(uint64_t bytes, unsigned sharers, const char *what,
                                       bough_error *error) {
    enum { ALWAYS = 1 << 20 }; /* checking smaller sizes costs more than it is worth */
    if (bytes < ALWAYS) return BOUGH_OK;
    uint64_t limit = bough_memory_limit(), used = memory_used();
    if (bough_add(bytes, used) <= limit / (sharers ? sharers : 1)) return BOUGH_OK;
    char need[32], have[32], held[32];
    if (sharers > 1)
        return bough_fail(
            error, BOUGH_TOO_LARGE, NULL,
            "%s would take %s of memory in each rank, which already uses %s, and %u ranks share "
            "the %s of this machine; start fewer ranks per machine, with more --threads",
            what, bough_format_bytes(bytes, need, sizeof need), bough_format_bytes(used, held, sizeof held),
            sharers, bough_format_bytes(limit, have, sizeof have));
    return bough_fail(
        error, BOUGH_TOO_LARGE, NULL,
        "%s would take %s of memory, this machine has %s, of which this process already uses %s", what,
        bough_format_bytes(bytes, need, sizeof need), bough_format_bytes(limit, have, sizeof have),
        bough_format_bytes(used, held, sizeof held));
}

bough_status bough_memory_check(uint64_t bytes, const char *what, bough_error *error) {
    return bough_memory_check_shared(bytes, 1, what, error);
}

char *bough_format_bytes(uint64_t bytes, char *buffer, size_t size) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes == UINT64_MAX) {
        snprintf(buffer, size, "more than 16 EiB");
        return buffer;
    }
    double value = (double)bytes;
    int u = 0;
    while (value >= 1024 && u < 6) value /= 1024, u++;
    if (u == 0)
        snprintf(buffer, size, "%" PRIu64 " B", bytes);
    else
        snprintf(buffer, size, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, unit[u]);
    return buffer;
}
