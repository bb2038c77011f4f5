/* The store's layouts and trials. Lines of layouts up to an empty one; then a byte that says how many trials
 * a directory has, the directory, and the bytes of the trials. Whatever they are, they are read or refused,
 * and what was read is the same when it is written and read again. */
#include "study/store/trial_chunk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void round_trip(layout_book *book, const bough_rows *rows) {
    bough_text bytes = {0};
    bough_rows again = {0};
    uint32_t number;
    bool is_new;
    if (layout_find(book, rows, &number, &is_new, NULL)) abort();
    record_write(&bytes, number, rows);
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.length;
    if (record_read(book, &at, end, &again, NULL) || at != end) abort();
    if (again.count != rows->count || again.outcome != rows->outcome || strcmp(again.note, rows->note) != 0)
        abort();
    for (size_t i = 0; i < rows->count; i++) {
        const bough_row *a = &rows->row[i], *b = &again.row[i];
        if (a->metric != b->metric || a->index != b->index || !same_bits(a->value, b->value)) abort();
        if (a->ci95 > 0 && !same_bits(a->ci95, b->ci95)) abort();
    }
    bough_text_fini(&bytes);
    bough_rows_fini(&again);
}

static void read_trials(layout_book *book, const uint8_t *data, size_t size) {
    size_t directory = size ? (size_t)*data * 8 : 0;
    if (!size || directory > --size) return;
    chunk c = {.point = 1,
               .answer = 2,
               .first = 3,
               .directory = data + 1,
               .directory_size = directory,
               .data = data + 1 + directory,
               .data_size = size - directory};
    chunk_reader r = {.chunk = &c, .book = book};
    bough_rows rows = {0};
    uint64_t trials = 0;
    size_t bytes = 0;
    for (; chunk_next(&r); trials++, bytes += r.length) {
        const unsigned char *at = r.bytes, *end = r.bytes + r.length;
        bool read = record_read(book, &at, end, &rows, NULL) == BOUGH_OK;
        if (at > end) abort();
        if (read) round_trip(book, &rows);
        chunk one = chunk_slice(&c, trials, 1);
        if (one.data != r.bytes && r.length == one.data_size) abort();
    }
    if (trials != chunk_count(&c) || bytes > c.data_size) abort();
    bough_rows_fini(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    layout_book book = {0};
    const uint8_t *at = data, *end = data + size;
    for (uint32_t number = 0; at < end; number++) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break;
        size_t length = (size_t)(stop - at);
        char *text = malloc(length + 1);
        if (!text) break;
        memcpy(text, at, length);
        text[length] = 0;
        bough_error error = {0};
        if (length && layout_read(&book, number, text, &error) && !*error.reason) abort();
        free(text);
        at = stop + 1;
        if (!length) break;
    }
    read_trials(&book, at, (size_t)(end - at));
    layout_book_fini(&book);
    return 0;
}
