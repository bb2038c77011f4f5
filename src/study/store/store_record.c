#include "study/store/store_record.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void layout_book_fini(layout_book *book) {
    for (size_t i = 0; i < book->count; i++) free(book->item[i]);
    FREE_ALL(book->item, book->slot);
    *book = (layout_book){0};
}

/* ---- layouts as text ---- */

static void write_layout(const layout *l, bough_text *text) {
    for (size_t i = 0; i < l->count; i++) {
        bough_text_printf(text, "%s%s", i ? " " : "", bough_metrics[l->row[i].metric].name);
        if (l->row[i].index != BOUGH_NO_ROW_INDEX) bough_text_printf(text, "[%" PRId64 "]", l->row[i].index);
        if (l->row[i].interval) bough_text_put(text, "+-");
    }
}

void layout_write(const layout_book *book, uint32_t number, bough_text *text) {
    write_layout(book->item[number], text);
}

static bough_status sum_layout(layout *l, bough_error *error) {
    bough_text text = {0};
    write_layout(l, &text);
    bough_status status = text.failed ? bough_fail_memory(error, text.length) : BOUGH_OK;
    if (!status) l->sum = (uint32_t)crc32_z(0, (const unsigned char *)text.data, text.length);
    bough_text_fini(&text);
    return status;
}

/* ---- finding a layout by its rows ---- */

static uint64_t hash_rows(const bough_rows *rows) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < rows->count; i++) {
        h = (h ^ (uint64_t)rows->row[i].metric) * UINT64_C(0x100000001b3);
        h = (h ^ (uint64_t)rows->row[i].index) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (rows->row[i].ci95 > 0)) * UINT64_C(0x100000001b3);
        h ^= h >> 31;
    }
    return h;
}

static bool same_rows(const layout *l, const bough_rows *rows) {
    if (l->count != rows->count) return false;
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].metric != rows->row[i].metric || l->row[i].index != rows->row[i].index ||
            l->row[i].interval != (rows->row[i].ci95 > 0))
            return false;
    return true;
}

static void enter(layout_book *book, uint32_t number) {
    uint64_t h = book->item[number]->hash;
    while (book->slot[h & (book->slots - 1)]) h++;
    book->slot[h & (book->slots - 1)] = number + 1;
}

static bough_status grow_slots(layout_book *book, bough_error *error) {
    size_t slots = book->slots ? 2 * book->slots : 64;
    uint32_t *slot;
    bough_status status = bough_alloc(&slot, slots, sizeof *slot, error);
    if (status) return status;
    free(book->slot);
    book->slot = slot;
    book->slots = slots;
    for (size_t i = 0; i < book->count; i++)
        if (book->item[i]) enter(book, (uint32_t)i);
    return BOUGH_OK;
}

/* Adds the layout of rows at a free number. */
static bough_status add_layout(layout_book *book, uint32_t number, const bough_rows *rows,
                               bough_error *error) {
    layout *l;
    bough_status status = BOUGH_OK;
    if (2 * (book->count + 1) > book->slots) status = grow_slots(book, error);
    TRY(bough_grow(&book->item, &book->capacity, (uint64_t)number + 1, sizeof *book->item, error));
    TRY(bough_alloc(&l, 1, sizeof *l + rows->count * sizeof l->row[0], error));
    if (status) return status;
    l->hash = hash_rows(rows);
    l->count = rows->count;
    for (size_t i = 0; i < rows->count; i++) {
        l->row[i].metric = rows->row[i].metric;
        l->row[i].index = rows->row[i].index;
        l->row[i].interval = rows->row[i].ci95 > 0;
    }
    status = sum_layout(l, error);
    if (status) {
        free(l);
        return status;
    }
    while (book->count <= number) book->item[book->count++] = NULL;
    book->item[number] = l;
    enter(book, number);
    return BOUGH_OK;
}

bough_status layout_find(layout_book *book, const bough_rows *rows, uint32_t *number, bool *is_new,
                         bough_error *error) {
    *is_new = false;
    if (book->last < book->count && book->item[book->last] && same_rows(book->item[book->last], rows)) {
        *number = book->last;
        return BOUGH_OK;
    }
    for (uint64_t h = hash_rows(rows); book->slots && book->slot[h & (book->slots - 1)]; h++) {
        uint32_t candidate = book->slot[h & (book->slots - 1)] - 1;
        if (same_rows(book->item[candidate], rows)) {
            *number = book->last = candidate;
            return BOUGH_OK;
        }
    }
    *number = (uint32_t)book->count;
    *is_new = true;
    bough_status status = add_layout(book, *number, rows, error);
    if (!status) book->last = *number;
    return status;
}

/* ---- reading layouts ---- */

