/* clang-format off */
/* A chunk: trials first, first + 1, ... of one answer, as stored.
 *
 *   data       the trials (store_record.h), consecutively
 *   directory  per trial the length of its bytes (4) and their checksum (4), little-endian
 *   sum        CRC-32 of the position and the directory
 *
 * A damaged trial does not affect the others, because the directory determines where they start. If the
 * directory is damaged, the chunk is lost. */
/* clang-format on */
#ifndef BOUGH_STUDY_STORE_TRIAL_CHUNK_H
#define BOUGH_STUDY_STORE_TRIAL_CHUNK_H

#include "study/store/store_record.h"

/* Borrows its bytes. */
typedef struct chunk {
    uint64_t point, answer, first;
    const unsigned char *directory, *data;
    size_t directory_size, data_size;
} chunk;

uint64_t chunk_count(const chunk *c);
uint32_t chunk_sum(const chunk *c);
/* `count` trials of it, without the first `skip`. */
chunk chunk_slice(const chunk *c, uint64_t skip, uint64_t count);

/* Reads trial after trial: zero-initialise all but chunk and book. */
typedef struct chunk_reader {
    const chunk *chunk;
    const layout_book *book;
    uint64_t next; /* number of trials read */
    size_t offset; /* of the next trial in data */
    const unsigned char *bytes;
    size_t length;
    bool whole; /* the checksum is correct */
} chunk_reader;

/* Sets bytes, length (of what is present) and whole; false at the end. */
bool chunk_next(chunk_reader *r);

/* A chunk under construction. Zero-initialise. */
typedef struct chunk_writer {
    uint64_t point, answer, first, count;
    bough_text directory, data;
} chunk_writer;

void chunk_add(chunk_writer *w, const layout_book *book, uint32_t number, const bough_rows *rows);
chunk chunk_written(const chunk_writer *w);
void chunk_writer_fini(chunk_writer *w);

#endif
