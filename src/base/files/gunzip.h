/* Decompresses gzip data from a file descriptor or from memory. */
#ifndef BOUGH_BASE_FILES_GUNZIP_H
#define BOUGH_BASE_FILES_GUNZIP_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpacker unpacker;

bool is_gzip(const void *data, size_t size);

/* name: for messages; file and name are borrowed. Errors: NO_MEMORY. */
bough_status unpack_open(int file, const char *name, unpacker **out, bough_error *error);
/* data: borrowed. */
bough_status unpack_open_memory(const char *data, size_t size, const char *name, unpacker **out,
                                bough_error *error);
void unpack_close(unpacker *u);

/* Reads up to size bytes into data; *got 0: the end. Files that do not start as gzip are returned unchanged.
 * A gzip file may have several members, and zeros at its end. Errors: INVALID for a gzip file that is
 * truncated, damaged, or followed by other bytes, and for read errors, with the reason of the system. */
bough_status unpack_read(unpacker *u, void *data, size_t size, size_t *got, bough_error *error);

bool unpack_is_packed(const unpacker *u); /* whether it started as gzip */
/* Number of bytes read from the file so far. */
uint64_t unpack_taken(const unpacker *u);

#endif
