/* clang-format off */
/* Preloaded into a process: its K-th call that writes a file fails, or ends the process; or its K-th read
 * fails.
 *
 *   FAIL_IO_AT=K        which call, from 1; 0 or unset: none
 *   FAIL_IO_HOW=WHAT    ENOSPC, EIO, EDQUOT or EMFILE: the call fails so. short: a write writes half.
 *                       kill: SIGKILL before the call; tear: SIGKILL after half of a write. read: a read
 *                       fails with EIO
 *   FAIL_IO_STAY=1      the calls after it fail as well
 *   FAIL_IO_COUNT=FILE  at the end the numbers of writing and of reading calls are written to FILE
 *
 * Writing calls are open for writing, write, pwrite, fsync, fdatasync, ftruncate, rename and unlink, and
 * close of what was opened for writing; those of standard output and standard error do not count. */
/* clang-format on */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 1024 };

static atomic_long writes, reads;
static long at;
static char how[16], count_file[4096];
static bool stay;
static atomic_bool written[FILES]; /* descriptors that were opened for writing */

static const struct {
    const char *name;
    int number;
} reasons[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EDQUOT", EDQUOT}, {"EMFILE", EMFILE}};

/* Children (gnuplot) are left alone. */
__attribute__((constructor)) static void read_settings(void) {
    const char *text = getenv("FAIL_IO_AT");
    at = text ? atol(text) : 0;
    text = getenv("FAIL_IO_HOW");
    snprintf(how, sizeof how, "%s", text ? text : "EIO");
    text = getenv("FAIL_IO_COUNT");
    snprintf(count_file, sizeof count_file, "%s", text ? text : "");
    stay = getenv("FAIL_IO_STAY") != NULL;
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void write_counts(void) {
    FILE *file = *count_file ? fopen(count_file, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld %ld\n", atomic_load(&writes), atomic_load(&reads));
    fclose(file);
}

static bool is(const char *what) {
    return strcmp(how, what) == 0;
}

static bool hits(long number) {
    return at > 0 && (number == at || (stay && number > at));
}

/* Counts a writing call; true where it has to fail, with errno. */
static bool fails(void) {
    if (!hits(atomic_fetch_add(&writes, 1) + 1) || is("read")) return false;
    if (is("kill") || is("tear")) kill(getpid(), SIGKILL);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (is(reasons[i].name)) {
            errno = reasons[i].number;
            return true;
        }
    return false;
}

static bool read_fails(void) {
    bool hit = hits(atomic_fetch_add(&reads, 1) + 1) && is("read");
    if (hit) errno = EIO;
    return hit;
}

#define REAL(name)                                                                                           \
    static __typeof__(name) *real;                                                                           \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---- opening and closing ---- */

static int open_file(__typeof__(open) *real, const char *path, int flags, mode_t mode) {
    bool writing = (flags & O_ACCMODE) != O_RDONLY;
    if (writing && fails()) return -1;
    int file = real(path, flags, mode);
    if (file >= 0 && file < FILES) atomic_store(&written[file], writing);
    return file;
}

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...) {                                                             \
        REAL(name);                                                                                          \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;                                            \
        va_end(list);                                                                                        \
        return open_file(real, path, flags, mode);                                                           \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    REAL(close);
    bool failed = file >= 0 && file < FILES && atomic_exchange(&written[file], false) && fails();
    int reason = errno, code = real(file);
    if (failed) errno = reason;
    return failed ? -1 : code;
}

/* ---- bytes ---- */

/* How many of `size` bytes a call writes now; -1: it fails. */
static ssize_t allowed(int file, size_t size) {
    if (file <= STDERR_FILENO) return (ssize_t)size;
    if (is("tear") && atomic_load(&writes) + 1 == at) return (ssize_t)(size / 2);
    bool hit = hits(atomic_load(&writes) + 1);
    if (fails()) return -1;
    return is("short") && hit && size > 1 ? (ssize_t)(size / 2) : (ssize_t)size;
}

static void tear(int file) {
    if (file > STDERR_FILENO && is("tear") && atomic_load(&writes) + 1 == at) kill(getpid(), SIGKILL);
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    ssize_t take = allowed(file, size);
    if (take < 0) return -1;
    ssize_t done = real(file, data, (size_t)take);
    tear(file);
    return done;
}

#define PWRITE(name, offset_type)                                                                            \
    ssize_t name(int file, const void *data, size_t size, offset_type offset) {                              \
        REAL(name);                                                                                          \
        ssize_t take = allowed(file, size);                                                                  \
        if (take < 0) return -1;                                                                             \
        ssize_t done = real(file, data, (size_t)take, offset);                                               \
        tear(file);                                                                                          \
        return done;                                                                                         \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t read(int file, void *data, size_t size) {
    REAL(read);
    return file > STDERR_FILENO && read_fails() ? -1 : real(file, data, size);
}

#define PREAD(name, offset_type)                                                                             \
    ssize_t name(int file, void *data, size_t size, offset_type offset) {                                    \
        REAL(name);                                                                                          \
        return read_fails() ? -1 : real(file, data, size, offset);                                           \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

/* ---- the rest ---- */

#define ONE_FILE(name)                                                                                       \
    int name(int file) {                                                                                     \
        REAL(name);                                                                                          \
        return fails() ? -1 : real(file);                                                                    \
    }
ONE_FILE(fsync)
ONE_FILE(fdatasync)

#define TRUNCATE(name, offset_type)                                                                          \
    int name(int file, offset_type size) {                                                                   \
        REAL(name);                                                                                          \
        return fails() ? -1 : real(file, size);                                                              \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    REAL(rename);
    return fails() ? -1 : real(from, to);
}

/* Taking a file away needs no space: it fails as a kill does, or not at all. */
int unlink(const char *path) {
    REAL(unlink);
    if (is("kill") && fails()) return -1;
    return real(path);
}
