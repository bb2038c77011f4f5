/* Reading forwarding tables: from lines to rows, and what is checked when all rows are there. */
#ifndef BOUGH_NETWORK_TABLES_LFT_TABLES_H
#define BOUGH_NETWORK_TABLES_LFT_TABLES_H

#include "base/files/input.h"
#include "bough/fabric.h"
#include "network/files/guid_map.h"
#include "network/files/line_scanner.h"
#include "network/recorded/findings.h"

typedef enum bough_table_form {
    BOUGH_TABLE_NONE,
    BOUGH_TABLE_LFTS,    /* opensm-lfts.dump */
    BOUGH_TABLE_IBROUTE, /* ibroute, dump_fts */
    BOUGH_TABLE_FDBS,    /* opensm.fdbs */
    BOUGH_TABLE_MULTICAST
} bough_table_form;

typedef struct bough_table_reader {
    const bough_fabric *fabric;
    bough_tables *tables; /* rows of different lengths until all are read */
    uint32_t *length;     /* of the rows, by node */
    bough_finder finder;
    bough_error *error;
    bough_guids switches; /* GUID -> node */
    uint64_t *owner;      /* LID -> GUID of the adapter port that has it; 0 unknown, 1 a switch has it */
    bough_scan scan;
    /* The table that is being read: */
    bough_table_form form;
    uint32_t node, line; /* its switch, or BOUGH_NO_INDEX when the fabric does not have it; its first line */
    uint8_t *row;        /* its entries, and how many of them are in use */
    uint32_t used;
    uint64_t last; /* the last LID by its first line */
    uint64_t lines, beyond, again;
    bool counted, complained;
    /* All tables: */
    uint64_t count, complaints, multicast;
    uint64_t moved,
        strangers; /* switches with another LID, entries with another port GUID than in the fabric */
    char moved_example[192], stranger_example[192];
    uint32_t top; /* the largest LID that was named */
} bough_table_reader;

/* Reads all tables of one file. */
bough_status bough_tables_read_piece(bough_table_reader *reader, const bough_input_piece *piece);

/* The largest LID of fabric (with the LIDs that LMC adds). */
uint32_t bough_fabric_last_lid(const bough_fabric *fabric);
/* Adds what does not fit between complete tables and fabric. */
bough_status bough_tables_check(const bough_tables *tables, const bough_fabric *fabric, bough_finder *finder,
                                bough_error *error);

#endif
