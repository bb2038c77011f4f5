#include "base/files/packed_data.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAR_BLOCK = 512 };

typedef struct packed_format {
    const char *name, *magic;
    size_t offset, length; /* of magic */
    int filter;            /* of a compressed stream; 0: an archive */
    int (*support)(struct archive *a);
} packed_format;

enum { TAR = 3 };

/* A truncated zip file has no directory: it is not read as a stream. */
static const packed_format formats[] = {
    {"xz", "\xfd\x37zXZ\0", 0, 6, ARCHIVE_FILTER_XZ, archive_read_support_filter_xz},
    {"zstd", "\x28\xb5\x2f\xfd", 0, 4, ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd},
    {"bzip2", "BZh", 0, 3, ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2},
    {"tar", "ustar", 257, 5, 0, archive_read_support_format_tar}, /* TAR */
    {"zip", "PK\3\4", 0, 4, 0, archive_read_support_format_zip_seekable},
};

struct packed_reader {
    const packed_format *format;
    const char *data, *name;
    size_t size;
    struct archive *archive;
};

/* Of an archive without members only its end is there: two blocks of null bytes, often more. */
static bool is_empty_tar(const char *data, size_t size) {
    enum { BLOCK = 512, MOST = 1 << 20 };
    return size >= 2 * (size_t)BLOCK && size <= MOST && size % BLOCK == 0 && !data[0] &&
           memcmp(data, data + 1, size - 1) == 0;
}

static const packed_format *find_format(const char *data, size_t size) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const packed_format *f = &formats[i];
        if (size >= f->offset + f->length && memcmp(data + f->offset, f->magic, f->length) == 0) return f;
    }
    return is_empty_tar(data, size) ? &formats[TAR] : NULL;
}

packed_kind packed_recognise(const char *data, size_t size) {
    const packed_format *f = find_format(data, size);
    return f ? f->filter ? PACKED_STREAM : PACKED_ARCHIVE : PACKED_NOT;
}

/* libarchive ends the process, or crashes, when one of its small allocations fails; large ones fail properly.
 */
static bough_status check_room(const packed_reader *r, bough_error *error) {
    enum { ROOM = 4 << 20 };
    void *volatile room = malloc(ROOM); /* volatile: compilers leave out what nobody uses */
    free(room);
    return room ? BOUGH_OK : bough_fail_memory(error, r->size);
}

static bough_status damaged(const packed_reader *r, bough_error *error) {
    const char *why = archive_error_string(r->archive);
    if (archive_errno(r->archive) == ENOMEM || check_room(r, error)) return bough_fail_memory(error, r->size);
    return bough_fail(error, BOUGH_INVALID, r->name, "the %s file is damaged or truncated%s%s",
                      r->format->name, why ? ": " : "", why ? why : "");
}

static bough_status without_library(const packed_reader *r, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, r->name,
                      "is not read here, as libarchive was built without %s; decompress it", r->format->name);
}

static int start(const packed_reader *r) {
    int result = ARCHIVE_OK;
    if (r->format->filter) {
        archive_read_support_format_raw(r->archive);
        archive_read_support_format_empty(r->archive);
        if (r->format->support(r->archive) == ARCHIVE_WARN)
            return ARCHIVE_WARN; /* it would start a program */
        result = archive_read_append_filter(r->archive, r->format->filter);
    } else {
        result = r->format->support(r->archive);
    }
    return result ? result : archive_read_open_memory(r->archive, r->data, r->size);
}

bough_status packed_open(const char *data, size_t size, const char *name, packed_reader **out,
                         bough_error *error) {
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    packed_reader *r = *out;
    *r = (packed_reader){find_format(data, size), data, name, size, NULL};
    status = check_room(r, error);
    if (!status && !(r->archive = archive_read_new())) status = bough_fail_memory(error, size);
    int started = status ? ARCHIVE_OK : start(r);
    if (started == ARCHIVE_WARN)
        status = without_library(r, error);
    else if (!status &&
             (started || archive_error_string(r->archive))) /* a stream damaged early passes for empty */
        status = damaged(r, error);
    if (!status) return BOUGH_OK;
    packed_close(r);
    *out = NULL;
    return status;
}

void packed_close(packed_reader *r) {
    if (r && r->archive) archive_read_free(r->archive);
    free(r);
}

static bool all_zero(const char *data, const char *end) {
    while (data < end && *data == 0) data++;
    return data == end;
}

/* libarchive takes a tar file for complete that was cut between two members, and drops what follows some
 * streams. */
static bough_status check_end(const packed_reader *r, bough_error *error) {
    const char *end = r->data + r->size;
    if (r->format->filter) {
        la_int64_t used = archive_filter_bytes(r->archive, -1);
        if (used == 0) return damaged(r, error);
        if (all_zero(r->data + used, end)) return BOUGH_OK;
        return bough_fail(error, BOUGH_INVALID, r->name, "unexpected bytes after the %s data; remove them",
                          r->format->name);
    }
    if (r->format->support != archive_read_support_format_tar) return BOUGH_OK;
    if (r->size % TAR_BLOCK == 0 && all_zero(end - TAR_BLOCK, end)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, r->name, "the tar file is truncated: its end mark is missing");
}

static const char *name_of(struct archive_entry *entry) {
    const char *name = archive_entry_pathname_utf8(entry);
    if (!name) name = archive_entry_pathname(entry);
    return name ? name : "";
}

/* Names that do not fit the locale are only warnings. */
bough_status packed_next(packed_reader *r, packed_member *member, bough_error *error) {
    struct archive_entry *entry;
    *member = (packed_member){.regular = true};
    for (;;) {
        bough_status status = check_room(r, error);
        if (status) return status;
        int result = archive_read_next_header(r->archive, &entry);
        if (result == ARCHIVE_EOF) return check_end(r, error);
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return damaged(r, error);
        if (r->format->filter) {
            member->name = "";
            return BOUGH_OK;
        }
        if (archive_entry_filetype(entry) == AE_IFDIR) continue;
        member->name = name_of(entry);
        member->regular = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
        return BOUGH_OK;
    }
}

bough_status packed_read(packed_reader *r, void *data, size_t size, size_t *got, bough_error *error) {
    la_ssize_t result = archive_read_data(r->archive, data, size);
    *got = result > 0 ? (size_t)result : 0;
    return result < 0 ? damaged(r, error) : BOUGH_OK;
}
