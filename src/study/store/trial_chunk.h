/* A chunk: trials first, first + 1, ... of one answer, as the store keeps them.
 *
 *   data       the trials (record.h), one after the other
 *   directory  of each trial the length of its bytes (4) and their sum (4), little-endian
 *   sum        CRC-32 of the place and the directory
 *
 * A damaged trial does not hide the others: where they begin stands in the directory. Where that is damaged,
 * the chunk is lost. */
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

/* Reading trial after trial: zero-initialise but for chunk and book. */
typedef struct chunk_reader {
    const chunk *chunk;
    const layout_book *book;
    uint64_t next; /* how many were read */
    size_t offset; /* of the next one in data */
    const unsigned char *bytes;
    size_t length;
    bool whole; /* the sum is right */
} chunk_reader;

/* Fills bytes, length (of what is there) and whole; false at the end. */
bool chunk_next(chunk_reader *r);

/* A chunk that is being collected. Zero-initialise. */
typedef struct chunk_writer {
    uint64_t point, answer, first, count;
    bough_text directory, data;
} chunk_writer;

void chunk_add(chunk_writer *w, const layout_book *book, uint32_t number, const bough_rows *rows);
chunk chunk_written(const chunk_writer *w);
void chunk_writer_fini(chunk_writer *w);

#endif
