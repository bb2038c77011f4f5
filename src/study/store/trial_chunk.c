#include "study/store/trial_chunk.h"

#include <zlib.h>

enum { ENTRY = 8 }; /* bytes of the directory per trial */

uint64_t chunk_count(const chunk *c) {
    return c->directory_size / ENTRY;
}

uint32_t chunk_sum(const chunk *c) {
    const uint64_t where[] = {c->point, c->answer, c->first};
    unsigned char b[sizeof where];
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)(where[i / 8] >> (8 * (i % 8)));
    return (uint32_t)crc32_z(crc32_z(0, b, sizeof b), c->directory, c->directory_size);
}

bool chunk_next(chunk_reader *r) {
    const chunk *c = r->chunk;
    if (r->next >= chunk_count(c)) return false;
    const unsigned char *entry = c->directory + ENTRY * r->next;
    size_t length = get_bytes(&entry, 4), left = c->data_size - r->offset;
    uint32_t expected = (uint32_t)get_bytes(&entry, 4), sum;
    const trial_place place = {c->point, c->answer, c->first + r->next};
    r->bytes = c->data + r->offset;
    r->length = length < left ? length : left; /* data may be truncated */
    r->whole = record_sum(r->book, &place, r->bytes, r->length, &sum) && sum == expected && length <= left;
    r->offset += r->length;
    r->next++;
    return true;
}

static size_t bytes_of(const chunk *c, uint64_t from, uint64_t to) {
    uint64_t size = 0;
    for (uint64_t i = from; i < to; i++) {
        const unsigned char *entry = c->directory + ENTRY * i;
        size += get_bytes(&entry, 4);
    }
    return size < c->data_size ? size : c->data_size;
}

chunk chunk_slice(const chunk *c, uint64_t skip, uint64_t count) {
    size_t offset = bytes_of(c, 0, skip);
    return (chunk){.point = c->point,
                   .answer = c->answer,
                   .first = c->first + skip,
                   .directory = c->directory + ENTRY * skip,
                   .directory_size = ENTRY * count,
                   .data = c->data + offset,
                   .data_size = bytes_of(c, skip, skip + count)};
}

/* ---- writing ---- */

void chunk_add(chunk_writer *w, const layout_book *book, uint32_t number, const bough_rows *rows) {
    size_t before = w->data.length;
    const trial_place place = {w->point, w->answer, w->first + w->count++};
    uint32_t sum = 0;
    record_write(&w->data, number, rows);
    if (w->data.failed || w->directory.failed) return;
    size_t length = w->data.length - before;
    record_sum(book, &place, (const unsigned char *)w->data.data + before, length, &sum);
    put_bytes(&w->directory, length, 4);
    put_bytes(&w->directory, sum, 4);
}

chunk chunk_written(const chunk_writer *w) {
    return (chunk){.point = w->point,
                   .answer = w->answer,
                   .first = w->first,
                   .directory = (const unsigned char *)w->directory.data,
                   .directory_size = w->directory.length,
                   .data = (const unsigned char *)w->data.data,
                   .data_size = w->data.length};
}

void chunk_writer_fini(chunk_writer *w) {
    bough_text_fini(&w->directory);
    bough_text_fini(&w->data);
}
