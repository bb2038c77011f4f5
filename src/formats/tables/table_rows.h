/* The memory of the rows of forwarding tables: many rows at a time, on large pages. */
#ifndef BOUGH_FORMATS_TABLES_TABLE_ROWS_H
#define BOUGH_FORMATS_TABLES_TABLE_ROWS_H

#include "formats/fabrics/fabric.h"

/* *row: that of a node; a new one, of lids times BOUGH_NO_PORT, if it has none. Errors: TOO_LARGE, NO_MEMORY.
 */
bough_status table_row(bough_tables *tables, uint32_t node, uint8_t **row, bough_error *error);

/* Makes all rows at least this long, and sets lids. Copies them. Errors: TOO_LARGE, NO_MEMORY; then they are
 * as before. */
bough_status table_rows_lengthen(bough_tables *tables, uint32_t lids, bough_error *error);

#endif
