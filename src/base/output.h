/* Writing files: whole, or not at all. */
#ifndef BOUGH_BASE_OUTPUT_H
#define BOUGH_BASE_OUTPUT_H

#include "bough/status.h"

#include <stddef.h>

/* Writes PATH.part and renames it to path, which it replaces: nobody ever sees half of a file, and what was
 * there before stays until all of the new one is written. A link stays, and what it leads to is replaced; a
 * device or a pipe (/dev/stdout) is written to as it is. Errors: INVALID when path is no name of a file that
 * can be made, IO when the disk is full or broken. */
bough_status bough_output_write(const char *path, const void *data, size_t size, bough_error *error);

/* Whether bough_output_write could make the file, as far as that shows beforehand: asked before long work.
 * Touches nothing. Errors: INVALID. */
bough_status bough_output_check(const char *path, bough_error *error);

#endif
