#include "base/output.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A wrong name is the caller's to mend; what else fails is the disk's fault. */
static bough_status cannot(const char *path, int reason, bough_error *error) {
    bool disk = reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == EFBIG;
    return bough_fail(error, disk ? BOUGH_IO : BOUGH_INVALID, path, "cannot be written: %s",
                      reason ? strerror(reason) : "writing failed");
}

bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error) {
    bough_text part = {0};
    bough_text_printf(&part, "%s.part", path);
    char *name = bough_text_take(&part);
    if (!name) return bough_fail_memory(error, strlen(path));
    FILE *file = fopen(name, "wb");
    bough_status status = file ? BOUGH_OK : cannot(path, errno, error);
    if (file) {
        errno = 0;
        bool good = fwrite(data, 1, size, file) == size;
        int reason = errno;
        if (fclose(file) != 0 && good) good = false, reason = errno;
        if (!good)
            status = cannot(path, reason ? reason : EIO, error);
        else if (rename(name, path) != 0)
            status = cannot(path, errno, error);
        if (status) remove(name);
    }
    free(name);
    return status;
}

bough_status bough_output_check(const char *path, bough_error *error) {
    struct stat info;
    if (!*path) return cannot(path, ENOENT, error);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return cannot(path, EISDIR, error);
    const char *slash = strrchr(path, '/');
    char *directory = bough_strdup(slash ? path : ".");
    if (!directory) return bough_fail_memory(error, strlen(path));
    if (slash) directory[slash == path ? 1 : slash - path] = 0;
    bough_status status = BOUGH_OK;
    if (access(directory, W_OK | X_OK) != 0) status = cannot(path, errno, error);
    free(directory);
    return status;
}
