/* Reads the lines of a plain file by sections, several at a time: see input_blocks.h. */
#ifndef BOUGH_BASE_FILES_INPUT_SECTIONS_H
#define BOUGH_BASE_FILES_INPUT_SECTIONS_H

#include "base/files/input_blocks.h"
#include "base/memory/fnv1a.h"

/* A regular file that is open, with its name, and the hash to which its bytes are added. */
typedef struct input_sections {
    int file;
    const char *path;
    file_hash *hash;
    uint64_t bytes; /* of memory that it took */
} input_sections;

/* Reads up to `size` bytes from an offset on and returns their number: less at the end of the file, and after
 * an error, whose errno it sets. */
size_t input_read_at(int file, char *to, size_t size, uint64_t from, int *failure);

/* As input_blocks_each. */
bough_status input_sections_each(input_sections *in, unsigned threads, const input_taker *taker,
                                 bough_error *error);

#endif
