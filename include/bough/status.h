/* Statuses and error values.
 *
 * Every function of bough that can fail returns a bough_status. Where it also takes a bough_error, that
 * value belongs to the caller, is filled only on failure, and holds one line for a person: the place
 * (file and line, or key) and the reason, ending in what would be right. The library never prints. */
#ifndef BOUGH_STATUS_H
#define BOUGH_STATUS_H

/* name, meaning, exit status of the command */
#define BOUGH_STATUS_MAP(X)                                                                                  \
    X(OK, "ok", 0)                                                                                           \
    X(INVALID, "the input is wrong", 2)                                                                      \
    X(UNSUPPORTED, "this combination does not fit together", 2)                                              \
    X(TOO_LARGE, "it would not fit in memory", 2)                                                            \
    X(NO_MEMORY, "out of memory", 1)                                                                         \
    X(IO, "reading or writing failed", 1)                                                                    \
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
    char reason[640]; /* one line, no full stop needed */
} bough_error;

const char *bough_status_text(bough_status status);
int bough_status_exit(bough_status status);

#if defined(__GNUC__)
#define BOUGH_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define BOUGH_PRINTF(f, a)
#endif

/* Fills *error (may be NULL) and returns status, so that failing is one statement. place may be NULL. */
bough_status bough_fail(bough_error *error, bough_status status, const char *place, const char *format, ...)
    BOUGH_PRINTF(4, 5);

/* Out of memory, with the number of bytes that were asked for. */
bough_status bough_fail_memory(bough_error *error, unsigned long long bytes);

#endif
