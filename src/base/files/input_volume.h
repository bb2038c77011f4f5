/* Limits on what files expand to. */
#ifndef BOUGH_BASE_FILES_INPUT_VOLUME_H
#define BOUGH_BASE_FILES_INPUT_VOLUME_H

#include "bough/status.h"

#include <stdint.h>

/* Bytes read so far over all pieces: as stored and uncompressed. */
typedef struct input_volume {
    uint64_t packed, plain;
} input_volume;

/* For files that are held in memory; name: the current one. Errors: TOO_LARGE above BOUGH_INPUT_MAX, and for
 * files that expand excessively. */
bough_status input_volume_check(const input_volume *all, const char *name, bough_error *error);
/* For a file that is read block by block. Errors: TOO_LARGE if it expands to more than 250 times its size. */
bough_status input_ratio_check(const input_volume *all, const char *name, bough_error *error);

#endif
