/* The memory of the rows of forwarding tables: many rows at a time, on large pages; and what the readers of
 * tables share. */
#ifndef BOUGH_FORMATS_TABLES_TABLE_ROWS_H
#define BOUGH_FORMATS_TABLES_TABLE_ROWS_H

#include "base/memory/index_map.h"
#include "formats/fabrics/finding_list.h"

/* *row: that of a node; a new one, of lids times BOUGH_NO_PORT, if it has none. Errors: TOO_LARGE, NO_MEMORY.
 */
bough_status table_row(bough_tables *tables, uint32_t node, uint8_t **row, bough_error *error);

/* Makes all rows at least this long, and sets lids. Copies them. Errors: TOO_LARGE, NO_MEMORY; then they are
 * as before. */
bough_status table_rows_lengthen(bough_tables *tables, uint32_t lids, bough_error *error);

/* Enters the switches of a fabric: GUID -> node. Errors: NO_MEMORY. */
bough_status table_switches(const bough_fabric *fabric, bough_index_map *switches, bough_error *error);
/* The finding about tables of PLFT 1 and above, if there are any. */
void table_log_private(bough_finding_log *log, uint64_t tables);

#endif
