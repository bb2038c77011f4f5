/* Preloaded into the command: lets chosen allocations fail. Only those that are made after main begins count,
 * in every library of the process but the C library's loader; programs that the command starts are left
 * alone.
 *
 *     BOUGH_FAIL_AT=K         the K-th allocation fails (from 1; 0: none)
 *     BOUGH_FAIL_MODE=rest    so do all that follow it (one, the default: that one alone)
 *     BOUGH_FAIL_COUNT=FILE   at the end, writes how many there were
 *     BOUGH_FAIL_SHOW=1       says on standard error from where the first one that fails was asked for
 *
 * Needs the GNU C library: its allocator is reached by the names that it keeps for this. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dlfcn.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static atomic_bool active;
static atomic_long made;
static long fail_at;
static bool fail_rest, show;
static const char *count_file;
static int (*real_main)(int, char **, char **);

static bool fails(void) {
    if (!atomic_load_explicit(&active, memory_order_relaxed)) return false;
    long number = atomic_fetch_add(&made, 1) + 1;
    if (!fail_at || number < fail_at || (number > fail_at && !fail_rest)) return false;
    if (show && number == fail_at) {
        void *frame[32];
        backtrace_symbols_fd(frame, backtrace(frame, 32), STDERR_FILENO);
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *p = memalign(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

static void write_count(void) {
    atomic_store(&active, false);
    FILE *file = fopen(count_file, "w");
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&made));
    fclose(file);
}

static int counted_main(int argc, char **argv, char **environment) {
    const char *at = getenv("BOUGH_FAIL_AT"), *mode = getenv("BOUGH_FAIL_MODE");
    void *frame[1];
    fail_at = at ? atol(at) : 0;
    fail_rest = mode && strcmp(mode, "rest") == 0;
    show = getenv("BOUGH_FAIL_SHOW") && backtrace(frame, 1) > 0; /* its first call loads a library */
    count_file = getenv("BOUGH_FAIL_COUNT");
    if (count_file) atexit(write_count);
    unsetenv("LD_PRELOAD"); /* gnuplot is not what is tested */
    atomic_store(&active, true);
    return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    __typeof__(&__libc_start_main) next;
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next, &found, sizeof next);
    real_main = main;
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
