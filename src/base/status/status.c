#include "bough/status.h"

#include "base/text/escape.h"

#include <stdarg.h>
#include <stdio.h>

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
    int length = snprintf(error->place, sizeof error->place, "%s", place ? place : "");
    bough_show_cut(error->place, length, sizeof error->place);
    va_list args;
    va_start(args, format);
    length = vsnprintf(error->reason, sizeof error->reason, format, args);
    va_end(args);
    bough_show_cut(error->reason, length, sizeof error->reason);
    return status;
}

bough_status bough_fail_memory(bough_error *error, unsigned long long bytes) {
    if (!bytes) return bough_fail(error, BOUGH_NO_MEMORY, NULL, "out of memory");
    return bough_fail(error, BOUGH_NO_MEMORY, NULL, "out of memory for an allocation of %llu bytes", bytes);
}
