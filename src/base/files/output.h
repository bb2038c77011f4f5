/* Writing files: whole, or not at all. */
#ifndef BOUGH_BASE_FILES_OUTPUT_H
#define BOUGH_BASE_FILES_OUTPUT_H

#include "bough/status.h"

#include <stddef.h>

/* Writes a new file in the directory of path, brings it to the disk and renames it to path: a reader sees the
 * old file or the whole new one, also after a crash. The new file has a name of its own (.NAME.XXXXXX.part),
 * so that writers of one path do not meet. A file that is replaced keeps its permissions, and its owner and
 * group where the process may set them. A link stays, and what it leads to is replaced; a device or a pipe
 * (/dev/stdout) is written to as it is. Errors: INVALID when path is no name of a file that can be made, IO
 * when the disk is full or broken. */
bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error);

/* Whether bough_output_write could make the file, as far as that shows beforehand: asked before long work.
 * Touches nothing. Errors: INVALID. */
bough_status bough_output_check(const char *path, bough_error *error);

/* The same in steps, for what another library writes: begin makes the empty file out->part; end brings it to
 * the disk and renames it; drop removes it. end and drop free out, as does a begin that fails. */
typedef struct bough_output {
    const char *path; /* for messages; borrowed */
    char *whole, *part;
    int file; /* descriptor of part */
} bough_output;
bough_status bough_output_begin(const char *path, bough_output *out, bough_error *error);
bough_status bough_output_end(bough_output *out, bough_error *error);
void bough_output_drop(bough_output *out);

#endif
