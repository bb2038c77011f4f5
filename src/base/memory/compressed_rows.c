#include "base/memory/compressed_rows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

bough_status rows_make(compressed_rows *rows, rows_row_of *row_of, const void *context, bough_error *error) {
    bough_status status =
        arena_alloc(rows->memory, &rows->first, (uint64_t)rows->rows + 2, sizeof *rows->first, error);
    uint32_t *row = NULL; /* of each item */
    TRY(arena_alloc(rows->memory, &rows->item, rows->items, sizeof *rows->item, error));
    TRY(bough_alloc(&row, rows->items, sizeof *row, error));
    if (status) return status;
    /* Counts are kept two entries late, so that filling leaves the positions right. */
    for (uint32_t i = 0; i < rows->items; i++) {
        row[i] = row_of(context, i);
        if (row[i] != ROWS_NONE) rows->first[(uint64_t)row[i] + 2]++;
    }
    for (uint64_t r = 0; r < rows->rows; r++) rows->first[r + 2] += rows->first[r + 1];
    for (uint32_t i = 0; i < rows->items; i++)
        if (row[i] != ROWS_NONE) rows->item[rows->first[(uint64_t)row[i] + 1]++] = i;
    free(row);
    return BOUGH_OK;
}

void rows_fini(compressed_rows *rows) {
    FREE_ALL(rows->first, rows->item);
    *rows = (compressed_rows){0};
}
