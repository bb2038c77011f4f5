/* Files of sections with named columns, as ibdiagnet writes them (ibdiagnet2.db_csv):
 *
 *   START_NODES
 *   NodeDesc,NumPorts,NodeType,NodeGUID
 *   "node, 1 HCA-1",1,1,0x0002c90300000000
 *   END_NODES
 *
 * A description is quoted, but quotes in it are not doubled: a cell ends at the quote before a comma. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_DB_SECTIONS_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_DB_SECTIONS_H

#include "base/memory/arena.h"
#include "base/text/scanner.h"

typedef struct db_section {
    bough_slice name;
    scanner start; /* before the line with the names of its columns */
} db_section;

typedef struct db_sections {
    db_section *item;
    size_t count;
    arena memory; /* of the items; the caller frees it, also after an error */
} db_sections;

/* Finds all sections; other lines are skipped. Errors: INVALID for a section without an end. */
bough_status db_sections_find(scanner *scan, db_sections *sections);
/* Returns whether the line starts a section. */
bool db_sections_start(const scanner *scan);

enum { DB_COLUMNS = 52 };

/* Names of the columns to read, in upper or lower case, "A|B" for a column of either name; the first
 * `required` of them must exist. */
typedef struct db_columns {
    size_t count, required;
    const char *name[DB_COLUMNS];
} db_columns;

typedef struct db_table {
    scanner scan;
    bough_slice section;
    const db_columns *columns;
    uint32_t header; /* line of the names */
    size_t cells;
    size_t place[DB_COLUMNS];     /* of each column among the cells of a row; SIZE_MAX: missing */
    bough_slice cell[DB_COLUMNS]; /* of the current row, without quotes; length 0: missing, or N/A */
} db_table;

/* Starts before the first row. Errors: INVALID for a missing column. */
bough_status db_table_open(const db_section *section, const db_columns *columns, db_table *table);
/* Reads the next row; *more false: there is none. Errors: INVALID for another number of cells. */
bough_status db_table_next(db_table *table, bool *more);
/* Errors: INVALID if a cell of this many first columns is empty. */
bough_status db_table_need(const db_table *table, size_t columns);
/* A number in decimal, or hexadecimal after 0x; unchanged if the cell is empty. Errors: INVALID above `most`.
 */
bough_status db_table_number(const db_table *table, size_t column, uint64_t most, uint64_t *value);
/* Hexadecimal digits, after 0x or not; unchanged if the cell is empty. */
bough_status db_table_guid(const db_table *table, size_t column, uint64_t *value);

#endif
