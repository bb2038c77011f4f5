/* Tables of neighbours, as programs export them: which columns name the nodes and ports of both ends. */
#ifndef BOUGH_FORMATS_FABRICS_NEIGHBOUR_COLUMNS_H
#define BOUGH_FORMATS_FABRICS_NEIGHBOUR_COLUMNS_H

#include "base/text/csv_reader.h"
#include "formats/fabrics/cable_list.h"

enum { NEIGHBOUR_COLUMNS = 64 };
typedef enum neighbour_role { OTHER, NODE, PORT, KIND, TYPE, RATE } neighbour_role;

/* The roles and sides (0, 1) of columns by words of their names: "Peer Node", "source_port", "StartDevice",
 * "peerIfname". The first column of each role and side counts. Returns whether there are both nodes. */
bool neighbour_columns_find(const csv_cell *name, unsigned columns, neighbour_role *roles, unsigned *sides);

/* A number without a unit is in Mb/s, as in SONiC's tables of links. Other texts are no rates: 0. */
void neighbour_rate(csv_cell cell, uint64_t *rate);

/* A row whose cells are plain text. Cells stay with the caller until the cables are finished. */
typedef struct neighbour_table {
    bough_cables *cables;
    neighbour_role role[NEIGHBOUR_COLUMNS];
    unsigned side[NEIGHBOUR_COLUMNS], columns;
    uint64_t uncabled; /* rows without a neighbour */
} neighbour_table;

/* Adds the cable of a row of as many cells as there are columns; line: for messages, 0 for none. */
bough_status neighbour_table_row(neighbour_table *table, const bough_slice *cell, uint32_t line);
/* Adds a finding about rows that were left out. */
void neighbours_note_uncabled(bough_cables *cables, uint64_t rows);

#endif
