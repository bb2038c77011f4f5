/* Writes files atomically. */
#ifndef BOUGH_BASE_FILES_OUTPUT_H
#define BOUGH_BASE_FILES_OUTPUT_H

#include "base/text/text.h"
#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes a new file in the directory of path, syncs it to disk and renames it to path. Readers see the old or
 * the complete new file, also after a crash. The temporary file has a unique name (.NAME.XXXXXX.part), so
 * concurrent writers of one path do not interfere. A replaced file keeps its permissions, and owner and group
 * if the process may set them. Symbolic links are kept and their targets replaced; devices and pipes
 * (/dev/stdout) are written directly. Errors: INVALID if path cannot be created, IO if the disk is full or
 * fails. */
bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error);

/* The same of a text. NO_MEMORY, and no file, if the text is incomplete. */
bough_status bough_output_write_text(const char *path, const bough_text *text, bough_error *error);

/* Checks, before long computations, whether bough_output_write could create the file, as far as possible
 * without changing anything. Errors: INVALID. */
bough_status bough_output_check(const char *path, bough_error *error);

/* Whether path is a device or a pipe. */
bool bough_output_is_device(const char *path);

/* The same in steps, for data written by another library. begin creates the empty file out->part; end syncs
 * and renames it; drop removes it. end, drop and a failing begin free out. */
typedef struct bough_output {
    const char *path; /* for messages; borrowed */
    char *whole, *part;
    int file; /* file descriptor of part */
} bough_output;
bough_status bough_output_begin(const char *path, bough_output *out, bough_error *error);
bough_status bough_output_end(bough_output *out, bough_error *error);
void bough_output_drop(bough_output *out);

#endif
