/* Compressed data and archives in memory, by libarchive. gzip is read by gunzip.h: libarchive does not verify
 * its checksums. */
#ifndef BOUGH_BASE_FILES_PACKED_DATA_H
#define BOUGH_BASE_FILES_PACKED_DATA_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* What data begins as: one compressed stream (xz, zstd, bzip2) or an archive (tar, zip). */
typedef enum packed_kind { PACKED_NOT, PACKED_STREAM, PACKED_ARCHIVE } packed_kind;
packed_kind packed_recognise(const char *data, size_t size);

typedef struct packed_reader packed_reader;

/* Data that packed_recognise knows. Borrows it and the name, which is used in messages. Errors: INVALID for
 * damaged data, NO_MEMORY. */
bough_status packed_open(const char *data, size_t size, const char *name, packed_reader **reader,
                         bough_error *error);
void packed_close(packed_reader *reader);

/* A member of an archive. */
typedef struct packed_member {
    const char
        *name;    /* valid until the next call; NULL: the end; "": a compressed stream, which has no name */
    bool regular; /* false: a link or a device, which cannot be read */
} packed_member;

/* The next member. Directories are skipped. Errors: INVALID for damaged or truncated data, and for bytes
 * after its end. */
bough_status packed_next(packed_reader *reader, packed_member *member, bough_error *error);

/* Reads up to size bytes of the file; *got 0: its end. Errors: INVALID for damaged, truncated and encrypted
 * data. */
bough_status packed_read(packed_reader *reader, void *data, size_t size, size_t *got, bough_error *error);

#endif
