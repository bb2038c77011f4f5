#include "base/files/input.h"

#include "base/files/gunzip.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes read so far over all pieces: as stored and uncompressed. */
typedef struct volume {
    uint64_t packed, plain;
} volume;

/* Large gzip files of real text have ratios of at most about 200. Larger ratios indicate files made to
 * exhaust memory. Plain files have no such limit. */
#define EXPANDS_LARGE (UINT64_C(256) << 20)
#define EXPANDS_MOST  250

static bough_status check_volume(const volume *all, const char *name, bough_error *error) {
    if (all->plain > BOUGH_INPUT_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, name,
                          "exceeds, together with preceding files, the limit of 4 GiB uncompressed");
    if (all->plain <= EXPANDS_LARGE || all->plain / EXPANDS_MOST < all->packed) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, name,
                      "expands to more than %d times its size: %" PRIu64 " bytes so far became %" PRIu64
                      "; if this is intended, uncompress it with gunzip and use that file",
                      EXPANDS_MOST, all->packed, all->plain);
}

static bough_status read_stream(unpacker *file, volume *all, bough_input_piece *piece, bough_error *error) {
    size_t capacity = 0, got;
    volume before = *all;
    for (;;) {
        bough_status status = bough_grow(&piece->data, &capacity, piece->size + (1 << 16) + 1, 1, error);
        TRY(unpack_read(file, piece->data + piece->size, 1 << 16, &got, error));
        if (status) return bough_at_line(status, piece->name, 0, error);
        if (got == 0) break;
        piece->size += got;
        *all = (volume){before.packed + unpack_taken(file), before.plain + piece->size};
        status = check_volume(all, piece->name, error);
        if (status) return status;
    }
    piece->data[piece->size] = 0;
    return BOUGH_OK;
}

static bough_status read_piece(const char *path, volume *all, bough_input_piece *piece, bough_error *error) {
    bool standard = strcmp(path, "-") == 0;
    piece->name = bough_strdup(standard ? "standard input" : path);
    if (!piece->name) return bough_fail_memory(error, strlen(path));
    int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return bough_fail_system(error, path, "cannot be opened", errno);
    unpacker *u;
    bough_status status = unpack_open(file, piece->name, &u, error);
    if (!status) {
        status = read_stream(u, all, piece, error);
        unpack_close(u);
    }
    close(file);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bough_status read_directory(const char *path, bough_input *input, bough_error *error) {
    volume all = {0};
    bough_status status = BOUGH_OK;
    char **names = NULL;
    size_t count = 0, capacity = 0;
    DIR *dir = opendir(path);
    if (!dir) return bough_fail_system(error, path, "cannot be opened", errno);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        bough_text full = {0};
        bough_text_printf(&full, "%s/%s", path, e->d_name);
        char *name = bough_text_take(&full);
        struct stat info;
        if (!name || (status = bough_grow(&names, &capacity, count + 1, sizeof *names, error))) {
            free(name);
            TRY(bough_fail_memory(error, strlen(path)));
            goto done;
        }
        if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
            names[count++] = name;
        else
            free(name);
    }
    if (count == 0) {
        status = bough_fail(error, BOUGH_INVALID, path, "the directory contains no files");
        goto done;
    }
    qsort(names, count, sizeof *names, by_name);
    status = bough_alloc(&input->piece, count, sizeof *input->piece, error);
    for (size_t i = 0; i < count && !status; i++) {
        input->count = i + 1;
        status = read_piece(names[i], &all, &input->piece[i], error);
    }
done:
    closedir(dir);
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return status;
}

bough_status bough_input_read(const char *path, bough_input *input, bough_error *error) {
    *input = (bough_input){.name = path, .hash = BOUGH_FNV1A_START};
    struct stat info;
    bough_status status;
    if (!*path) return bough_fail(error, BOUGH_INVALID, NULL, "empty file name");
    if (strcmp(path, "-") != 0 && stat(path, &info) != 0)
        return bough_fail_system(error, path, "cannot be opened", errno);
    if (strcmp(path, "-") != 0 && S_ISDIR(info.st_mode)) {
        status = read_directory(path, input, error);
    } else {
        status = bough_alloc(&input->piece, 1, sizeof *input->piece, error);
        if (!status) {
            input->count = 1;
            status = read_piece(path, &(volume){0}, &input->piece[0], error);
        }
    }
    if (status) {
        bough_input_fini(input);
        return status;
    }
    for (size_t i = 0; i < input->count; i++)
        input->hash = bough_fnv1a(input->hash, input->piece[i].data, input->piece[i].size);
    return BOUGH_OK;
}

bough_status bough_input_from(const char *name, const void *data, size_t size, bough_input *input,
                              bough_error *error) {
    *input = (bough_input){.name = name, .hash = BOUGH_FNV1A_START};
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
    input->hash = bough_fnv1a(input->hash, p->data, size);
    return BOUGH_OK;
}

uint64_t bough_input_bytes(const bough_input *input) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < input->count; i++) bytes = bough_add(bytes, input->piece[i].size);
    return bytes;
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
