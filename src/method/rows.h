/* Rows that a method adds together. */
#ifndef BOUGH_METHOD_ROWS_H
#define BOUGH_METHOD_ROWS_H

#include "bough/method.h"

/* A row without an index, added only if `present`. */
typedef struct optional_row {
    bool present;
    bough_metric_id metric;
    double value, ci95; /* ci95: half-width of the 95 % interval of the value; 0: none */
} optional_row;
/* A message without a route. */
typedef struct unrouted_message {
    uint64_t source, address;
} unrouted_message;
/* Writes into the note how many messages have no route, and the first of them. */
void rows_note_unrouted(bough_rows *rows, const bough_net *net, uint64_t count,
                        const unrouted_message *first);
/* Appends formatted text to the note, as far as it fits. */
void rows_note_append(bough_rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
bough_status rows_add_present(bough_rows *rows, const optional_row *row, size_t count, bough_error *error);

#endif
