/* Status codes and error messages.
 *
 * Every function that can fail returns a bough_status. A bough_error parameter belongs to the caller and is
 * filled only on failure, with a one-line message: the place (file and line, or key), the reason, and the
 * accepted input. The library never prints. */
#ifndef BOUGH_STATUS_H
#define BOUGH_STATUS_H

/* Functions that programs may call; all others are hidden in the shared library. */
#if defined(__GNUC__)
#define BOUGH_API __attribute__((visibility("default")))
#else
#define BOUGH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* name, meaning, exit status of the command */
#define BOUGH_STATUS_MAP(X)                                                                                  \
    X(OK, "ok", 0)                                                                                           \
    X(INVALID, "invalid input", 2)                                                                           \
    X(UNSUPPORTED, "unsupported combination", 2)                                                             \
    X(TOO_LARGE, "does not fit in memory", 2)                                                                \
    X(NO_MEMORY, "out of memory", 1)                                                                         \
    X(IO, "input or output failed", 1)                                                                       \
    X(FAILED, "the run failed", 1)                                                                           \
    X(INTERRUPTED, "interrupted", 130)

typedef enum bough_status {
#define X(name, text, code) BOUGH_##name,
    BOUGH_STATUS_MAP(X)
#undef X
} bough_status;

typedef struct bough_error {
    bough_status status;
    char place[256];  /* "file.yaml:12", "key 'n'", or empty */
    char reason[640]; /* one line, without a full stop */
} bough_error;

BOUGH_API const char *bough_status_text(bough_status status);
/* Exit status for a command that ends with it. */
BOUGH_API int bough_status_exit(bough_status status);

#if defined(__GNUC__)
#define BOUGH_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define BOUGH_PRINTF(f, a)
#endif

/* Fills *error and returns status. error and place may be NULL. */
bough_status bough_fail(bough_error *error, bough_status status, const char *place, const char *format, ...)
    BOUGH_PRINTF(4, 5);

/* Reports NO_MEMORY with the number of bytes requested. */
bough_status bough_fail_memory(bough_error *error, unsigned long long bytes);

#ifdef __cplusplus
}
#endif

#endif
