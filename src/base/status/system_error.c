#include "base/status/system_error.h"

#include <errno.h>
#include <string.h>

bough_status bough_fail_system(bough_error *error, const char *place, const char *what, int reason) {
    static const int machine[] = {0, ENOSPC, EDQUOT, EIO, EFBIG, EMFILE, ENFILE, EINTR};
    if (reason == ENOMEM) return bough_fail_memory(error, 0);
    bough_status status = BOUGH_INVALID;
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        if (reason == machine[i]) status = BOUGH_IO;
    return bough_fail(error, status, place, "%s: %s", what,
                      reason ? strerror(reason) : "input or output failed");
}
