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

static bool is_device(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Where the file itself lies: a rename onto a link would take the link away. */
static char *behind_links(const char *path) {
    struct stat info;
    char *real = lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : bough_strdup(path);
}

/* Into the file, which is closed; what fails is said of path. */
static bough_status put(FILE *file, const char *path, const void *data, size_t size, bough_error *error) {
    errno = 0;
    bool good = fwrite(data, 1, size, file) == size;
    int reason = errno;
    if (fclose(file) != 0 && good) good = false, reason = errno;
    return good ? BOUGH_OK : cannot(path, reason ? reason : EIO, error);
}

/* By way of a part beside it. */
static bough_status replace(const char *whole, const char *path, const void *data, size_t size,
                            bough_error *error) {
    bough_text part = {0};
    bough_text_printf(&part, "%s.part", whole);
    char *name = bough_text_take(&part);
    if (!name) return bough_fail_memory(error, strlen(whole));
    FILE *file = fopen(name, "wb");
    bough_status status = file ? put(file, path, data, size, error) : cannot(path, errno, error);
    if (!status && rename(name, whole) != 0) status = cannot(path, errno, error);
    if (status && file) remove(name);
    free(name);
    return status;
}

bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error) {
    if (is_device(path)) {
        FILE *file = fopen(path, "wb");
        return file ? put(file, path, data, size, error) : cannot(path, errno, error);
    }
    char *whole = behind_links(path);
    if (!whole) return bough_fail_memory(error, strlen(path));
    bough_status status = replace(whole, path, data, size, error);
    free(whole);
    return status;
}

static bough_status directory_check(const char *whole, const char *path, bough_error *error) {
    const char *slash = strrchr(whole, '/');
    char *directory = bough_strdup(slash ? whole : ".");
    if (!directory) return bough_fail_memory(error, strlen(whole));
    if (slash) directory[slash == whole ? 1 : slash - whole] = 0;
    bough_status status = access(directory, W_OK | X_OK) ? cannot(path, errno, error) : BOUGH_OK;
    free(directory);
    return status;
}

bough_status bough_output_check(const char *path, bough_error *error) {
    struct stat info;
    if (!*path) return cannot(path, ENOENT, error);
    if (is_device(path)) return access(path, W_OK) ? cannot(path, errno, error) : BOUGH_OK;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return cannot(path, EISDIR, error);
    char *whole = behind_links(path);
    if (!whole) return bough_fail_memory(error, strlen(path));
    bough_status status = directory_check(whole, path, error);
    free(whole);
    return status;
}
