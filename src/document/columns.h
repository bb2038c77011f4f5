/* Columns of rows that are structs: one list for the table of a document, for JSON and for CSV.
 *
 *     static const row_column columns[] = {
 *         {"switches", "switches", COLUMN_WHOLE, offsetof(row, switches), .in = IN_ALL},
 *         {"random_ci95", NULL, COLUMN_REAL, offsetof(row, ci95), .in = IN_JSON},
 *     };
 *     const row_columns list = {columns, 2, sizeof(row)};
 */
#ifndef BOUGH_DOCUMENT_COLUMNS_H
#define BOUGH_DOCUMENT_COLUMNS_H

#include "base/json/json_writer.h"
#include "document/text_table.h"

#include <stddef.h>

typedef enum column_kind {
    COLUMN_TEXT,  /* char[]; empty: null in JSON */
    COLUMN_WHOLE, /* uint64_t */
    COLUMN_SMALL, /* unsigned */
    COLUMN_REAL,  /* double; not finite: none */
    COLUMN_FLAG   /* bool; a star in text, 0 or 1 in CSV */
} column_kind;

/* Where a column is written. A column with IN_REQUEST is left out, unless the list says so. */
enum { IN_TEXT = 1, IN_JSON = 2, IN_CSV = 4, IN_ALL = IN_TEXT | IN_JSON | IN_CSV, IN_REQUEST = 8 };

typedef struct row_column {
    const char *key;     /* in JSON and CSV */
    const char *heading; /* in text */
    column_kind kind;
    size_t offset;
    int digits;  /* of a real number in text; 0: a whole number */
    unsigned in; /* IN_TEXT | ... */
} row_column;

typedef struct row_columns {
    const row_column *column;
    size_t count;
    size_t size;    /* of a row */
    bool requested; /* columns with IN_REQUEST are written */
} row_columns;

/* Adds the headings, without an end of the row; then the cells of a row. */
void columns_head(const row_columns *list, text_table *table);
void columns_row(const row_columns *list, const void *row, text_table *table);
/* The members of an object. */
void columns_json(const row_columns *list, const void *row, json_writer *w);
/* The heading line and all rows. Real numbers have ten digits. */
void columns_csv(const row_columns *list, const void *rows, size_t count, bough_text *out);

#endif
