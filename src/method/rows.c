#include "base/memory/memory.h"
#include "bough/method.h"

#include <stdlib.h>

const char *bough_outcome_name(bough_outcome outcome) {
    static const char *const name[] = {"ok", "saturated", "deadlock", "partial"};
    return name[outcome];
}

bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error) {
    return bough_rows_add_interval(rows, metric, index, value, 0, error);
}

bough_status bough_rows_add_interval(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                                     double ci95, bough_error *error) {
    bough_status status = bough_grow(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) rows->row[rows->count++] = (bough_row){metric, index, value, ci95};
    return status;
}

void bough_rows_fini(bough_rows *rows) {
    free(rows->row);
    *rows = (bough_rows){0};
}
