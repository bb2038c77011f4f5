#include "bough/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *bough_status_text(bough_status status) {
    switch (status) {
#define X(name, text, code)                                                                                  \
    case BOUGH_##name:                                                                                       \
        return text;
        BOUGH_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

int bough_status_exit(bough_status status) {
    switch (status) {
#define X(name, text, code)                                                                                  \
    case BOUGH_##name:                                                                                       \
        return code;
        BOUGH_STATUS_MAP(X)
#undef X
    }
    return 1;
}

bough_status bough_fail(bough_error *error, bough_status status, const char *place, const char *format, ...) {
    if (!error) return status;
    error->status = status;
    snprintf(error->place, sizeof error->place, "%s", place ? place : "");
    va_list args;
    va_start(args, format);
    vsnprintf(error->reason, sizeof error->reason, format, args);
    va_end(args);
    /* One line, whatever the input held: control characters would break terminals and logs. */
    for (char *c = error->reason; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    for (char *c = error->place; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}

bough_status bough_fail_memory(bough_error *error, unsigned long long bytes) {
    if (!bytes) return bough_fail(error, BOUGH_NO_MEMORY, NULL, "out of memory");
    return bough_fail(error, BOUGH_NO_MEMORY, NULL, "out of memory while asking for %llu bytes", bytes);
}
