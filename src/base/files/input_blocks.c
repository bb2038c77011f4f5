#include "base/files/input_blocks.h"

#include "base/files/gunzip.h"
#include "base/files/input.h"
#include "base/files/input_volume.h"
#include "base/files/packed_data.h"
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 18 };

struct input_blocks {
    const char *path;
    int file;
    unpacker *unpacker;
    char *data;
    size_t size, room; /* bytes in data */
    size_t given;      /* bytes that the reader has: data + given is the beginning of a line */
    uint64_t plain;
    file_hash hash;
};

/* Reads until the data contains more than `given` whole lines, or to the end. */
static bough_status fill(input_blocks *b, bough_error *error) {
    size_t got = 1, seen = 0;
    while (got && !memchr(b->data + seen, '\n', b->size - seen)) {
        seen = b->size;
        bough_status status = bough_grow(&b->data, &b->room, b->size + BLOCK, 1, error);
        TRY(unpack_read(b->unpacker, b->data + b->size, BLOCK, &got, error));
        if (status) return bough_at_line(status, b->path, 0, error);
        file_hash_add(&b->hash, b->data + b->size, got);
        b->size += got;
        b->plain += got;
        status = input_ratio_check(&(input_volume){unpack_taken(b->unpacker), b->plain}, b->path, error);
        if (status) return status;
    }
    return BOUGH_OK;
}

bough_status input_blocks_open(const char *path, input_blocks **blocks, bough_error *error) {
    struct stat info;
    *blocks = NULL;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return BOUGH_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return BOUGH_OK;
    input_blocks *b;
    bough_status status = bough_alloc(&b, 1, sizeof *b, error);
    if (status) {
        close(file);
        return status;
    }
    b->path = path;
    b->file = file;
    b->hash = FILE_HASH_START(BOUGH_FNV1A_START);
    status = unpack_open(file, path, &b->unpacker, error);
    TRY(bough_grow(&b->data, &b->room, BLOCK, 1, error));
    TRY(fill(b, error));
    if (!status && packed_recognise(b->data, b->size) == PACKED_NOT && !is_gzip(b->data, b->size))
        *blocks = b;
    else
        input_blocks_close(b);
    return status;
}

void input_blocks_close(input_blocks *b) {
    if (!b) return;
    if (b->unpacker) unpack_close(b->unpacker);
    close(b->file);
    FREE_ALL(b->data, b);
}

bough_status input_blocks_next(input_blocks *b, const char **data, size_t *size, bough_error *error) {
    b->size -= b->given;
    memmove(b->data, b->data + b->given, b->size);
    b->given = 0;
    bough_status status = fill(b, error);
    if (status) return status;
    b->given = b->size;
    while (b->given && b->data[b->given - 1] != '\n') b->given--;
    if (!b->given) b->given = b->size; /* the last line, without its end */
    *data = b->data;
    *size = b->given;
    return BOUGH_OK;
}

uint64_t input_blocks_hash(input_blocks *b) {
    return file_hash_end(&b->hash);
}

uint64_t input_blocks_bytes(const input_blocks *b) {
    return b->room;
}
