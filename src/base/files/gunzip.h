/* Bytes of a file descriptor, out of gzip where they are packed. */
#ifndef BOUGH_BASE_FILES_GUNZIP_H
#define BOUGH_BASE_FILES_GUNZIP_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpacker unpacker;

/* name: for messages; borrows both. Errors: NO_MEMORY. */
bough_status unpack_open(int file, const char *name, unpacker **out, bough_error *error);
void unpack_close(unpacker *u);

/* Up to size bytes into data; *got 0: the end. A file that does not begin as gzip comes as it is; a gzip file
 * may have several members, and zeros at its end. Errors: INVALID for a gzip file that is truncated, damaged,
 * or followed by other bytes; INVALID with the system's reason where reading fails. */
bough_status unpack_read(unpacker *u, void *data, size_t size, size_t *got, bough_error *error);

/* Bytes that the file gave so far. */
uint64_t unpack_taken(const unpacker *u);

#endif
