#include "base/files/gunzip.h"

#include "base/memory/memory.h"
#include "base/status/system_error.h"
#include "base/status/try.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 1 << 16, GZIP_ONLY = 15 + 16 }; /* inflateInit2: the largest window, a gzip header */

struct unpacker {
    int file;               /* -1: memory */
    const char *from, *end; /* of memory: what is left */
    const char *name;
    bool packed, inside, ended; /* inside: a member has started and not ended; ended: end of file */
    uint64_t taken;
    z_stream z; /* next_in, avail_in: bytes read but not used, also of plain files */
    unsigned char in[ROOM];
};

static ssize_t read_some(unpacker *u, void *data, size_t size) {
    if (u->file >= 0) return read(u->file, data, size);
    if (size > (size_t)(u->end - u->from)) size = (size_t)(u->end - u->from);
    memcpy(data, u->from, size);
    u->from += size;
    return (ssize_t)size;
}

/* A signal ends the reading of standard input, which may never end by itself. */
static bool is_repeated(const unpacker *u) {
    return errno == EINTR && strcmp(u->name, "standard input") != 0;
}

static bough_status cannot(const unpacker *u, bough_error *error) {
    return errno == EINTR ? bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted")
                          : bough_fail_system(error, u->name, "cannot be read", errno);
}

/* Reads until `want` bytes are available, or the file ends. */
static bough_status fill(unpacker *u, unsigned want, bough_error *error) {
    if (u->z.avail_in >= want || u->ended) return BOUGH_OK;
    memmove(u->in, u->z.next_in, u->z.avail_in);
    u->z.next_in = u->in;
    while (u->z.avail_in < want && !u->ended) {
        ssize_t got = read_some(u, u->in + u->z.avail_in, ROOM - u->z.avail_in);
        if (got < 0 && is_repeated(u)) continue;
        if (got < 0) return cannot(u, error);
        u->ended = got == 0;
        u->z.avail_in += (unsigned)got;
        u->taken += (uint64_t)got;
    }
    return BOUGH_OK;
}

bool is_gzip(const void *data, size_t size) {
    return size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

static bool at_member(const unpacker *u) {
    return is_gzip(u->z.next_in, u->z.avail_in);
}

/* Looks for the start of a member. */
static bough_status unpack_start(unpacker **out, bough_error *error) {
    unpacker *u = *out;
    u->z.next_in = u->in;
    bough_status status = fill(u, 2, error);
    if (!status && at_member(u)) {
        if (inflateInit2(&u->z, GZIP_ONLY) == Z_OK)
            u->packed = u->inside = true;
        else
            status = bough_fail_memory(error, sizeof *u);
    }
    if (!status) return BOUGH_OK;
    unpack_close(u);
    *out = NULL;
    return status;
}

bough_status unpack_open(int file, const char *name, unpacker **out, bough_error *error) {
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    (*out)->file = file;
    (*out)->name = name;
    return unpack_start(out, error);
}

bough_status unpack_open_memory(const char *data, size_t size, const char *name, unpacker **out,
                                bough_error *error) {
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    (*out)->file = -1;
    (*out)->from = data;
    (*out)->end = data + size;
    (*out)->name = name;
    return unpack_start(out, error);
}

void unpack_close(unpacker *u) {
    if (u && u->packed) inflateEnd(&u->z);
    free(u);
}

/* After a member: another one, zeros, or the end. */
static bough_status next_member(unpacker *u, bough_error *error) {
    bough_status status = fill(u, 2, error);
    if (status) return status;
    if (at_member(u)) {
        inflateReset(&u->z);
        u->inside = true;
        return BOUGH_OK;
    }
    while (!status && u->z.avail_in > 0) {
        if (*u->z.next_in)
            return bough_fail(error, BOUGH_INVALID, u->name,
                              "unexpected bytes after the gzip data; remove them");
        u->z.next_in++;
        u->z.avail_in--;
        status = fill(u, 1, error);
    }
    return status;
}

static bough_status inflate_some(unpacker *u, bough_error *error) {
    int result = inflate(&u->z, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
        u->inside = false;
        return next_member(u, error);
    }
    if (result == Z_OK || result == Z_BUF_ERROR) return BOUGH_OK;
    if (result == Z_MEM_ERROR) return bough_fail_memory(error, sizeof *u);
    return bough_fail(error, BOUGH_INVALID, u->name, "cannot be read: %s",
                      u->z.msg ? u->z.msg : "the gzip file is damaged");
}

static bough_status read_packed(unpacker *u, void *data, size_t size, size_t *got, bough_error *error) {
    bough_status status = BOUGH_OK;
    u->z.next_out = data;
    u->z.avail_out = (unsigned)size;
    while (!status && u->inside && u->z.avail_out > 0) {
        status = fill(u, 1, error);
        if (!status && u->z.avail_in == 0)
            return bough_fail(error, BOUGH_INVALID, u->name, "the gzip file is truncated");
        TRY(inflate_some(u, error));
    }
    *got = size - u->z.avail_out;
    return status;
}

/* What was read to recognise the file, then the file itself. */
static bough_status read_plain(unpacker *u, char *data, size_t size, size_t *got, bough_error *error) {
    *got = size < u->z.avail_in ? size : u->z.avail_in;
    memcpy(data, u->z.next_in, *got);
    u->z.next_in += *got;
    u->z.avail_in -= (unsigned)*got;
    while (*got < size && !u->ended) {
        ssize_t more = read_some(u, data + *got, size - *got);
        if (more < 0 && is_repeated(u)) continue;
        if (more < 0) return cannot(u, error);
        u->ended = more == 0;
        *got += (size_t)more;
        u->taken += (uint64_t)more;
    }
    return BOUGH_OK;
}

bough_status unpack_read(unpacker *u, void *data, size_t size, size_t *got, bough_error *error) {
    *got = 0;
    if (size > UINT32_MAX) size = UINT32_MAX;
    return u->packed ? read_packed(u, data, size, got, error) : read_plain(u, data, size, got, error);
}

bool unpack_is_packed(const unpacker *u) {
    return u->packed;
}

uint64_t unpack_taken(const unpacker *u) {
    return u->taken;
}
