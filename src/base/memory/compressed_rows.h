/* Compressed rows: items listed by row, as the adjacency of a graph lists links by node. */
#ifndef BOUGH_BASE_MEMORY_COMPRESSED_ROWS_H
#define BOUGH_BASE_MEMORY_COMPRESSED_ROWS_H

#include "base/memory/arena.h"

#include <stdint.h>

/* Set rows, items and perhaps memory before rows_make; zero-initialise the rest. */
typedef struct compressed_rows {
    uint32_t rows, items; /* items 0 .. items - 1 */
    uint32_t *first;      /* rows + 1 entries */
    uint32_t *item;       /* of row r: item[first[r]] .. item[first[r + 1] - 1], ascending */
    arena *memory;        /* NULL: rows_fini frees first and item */
} compressed_rows;

/* The row of an item, or ROWS_NONE if it is in no row. */
typedef uint32_t rows_row_of(const void *context, uint32_t item);
#define ROWS_NONE UINT32_MAX

/* Counting sort: O(rows + items). Errors: NO_MEMORY. */
bough_status rows_make(compressed_rows *rows, rows_row_of *row_of, const void *context, bough_error *error);
void rows_fini(compressed_rows *rows);

static inline uint32_t rows_count(const compressed_rows *rows, uint64_t row) {
    return rows->first[row + 1] - rows->first[row];
}

#endif
