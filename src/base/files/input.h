/* Reading inputs: a file, `-` for standard input, gzip or plain, or a directory as one input in pieces. */
#ifndef BOUGH_BASE_FILES_INPUT_H
#define BOUGH_BASE_FILES_INPUT_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct bough_input_piece {
    char *name; /* as it stands in messages */
    char *data; /* NUL-terminated; may hold other NULs, so mind size */
    size_t size;
} bough_input_piece;

typedef struct bough_input {
    bough_input_piece *piece; /* one for a file; for a directory one a regular file, sorted by name */
    size_t count;
    uint64_t hash; /* FNV-1a of the (uncompressed) bytes of all pieces, for echoing inputs */
} bough_input;

/* At most BOUGH_INPUT_MAX uncompressed bytes in all. Errors: INVALID when there is no such file, when it
 * cannot be read, or is a truncated gzip; TOO_LARGE beyond that, where it does not fit in memory, and for
 * gzip files that expand beyond measure (more than 256 MiB in all, and more than 250 times the files). */
#define BOUGH_INPUT_MAX (UINT64_C(4) << 30)
bough_status bough_input_read(const char *path, bough_input *input, bough_error *error);
/* The same, from memory (copied); for tests and fuzzing. */
bough_status bough_input_from(const char *name, const void *data, size_t size, bough_input *input,
                              bough_error *error);
void bough_input_fini(bough_input *input);
uint64_t bough_input_bytes(const bough_input *input); /* of all pieces */

/* Walks lines: *cursor starts at data; returns a line (not NUL-terminated) without its end, or NULL. */
const char *bough_next_line(const char **cursor, const char *end, size_t *length);

/* Where status is a failure, its place becomes FILE:LINE, or FILE for line 0 (an empty file). Returns status.
 */
bough_status bough_at_line(bough_status status, const char *file, uint64_t line, bough_error *error);

#endif
