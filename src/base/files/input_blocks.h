/* Reads a large text file block by block, so that it is never held in memory as a whole. */
#ifndef BOUGH_BASE_FILES_INPUT_BLOCKS_H
#define BOUGH_BASE_FILES_INPUT_BLOCKS_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct input_blocks input_blocks;

/* Opens a regular file, plain or compressed by gzip. *blocks is NULL for all else (standard input,
 * directories, archives, missing files, ...): read that as a whole, by bough_input_read, which gives the same
 * bytes and hash, or says what is wrong. path: borrowed. Errors: NO_MEMORY, and those of input_blocks_each.
 */
bough_status input_blocks_open(const char *path, input_blocks **blocks, bough_error *error);
/* The first lines of the file, before input_blocks_each; *size is 0 for an empty file. */
const char *input_blocks_start(input_blocks *blocks, size_t *size);
void input_blocks_close(input_blocks *blocks); /* NULL is allowed */

/* Parts that are there at a time, and threads that work on them, at most. */
enum { INPUT_PARTS = 32, INPUT_WORKERS = 4 };

/* Whole lines of a file. Only the last line of the file may lack its end. */
typedef struct input_part {
    const char *data;
    size_t size;
    unsigned number; /* < INPUT_PARTS: differs from those of all parts that were not taken yet */
} input_part;

/* prepare: called for each part before take, on any thread and in any order; worker < threads and
 * < INPUT_WORKERS.
 * take: called for all parts in order, one call at a time, on any thread, while later parts are prepared; a
 * last call has the size 0. */
typedef struct input_taker {
    void (*prepare)(void *context, unsigned worker, const input_part *part);
    bough_status (*take)(void *context, const input_part *part);
    void *context;
} input_taker;

/* Gives all lines to the taker, and reads on and hashes what was read at the same time. Errors: those of
 * take; INVALID for damaged or truncated data and for a file that changes meanwhile, TOO_LARGE if it expands
 * excessively (input_ratio_check). */
bough_status input_blocks_each(input_blocks *blocks, unsigned threads, const input_taker *taker,
                               bough_error *error);

/* Bytes of the file on the disk; 0: unknown. */
uint64_t input_blocks_size(const input_blocks *blocks);
/* Of all bytes that were read; memory that the blocks take. */
uint64_t input_blocks_hash(input_blocks *blocks);
uint64_t input_blocks_bytes(const input_blocks *blocks);

#endif
