/* Binary format of trials. A trial is its layout (4 bytes), its outcome (4) and its values (8 each),
 * little-endian. A layout is the list of (metric, index) of the rows, with a mark for those with an interval,
 * which follows the value. Trials of one answer mostly share a layout, so it is stored once and numbered. In
 * the store it is a text, `rounds latency+- delivered_round[1]`, which does not depend on metric ids. A note
 * is stored between outcome and values, preceded by its length in a byte, or in two if LONG_NOTE is added to
 * the outcome: always if the outcome is not ok, else if NOTED is added to it. */
#ifndef BOUGH_STUDY_STORE_STORE_RECORD_H
#define BOUGH_STUDY_STORE_STORE_RECORD_H

#include "base/text/text.h"
#include "method/method.h"

/* Position of a trial. */
typedef struct trial_place {
    uint64_t point, answer, trial;
} trial_place;

typedef struct layout {
    uint64_t hash;
    uint32_t sum; /* CRC-32 of the text */
    size_t count;
    struct {
        bough_metric_id metric;
        int64_t index;
        bool interval; /* the row has an interval */
    } row[];
} layout;

/* Zero-initialise. */
typedef struct layout_book {
    layout **item; /* layout number i; NULL: none */
    size_t count, capacity;
    uint32_t *slot; /* hash table of number + 1 */
    size_t slots;
    uint32_t last; /* number of the latest match */
} layout_book;

void layout_book_fini(layout_book *book);
/* The number of the layout of rows; *is_new if it was added. O(rows). */
bough_status layout_find(layout_book *book, const bough_rows *rows, uint32_t *number, bool *is_new,
                         bough_error *error);
/* Adds a layout with its number in the store. Errors: FAILED for a damaged text or an unknown metric. */
bough_status layout_read(layout_book *book, uint32_t number, const char *text, bough_error *error);
void layout_write(const layout_book *book, uint32_t number, bough_text *text);

/* Little-endian numbers of `size` bytes; get_bytes advances *at. */
void put_bytes(bough_text *bytes, uint64_t value, size_t size);
uint64_t get_bytes(const unsigned char **at, size_t size);

void record_write(bough_text *bytes, uint32_t number, const bough_rows *rows);
/* CRC-32 of a trial: its bytes, its position, and the text of its layout. False if there is no such
 * layout. */
bool record_sum(const layout_book *book, const trial_place *place, const unsigned char *bytes, size_t length,
                uint32_t *sum);
/* Reads one trial at *at and advances *at. Errors: FAILED for damaged bytes. */
bough_status record_read(const layout_book *book, const unsigned char **at, const unsigned char *end,
                         bough_rows *rows, bough_error *error);

#endif
