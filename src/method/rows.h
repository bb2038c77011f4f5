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
bough_status rows_add_present(bough_rows *rows, const optional_row *row, size_t count, bough_error *error);

#endif