static bough_status read_word(const char *word, size_t length, bough_rows *rows, bough_error *error) {
    char name[64];
    size_t cut = length;
    int64_t index = BOUGH_NO_ROW_INDEX;
    bool interval = length > 2 && memcmp(word + length - 2, "+-", 2) == 0;
    if (interval) cut = length -= 2;
    if (length && word[length - 1] == ']') {
        const char *bracket = memchr(word, '[', length);
        if (!bracket) return bough_fail(error, BOUGH_FAILED, NULL, "a damaged layout");
        cut = (size_t)(bracket - word);
        index = strtoll(bracket + 1, NULL, 10);
    }
    if (cut >= sizeof name) return bough_fail(error, BOUGH_FAILED, NULL, "a damaged layout");
    memcpy(name, word, cut);
    name[cut] = 0;
    bough_metric_id metric = bough_metric_find(name);
    if (metric == BOUGH_METRIC_COUNT)
        return bough_fail(error, BOUGH_FAILED, NULL, "metric '%s' is unknown to this version of bough", name);
    return bough_rows_add_row(rows, &(bough_row){metric, index, 0, interval}, error);
}

bough_status layout_read(layout_book *book, uint32_t number, const char *text, bough_error *error) {
    bough_rows rows = {0};
    bough_status status = BOUGH_OK;
    if (number > (1u << 30) || (number < book->count && book->item[number]))
        return bough_fail(error, BOUGH_FAILED, NULL, "a damaged layout");
    while (*text && !status) {
        size_t length = strcspn(text, " ");
        status = read_word(text, length, &rows, error);
        text += length + (text[length] == ' ');
    }
    TRY(add_layout(book, number, &rows, error));
    bough_rows_fini(&rows);
    return status;
}

/* ---- trials as bytes ---- */

enum { NOTED = 256, LONG_NOTE = 512 }; /* added to the outcome */

void put_bytes(bough_text *bytes, uint64_t value, size_t size) {
    char b[8];
    for (size_t i = 0; i < size; i++) b[i] = (char)(value >> (8 * i));
    bough_text_add(bytes, b, size);
}

uint64_t get_bytes(const unsigned char **at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static void put_real(bough_text *bytes, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    put_bytes(bytes, word, 8);
}

static double get_real(const unsigned char **at) {
    uint64_t word = get_bytes(at, 8);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

void record_write(bough_text *bytes, uint32_t number, const bough_rows *rows) {
    size_t length = strlen(rows->note);
    bool noted = length > 0 || rows->outcome != BOUGH_RUN_OK;
    put_bytes(bytes, number, 4);
    uint64_t marks =
        (rows->outcome == BOUGH_RUN_OK && noted ? NOTED : 0) | (length > UINT8_MAX ? LONG_NOTE : 0);
    put_bytes(bytes, (uint64_t)rows->outcome | marks, 4);
    if (noted) {
        put_bytes(bytes, length, marks & LONG_NOTE ? 2 : 1);
        bough_text_add(bytes, rows->note, length);
    }
    for (size_t i = 0; i < rows->count; i++) {
        put_real(bytes, rows->row[i].value);
        if (rows->row[i].ci95 > 0) put_real(bytes, rows->row[i].ci95);
    }
}

bool record_sum(const layout_book *book, const trial_place *place, const unsigned char *bytes, size_t length,
                uint32_t *sum) {
    if (length < 4) return false;
    const unsigned char *at = bytes;
    uint64_t number = get_bytes(&at, 4);
    const layout *l = number < book->count ? book->item[number] : NULL;
    if (!l) return false;
    const uint64_t where[] = {place->point, place->answer, place->trial, l->sum};
    unsigned char b[sizeof where];
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)(where[i / 8] >> (8 * (i % 8)));
    *sum = (uint32_t)crc32_z(crc32_z(0, b, sizeof b), bytes, length);
    return true;
}

/* Size of the values of a layout in bytes. */
static size_t values_size(const layout *l) {
    size_t words = l->count;
    for (size_t i = 0; i < l->count; i++) words += l->row[i].interval;
    return 8 * words;
}

bough_status record_read(const layout_book *book, const unsigned char **at, const unsigned char *end,
                         bough_rows *rows, bough_error *error) {
    rows->count = 0;
    if (end - *at < 8) return bough_fail(error, BOUGH_FAILED, NULL, "a damaged trial");
    uint32_t number = (uint32_t)get_bytes(at, 4), outcome = (uint32_t)get_bytes(at, 4);
    const layout *l = number < book->count ? book->item[number] : NULL;
    const int width = outcome & LONG_NOTE ? 2 : 1;
    outcome &= ~(uint32_t)LONG_NOTE;
    size_t note = outcome != BOUGH_RUN_OK && end - *at >= width ? get_bytes(at, (size_t)width) : 0;
    if (outcome == NOTED) outcome = BOUGH_RUN_OK;
    if (!l || outcome > BOUGH_RUN_HANGS || note >= BOUGH_NOTE_MAX || (size_t)(end - *at) < note ||
        (size_t)(end - *at) - note < values_size(l))
        return bough_fail(error, BOUGH_FAILED, NULL, "a damaged trial");
    memcpy(rows->note, *at, note);
    rows->note[note] = 0;
    *at += note;
    rows->outcome = (bough_outcome)outcome;
    for (size_t i = 0; i < l->count; i++) {
        double value = get_real(at), ci95 = l->row[i].interval ? get_real(at) : 0;
        bough_status status =
            bough_rows_add_row(rows, &(bough_row){l->row[i].metric, l->row[i].index, value, ci95}, error);
        if (status) return status;
    }
    return BOUGH_OK;
}
