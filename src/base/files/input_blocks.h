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
void input_blocks_close(input_blocks *blocks); /* NULL is allowed */

/* Calls take(context, data, size) for all lines in order, a block of them at a time; a last call has the size
 * 0. Only the last line of the file may lack its end. With two threads the next block is read and hashed
 * while take works. Errors: those of take; INVALID for damaged or truncated data, TOO_LARGE if it expands
 * excessively (input_ratio_check). */
typedef bough_status input_block_taker(void *context, const char *data, size_t size);
bough_status input_blocks_each(input_blocks *blocks, unsigned threads, input_block_taker *take, void *context,
                               bough_error *error);

/* Of all bytes that were read; memory that the blocks take. */
uint64_t input_blocks_hash(input_blocks *blocks);
uint64_t input_blocks_bytes(const input_blocks *blocks);

#endif
