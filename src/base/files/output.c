/* Files are replaced atomically, also with respect to crashes, by this order of system calls: write, fsync,
 * rename, and fsync of the directory, which contains the name. */
#include "base/files/output.h"

#include "base/memory/memory.h"
#include "base/status/system_error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bough_status cannot(const char *path, int reason, bough_error *error) {
    return bough_fail_system(error, path, "cannot be written", reason);
}

bool bough_output_is_device(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* The target of symbolic links; renaming onto a link would replace the link. */
static char *behind_links(const char *path) {
    struct stat info;
    char *real = lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : bough_strdup(path);
}

/* Length of the directory part of path, including the slash. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Includes the slash; "." for a plain name. */
static char *directory_of(const char *path) {
    size_t length = directory_length(path);
    char *directory = bough_strdup(length ? path : ".");
    if (directory && length) directory[length] = 0;
    return directory;
}

/* ---- the temporary file ---- */

/* ".NAME.XXXXXX.part" in the same directory. A long NAME is truncated between characters to the limit of the
 * directory. */
static char *part_name(const char *whole) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[6];
    char suffix[sizeof random + 1] = "";
    size_t directory = directory_length(whole), length = strlen(whole + directory);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return NULL;
    for (size_t i = 0; i < sizeof random; i++) suffix[i] = letters[random[i] % (sizeof letters - 1)];
    const size_t most = NAME_MAX - strlen("..XXXXXX.part");
    if (length > most)
        for (length = most; length && ((unsigned char)whole[directory + length] & 0xc0) == 0x80;) length--;
    bough_text part = {0};
    bough_text_add(&part, whole, directory);
    bough_text_put(&part, ".");
    bough_text_add(&part, whole + directory, length);
    bough_text_printf(&part, ".%s.part", suffix);
    return bough_text_take(&part);
}

/* Copies owner, group and permissions of the replaced file. If the group cannot be kept, the new group must
 * not get the permissions of the old. */
static int keep_mode(int file, const struct stat *old) {
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fstat(file, &now) != 0) return errno;
    bool same = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    if (!same && fchown(file, old->st_uid, old->st_gid) != 0 && now.st_gid != old->st_gid &&
        fchown(file, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(file, mode) != 0 ? errno : 0;
}

/* Creates out->part; returns an errno, or 0. */
static int make_part(bough_output *out) {
    enum { TRIES = 100 };
    struct stat old;
    bool replaces = stat(out->whole, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode)) return EISDIR;
    for (int i = 0; i < TRIES; i++) {
        free(out->part);
        out->part = part_name(out->whole);
        if (!out->part) return ENOMEM;
        out->file =
            open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaces ? 0600 : 0666);
        if (out->file >= 0) return replaces ? keep_mode(out->file, &old) : 0;
        if (errno != EEXIST && errno != EINTR) return errno;
    }
    return EEXIST;
}

static void free_names(bough_output *out) {
    FREE_ALL(out->whole, out->part);
    *out = (bough_output){.file = -1};
}

void bough_output_drop(bough_output *out) {
    if (out->file >= 0) {
        close(out->file);
        unlink(out->part);
    }
    free_names(out);
}

bough_status bough_output_begin(const char *path, bough_output *out, bough_error *error) {
    *out = (bough_output){.path = path, .whole = behind_links(path), .file = -1};
    if (!out->whole) return bough_fail_memory(error, strlen(path));
    int reason = *path ? make_part(out) : ENOENT;
    if (reason) bough_output_drop(out);
    return reason ? cannot(path, reason, error) : BOUGH_OK;
}

/* Some file systems do not support fsync, especially of directories. */
static int to_disk(int file) {
    int code;
    do code = fsync(file);
    while (code != 0 && errno == EINTR);
    return code == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Ignored if the directory is not readable and so cannot be opened. */
static int directory_to_disk(const char *path) {
    char *directory = directory_of(path);
    int file = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int reason = file >= 0 ? to_disk(file) : !directory ? ENOMEM : errno == EACCES ? 0 : errno;
    if (file >= 0) close(file);
    free(directory);
    return reason;
}

bough_status bough_output_end(bough_output *out, bough_error *error) {
    const char *path = out->path;
    int reason = to_disk(out->file);
    if (close(out->file) != 0 && !reason) reason = errno;
    out->file = -1;
    bool renamed = !reason && rename(out->part, out->whole) == 0;
    if (!reason) reason = renamed ? directory_to_disk(out->whole) : errno;
    if (!renamed) unlink(out->part);
    free_names(out);
    return reason ? cannot(path, reason, error) : BOUGH_OK;
}

/* ---- writing ---- */

/* Returns an errno, or 0. */
static int put_all(int file, const char *data, size_t size) {
    while (size) {
        ssize_t put = write(file, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : EIO;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

static bough_status write_device(const char *path, const void *data, size_t size, bough_error *error) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int reason = file < 0 ? errno : put_all(file, data, size);
    if (file >= 0 && close(file) != 0 && !reason) reason = errno;
    return reason ? cannot(path, reason, error) : BOUGH_OK;
}

bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error) {
    bough_output out;
    if (bough_output_is_device(path)) return write_device(path, data, size, error);
    bough_status status = bough_output_begin(path, &out, error);
    if (status) return status;
    int reason = put_all(out.file, data, size);
    if (!reason) return bough_output_end(&out, error);
    bough_output_drop(&out);
    return cannot(path, reason, error);
}

bough_status bough_output_write_text(const char *path, const bough_text *text, bough_error *error) {
    return text->failed ? bough_fail_memory(error, text->length)
                        : bough_output_write(path, text->data, text->length, error);
}

static bough_status directory_check(const char *whole, const char *path, bough_error *error) {
    char *directory = directory_of(whole);
    if (!directory) return bough_fail_memory(error, strlen(whole));
    bough_status status = access(directory, W_OK | X_OK) ? cannot(path, errno, error) : BOUGH_OK;
    free(directory);
    return status;
}

bough_status bough_output_check(const char *path, bough_error *error) {
    struct stat info;
    if (!*path) return cannot(path, ENOENT, error);
    if (bough_output_is_device(path)) return access(path, W_OK) ? cannot(path, errno, error) : BOUGH_OK;
    bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT) return cannot(path, errno, error); /* for example, the name is too long */
    if (exists && S_ISDIR(info.st_mode)) return cannot(path, EISDIR, error);
    char *whole = behind_links(path);
    if (!whole) return bough_fail_memory(error, strlen(path));
    bough_status status = directory_check(whole, path, error);
    free(whole);
    return status;
}
