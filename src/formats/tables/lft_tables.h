/* Reader of forwarding tables, and checks of the complete tables. */
#ifndef BOUGH_FORMATS_TABLES_LFT_TABLES_H
#define BOUGH_FORMATS_TABLES_LFT_TABLES_H

#include "base/files/input.h"
#include "base/files/input_blocks.h"
#include "base/memory/index_map.h"
#include "base/text/scanner.h"
#include "formats/fabrics/fabric.h"
#include "formats/fabrics/finding_list.h"
#include "formats/tables/usual_lines.h"

typedef enum bough_table_form {
    BOUGH_TABLE_NONE,
    BOUGH_TABLE_LFTS,    /* opensm-lfts.dump */
    BOUGH_TABLE_IBROUTE, /* ibroute, dump_fts */
    BOUGH_TABLE_FDBS,    /* opensm.fdbs, ibdiagnet2.fdbs */
    BOUGH_TABLE_MULTICAST
} bough_table_form;

typedef struct bough_table_reader {
    const bough_fabric *fabric;
    bough_tables *tables; /* lids: of the fabric, or more */
    bough_finding_log log;
    bough_error *error;
    bough_index_map switches;            /* GUID -> node */
    uint64_t *owner;                     /* LID -> GUID of its adapter port; 0: unknown, 1: a switch */
    usual_memory *memory[INPUT_WORKERS]; /* of each thread */
    usual_lines found[INPUT_PARTS];      /* of each part */
    const usual_lines *usual;            /* of the current part */
    size_t run;                          /* the next one of them */
    scanner scan;
    /* The current table: */
    bough_table_form form;
    uint32_t node, line; /* its switch, or BOUGH_NO_INDEX if the fabric lacks it; its first line */
    uint8_t *row;        /* entries; number of them in use */
    uint32_t used;
    uint64_t last; /* last LID according to the header line */
    uint64_t lines, beyond, repeated;
    bool counted, complained, private; /* private: PLFT 1 and above, which are ignored */
    /* All tables: */
    uint64_t count, skipped, multicast, privates;
    /* Switches with another LID, and entries with another port GUID, than in the fabric. */
    uint64_t lid_mismatches, guid_mismatches;
    char lid_example[192], guid_example[192];
    uint32_t longest; /* entries of the longest table that was stored */
} bough_table_reader;

/* bough_tables_read of an input in memory. */
bough_status bough_tables_parse(const bough_input *input, const bough_fabric *fabric, bough_tables *tables,
                                bough_findings *findings, bough_error *error);
/* Reads all tables of one file, from its blocks or its bytes. */
bough_status bough_tables_read_blocks(bough_table_reader *reader, input_blocks *blocks,
                                      const bough_tables_file *file);
bough_status bough_tables_read_piece(bough_table_reader *reader, bough_input_piece *piece);

/* The number of tables in a file, counted up to `most`; 0 unless it begins with one. guid: the first switch.
 */
size_t bough_tables_count(const char *data, size_t size, size_t most, uint64_t *guid);

/* The largest LID of a fabric, including those from LMC. */
uint32_t bough_fabric_last_lid(const bough_fabric *fabric);
/* Adds findings for inconsistencies between complete tables and the fabric. */
bough_status bough_tables_check(const bough_tables *tables, const bough_fabric *fabric, unsigned threads,
                                bough_finding_log *log, bough_error *error);

#endif
