#include "base/input.h"

#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static uint64_t fnv1a(uint64_t hash, const char *data, size_t size) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return hash;
}
#define FNV_START UINT64_C(0xcbf29ce484222325)

/* A file that cannot be opened or read is the caller's to mend, the lack of memory is not. */
static bough_status cannot(const char *name, const char *be, int reason, bough_error *error) {
    if (reason == ENOMEM) return bough_fail_memory(error, 0);
    return bough_fail(error, BOUGH_INVALID, name, "cannot be %s: %s", be, strerror(reason));
}

static bough_status read_stream(gzFile file, const char *name, bough_input_piece *piece, bough_error *error) {
    size_t capacity = 0;
    bough_status status = BOUGH_OK;
    for (;;) {
        status = bough_grow(&piece->data, &capacity, piece->size + (1 << 16) + 1, 1, error);
        if (status) return status;
        int got = gzread(file, piece->data + piece->size, 1 << 16);
        if (got < 0) {
            int number;
            const char *reason = gzerror(file, &number);
            if (number == Z_ERRNO || number == Z_MEM_ERROR)
                return cannot(name, "read", number == Z_ERRNO ? errno : ENOMEM, error);
            return bough_fail(error, BOUGH_INVALID, name, "cannot be read: %s", reason);
        }
        if (got == 0) break;
        piece->size += (size_t)got;
        if (piece->size > BOUGH_INPUT_MAX)
            return bough_fail(error, BOUGH_TOO_LARGE, name, "is larger than 4 GiB uncompressed");
    }
    piece->data[piece->size] = 0;
    int number;
    gzerror(file, &number);
    if (number == Z_BUF_ERROR) return bough_fail(error, BOUGH_INVALID, name, "the gzip file is truncated");
    return BOUGH_OK;
}

static bough_status read_piece(const char *path, bough_input_piece *piece, bough_error *error) {
    bool standard = strcmp(path, "-") == 0;
    piece->name = bough_strdup(standard ? "standard input" : path);
    if (!piece->name) return bough_fail_memory(error, strlen(path));
    int copy = standard ? dup(STDIN_FILENO) : -1;
    gzFile file = standard ? gzdopen(copy, "rb") : gzopen(path, "rb");
    if (!file) {
        int reason = errno;
        if (copy >= 0) close(copy);
        return cannot(path, "opened", reason, error);
    }
    bough_status status = read_stream(file, piece->name, piece, error);
    gzclose(file);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bough_status read_directory(const char *path, bough_input *input, bough_error *error) {
    bough_status status = BOUGH_OK;
    char **names = NULL;
    size_t count = 0, capacity = 0;
    DIR *dir = opendir(path);
    if (!dir) return cannot(path, "opened", errno, error);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        bough_text full = {0};
        bough_text_printf(&full, "%s/%s", path, e->d_name);
        char *name = bough_text_take(&full);
        struct stat info;
        if (!name || (status = bough_grow(&names, &capacity, count + 1, sizeof *names, error))) {
            free(name);
            if (!status) status = bough_fail_memory(error, strlen(path));
            goto done;
        }
        if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
            names[count++] = name;
        else
            free(name);
    }
    if (count == 0) {
        status = bough_fail(error, BOUGH_INVALID, path, "the directory holds no files");
        goto done;
    }
    qsort(names, count, sizeof *names, by_name);
    status = bough_alloc(&input->piece, count, sizeof *input->piece, error);
    for (size_t i = 0; i < count && !status; i++) {
        input->count = i + 1;
        status = read_piece(names[i], &input->piece[i], error);
    }
done:
    closedir(dir);
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return status;
}

bough_status bough_input_read(const char *path, bough_input *input, bough_error *error) {
    *input = (bough_input){.hash = FNV_START};
    struct stat info;
    bough_status status;
    if (!*path) return bough_fail(error, BOUGH_INVALID, NULL, "the name of a file is empty");
    if (strcmp(path, "-") != 0 && stat(path, &info) != 0) return cannot(path, "opened", errno, error);
    if (strcmp(path, "-") != 0 && S_ISDIR(info.st_mode)) {
        status = read_directory(path, input, error);
    } else {
        status = bough_alloc(&input->piece, 1, sizeof *input->piece, error);
        if (!status) {
            input->count = 1;
            status = read_piece(path, &input->piece[0], error);
        }
    }
    if (status) {
        bough_input_fini(input);
        return status;
    }
    for (size_t i = 0; i < input->count; i++)
        input->hash = fnv1a(input->hash, input->piece[i].data, input->piece[i].size);
    return BOUGH_OK;
}

bough_status bough_input_from(const char *name, const void *data, size_t size, bough_input *input,
                              bough_error *error) {
    *input = (bough_input){.hash = FNV_START};
    bough_status status = bough_alloc(&input->piece, 1, sizeof *input->piece, error);
    if (status) return status;
    input->count = 1;
    bough_input_piece *p = input->piece;
    p->name = bough_strdup(name);
    status = bough_alloc(&p->data, (uint64_t)size + 1, 1, error);
    if (!status && !p->name) status = bough_fail_memory(error, strlen(name));
    if (status) {
        bough_input_fini(input);
        return status;
    }
    if (size) memcpy(p->data, data, size);
    p->size = size;
    input->hash = fnv1a(input->hash, p->data, size);
    return BOUGH_OK;
}

void bough_input_fini(bough_input *input) {
    for (size_t i = 0; i < input->count; i++) free(input->piece[i].name), free(input->piece[i].data);
    free(input->piece);
    *input = (bough_input){0};
}

const char *bough_next_line(const char **cursor, const char *end, size_t *length) {
    const char *line = *cursor;
    if (line >= end) return NULL;
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    *cursor = stop ? stop + 1 : end;
    if (!stop) stop = end;
    if (stop > line && stop[-1] == '\r') stop--;
    *length = (size_t)(stop - line);
    return line;
}

bough_status bough_at_line(bough_status status, const char *file, uint64_t line, bough_error *error) {
    if (!status || !error) return status;
    int length = snprintf(error->place, sizeof error->place, "%.230s", file);
    if (line) snprintf(error->place + length, sizeof error->place - (size_t)length, ":%" PRIu64, line);
    return status;
}
